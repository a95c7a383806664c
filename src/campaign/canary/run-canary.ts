// One canary: a campaign with a planted bug, until a comparison that the canary is about has seen
// it.

import { indexOf, USUAL } from "../program/seeds.js";
import { Campaign } from "../run/campaign.js";
import type { Found } from "../run/found.js";
import type { CampaignOptions, CampaignResult } from "../run/options.js";
import { isCheckersWord } from "./canaries.js";
import type { Canary } from "./canary.js";

export interface CanaryResult {
  readonly canary: Canary;
  /**
   * The first in the order of seeds that is of a comparison that the canary is about, or from the
   * allocation checker; null: it survived.
   */
  readonly found: Found | null;
  /** Programs until then, that one included; all, if it survived. */
  readonly programs: number;
  readonly campaign: CampaignResult;
}

type Given = Omit<CampaignOptions, "settings" | "isEnough" | "sampleCount" | "isReported">;

/** @param attend starts the campaign, and may interrupt it */
export async function runCanary(
  canary: Canary,
  given: Given,
  attend: (campaign: Campaign) => Promise<CampaignResult>,
): Promise<CanaryResult> {
  const isIt = ({ kind, aspect, what }: Found): boolean =>
    kind === "internal-error"
      ? isCheckersWord(canary, what)
      : aspect !== null && canary.about.includes(aspect);
  let isReported = false;
  const campaign = await attend(
    new Campaign({
      ...given,
      settings: {
        subjects: canary.subjects,
        canary: canary.name,
        drawn: null,
        profile: canary.profile ?? USUAL,
        isQuick: true, // as the campaigns that it stands for
      },
      isEnough: ({ found }) => found.some(isIt),
      sampleCount: 0,
      isReported: (found) => {
        const isFirst = !isReported && isIt(found);
        isReported ||= isFirst;
        return isFirst;
      },
    }),
  );
  const found = campaign.found.find(isIt) ?? null;
  const programs = found === null ? campaign.programs : indexOf(given.first, found.seed) + 1;
  return { canary, found, programs, campaign };
}

// Runs one canary: a campaign with a planted bug, until a comparison of the canary has found it.

import { indexOf, USUAL } from "../program/seeds.js";
import { Campaign } from "../run/campaign.js";
import type { RawFinding } from "../run/found.js";
import type { CampaignOptions, CampaignResult } from "../run/options.js";
import { isCheckerFailure } from "./canaries.js";
import type { Canary } from "./canary.js";

export interface CanaryResult {
  readonly canary: Canary;
  /**
   * The first finding, in the order of seeds, by a comparison of the canary or by the allocation
   * checker; null: the canary survived.
   */
  readonly found: RawFinding | null;
  /** The number of programs up to the one that found the bug; all programs if none did. */
  readonly programs: number;
  readonly campaign: CampaignResult;
}

type CanaryRunOptions = Omit<CampaignOptions, "settings" | "isEnough" | "isReported">;

/**
 * Runs a campaign until the canary is found.
 * @param attend starts the campaign, and may interrupt it
 */
export async function runCanary(
  canary: Canary,
  given: CanaryRunOptions,
  attend: (campaign: Campaign) => Promise<CampaignResult>,
): Promise<CanaryResult> {
  const isIt = ({ kind, aspect, what }: RawFinding): boolean =>
    kind === "internal-error"
      ? isCheckerFailure(canary, what)
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
        isQuick: true, // as in the campaigns that it represents
      },
      isEnough: ({ found }) => found.some(isIt),
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

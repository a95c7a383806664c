// `fuzz run --fleet`: the same campaign, with the help of workers (`fuzz worker`) that have its store.

import type { Campaign } from "../../src/campaign/run/campaign.js";
import type { CampaignResult, Helpers } from "../../src/campaign/run/options.js";
import type { FleetSummary } from "../../src/campaign/run/summary.js";
import type { Store } from "../../src/store/store.js";
import { StoreError } from "../../src/store/store-error.js";
import { asked } from "../support/store.js";

export interface FleetTask {
  /** Programs of an interval; null: what keeps a worker busy for a while. */
  readonly interval: number | null;
}

export interface Fleet {
  readonly helpers: Helpers;
  start(campaign: Campaign): Promise<void>;
  /** What became of all that was lent. */
  end(result: CampaignResult): Promise<FleetSummary>;
}

/**
 * @param campaign its row in the store
 * @param say one line for people
 * @throws UserError
 */
export async function openFleet(
  store: Store,
  campaign: number,
  { interval: programs }: FleetTask,
  say: (line: string) => void,
): Promise<Fleet> {
  const { Exchange } = await import("../../src/fleet/exchange.js");
  const options = { campaign, programs, say };
  const exchange = await asked(() => Exchange.open(store, options));
  return {
    helpers: exchange,
    start: (campaign) => asked(() => exchange.start(campaign)),
    end: async ({ ended, missing }) => {
      const { lent, delivered } = exchange.figures;
      try {
        await exchange.close(ended === "count");
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        say(error.message); // workers see by themselves that the campaign is gone
      }
      // Of what was enough nothing more is wanted.
      const wanted = ended === "findings" ? [] : missing;
      return { lent, delivered, missing: wanted.map(([a, b]) => [String(a), String(b)]) };
    },
  };
}

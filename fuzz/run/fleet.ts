// Implements `fuzz run --fleet`: shares a campaign with workers (`fuzz worker`) that use the same
// store.

import type { Campaign } from "../../src/campaign/run/campaign.js";
import type { CampaignResult, HelperMachines } from "../../src/campaign/run/options.js";
import type { FleetSummary } from "../../src/campaign/run/summary.js";
import type { CampaignStore } from "../../src/store/store.js";
import { StoreError } from "../../src/store/store-error.js";
import { queryStore } from "../support/store.js";

export interface FleetArgs {
  /** Programs of an interval; null: a number that keeps a worker busy for about 40 s. */
  readonly interval: number | null;
}

export interface FleetSession {
  readonly helpers: HelperMachines;
  start(campaign: Campaign): Promise<void>;
  /** Returns the counts of lent and delivered intervals. */
  end(result: CampaignResult): Promise<FleetSummary>;
}

/**
 * Opens the exchange of a campaign.
 * @param campaign the campaign's row in the store
 * @param say prints one line
 * @throws UserError
 */
export async function openFleet(
  store: CampaignStore,
  campaign: number,
  { interval: programs }: FleetArgs,
  say: (line: string) => void,
): Promise<FleetSession> {
  const { IntervalExchange: Exchange } = await import("../../src/fleet/exchange.js");
  const options = { campaign, programs, say };
  const exchange = await queryStore(() => Exchange.open(store, options));
  return {
    helpers: exchange,
    start: (campaign) => queryStore(() => exchange.start(campaign)),
    end: async ({ ended, missing }) => {
      const { lent, delivered } = exchange.figures;
      try {
        await exchange.close(ended === "count");
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        say(error.message); // workers detect by themselves that the campaign has ended
      }
      // After enough findings, missing intervals are not needed.
      const wanted = ended === "findings" ? [] : missing;
      return { lent, delivered, missing: wanted.map(([a, b]) => [String(a), String(b)]) };
    },
  };
}

// Records a campaign in its store. Without a store, nothing is loaded and nothing waits.

import { indexOf } from "../../src/campaign/program/seeds.js";
import { executionsOf } from "../../src/campaign/publish/night.js";
import { coveredIn, summaryOfState } from "../../src/campaign/publish/progress.js";
import type { CampaignState } from "../../src/campaign/run/campaign-state.js";
import type { RawFinding } from "../../src/campaign/run/found.js";
import { engineVersions } from "../../src/campaign/run/judge-elsewhere.js";
import type { JudgeSettings } from "../../src/campaign/run/judge-seed.js";
import type { CampaignResult } from "../../src/campaign/run/options.js";
import type { CampaignSummary } from "../../src/campaign/run/summary.js";
import { generatorVersion } from "../../src/generate/version.js";
import { versions } from "../../src/report/versions.js";
import type { CampaignFigures, CampaignIdentity } from "../../src/store/campaign-rows.js";
import type { CampaignWriter } from "../../src/store/campaign-writer.js";
import type { CampaignStore } from "../../src/store/store.js";
import { InternalError } from "../../src/support/assert.js";
import { printAside } from "../support/output.js";
import { openStore, queryStore } from "../support/store.js";
import { type RunPlan, sum } from "./attend.js";
import { type FleetArgs, type FleetSession, openFleet } from "./fleet.js";

interface CampaignRecorder {
  /** @param announce called when the finding is durable */
  found(found: RawFinding, announce: () => void): void;
  /** Records the progress of the campaign. `state` is called only if the period is over. */
  markIfDue(state: () => CampaignState | null): void;
  /** @returns false if the store missed a record */
  end(
    result: CampaignResult,
    summary: CampaignSummary,
    state: CampaignState | null,
  ): Promise<boolean>;
  /**
   * Opens the exchange with workers; requires a store on a server.
   * @throws UserError
   */
  openFleet(task: FleetArgs, say: (line: string) => void): Promise<FleetSession>;
  close(): Promise<void>;
}

/** The recorder of a campaign without a store. */
const NO_STORE: CampaignRecorder = {
  found: (_, announce) => announce(),
  markIfDue: () => {},
  end: async () => true,
  openFleet: async () => {
    throw new InternalError("a campaign with fleet workers has no store");
  },
  close: async () => {},
};

interface RecordedCampaign {
  readonly name: string;
  readonly plan: RunPlan;
  readonly settings: JudgeSettings;
  readonly from: CampaignState | null;
  readonly onRefusal: (line: string) => void;
}

/**
 * Opens the recorder.
 * @param store name of the store; null: none
 * @throws UserError
 */
export async function openRecorder(
  store: string | null,
  recorded: RecordedCampaign,
): Promise<CampaignRecorder> {
  if (store === null) return NO_STORE;
  const { CampaignWriter } = await import("../../src/store/campaign-writer.js");
  const { buildVersion } = await import("../../src/store/build-version.js");
  const { name, plan, settings, from, onRefusal } = recorded;
  const { first, count } = plan;
  const identity = {
    ...{ name, first, count, settings },
    generator: generatorVersion,
    build: buildVersion(),
    commit: versions().commit,
    engines: engineVersions(settings),
  };
  const opened = await openStore(store);
  const onReturn = (line: string): void => printAside(`fuzz: ${line}`);
  const telling = { onRefusal, onReturn };
  const writer = await queryStore(() => CampaignWriter.begin(opened, identity, from, telling));
  return new StoreRecorder(opened, writer, identity);
}

const PERIOD_SECONDS = 10;

class StoreRecorder implements CampaignRecorder {
  private readonly store: CampaignStore;
  private readonly writer: CampaignWriter;
  private readonly identity: CampaignIdentity;
  private markedAt = performance.now();

  constructor(store: CampaignStore, writer: CampaignWriter, identity: CampaignIdentity) {
    this.store = store;
    this.writer = writer;
    this.identity = identity;
  }

  found(found: RawFinding, announce: () => void): void {
    this.writer.found(found, announce);
  }

  markIfDue(stateNow: () => CampaignState | null): void {
    if (performance.now() - this.markedAt < PERIOD_SECONDS * 1000) return;
    this.markedAt = performance.now();
    const state = stateNow();
    if (state === null) return;
    const { committed, kept } = state;
    const summary = summaryOfState(state, this.identity);
    this.writer.mark({ figures: figuresOf(state), committed, kept, summary });
  }

  end(
    result: CampaignResult,
    summary: CampaignSummary,
    state: CampaignState | null,
  ): Promise<boolean> {
    const intervals = result.intervals.map(([first, last]) => {
      const begin = indexOf(this.identity.first, first);
      return { begin, count: indexOf(this.identity.first, last) - begin + 1 };
    });
    const { entries, ended } = result;
    const end = { ended, figures: figuresOf(result), intervals, entries, summary };
    return this.writer.end(end, state?.kept ?? []);
  }

  openFleet(task: FleetArgs, say: (line: string) => void): Promise<FleetSession> {
    return openFleet(this.store, this.writer.campaign, task, say);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

function figuresOf(at: Pick<CampaignState, "seconds" | "tally" | "symptoms">): CampaignFigures {
  const { seconds, tally, symptoms } = at;
  const { equal, different, unjudged } = executionsOf(tally);
  const executions = equal + different + unjudged;
  const { programs } = tally;
  const seen = { findings: sum(symptoms), symptoms: Object.keys(symptoms).length };
  return { seconds, programs, executions, unjudged, ...seen, covered: coveredIn(tally) };
}

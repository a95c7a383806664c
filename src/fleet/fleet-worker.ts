// A worker of a fleet: takes intervals of open campaigns, judges them with its own processes, and
// delivers the results. It may join and leave at any time.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { ROUND_PROGRAMS } from "../campaign/evolved/evolution.js";
import { outsideSteps } from "../campaign/program/outside.js";
import { seedAt } from "../campaign/program/seeds.js";
import { Campaign } from "../campaign/run/campaign.js";
import type { JudgeSettings } from "../campaign/run/judge-seed.js";
import { ReusableWorkers } from "../campaign/run/kept-workers.js";
import type { CampaignResult } from "../campaign/run/options.js";
import type { CampaignStore } from "../store/store.js";
import { StoreError, storeErrorOf } from "../store/store-error.js";
import { parseBreeding } from "./breeding-text.js";
import { deliver } from "./delivery.js";
import { FleetQueue, type QueuedInterval } from "./fleet-queue.js";
import { isOpen, type OpenCampaign, openCampaigns, settingsOf, taskOf } from "./open-campaigns.js";
import { leave, RENEW_SECONDS, renew } from "./worker-rows.js";

interface FleetWorkerOptions {
  readonly processes: number;
  /** The build version of this process (`buildVersion`). */
  readonly build: string;
  /** Receives one line for people. */
  readonly say: (line: string) => void;
  /** When aborted, the worker leaves and gives back its interval. */
  readonly signal: AbortSignal;
}

/** The sums of all deliveries to one campaign. */
interface DeliverySums {
  readonly name: string;
  intervals: number;
  programs: number;
  /** Elapsed time while it judged. */
  seconds: number;
}

/** The programs and settings of a campaign, checked for this worker. */
interface CheckedTask {
  readonly first: bigint;
  readonly settings: JudgeSettings;
}

const IDLE_MS = 500;
/** The wait between attempts while the database is away. */
const AWAY_MS = 2000;
const HANG_SECONDS = 30;

export class FleetWorker {
  readonly id = randomUUID();
  private readonly store: CampaignStore;
  private readonly options: FleetWorkerOptions;
  private readonly says = `${hostname()}:${process.pid}`;
  private readonly queues = new Map<number, FleetQueue>();
  /** Tasks of campaigns that it has judged for, by id. */
  private readonly tasks = new Map<number, CheckedTask>();
  private saidLast = "";
  private readonly kept = new ReusableWorkers();
  private readonly deliveries = new Map<string, DeliverySums>();

  constructor(store: CampaignStore, options: FleetWorkerOptions) {
    this.store = store;
    this.options = options;
  }

  /** The deliveries by campaign, in the order in which the worker began with them. */
  get delivered(): readonly DeliverySums[] {
    return [...this.deliveries.values()];
  }

  /**
   * Runs until the signal aborts.
   * @throws StoreError if all open campaigns are of another build, or cannot be judged here
   */
  async run(): Promise<void> {
    try {
      await this.help();
    } finally {
      this.kept.close();
    }
    await this.leave();
  }

  private async help(): Promise<void> {
    const { signal } = this.options;
    while (!signal.aborted) {
      const campaign = await this.retryWhileAway(() => this.choose());
      const entry = campaign && (await this.retryWhileAway(() => this.takeFrom(campaign)));
      if (campaign == null) this.sayOnce(`store ${this.store.shown}: no campaign is open: waiting`);
      if (campaign != null && entry != null) await this.judge(campaign, entry);
      else await sleep(IDLE_MS, null, { signal }).catch(() => {});
    }
  }

  /**
   * Removes the worker's row, so that its interval is handed out again. If the database is away,
   * that happens after a while.
   */
  private async leave(): Promise<void> {
    try {
      await this.store.query((db) => leave(db, this.id));
    } catch (error) {
      const refusal = storeErrorOf(error, this.store.shown);
      if (refusal?.kind !== "gone") throw error;
      this.options.say(`${refusal.message}; the interval of this worker is handed out again later`);
    }
  }

  /** Returns an open campaign of this build; null: none is open. */
  private async choose(): Promise<OpenCampaign | null> {
    const campaigns = await this.store.query(openCampaigns);
    if (campaigns.length === 0) return null;
    const own = campaigns.find(({ build }) => build === this.options.build);
    if (own !== undefined) return own;
    const [{ name, build, commit }] = campaigns;
    throw new StoreError(
      "usage",
      `campaign ${name} is judged by build ${build}${commit === null ? "" : ` (commit ${commit})`}, ` +
        `and this is build ${this.options.build}: results of two builds do not mix`,
    );
  }

  private async takeFrom({ id: campaign, name }: OpenCampaign): Promise<QueuedInterval | null> {
    const known = this.queues.get(campaign);
    const queue = known ?? (await FleetQueue.open(this.store, campaign));
    this.queues.set(campaign, queue);
    await this.renew(campaign, null);
    const entry = await queue.take();
    this.sayOnce(entry === null ? `campaign ${name}: nothing to do: waiting` : `campaign ${name}`);
    return entry;
  }

  private renew(campaign: number, holds: string | null): Promise<void> {
    const { id, says } = this;
    const { processes } = this.options;
    return this.store.query((db) => renew(db, { id, campaign, holds, says, processes }));
  }

  private async judge(campaign: OpenCampaign, entry: QueuedInterval): Promise<void> {
    const { id, name } = campaign;
    const { interval } = entry;
    const queue = this.queues.get(id);
    await this.retryWhileAway(() => this.renew(id, entry.id));
    const task = await this.retryWhileAway(() => this.taskOf(campaign));
    if (task === null) return;
    const result = await this.resultOf(campaign, task, entry);
    const { ended, tally, extremes, found: kept, symptoms, seconds, news } = result;
    if (ended !== "count") {
      await this.retryWhileAway(async () => queue?.giveBack(entry.id));
      return;
    }
    const judged = { tally, extremes, batch: { kept, symptoms }, news };
    await this.retryWhileAway(async () => {
      await this.store.query((db) => deliver(db, id, { ...interval, judged }, this.says));
      await queue?.finish(entry.id);
    });
    const sums = this.deliveries.get(name) ?? { name, intervals: 0, programs: 0, seconds: 0 };
    this.deliveries.set(name, sums);
    sums.intervals++;
    sums.programs += interval.count;
    sums.seconds += seconds;
    const first = seedAt(task.first, interval.begin);
    const last = seedAt(first, interval.count - 1);
    this.options.say(`campaign ${name}: seeds ${first} to ${last} in ${seconds.toFixed(1)} s`);
  }

  private async resultOf(
    open: OpenCampaign,
    { first, settings }: CheckedTask,
    { id: entry, interval: { begin, count }, breeding }: QueuedInterval,
  ): Promise<CampaignResult> {
    const bred = breeding && parseBreeding(breeding, count, outsideSteps(settings.outside));
    if (typeof bred === "string") throw new StoreError("usage", `campaign ${open.name}: ${bred}`);
    const { processes, say, signal } = this.options;
    const campaign = new Campaign({
      ...{ settings, first: seedAt(first, begin), count, seconds: Infinity },
      ...{ workers: processes, roundPrograms: ROUND_PROGRAMS, from: null, bred },
      ...{ reports: "", isReported: () => false, isEnough: () => false },
      ...{ hangSeconds: HANG_SECONDS, fault: null, helpers: null, kept: this.kept },
      ...{ onState: () => {}, onFound: () => {}, onWorker: () => {}, onRefusal: say },
    });
    const interrupt = (): void => campaign.interrupt();
    signal.addEventListener("abort", interrupt, { once: true });
    const timer = setInterval(
      () => this.renewOrInterrupt(open.id, entry, interrupt),
      RENEW_SECONDS * 1000,
    );
    try {
      return await campaign.run();
    } finally {
      clearInterval(timer);
      signal.removeEventListener("abort", interrupt);
    }
  }

  /** Reads and checks a task once: programs from outside may be many. */
  private async taskOf({ id, name }: OpenCampaign): Promise<CheckedTask> {
    const known = this.tasks.get(id);
    if (known !== undefined) return known;
    const given = await this.store.query((db) => taskOf(db, id));
    const settings = settingsOf(given);
    if (typeof settings === "string") {
      throw new StoreError("missing", `campaign ${name}: ${settings}`);
    }
    const task = { first: BigInt(given.first), settings };
    this.tasks.set(id, task);
    return task;
  }

  /** Renews the worker's row. Interrupts the work if the campaign is closed. */
  private async renewOrInterrupt(
    campaign: number,
    entry: string,
    interrupt: () => void,
  ): Promise<void> {
    try {
      await this.renew(campaign, entry);
      if (!(await this.store.query((db) => isOpen(db, campaign)))) interrupt();
    } catch (error) {
      const refusal = storeErrorOf(error, this.store.shown);
      if (refusal === null) throw error;
      this.sayOnce(`${refusal.message}; it will be tried again`);
    }
  }

  /** Retries while the database is away. Returns null if the worker is to leave meanwhile. */
  private async retryWhileAway<T>(ask: () => Promise<T>): Promise<T | null> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        const refusal = storeErrorOf(error, this.store.shown);
        if (refusal?.kind !== "gone") throw error;
        this.sayOnce(`${refusal.message}; it will be tried again`);
      }
      const { signal } = this.options;
      await sleep(AWAY_MS, null, { signal }).catch(() => {});
      if (signal.aborted) return null;
    }
  }

  private sayOnce(line: string): void {
    if (line === this.saidLast) return;
    this.saidLast = line;
    this.options.say(line);
  }
}

// Implements the campaign's side of a fleet: lends intervals to workers, and receives their
// results.
//
// 1. A lent interval is delivered, lent again, or judged here. A worker that is silent is lost.
//    When this process is idle, it takes back an interval that no worker has taken.
// 2. Results may come twice, late, or from an earlier process of the campaign: a result of an
//    interval that is not lent is ignored.
// 3. If the database stays away, all lent intervals are judged here.
// 4. The exchange polls every half second; the campaign itself never waits.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { RestartBackoff } from "../campaign/run/backoff.js";
import type { SeedsJob } from "../campaign/run/batch.js";
import type { Campaign } from "../campaign/run/campaign.js";
import type { HelperMachines } from "../campaign/run/options.js";
import type { CampaignStore } from "../store/store.js";
import { storeErrorOf } from "../store/store-error.js";
import { printBreeding } from "./breeding-text.js";
import { deliveriesOf, removeDeliveries } from "./delivery.js";
import { FleetQueue } from "./fleet-queue.js";
import { setOpen } from "./open-campaigns.js";
import { SILENT_SECONDS, takeSilent, workersOf } from "./worker-rows.js";

const PERIOD_MS = 500;
/**
 * Number of intervals that are queued for each worker, so that none has to wait for the campaign.
 */
const AHEAD = 2;

interface LentJob extends Pick<SeedsJob, "begin" | "count" | "breeding"> {
  readonly id: string;
  isQueued: boolean;
}

interface ExchangeOptions {
  /** The id of the campaign's row in the store. */
  readonly campaign: number;
  /** Programs of an interval; null: as many as keep a worker busy for a while. */
  readonly programs: number | null;
  /** Receives one line for people: workers that join or are lost, and errors. */
  readonly say: (line: string) => void;
}

interface FleetFigures {
  /** Number of intervals that were lent. */
  readonly lent: number;
  /** Number of intervals that workers delivered. */
  readonly delivered: number;
}

/** The part that the exchange uses of the campaign whose intervals it lends. */
type LendingCampaign = Pick<
  Campaign,
  "deliver" | "deliverEarlier" | "takeBack" | "offer" | "isIdle"
>;

export class IntervalExchange implements HelperMachines {
  readonly programs: number | null;
  processes = 1;
  private readonly store: CampaignStore;
  private readonly queue: FleetQueue;
  private readonly options: ExchangeOptions;
  /** Lent intervals, by index of the first program. */
  private readonly lent = new Map<number, LentJob>();
  private workers: ReadonlySet<string> = new Set();
  private delivered = 0;
  private isClosed = false;
  private loop: Promise<void> = Promise.resolve();

  private constructor(store: CampaignStore, queue: FleetQueue, options: ExchangeOptions) {
    this.store = store;
    this.queue = queue;
    this.options = options;
    this.programs = options.programs;
  }

  /**
   * Opens the exchange. Intervals that an earlier process has lent are no longer lent.
   * @throws StoreError
   */
  static async open(store: CampaignStore, options: ExchangeOptions): Promise<IntervalExchange> {
    const { campaign } = options;
    await (await FleetQueue.open(store, campaign)).remove();
    const queue = await FleetQueue.open(store, campaign);
    await store.query((db) => setOpen(db, campaign, true));
    return new IntervalExchange(store, queue, options);
  }

  /**
   * Uses the deliveries to an earlier process, and begins to lend.
   * @throws StoreError
   */
  async start(lender: LendingCampaign): Promise<void> {
    const { campaign, say } = this.options;
    const earlier = await this.store.query((db) => deliveriesOf(db, campaign, "all"));
    const used = earlier.filter(
      ({ begin, count, judged }) => judged !== null && lender.deliverEarlier(begin, count, judged),
    );
    if (used.length > 0) say(`${used.length} intervals were delivered already`);
    this.loop = this.run(lender);
  }

  get room(): number {
    return this.isClosed ? 0 : this.workers.size * AHEAD - this.lent.size;
  }

  lend({ begin, count, breeding }: SeedsJob): void {
    this.lent.set(begin, { id: randomUUID(), begin, count, breeding, isQueued: false });
  }

  get figures(): FleetFigures {
    const { delivered, lent } = this;
    return { lent: delivered + lent.size, delivered };
  }

  /**
   * Closes the exchange, and removes its queue.
   * @param isWhole the campaign is complete: its deliveries are not needed again
   * @throws StoreError
   */
  async close(isWhole: boolean): Promise<void> {
    const { campaign } = this.options;
    this.isClosed = true;
    await this.loop;
    await this.queue.remove();
    await this.store.query(async (db) => {
      await setOpen(db, campaign, false);
      if (isWhole) await removeDeliveries(db, campaign);
    });
  }

  private async run(lender: LendingCampaign): Promise<void> {
    const { say } = this.options;
    const backoff = new RestartBackoff();
    let saidLast = "";
    while (!this.isClosed) {
      try {
        await this.exchange(lender);
        backoff.succeed();
        saidLast = "";
      } catch (error) {
        const refusal = storeErrorOf(error, this.store.shown);
        if (refusal === null) throw error;
        const line = `${refusal.message}; it will be tried again`;
        if (line !== saidLast) say(line);
        saidLast = line;
        backoff.refuse(performance.now());
        if (backoff.isHopeless) this.takeAllBack(lender);
      }
      await sleep(Math.max(PERIOD_MS, Math.min(backoff.waitMs(performance.now()), 5000)));
    }
  }

  private async exchange(lender: LendingCampaign): Promise<void> {
    await this.updateWorkers();
    lender.offer();
    await this.putLent();
    await this.receive(lender);
    for (const id of await this.queue.abandoned(SILENT_SECONDS)) await this.queue.giveBack(id);
    await this.queue.makeAllAvailable();
    if (lender.isIdle) await this.takeOneBack(lender);
  }

  private async updateWorkers(): Promise<void> {
    const { campaign, say } = this.options;
    const silent = await this.store.query((db) => takeSilent(db, campaign, SILENT_SECONDS));
    for (const name of silent) say(`worker ${name} is silent: its interval is handed out again`);
    const rows = await this.store.query((db) => workersOf(db, campaign));
    const workers = new Set(rows.map(({ says }) => says));
    for (const { says, processes } of rows) {
      if (!this.workers.has(says)) say(`worker ${says} helps, with ${processes} processes`);
    }
    for (const name of this.workers) {
      if (!workers.has(name) && !silent.includes(name)) say(`worker ${name} has left`);
    }
    this.workers = workers;
    const processes = rows.reduce((sum, row) => sum + row.processes, 0);
    this.processes = Math.max(1, Math.floor(processes / rows.length || 1));
  }

  private async putLent(): Promise<void> {
    const fresh = [...this.lent.values()].filter(({ isQueued }) => !isQueued);
    const entries = fresh.map(({ id, begin, count, breeding }) => ({
      ...{ id, interval: { begin, count } },
      breeding: breeding && printBreeding(breeding),
    }));
    await this.queue.put(entries);
    for (const one of fresh) one.isQueued = true;
  }

  private async receive(lender: LendingCampaign): Promise<void> {
    const { campaign, say } = this.options;
    const waiting = await this.queue.entries(); // read before the deliveries: an interval in neither is lost
    const queued = [...this.lent.values()].filter(({ isQueued }) => isQueued);
    const begins = queued.map(({ begin }) => begin);
    const deliveries = await this.store.query((db) => deliveriesOf(db, campaign, begins));
    for (const { begin, count, judged } of deliveries) {
      const lent = this.lent.get(begin);
      if (lent?.count !== count) continue;
      if (judged === null) {
        say(`the delivery of ${count} programs is not a valid result: they are judged here`);
        this.takeBack(lender, lent);
      } else if (lender.deliver(begin, count, judged)) {
        this.lent.delete(begin);
        this.delivered++;
      }
    }
    for (const one of queued) {
      if (this.lent.get(one.begin) === one && !waiting.has(one.id)) this.takeBack(lender, one);
    }
  }

  /** Takes back one interval that waits in the queue while this process is idle. */
  private async takeOneBack(lender: LendingCampaign): Promise<void> {
    const entry = await this.queue.take();
    if (entry === null) return;
    const lent = [...this.lent.values()].find(({ id }) => id === entry.id);
    await this.queue.finish(entry.id);
    if (lent !== undefined) this.takeBack(lender, lent);
  }

  private takeAllBack(lender: LendingCampaign): void {
    this.workers = new Set();
    for (const lent of [...this.lent.values()]) this.takeBack(lender, lent);
  }

  private takeBack(lender: LendingCampaign, { begin }: LentJob): void {
    this.lent.delete(begin);
    lender.takeBack(begin);
  }
}

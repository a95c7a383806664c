// Reads a store for pages. A store on a server stays open. A store in a folder belongs to one
// process at a time, so it is closed a second after the last question; a campaign that starts
// meanwhile waits for it.

import { setTimeout as sleep } from "node:timers/promises";
import type { CampaignStore } from "../../src/store/store.js";
import type { QueryStore } from "../../src/store/store-place.js";

const KEEP_OPEN_MS = 1000;

export class StoreReader {
  private readonly open: () => Promise<CampaignStore>;
  private store: Promise<CampaignStore> | null = null;
  /** Questions that are unanswered, or were answered less than KEEP_OPEN_MS ago. */
  private users = 0;

  constructor(open: () => Promise<CampaignStore>) {
    this.open = open;
  }

  /** @throws StoreError */
  readonly ask: QueryStore = async (question) => {
    this.users++;
    try {
      const store = await this.opened();
      return await store.query((db) => question(db, store));
    } finally {
      this.leave();
    }
  };

  async close(): Promise<void> {
    const { store } = this;
    this.store = null;
    await store?.then((opened) => opened.close()).catch(() => {}); // it was not open
  }

  private opened(): Promise<CampaignStore> {
    if (this.store !== null) return this.store;
    const store = this.open();
    this.store = store;
    store.catch(() => {
      if (this.store === store) this.store = null; // the next question tries again
    });
    return store;
  }

  private async leave(): Promise<void> {
    await sleep(KEEP_OPEN_MS, null, { ref: false });
    if (--this.users > 0) return;
    const store = await this.store?.catch(() => null);
    if (store?.isEmbedded && this.users === 0) await this.close();
  }
}

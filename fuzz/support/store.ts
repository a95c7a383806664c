// The store that a user names: on the command line, in a plan, or by TOUCHSTONE_STORE.

import type { Store } from "../../src/store/store.js";
import { StoreError } from "../../src/store/store-error.js";
import { STATUS, UserError } from "./output.js";

/** What names a store where the command line and the plan do not. */
const VARIABLE = "TOUCHSTONE_STORE";

/** Null: there is none. */
export const storeName = (given: string | undefined): string | null =>
  given ?? (process.env[VARIABLE] || null);

/** @throws UserError */
export const openStore = (name: string): Promise<Store> =>
  asked(async () => (await import("../../src/store/store.js")).Store.open(name));

/** Asks a store; what it refuses is a line and a status. */
export async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new UserError(error.kind === "usage" ? STATUS.usage : STATUS.missing, error.message);
  }
}

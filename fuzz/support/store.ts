// Opens the store that a user names: on the command line, in a plan, or by TOUCHSTONE_STORE.

import type { CampaignStore } from "../../src/store/store.js";
import { StoreError } from "../../src/store/store-error.js";
import { parseStoreName } from "../../src/store/store-name.js";
import { STATUS, UserError, usageError } from "./output.js";

/** The environment variable that names a store if the command line and the plan do not. */
const VARIABLE = "TOUCHSTONE_STORE";

/**
 * Returns the name of the store; null: none.
 * @throws UserError if the name is malformed
 */
export function storeName(given: string | undefined): string | null {
  const name = given ?? (process.env[VARIABLE] || null);
  if (name !== null) parsed(name);
  return name;
}

/**
 * Returns the name of a store that several processes can reach. Must be called before a store is
 * opened.
 * @throws UserError
 */
export function fleetStoreName(given: string | undefined, asking: string): string {
  const name = storeName(given);
  if (name !== null && parsed(name).kind === "server") return name;
  throw usageError(
    `${asking}: expected a store on a server, which several processes reach: --store postgres://USER@HOST/DATABASE`,
  );
}

function parsed(name: string): ReturnType<typeof parseStoreName> {
  try {
    return parseStoreName(name);
  } catch (error) {
    throw userErrorOf(error);
  }
}

/**
 * @param makes whether to create a missing store
 * @throws UserError
 */
export const openStore = (name: string, makes = true): Promise<CampaignStore> =>
  queryStore(async () =>
    (await import("../../src/store/store.js")).CampaignStore.open(name, makes),
  );

/** Queries a store. An error of the store becomes a line and a status. */
export async function queryStore<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw userErrorOf(error);
  }
}

function userErrorOf(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  return new UserError(error.kind === "usage" ? STATUS.usage : STATUS.missing, error.message);
}

// Opens PostgreSQL within this process: PGlite, with its files in a folder. PGlite has one
// connection, so concurrent queries wait for their turn.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PGlite, type PGliteOptions, types } from "@electric-sql/pglite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import { InternalError } from "../support/assert.js";
import { lockFolder } from "../support/lock-folder.js";
import { isForbidden, MachineError } from "../support/machine-error.js";
import { projectRoot } from "../support/project-root.js";
import { checkWritable, makeFolders, namesIn, writeWhole } from "../support/whole-file.js";
import { StoreError, storeErrorOf } from "./store-error.js";

/** The files of the database, below the folder that the user names. That folder is locked. */
const DATA = "postgres";

/** The time in milliseconds that a reader waits for another process to close the store. */
const LOCK_WAIT_MS = 5000;
const LOCK_AGAIN_MS = 100;

/**
 * Opens or makes a store in a folder.
 * @param makes false: a folder without a store is refused
 * @throws StoreError, MachineError
 */
export async function openEmbedded(folder: string, makes: boolean): Promise<Dialect> {
  if (!makes && !existsSync(join(folder, DATA))) {
    throw new StoreError(
      "usage",
      `store ${folder}: no store is in this folder: fuzz run --store makes one`,
    );
  }
  const others = makeWritable(folder).filter((name) => name !== DATA);
  if (others.length > 0 && !existsSync(join(folder, DATA))) {
    throw new StoreError(
      "usage",
      `store ${folder}: the folder contains other files, for instance ${others[0]}`,
    );
  }
  const release = await lockSoon(folder);
  if (release === null) {
    throw new StoreError(
      "usage",
      `store ${folder}: another process uses it; several processes can share a store on a server: postgres://...`,
    );
  }
  try {
    const dataDir = join(folder, DATA);
    const parsers = { [types.INT8]: Number }; // no count comes near 2^53
    const isThere = existsSync(dataDir);
    const options = { dataDir, parsers };
    return dialectOf(await (isThere ? PGlite.create(options) : newDatabase(options)), release);
  } catch (error) {
    release();
    const message = `store ${folder}: it cannot be opened: ${wordsOf(error)}`;
    throw storeErrorOf(error, folder) ?? new StoreError("usage", message, error);
  }
}

/**
 * Checks that the folder takes files, and returns their names. A file, or a folder without
 * permission, is a wrong name; a full disk may have space in a minute.
 */
function makeWritable(folder: string): readonly string[] {
  try {
    makeFolders(folder);
    const names = namesIn(folder);
    const data = join(folder, DATA);
    checkWritable(existsSync(data) ? data : folder);
    return names;
  } catch (error) {
    if (!(error instanceof MachineError) || !isForbidden(error)) throw error;
    throw new StoreError("usage", `store ${folder}: ${error.message}; name another`, error);
  }
}

async function lockSoon(folder: string): Promise<(() => void) | null> {
  for (const until = performance.now() + LOCK_WAIT_MS; ; ) {
    const release = lockFolder(folder);
    if (release !== null || performance.now() > until) return release;
    await sleep(LOCK_AGAIN_MS);
  }
}

const wordsOf = (error: unknown): string => String(error).split("\n")[0];

const dialectOf = (database: PGlite, release: () => void): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new EmbeddedDriver(database, release),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
});

class EmbeddedDriver implements Driver {
  private readonly database: PGlite;
  private readonly release: () => void;
  private readonly connection: DatabaseConnection;
  /** Resolves when the last request for the connection is done with it. */
  private last: Promise<void> = Promise.resolve();
  private giveBack: () => void = () => {};

  constructor(database: PGlite, release: () => void) {
    this.database = database;
    this.release = release;
    this.connection = {
      executeQuery: (query) => execute(database, query),
      streamQuery: () => {
        throw new InternalError("no query of a store is streamed");
      },
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.last;
    let giveBack = (): void => {};
    this.last = new Promise((resolve) => {
      giveBack = resolve;
    });
    await before;
    this.giveBack = giveBack;
    return this.connection;
  }

  async releaseConnection(): Promise<void> {
    this.giveBack();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin"));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async destroy(): Promise<void> {
    await this.database.close();
    this.release();
  }
}

async function execute<R>(database: PGlite, query: CompiledQuery): Promise<QueryResult<R>> {
  const { rows, affectedRows } = await database.query<R>(query.sql, [...query.parameters]);
  return { rows, numAffectedRows: BigInt(affectedRows ?? 0) };
}

// Creates a database within this process. PostgreSQL takes some seconds to make its initial files,
// which are always the same. So the first files that a machine makes are archived beside the build,
// and later databases unpack them.

const ARCHIVE = "application/x-gzip";

/**
 * Creates a database in a folder that contains none.
 * @param options with a folder that contains no database yet
 */
async function newDatabase(options: PGliteOptions): Promise<PGlite> {
  const path = firstFiles();
  if (existsSync(path)) {
    const loadDataDir = new Blob([readFileSync(path)], { type: ARCHIVE });
    return PGlite.create({ ...options, loadDataDir });
  }
  const database = await PGlite.create(options);
  const archive = await database.dumpDataDir("gzip");
  try {
    writeWhole(path, new Uint8Array(await archive.arrayBuffer()));
  } catch (error) {
    // Ignore errors of the machine: without the archive, the next database only takes longer.
    if (!(error instanceof MachineError)) throw error;
  }
  return database;
}

/**
 * Returns the path of the archive for this version of PGlite: another version may have other files.
 */
function firstFiles(): string {
  const root = projectRoot();
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return join(root, "build", `new-store-${dependencies["@electric-sql/pglite"]}.tar.gz`);
}

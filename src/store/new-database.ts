// Creates a database within this process. PostgreSQL takes some seconds to make its initial files,
// which are always the same. So the first files that a machine makes are archived beside the build,
// and later databases unpack them.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { MachineError } from "../support/machine-error.js";
import { projectRoot } from "../support/project-root.js";
import { writeWhole } from "../support/whole-file.js";

const ARCHIVE = "application/x-gzip";

/** @param options with a folder that contains no database yet */
export async function newDatabase(options: PGliteOptions): Promise<PGlite> {
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
    // An installed package may belong to another user: then the next database takes as long again.
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

// A new database within this process. PostgreSQL takes some seconds to make its first files, and makes the same
// each time; so those of the first one that this machine makes are kept beside the build, and unpacked from
// then on.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { MachineError } from "../support/machine-error.js";
import { projectRoot } from "../support/project-root.js";
import { writeWhole } from "../support/whole-file.js";

const ARCHIVE = "application/x-gzip";

/** @param options with a folder in which there is no database yet */
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
    // An installed package may belong to somebody else: the next database takes as long again.
    if (!(error instanceof MachineError)) throw error;
  }
  return database;
}

/** Of this version of PGlite: another one may have other files. */
function firstFiles(): string {
  const root = projectRoot();
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return join(root, "build", `new-store-${dependencies["@electric-sql/pglite"]}.tar.gz`);
}

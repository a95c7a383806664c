// Reads known bugs in foreign compilers, by engine and version: one file each in
// corpus/known/engines. The remaining opcodes of a reduced finding differ from one program to the
// next. So a bug is identified by the opcodes that it needs, in a program that is small enough to
// contain little else.

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import type { OpcodeName } from "../../ir/opcodes.js";
import { InternalError } from "../../support/assert.js";
import { projectRoot } from "../../support/project-root.js";

const BUG = z.strictObject({
  engines: z.array(z.string()).min(1),
  /** Parts of the versions that the engine reports, such as 21.1; one of them suffices. */
  versions: z.array(z.string().min(1)).min(1),
  /** Opcodes that a reduced program with this bug contains. */
  opcodes: z.array(z.string()).min(1),
  valuesMax: z.int().positive(),
  /** A text that the description of the difference contains; empty if any difference matches. */
  detail: z.string(),
  says: z.string().min(1),
});
type EngineBug = z.infer<typeof BUG> & { /** The name of its files. */ readonly name: string };

/** A reduced finding of an engine, with the facts that identify a known bug. */
interface ReducedFinding {
  readonly engine: string;
  readonly version: string;
  readonly opcodes: ReadonlySet<OpcodeName>;
  readonly values: number;
  readonly detail: string;
}

export const bugsFolder = (): string => join(projectRoot(), "corpus", "known", "engines");

/**
 * Reads all known bugs.
 * @throws InternalError with the file's name and the expected contents
 */
export function readEngineBugs(): readonly EngineBug[] {
  const folder = bugsFolder();
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => {
    const read = BUG.safeParse(JSON.parse(readFileSync(join(folder, name), "utf8")));
    if (read.success) return { name: basename(name, ".json"), ...read.data };
    throw new InternalError(`${join(folder, name)}: ${z.prettifyError(read.error)}`);
  });
}

/**
 * Returns the row of an engine without its version, as in `llvm-O2@21`: the version is compared
 * separately.
 */
const rowOf = (engine: string): string => engine.split("@")[0];

export function isKnownEngineBug(found: ReducedFinding): boolean {
  const opcodes: ReadonlySet<string> = found.opcodes;
  return readEngineBugs().some(
    (bug) =>
      bug.engines.includes(rowOf(found.engine)) &&
      bug.versions.some((version) => found.version.includes(version)) &&
      bug.opcodes.every((name) => opcodes.has(name)) &&
      found.values <= bug.valuesMax &&
      found.detail.includes(bug.detail),
  );
}

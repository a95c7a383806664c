// Known bugs in compilers of others, by engine and version: one file each in corpus/known/engines. The opcodes that
// are left of a finding differ from one program to the next, so a bug is known by those that it needs, in a program
// that is small enough to hold little else.

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import type { OpcodeName } from "../../ir/opcodes.js";
import { InternalError } from "../../support/assert.js";
import { projectRoot } from "../../support/project-root.js";

const BUG = z.strictObject({
  engines: z.array(z.string()).min(1),
  /** What stands in the version that the engine tells. */
  version: z.string().min(1),
  /** All of them are left. */
  opcodes: z.array(z.string()).min(1),
  valuesMax: z.int().positive(),
  /** What stands in the detail of the difference; empty: anything. */
  detail: z.string(),
  says: z.string().min(1),
});
type EngineBug = z.infer<typeof BUG> & { /** The name of its files. */ readonly name: string };

/** What is left of a finding when it was reduced. */
interface Reduced {
  readonly engine: string;
  readonly version: string;
  readonly opcodes: ReadonlySet<OpcodeName>;
  readonly values: number;
  readonly detail: string;
}

export const bugsFolder = (): string => join(projectRoot(), "corpus", "known", "engines");

/** @throws InternalError with the file's name and what was expected there */
export function readEngineBugs(folder = bugsFolder()): readonly EngineBug[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => {
    const read = BUG.safeParse(JSON.parse(readFileSync(join(folder, name), "utf8")));
    if (read.success) return { name: basename(name, ".json"), ...read.data };
    throw new InternalError(`${join(folder, name)}: ${z.prettifyError(read.error)}`);
  });
}

/** The row of an engine of another version, `llvm-O2@21`: the version is compared by itself. */
const rowOf = (engine: string): string => engine.split("@")[0];

export function isKnownEngineBug(found: Reduced, bugs = readEngineBugs()): boolean {
  const opcodes: ReadonlySet<string> = found.opcodes;
  return bugs.some(
    (bug) =>
      bug.engines.includes(rowOf(found.engine)) &&
      found.version.includes(bug.version) &&
      bug.opcodes.every((name) => opcodes.has(name)) &&
      found.values <= bug.valuesMax &&
      found.detail.includes(bug.detail),
  );
}

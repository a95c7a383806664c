// Engines of others among the subjects that a user names.

import { Judge, type SubjectResult } from "../../src/compare/judge-program.js";
import { engineNamed } from "../../src/engine/engines.js";
import type { RemoteSubject } from "../../src/execute/subject.js";
import type { Input } from "../../src/ir/outcome.js";
import type { Module } from "../../src/ir/procedure.js";
import { parseNames } from "./arguments.js";
import { STATUS, UserError } from "./output.js";

interface Named {
  readonly engines: readonly RemoteSubject[];
  /** The other names between commas; undefined if the user gives none, null if all are engines. */
  readonly others: string | null | undefined;
}

/**
 * Takes the engines out of what a user names.
 * @throws UserError if the machine lacks one
 */
export function takeEngines(text: string | undefined): Named {
  if (text === undefined) return { engines: [], others: undefined };
  const engines: RemoteSubject[] = [];
  const others: string[] = [];
  for (const name of parseNames(text)) {
    const engine = engineNamed(name);
    if (engine === null) others.push(name);
    else engines.push(engine);
    const reason = engine?.missing() ?? null;
    if (reason !== null) throw new UserError(STATUS.missing, reason);
  }
  const isAll = others.length === 0 && engines.length > 0;
  return { engines, others: isAll ? null : others.join(",") };
}

/** One program through engines. */
export async function judgeByEngines(
  engines: readonly RemoteSubject[],
  module: Module,
  inputs: readonly Input[],
  fuelMax: number,
): Promise<readonly SubjectResult[]> {
  if (engines.length === 0) return [];
  const judge = new Judge({ subjects: engines, fuelMax });
  try {
    const [{ results }] = await judge.judgeAll([{ module, inputs }]);
    return results;
  } finally {
    judge.close();
  }
}

// Compilers of others among the subjects that a user names: engines of the table, and a command.

import { engineFor, type RemoteShare } from "../../src/campaign/run/judge-elsewhere.js";
import { Judge, type SubjectResult } from "../../src/compare/judge-program.js";
import { askHello, COMMAND, type KnownCommand } from "../../src/engine/command-subject.js";
import type { EngineSubject } from "../../src/engine/engine-subject.js";
import { engineNamed } from "../../src/engine/engines.js";
import type { Input } from "../../src/ir/outcome.js";
import type { Module } from "../../src/ir/procedure.js";
import { enginesLike, parseCount, parseNames } from "./arguments.js";
import { STATUS, UserError, usageError } from "./output.js";

export interface RemoteArgs {
  readonly subjects?: string | undefined;
  readonly subjectCommand?: string | undefined;
  readonly subjectSeconds?: string | undefined;
  readonly subjectMemory?: string | undefined;
}

interface Named {
  readonly shares: readonly RemoteShare[];
  readonly engines: readonly EngineSubject[];
  /** The other names between commas; undefined if the user names no subject at all, null if all are of others. */
  readonly others: string | null | undefined;
}

/**
 * Takes the compilers of others out of what a user names.
 * @param seed of the program, which draws the flags of those engines that have such
 * @throws UserError if the machine lacks one, or the command does not say what it is
 */
export async function takeRemote(args: RemoteArgs, seed: bigint | null = null): Promise<Named> {
  const command = await commandOf(args);
  const { subjects: text } = args;
  const own: RemoteShare[] = command === null ? [] : [{ name: COMMAND, oneIn: 1, command }];
  const shares = text === undefined ? own : [];
  const others: string[] = [];
  for (const name of text === undefined ? [] : parseNames(text)) {
    const engine = engineNamed(name);
    const alike = engine === null ? enginesLike(name) : [];
    if (alike.length > 0) {
      shares.push(...alike.map((one) => ({ name: one.name, oneIn: 1 })));
      continue;
    }
    if (name === COMMAND && command !== null) shares.push(...own);
    else if (engine === null) others.push(name);
    else shares.push({ name, oneIn: 1 });
    const reason = engine?.missing() ?? null;
    if (reason !== null) throw new UserError(STATUS.missing, reason);
  }
  if (command !== null && text !== undefined && !shares.some(({ name }) => name === COMMAND)) {
    shares.push(...own);
  }
  const engines = shares.map((share) => engineFor(share, seed));
  const isAll = others.length === 0 && shares.length > 0;
  return {
    shares,
    engines,
    others: isAll ? null : text === undefined ? undefined : others.join(","),
  };
}

const SECONDS = "60";
const MEMORY_MB = "2048";

/** The command, which is started to say what it is; null if there is none. */
async function commandOf(args: RemoteArgs): Promise<KnownCommand | null> {
  const { subjectCommand, subjectSeconds = SECONDS, subjectMemory = MEMORY_MB } = args;
  if (subjectCommand === undefined) return null;
  for (const [one, other] of [
    ["{in}", "{out}"],
    ["{c}", "{exe}"],
    ["{wasm}", "{export}"],
  ]) {
    if (subjectCommand.includes(one) !== subjectCommand.includes(other)) {
      throw usageError(`--subject-command: expected both ${one} and ${other}, or none of them`);
    }
  }
  const command = {
    // It may run in another folder: that of a report.
    line: subjectCommand.replace(/^\.\//, `${process.cwd()}/`),
    seconds: parseCount("--subject-seconds", subjectSeconds, 1, 3600),
    memory: parseCount("--subject-memory", subjectMemory, 16, 1 << 20),
  };
  const says = await askHello(command);
  if (typeof says !== "string") return { ...command, says };
  throw usageError(`--subject-command: ${says}: docs/subject-command.md says what it must answer`);
}

/** One program through engines. */
export async function judgeByEngines(
  engines: readonly EngineSubject[],
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

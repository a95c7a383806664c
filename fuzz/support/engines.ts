// Separates external compilers from the subjects that a user names: engines of the table, and a
// command.

import {
  engineFor,
  type RemoteSubjectShare,
  rulesOfRemote,
} from "../../src/campaign/run/judge-elsewhere.js";
import { Judge, type SubjectResult } from "../../src/compare/judge-program.js";
import {
  COMMAND,
  type DescribedCommand,
  readHello,
  tryCommand,
} from "../../src/engine/command-subject.js";
import type { EngineSubject } from "../../src/engine/engine-subject.js";
import { engineNamed } from "../../src/engine/engines.js";
import { formsOf, PLAIN } from "../../src/export/forms.js";
import type { Input } from "../../src/ir/outcome.js";
import type { Module } from "../../src/ir/procedure.js";
import { type LanguageSubset, SubsetRules, subsetOf } from "../../src/ir/subset.js";
import { COMPILATION, DEFAULTS } from "../options.js";
import { enginesLike, parseCount, parseForm, parseNames } from "./arguments.js";
import { printAside, STATUS, UserError, usageError } from "./output.js";

export interface RemoteArgs {
  readonly subjects?: string | undefined;
  readonly subjectCommand?: string | undefined;
  readonly subjectSeconds?: string | undefined;
  readonly subjectMemory?: string | undefined;
  readonly subjectSupports?: string | undefined;
  readonly form?: string | undefined;
}

/**
 * Options that only the reference compiler has. The seed of --chaos belongs to the command of every
 * finding, so it is accepted.
 */
const REFERENCE_OPTIONS = [...Object.keys(COMPILATION), "canary"].filter(
  (option) => option !== "chaos",
);

/**
 * Checks that the options of the reference compiler apply to a chosen subject.
 * @param args the options as parsed, by their names
 * @throws UserError
 */
export function checkReferenceOptions(
  args: object,
  { engines, others }: Pick<NamedEngines, "engines" | "others">,
): void {
  if (others !== null) return;
  const given = new Map<string, unknown>(Object.entries(args));
  const option = REFERENCE_OPTIONS.find((name) => given.get(name) ?? false);
  if (option === undefined) return;
  const names = engines.map(({ name }) => name).join(", ");
  const are = engines.length === 1 ? "is another compiler" : "are other compilers";
  throw usageError(
    `--${option}: ${names} ${are}, without this option: expected --subjects with one of the reference compiler, such as x64-O2`,
  );
}

interface NamedEngines {
  readonly shares: readonly RemoteSubjectShare[];
  readonly engines: readonly EngineSubject[];
  /**
   * The other names, comma-separated; undefined if the user names no subject, null if all names are
   * engines.
   */
  readonly others: string | null | undefined;
  /** The part of the language in which seeds are read; null: all of it. */
  readonly rules: SubsetRules | null;
}

/**
 * Removes the external compilers from the names of the user.
 * @param seed the seed of the program, which draws the flags of engines with drawn flags
 * @throws UserError if the machine lacks one, or the command does not describe itself
 */
export async function takeRemote(
  args: RemoteArgs,
  seed: bigint | null = null,
): Promise<NamedEngines> {
  const command = await commandOf(args);
  const { subjects: text } = args;
  const own: RemoteSubjectShare[] = command === null ? [] : [{ name: COMMAND, oneIn: 1, command }];
  const shares = text === undefined ? own : [];
  const form = args.form === undefined ? null : parseForm(args.form);
  const others: string[] = [];
  for (const word of text === undefined ? [] : parseNames(text)) {
    const { name, oneIn } = parseShare(word);
    const engine = engineNamed(name);
    const alike = engine === null ? enginesLike(name) : [];
    if (alike.length > 0) {
      const present = new Set(shares.map((share) => share.name));
      const more = alike.map((one) => inForm(one.name, form)).filter((one) => !present.has(one));
      shares.push(...more.map((one) => ({ name: one, oneIn })));
      continue;
    }
    if (name === COMMAND && command !== null) shares.push(...own.map((one) => ({ ...one, oneIn })));
    else if (engine === null) others.push(word);
    else shares.push({ name: inForm(name, form), oneIn });
    const reason = engine?.missing() ?? null;
    if (reason !== null) throw new UserError(STATUS.missing, reason);
  }
  if (form !== null && !shares.some(({ name }) => name !== COMMAND)) {
    throw usageError("--form: expected --subjects with an engine that has forms, such as gcc-O2");
  }
  if (command !== null && text !== undefined && !shares.some(({ name }) => name === COMMAND)) {
    shares.push(...own);
  }
  const engines = shares.map((share) => engineFor(share, seed));
  const isAll = others.length === 0 && shares.length > 0;
  return {
    shares,
    engines,
    rules: rulesOf(args, shares),
    others: isAll ? null : text === undefined ? undefined : others.join(","),
  };
}

/**
 * Returns the name of an engine with a form.
 * @throws UserError if its programs have no forms, or not this one
 */
function inForm(name: string, form: readonly string[] | null): string {
  if (form === null) return name;
  const named = [name, ...form].join("+");
  const engine = engineNamed(named);
  if (engine !== null) return form[0] === PLAIN && engine.drawn === undefined ? name : named;
  const format = engineNamed(name)?.alterable?.format ?? null;
  const known = [PLAIN, ...formsOf(format).flat()].join(", ");
  const expected =
    format === null
      ? "expected an engine of C, LLVM IR, WebAssembly or JavaScript"
      : `expected some of ${known}`;
  throw usageError(`--form ${form.join(",")}: ${name} has no such form: ${expected}`);
}

/**
 * Splits `NAME:N`: the engine judges one program in N, drawn by seed. Without `:N` it judges all.
 */
function parseShare(word: string): { readonly name: string; readonly oneIn: number } {
  const match = /^(.+):(\d+)$/.exec(word);
  if (match === null) return { name: word, oneIn: 1 };
  const [, name, count] = match;
  return { name, oneIn: parseCount(`--subjects ${name}`, count, 1, SHARE_MAX) };
}
const SHARE_MAX = 1e6;

/** Starts the command, which describes itself; null if there is none. */
async function commandOf(args: RemoteArgs): Promise<DescribedCommand | null> {
  const {
    subjectCommand,
    subjectSeconds = DEFAULTS.subjectSeconds,
    subjectMemory = DEFAULTS.subjectMemory,
    subjectSupports,
  } = args;
  if (subjectCommand === undefined) {
    const limit = args.subjectSeconds === undefined ? "memory" : "seconds";
    if (args.subjectSeconds === undefined && args.subjectMemory === undefined) return null;
    throw usageError(`--subject-${limit}: expected --subject-command too, which it limits`);
  }
  if (subjectCommand.trim() === "") throw usageError("--subject-command: expected a command line");
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
    ...(subjectSupports === undefined ? {} : { supports: parseSubset(subjectSupports) }),
  };
  const notice = (text: string): void => printAside(`fuzz: --subject-command: ${text}`);
  const says = await readHello(command, notice);
  const failure = typeof says === "string" ? says : await tryCommand({ ...command, says }, notice);
  if (typeof says !== "string" && failure === null) return { ...command, says };
  throw usageError(
    `--subject-command: ${failure}: docs/subject-command.md describes the expected answers`,
  );
}

function rulesOf(
  { subjectSupports }: RemoteArgs,
  shares: readonly RemoteSubjectShare[],
): SubsetRules | null {
  if (subjectSupports === undefined) return rulesOfRemote(shares);
  return new SubsetRules(parseSubset(subjectSupports));
}

/** @throws UserError */
function parseSubset(text: string): LanguageSubset {
  const subsetOrFault = subsetOf(jsonOf(text));
  if (typeof subsetOrFault !== "string") return subsetOrFault;
  throw usageError(`--subject-supports: ${subsetOrFault}: docs/subject-command.md has the list`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // malformed JSON: the caller reports the expected form
  }
}

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

// Reads the program for `reduce` and `localize`: a file, the folder of a finding, or a seed.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { NO_PARENTS, type ParentLineages } from "../../src/campaign/program/lineage.js";
import { programOf, USUAL } from "../../src/campaign/program/seeds.js";
import type { Input } from "../../src/ir/outcome.js";
import type { Module } from "../../src/ir/procedure.js";
import type { SubsetRules } from "../../src/ir/subset.js";
import { profileWords, subsetWords } from "../../src/report/finding.js";
import { readFinding } from "../../src/report/read-finding.js";
import { quoted } from "../../src/support/shell-word.js";
import { parseParents, parseProfile, parseSeed } from "./arguments.js";
import { readUserText, usageError } from "./output.js";
import { readProgram } from "./program-file.js";

export interface TaskArgs {
  readonly what: string | undefined;
  readonly seed: string | undefined;
  readonly canary: string | undefined;
  readonly chaos: string | undefined;
  readonly profile: string | undefined;
  readonly parents?: string | undefined;
  readonly subjectCommand?: string | undefined;
}

export interface ProgramTask {
  readonly module: Module;
  readonly inputs: readonly Input[];
  /** The subject of the finding; undefined if there is no finding. */
  readonly subject: string | undefined;
  readonly canary: string | undefined;
  /** The seed of chaotic subjects. */
  readonly chaos: bigint;
  readonly aspect: string | null;
  /** The seed of the program; null if the program comes from a file. */
  readonly seed: bigint | null;
  readonly profile: string;
  readonly parents: ParentLineages;
  /** The arguments of `fuzz` that judge the program again. */
  readonly again: readonly string[];
}

interface TaskReadOptions {
  /** The part of the language in which a seed is read; null: all of it. */
  readonly rules?: SubsetRules | null;
  /** Whether a file must have run lines. */
  readonly needsCalls?: boolean;
}

/** @throws UserError unless it is exactly one of the three, and can be read */
export function taskOf(
  command: string,
  args: TaskArgs,
  { rules = null, needsCalls = true }: TaskReadOptions = {},
): ProgramTask {
  const { what, seed, canary, chaos } = args;
  if ((what === undefined) === (seed === undefined)) {
    throw usageError(`${command}: expected a file, the folder of a finding, or --seed N`);
  }
  const drawn = chaos === undefined ? undefined : parseSeed(chaos, "--chaos");
  const given = { subject: undefined, canary, chaos: drawn ?? 0n, aspect: null };
  if (what === undefined) {
    const number = parseSeed(seed ?? "");
    const profile = parseProfile(args.profile);
    const parents = parseParents(args.parents, profile);
    const program = programOf(number, profile, parents, null, rules);
    const again = [
      ...["--seed", String(number), ...profileWords(profile, parents)],
      ...subsetWords(rules?.subset),
    ];
    return { ...program, ...given, chaos: drawn ?? number, seed: number, profile, parents, again };
  }
  if (!isFolder(what)) {
    const again = ["exec", what, ...(drawn === undefined ? [] : ["--chaos", String(drawn)])];
    const noSeed = { seed: null, profile: USUAL, parents: NO_PARENTS };
    return { ...readCalls(what, needsCalls), ...given, ...noSeed, again };
  }
  const path = join(what, "finding.json");
  const finding = readFinding(readUserText(path));
  if (typeof finding === "string") throw usageError(`${path}: ${finding}`);
  const { subjectCommand } = finding;
  if (subjectCommand !== null && args.subjectCommand === undefined && command !== "localize") {
    const option = `--subject-command ${quoted(subjectCommand)}`;
    throw usageError(`${what}: expected ${option}, by which it was found`);
  }
  const original = join(what, "original.ir");
  const chaotic = drawn ?? finding.seed ?? 0n;
  const { seed: number, profile, parents } = finding;
  return {
    ...readCalls(original),
    seed: number,
    profile,
    parents,
    again: ["exec", original, "--chaos", String(chaotic)],
    subject: finding.foundBy ?? undefined,
    canary: canary ?? finding.canary ?? undefined,
    chaos: chaotic,
    aspect: finding.aspect,
  };
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

function readCalls(path: string, isNeeded = true): Pick<ProgramTask, "module" | "inputs"> {
  const { module, lines } = readProgram(path);
  if (isNeeded && lines.length === 0)
    throw usageError(`${path}: has no line '; run: ${module.entry.name}(...)'`);
  return { module, inputs: lines.map(({ input }) => input) };
}

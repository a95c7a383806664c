// Parses arguments that several subcommands share. Each mistake becomes one line.

import { CANARIES, canaryNamed } from "../../src/campaign/canary/canaries.js";
import type { Canary } from "../../src/campaign/canary/canary.js";
import {
  isParents,
  NO_PARENTS,
  type ParentLineages,
  STEPS_MAX,
} from "../../src/campaign/program/lineage.js";
import { outsideSteps } from "../../src/campaign/program/outside.js";
import {
  EVOLVED,
  isProfile,
  MUTATED,
  PROFILE_NAMES,
  USUAL,
} from "../../src/campaign/program/seeds.js";
import { COMMAND } from "../../src/engine/command-subject.js";
import type { EngineSubject } from "../../src/engine/engine-subject.js";
import { ENGINES } from "../../src/engine/engines.js";
import type { ReferenceSubject } from "../../src/execute/reference-subject.js";
import {
  ALL_SUBJECTS,
  PRINCIPAL_SUBJECTS,
  SUBJECTS,
  subjectNamed,
} from "../../src/execute/subjects.js";
import {
  conflictIn,
  FORM_NAMES,
  type FormName,
  isFormName,
  PLAIN,
} from "../../src/export/forms.js";
import { didYouMean } from "../../src/support/nearest.js";
import { STATUS, UserError, usageError } from "./output.js";

const SEED_END = 1n << 64n;

/**
 * @param text decimal, or hexadecimal with 0x; 64 bits, which exceed the precision of a JavaScript
 * number
 */
export function parseSeed(text: string, option = "--seed"): bigint {
  const seed = /^(?:\d{1,20}|0[xX][\da-fA-F]{1,16})$/.test(text) ? BigInt(text) : SEED_END;
  if (seed < SEED_END) return seed;
  throw usageError(
    `${option} ${text}: expected a number of 64 bits, decimal or 0x and hexadecimal`,
  );
}

/** Parses the name of a profile; undefined: the usual profile. */
export function parseProfile(text: string | undefined): string {
  if (text === undefined) return USUAL;
  if (isProfile(text)) return text;
  const guess = didYouMean(text, PROFILE_NAMES);
  throw usageError(
    `--profile ${text}: no such profile${guess}; see fuzz list profiles, or toward:NAME+NAME of rules, opcodes`,
  );
}

export function parseCanary(name: string): Canary {
  const canary = canaryNamed(name);
  if (canary !== null) return canary;
  const guess = didYouMean(name, namesOf(CANARIES));
  throw usageError(`--canary ${name}: no such canary${guess}; see fuzz list canaries`);
}

/**
 * Parses the parents of a seed in the profile `evolved`; undefined: none.
 * @param texts programs from outside, which the parents may name
 */
export function parseParents(
  text: string | undefined,
  profile: string,
  texts: readonly string[] = [],
): ParentLineages {
  if (text === undefined) return NO_PARENTS;
  if (profile !== EVOLVED && profile !== MUTATED) {
    throw usageError(`--parents: expected --profile ${EVOLVED}, or ${MUTATED} with --outside`);
  }
  if (isParents(text)) {
    const known = outsideSteps(texts);
    const lacking = text.split(",").find((step) => step.startsWith("o") && !known.includes(step));
    if (lacking === undefined) return text;
    throw usageError(`--parents ${text}: expected --outside with the file of ${lacking}`);
  }
  throw usageError(
    `--parents ${text}: expected something like 12,m55, with at most ${STEPS_MAX} steps`,
  );
}

const COUNT_MAX = Number.MAX_SAFE_INTEGER;

/** @param option the name for messages: `--count` */
export function parseCount(option: string, text: string, min = 1, max = COUNT_MAX): number {
  const count = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (count >= min && count <= max) return count;
  const range = max === COUNT_MAX ? `a number from ${min}` : `a number from ${min} to ${max}`;
  throw usageError(`${option} ${text}: expected ${range}`);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Returns seconds. */
export function parseDuration(option: string, text: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const seconds = match === null ? 0 : Number(match[1]) * UNIT_SECONDS[match[2]];
  if (seconds > 0) return seconds;
  throw usageError(`${option} ${text}: expected a time like 30s, 8m or 8h`);
}

/** Splits comma-separated names. */
export const parseNames = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

export interface ChosenSubjects {
  readonly subjects: readonly ReferenceSubject[];
  /** Default subjects that this machine cannot run, and the command that fixes that. */
  readonly left: readonly { readonly subject: string; readonly reason: string }[];
}

/** The choice if the user names external engines only. */
export const NO_SUBJECTS: ChosenSubjects = { subjects: [], left: [] };

/**
 * Returns the subjects that the user names, or those of `usual` that this machine can run.
 * @param text comma-separated names; `*` stands for any part of a name
 * @throws UserError: usage if a name is unknown, missing if the machine lacks something that a
 * named subject needs
 */
export function chooseSubjects(
  text: string | undefined,
  usual = PRINCIPAL_SUBJECTS,
): ChosenSubjects {
  if (text === undefined) return runnable(usual);
  const names = [...new Set(parseNames(text))];
  if (names.length === 0)
    throw usageError("--subjects: expected comma-separated names: fuzz list subjects");
  const subjects = [...new Set(names.flatMap(subjectsLike))];
  for (const { name, missing } of subjects) {
    const reason = missing();
    if (reason !== null) throw new UserError(STATUS.missing, `${name} cannot run: ${reason}`);
  }
  return { subjects, left: [] };
}

/**
 * Chooses subjects for a program from a file. A file is untrusted, so it runs natively only in
 * subjects that the user names.
 * @param usual comma-separated names, if the user gives none; undefined for all
 */
export function chooseSubjectsForFile(text: string | undefined, usual?: string): ChosenSubjects {
  if (text !== undefined) return chooseSubjects(text);
  const chosen = chooseSubjects(usual);
  const subjects = chosen.subjects.filter(({ native }) => !native);
  const left = chosen.left.filter(({ subject }) => subjectNamed(subject)?.native === false);
  if (subjects.length > 0) return { subjects, left };
  const names = chosen.subjects.map(({ name }) => name).join(",");
  throw usageError(`${names} would run it on this processor: allow it by --subjects ${names}`);
}

/** Returns a pattern for a name with `*`, such as `x64-*`; null if it is not a name. */
function patternOf(name: string): RegExp | null {
  // The characters of names, including those of versions: `llvm-*@zig-0.16.0`.
  const isPlain = /^[\w*@.-]{1,64}$/.test(name);
  const escaped = name.replaceAll(".", "\\.").replace(/\*+/g, ".*");
  return isPlain ? new RegExp(`^${escaped}$`) : null;
}

/**
 * Returns the engines that match a name with `*`; none if a subject of the reference compiler
 * matches it.
 * @throws UserError if this machine has none of them
 */
export function enginesLike(name: string): readonly EngineSubject[] {
  const pattern = name.includes("*") ? patternOf(name) : null;
  if (pattern === null || ALL_SUBJECTS.some((subject) => pattern.test(subject.name))) return [];
  const engines = ENGINES.filter((engine) => pattern.test(engine.name));
  const present = engines.filter((engine) => engine.missing() === null);
  if (engines.length > 0 && present.length === 0) {
    throw new UserError(STATUS.missing, engines[0].missing() ?? name);
  }
  return present;
}

/** Returns whether this machine has an engine that matches a name with `*`. */
export function hasEngineLike(name: string): boolean {
  const pattern = patternOf(name);
  return ENGINES.some((engine) => pattern?.test(engine.name) && engine.missing() === null);
}

function subjectsLike(name: string): readonly ReferenceSubject[] {
  const pattern = patternOf(name);
  // Subjects that only serve localization match only if no other subject does.
  for (const known of [SUBJECTS, ALL_SUBJECTS]) {
    const subjects = known.filter((subject) => pattern?.test(subject.name));
    if (subjects.length > 0) return subjects;
  }
  if (name === COMMAND) throw usageError(`--subjects ${name}: expected --subject-command too`);
  const guess = didYouMean(name, namesOf([...ALL_SUBJECTS, ...ENGINES]));
  const lists = "fuzz list subjects and fuzz list engines have the names";
  throw usageError(`--subjects ${name}: no such subject${guess === "" ? `: ${lists}` : guess}`);
}

function runnable(usual: readonly ReferenceSubject[]): ChosenSubjects {
  const subjects: ReferenceSubject[] = [];
  const left: { subject: string; reason: string }[] = [];
  for (const subject of usual) {
    const reason = subject.missing();
    if (reason === null) subjects.push(subject);
    else left.push({ subject: subject.name, reason });
  }
  return { subjects, left };
}

const namesOf = (rows: readonly { readonly name: string }[]): string[] =>
  rows.map(({ name }) => name);

/**
 * Parses the value of --form.
 * @throws UserError
 */
export function parseForm(text: string): readonly (FormName | typeof PLAIN)[] {
  if (text === PLAIN) return [PLAIN];
  const names = parseNames(text).map((name) => {
    if (isFormName(name)) return name;
    if (name === PLAIN) throw usageError(`--form ${text}: ${PLAIN} excludes other names`);
    const known = [PLAIN, ...FORM_NAMES];
    throw usageError(
      `--form ${name}: expected some of ${known.join(", ")}${didYouMean(name, known)}`,
    );
  });
  const conflict = conflictIn(names);
  if (conflict !== null) throw usageError(`--form ${text}: ${conflict}`);
  return names;
}

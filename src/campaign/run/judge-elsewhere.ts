// Judges the programs of a worker by remote subjects: foreign engines. They get many programs at
// once, because some start a process for each batch.

import type { Mismatch } from "../../compare/difference.js";
import { Judge, type SubjectResult } from "../../compare/judge-program.js";
import { commandSubject, type DescribedCommand } from "../../engine/command-subject.js";
import type { EngineSubject } from "../../engine/engine-subject.js";
import { engineNamed } from "../../engine/engines.js";
import { DID_NOT_END } from "../../engine/run-command.js";
import type { Input } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import { type LanguageSubset, SubsetRules } from "../../ir/subset.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { assert, InternalError } from "../../support/assert.js";
import { SeedSource } from "../../support/source.js";
import { explainedBy } from "../file/cured-by.js";

/** A remote subject of a campaign, as it travels to workers. */
export interface RemoteSubjectShare {
  readonly name: string;
  /** It judges one program in this many, drawn by seed. */
  readonly oneIn: number;
  /** The description of a user's command; absent for an engine. */
  readonly command?: DescribedCommand;
}

/** The result of one remote subject for a program, or an error of its harness. */
export type RemoteResult = SubjectResult | InternalError;

interface SeedProgram {
  readonly seed: bigint;
  readonly module: Module;
  readonly inputs: readonly Input[];
}

interface OpenSubject {
  readonly share: RemoteSubjectShare;
  readonly subject: EngineSubject;
  /** The open judge; null before the first program. */
  judge: Judge | null;
}

export class RemoteJudges {
  private readonly opened: readonly OpenSubject[];

  constructor(shares: readonly RemoteSubjectShare[]) {
    this.opened = shares.map((share) => ({ share, subject: remoteOf(share), judge: null }));
  }

  /** Returns the results by program, in the order of subjects; all subjects run concurrently. */
  async judge(programs: readonly SeedProgram[]): Promise<(readonly RemoteResult[])[]> {
    const columns = await Promise.all(this.opened.map((opened) => judgeDrawn(opened, programs)));
    return programs.map((program) => columns.flatMap((column) => column.get(program) ?? []));
  }

  close(): void {
    for (const opened of this.opened) close(opened);
  }
}

/**
 * Returns the external engine of that name, or the user's command.
 * @throws InternalError if there is none; commands check names before
 */
function remoteOf({ name, command }: RemoteSubjectShare): EngineSubject {
  if (command !== undefined) return commandSubject(command);
  const engine = engineNamed(name);
  assert(engine !== null, () => `no engine is named ${name}`);
  return engine;
}

/** Returns the engine with the flags that the seed draws; without a seed it has none of these. */
export function engineFor(share: RemoteSubjectShare, seed: bigint | null): EngineSubject {
  const engine = remoteOf(share);
  return seed === null ? engine : (engine.drawn?.(seed) ?? engine);
}

/** Returns the version that each remote subject reports, by name; omits subjects without one. */
export const engineVersions = ({
  remote = [],
}: {
  readonly remote?: readonly RemoteSubjectShare[];
}): Readonly<Record<string, string>> =>
  Object.fromEntries(remote.map((share) => [share.name, remoteOf(share).version()]));

/** Returns the arguments of `fuzz` for a subject, beside its name. */
export const remoteWords = ({ command }: Pick<RemoteSubjectShare, "command">): string[] =>
  command === undefined
    ? []
    : [
        ...["--subject-command", command.line],
        ...["--subject-seconds", String(command.seconds)],
        ...["--subject-memory", String(command.memory)],
      ];

/** Returns the part of the language that a user's command supports; undefined: all of it. */
export const subsetOfRemote = (
  shares: readonly RemoteSubjectShare[] = [],
): LanguageSubset | undefined =>
  shares.find(({ command }) => command !== undefined)?.command?.says.supports;

/**
 * Returns the part of the language that a user's command supports, as tables; null for the whole
 * language.
 */
export function rulesOfRemote(shares?: readonly RemoteSubjectShare[]): SubsetRules | null {
  const subset = subsetOfRemote(shares);
  return subset === undefined ? null : new SubsetRules(subset);
}

/** Judges the programs that the seeds draw for the subject, and leaves out the others. */
async function judgeDrawn(
  opened: OpenSubject,
  programs: readonly SeedProgram[],
): Promise<ReadonlyMap<SeedProgram, RemoteResult>> {
  const { share, subject } = opened;
  const drawn = programs.filter(({ seed }) => isDrawn(share, seed));
  const answers = new Map<SeedProgram, RemoteResult>();
  for (const group of byFlags(subject, drawn)) {
    const isItself = group.subject === subject;
    const one: OpenSubject = isItself ? opened : { share, subject: group.subject, judge: null };
    const told = await judgeBatch(one, group.programs);
    if (!isItself) close(one);
    for (const [p, program] of group.programs.entries()) {
      const answer = told[p];
      if (answer instanceof InternalError) answers.set(program, answer);
      else {
        const explained = await explanationOf(group.subject, program, answer);
        answers.set(program, { ...answer, ...explained, subject: share.name });
      }
    }
  }
  return answers;
}

/**
 * Returns the known bugs that explain the differences of a program. So a frequent known bug does
 * not share a symptom with another bug. An engine that is not deterministic would run too often.
 */
async function explanationOf(
  { cures }: EngineSubject,
  { module, inputs }: SeedProgram,
  { judgements }: SubjectResult,
): Promise<Pick<SubjectResult, "known">> {
  const differences = judgements.flatMap(({ verdict }) =>
    verdict.kind === "different" ? [verdict.difference.mismatch] : [],
  );
  if (differences.length === 0 || cures === undefined || cures.tries !== undefined) return {};
  // A program that exceeds its time limit is not explained: each attempt would wait for the limit.
  if (differences.some(exceedsTime)) return {};
  try {
    const known = await explainedBy({ module, inputs: [...inputs] }, cures);
    return known === null ? {} : { known };
  } catch (error) {
    // If the harness fails on a rewritten program, the difference stays unexplained.
    if (error instanceof InternalError) return {};
    throw error;
  }
}

/** Returns whether the compiler or the program was ended at its time limit. */
function exceedsTime(mismatch: Mismatch): boolean {
  if (mismatch.kind !== "ending") return false;
  const { got } = mismatch;
  return got.kind === "hang" || (got.kind === "compile-error" && got.message.includes(DID_NOT_END));
}

/**
 * Groups programs by the engine that judges each: if seeds draw its flags, programs with the same
 * flags are together.
 */
export function byFlags<P extends { readonly seed: bigint }>(
  subject: EngineSubject,
  programs: readonly P[],
): readonly { readonly subject: EngineSubject; readonly programs: readonly P[] }[] {
  const { drawn } = subject;
  if (drawn === undefined) return programs.length === 0 ? [] : [{ subject, programs }];
  const groups = new Map<string, { subject: EngineSubject; programs: P[] }>();
  for (const program of programs) {
    const one = drawn(program.seed);
    const group = groups.get(one.name);
    if (group === undefined) groups.set(one.name, { subject: one, programs: [program] });
    else group.programs.push(program);
  }
  return [...groups.values()];
}

/** Judges a batch. If the harness fails on it, each program runs alone to find the cause. */
async function judgeBatch(
  opened: OpenSubject,
  programs: readonly SeedProgram[],
): Promise<readonly RemoteResult[]> {
  if (programs.length === 0) return [];
  opened.judge ??= new Judge({ subjects: [opened.subject], fuelMax: DEFAULT_FUEL });
  try {
    const judged = await opened.judge.judgeAll(programs);
    return judged.flatMap(({ results }) => results);
  } catch (error) {
    close(opened);
    if (!(error instanceof InternalError)) throw error;
    if (programs.length === 1) return [error];
    const alone: RemoteResult[] = [];
    for (const program of programs) alone.push(...(await judgeBatch(opened, [program])));
    return alone;
  }
}

function close(opened: OpenSubject): void {
  opened.judge?.close();
  opened.judge = null;
}

/** Returns whether a subject judges a seed. The draw depends only on the seed and the subject. */
const isDrawn = ({ name, oneIn }: RemoteSubjectShare, seed: bigint): boolean =>
  oneIn === 1 || new SeedSource(seed, `remote ${name}`).below(oneIn) === 0;

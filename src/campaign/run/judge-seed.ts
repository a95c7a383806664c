// Judges one seed: generates, verifies and judges its program, and turns errors into data. Nothing
// that happens to one seed ends a campaign, so only this code catches all errors. A MachineError is
// passed on to the worker, which retries.

import type { Level } from "../../../reference/levels.js";
import { describeDifference } from "../../compare/describe-difference.js";
import {
  Judge,
  type ProgramResult,
  type ReferenceJudgeOptions,
} from "../../compare/judge-program.js";
import type { ReferenceSubject } from "../../execute/reference-subject.js";
import { subjectNamed } from "../../execute/subjects.js";
import { DEFAULT_SETTINGS } from "../../execute/unit.js";
import type { Program } from "../../generate/generate-program.js";
import type { Input } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import type { SubsetRules } from "../../ir/subset.js";
import { describeFault, verify as faultsOf } from "../../ir/verify/verify.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { assert, describeError, InternalError } from "../../support/assert.js";
import { machineErrorOf } from "../../support/machine-error.js";
import { type ChoiceSource, SeedSource } from "../../support/source.js";
import { canaryNamed, plantedBy } from "../canary/canaries.js";
import { type Tally, tallyEffective, tallyProgram } from "../count/tally.js";
import { checkPlain } from "../program/bytecode-program.js";
import { NO_PARENTS, type ParentLineages, type ProgramBreeder } from "../program/lineage.js";
import { drawOutside, outsideSteps, readOutside } from "../program/outside.js";
import { BYTECODE, MUTATED, newBreeder, programOf, readingOf } from "../program/seeds.js";
import { foundAt, type RawFinding } from "./found.js";
import { type RemoteResult, type RemoteSubjectShare, rulesOfRemote } from "./judge-elsewhere.js";

/**
 * The settings by which a program is judged. They contain names, which travel between processes;
 * functions do not.
 */
export interface JudgeSettings {
  readonly subjects: readonly string[];
  /** The name of a planted bug. */
  readonly canary: string | null;
  /**
   * The number of subjects, drawn by its seed, that judge each program; null: all of them. If only
   * some subjects trace, those are drawn in addition, and only for one program in TRACED_SHARE.
   */
  readonly drawn: number | null;
  /** The profile of the seeds: one of PROFILE_NAMES. */
  readonly profile: string;
  /**
   * Emulated code runs on the processor if that is faster (JudgeTask.isQuick), except for one
   * program in EMULATED_SHARE.
   */
  readonly isQuick?: boolean;
  /** Subjects in other processes, in addition; absent if there are none. */
  readonly remote?: readonly RemoteSubjectShare[];
  /** Texts of programs from outside, which the profiles `evolved` and `mutated` mutate. */
  readonly outside?: readonly string[];
}

/** Returns the names of all subjects of a campaign, in the order in which they are printed. */
export const subjectNames = ({
  subjects,
  remote = [],
}: Pick<JudgeSettings, "subjects" | "remote">): readonly string[] => [
  ...subjects,
  ...remote.map(({ name }) => name),
];

/**
 * Returns the parents of a seed without breeding: a program from outside in the profile `mutated`,
 * if there are any.
 */
export function parentsDrawer({
  profile,
  outside,
}: JudgeSettings): (seed: bigint) => ParentLineages {
  const steps = outsideSteps(outside);
  return (seed) => (profile === MUTATED ? drawOutside(steps, seed) : NO_PARENTS);
}

/** The identity of a program within a profile. */
export type ProgramIdentity = Pick<RawFinding, "seed" | "parents">;

/** A judged program, or the findings that prevented judging it. */
export type SeedOutcome =
  | { readonly kind: "found"; readonly found: readonly RawFinding[] }
  | {
      readonly kind: "judged";
      readonly named: ProgramIdentity;
      readonly module: Module;
      readonly inputs: readonly Input[];
      readonly result: ProgramResult;
      readonly verify: boolean;
    };

const foundOnly = (found: RawFinding): SeedOutcome => ({ kind: "found", found: [found] });

type ResultObserver = (module: Module, result: ProgramResult) => void;

/** The settings that judging a given program needs. */
type ProgramSettings = Pick<JudgeSettings, "subjects" | "canary">;

export function judgeOptions({ subjects, canary }: ProgramSettings): ReferenceJudgeOptions {
  const options = { subjects: subjects.map(subjectOf), fuelMax: DEFAULT_FUEL };
  if (canary === null) return options;
  const planted = canaryNamed(canary);
  assert(planted !== null, () => `no canary is named ${canary}`);
  return { ...options, ...plantedBy(planted) };
}

/**
 * Returns the options by which the program of a seed is judged: its chaos number is the seed
 * itself.
 */
export function judgeOptionsOf(settings: ProgramSettings, seed: bigint): ReferenceJudgeOptions {
  const options = judgeOptions(settings);
  return {
    ...options,
    settings: { ...DEFAULT_SETTINGS, ...options.settings, chaos: seed, verify: true },
  };
}

function subjectOf(name: string): ReferenceSubject {
  const subject = subjectNamed(name);
  assert(subject !== null, () => `no subject is named ${name}`);
  return subject;
}

/** For one seed in this many, the program is verified after every phase of the optimizer. */
const VERIFIED_SHARE = 32n;

/**
 * For one seed in this many, the claims of analyses are checked, which costs about a twentieth of a
 * program's time.
 */
const CLAIMED_SHARE = 2n;

/**
 * One program in this many is also judged by the plain interpreter; a program that differs always
 * is.
 */
const PLAIN_SHARE = 64;

/**
 * Returns whether the seed is selected: a draw by the seed, so that a repeated campaign selects the
 * same seeds.
 */
const isPlain = (seed: bigint): boolean =>
  new SeedSource(seed, "plain interpreter").below(PLAIN_SHARE) === 0;

/**
 * One in this many of the programs that may run on the processor runs in the emulator nevertheless.
 */
const EMULATED_SHARE = 16;

/**
 * Returns whether the seed is selected: a draw by the seed, so that a repeated campaign selects the
 * same seeds.
 */
export const isEmulated = (seed: bigint): boolean =>
  new SeedSource(seed, "processor").below(EMULATED_SHARE) === 0;

/**
 * One in this many of the programs that are compiled whole is traced as well, by TRACED_DRAWN
 * subjects.
 */
const TRACED_SHARE = 16;
const TRACED_DRAWN = 2;

/** Judges one seed after another, and keeps the open resources of the process. */
export class SeedJudge {
  private readonly settings: JudgeSettings;
  private readonly breeder: ProgramBreeder;
  /** The part of the language within which programs are drawn; null: all of it. */
  private readonly rules: SubsetRules | null;
  /** Indices of subjects that trace, and of the others, by level. */
  private readonly traced: SubjectsByLevel = new Map();
  private readonly whole: SubjectsByLevel = new Map();
  private open: Judge | null = null;

  constructor(settings: JudgeSettings) {
    this.settings = settings;
    this.breeder = newBreeder(readOutside(settings.outside));
    this.rules = rulesOfRemote(settings.remote);
    settings.subjects.forEach((name, i) => {
      const { traced, level, chaos } = subjectOf(name);
      const byLevel = traced ? this.traced : this.whole;
      const key = chaos ? "chaos" : level;
      byLevel.set(key, [...(byLevel.get(key) ?? []), i]);
    });
  }

  /**
   * Judges and counts a program, and returns its findings.
   * @param observe receives the program and its result, if it was judged
   */
  judge(
    named: ProgramIdentity,
    tally: Tally,
    observe: ResultObserver | null = null,
  ): readonly RawFinding[] {
    return this.count(this.begin(named), [], tally, observe);
  }

  /**
   * Makes a program, and judges it by the subjects of this process.
   * @param chosen by index of a subject: not 0 if it judges; by default those that the seed draws
   */
  begin(given: ProgramIdentity, chosen = this.drawSubjects(given.seed)): SeedOutcome {
    const named = { seed: given.seed, parents: given.parents };
    const { seed } = named;
    const { profile } = this.settings;
    let program: Program;
    try {
      program = programOf(seed, profile, named.parents, this.breeder, this.rules);
      const faults = faultsOf(program.module);
      if (faults.length > 0) {
        const others = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
        return foundOnly(foundAt(named, "invalid-program", describeFault(faults[0]) + others));
      }
    } catch (error) {
      throwIfRefused(error);
      return foundOnly(foundAt(named, "internal-error", `generator: ${describeError(error)}`));
    }
    try {
      this.open ??= new Judge({ ...judgeOptions(this.settings), onlyJudged: true });
      const verify = seed % VERIFIED_SHARE === 0n;
      const { module, inputs } = program;
      const reading = readingOf(seed, this.settings.profile);
      const holdsClaims = seed % CLAIMED_SHARE === 0n;
      const own = { chaos: seed, verify, holdsClaims };
      const isQuick = this.settings.isQuick === true && !isEmulated(seed);
      const result = this.open.judge({
        module,
        inputs,
        own,
        chosen,
        isQuick,
        isPlain: isPlain(seed),
      });
      if (reading === BYTECODE) checkPlain(program, result.expected);
      return { kind: "judged", named, module, inputs, result, verify };
    } catch (error) {
      // After an error the judge is closed, because its state is unknown.
      this.close();
      throwIfRefused(error);
      return foundOnly(errorOf(named, error));
    }
  }

  /**
   * Counts a program, and returns its findings.
   * @param elsewhere the results of remote subjects
   */
  count(
    begun: SeedOutcome,
    elsewhere: readonly RemoteResult[],
    tally: Tally,
    observe: ResultObserver | null,
  ): readonly RawFinding[] {
    if (begun.kind === "found") return begun.found;
    const { named, module, verify } = begun;
    const errors = elsewhere.flatMap((one) => (one instanceof InternalError ? one : []));
    const theirs = elsewhere.flatMap((one) => (one instanceof InternalError ? [] : one));
    const result = { ...begun.result, results: [...begun.result.results, ...theirs] };
    tallyProgram(tally, module, result, readingOf(named.seed, this.settings.profile));
    tallyEffective(tally, theirs);
    if (verify) tally.verified++;
    observe?.(module, result);
    return [...differencesOf(named, result), ...errors.map((error) => errorOf(named, error))];
  }

  /**
   * Returns by index of a subject: not 0 if it judges the program of that seed; null: all subjects
   * do.
   */
  drawSubjects(seed: bigint): Uint8Array | null {
    const { drawn, subjects } = this.settings;
    if (drawn === null || drawn >= subjects.length) return null;
    const { traced, whole } = this;
    const chosen = new Uint8Array(subjects.length);
    const main = whole.size > 0 ? whole : traced;
    drawOf(main, drawn, new SeedSource(seed, "subjects"), chosen);
    const source = new SeedSource(seed, "traced");
    const isMixed = traced.size > 0 && whole.size > 0;
    if (isMixed && source.below(TRACED_SHARE) === 0) drawOf(traced, TRACED_DRAWN, source, chosen);
    return chosen;
  }

  close(): void {
    const { open } = this;
    this.open = null;
    open?.close();
  }
}

/** Indices of subjects by level; chaos is separate. */
type SubjectsByLevel = Map<Level | "chaos", readonly number[]>;

/**
 * Marks `count` of the subjects, or all if there are fewer: one of each level, in random order,
 * before any level has two. A program that no subject compiles at some level tests nothing of that
 * level.
 */
function drawOf(
  byLevel: SubjectsByLevel,
  count: number,
  source: ChoiceSource,
  chosen: Uint8Array,
): void {
  const rest = [...byLevel.values()].map((subjects) => [...subjects]);
  for (let left = count; left > 0; ) {
    const round = rest.filter((subjects) => subjects.length > 0);
    if (round.length === 0) return;
    for (; round.length > 0 && left > 0; left--) {
      const [subjects] = round.splice(source.below(round.length), 1);
      chosen[subjects.splice(source.below(subjects.length), 1)[0]] = 1;
    }
  }
}

function errorOf(named: ProgramIdentity, error: unknown): RawFinding {
  const kind = "internal-error";
  if (!(error instanceof InternalError)) return foundAt(named, kind, describeError(error));
  const { subject, evidence, what } = error;
  return { ...foundAt(named, kind, evidence), subject, what };
}

/** Rethrows an error of the machine, which is no bug. */
function throwIfRefused(error: unknown): void {
  const refusal = machineErrorOf(error);
  if (refusal !== null) throw refusal;
}

/** Returns the first difference of each subject and aspect: the others are the same finding. */
function differencesOf(named: ProgramIdentity, { results }: ProgramResult): RawFinding[] {
  const differences: RawFinding[] = [];
  for (const { subject, judgements, known } of results) {
    const explained = known === undefined ? {} : { known };
    const seen = new Set<string>();
    for (const { input, verdict } of judgements) {
      if (verdict.kind !== "different" || seen.has(verdict.aspect)) continue;
      seen.add(verdict.aspect);
      const { aspect } = verdict;
      const detail = describeDifference(verdict.difference);
      const shown = { aspect, input, detail, ...explained };
      differences.push({ kind: "difference", ...named, subject, ...shown });
    }
  }
  return differences;
}

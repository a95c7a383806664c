// Runs one program through the oracle and every subject, on every input. A campaign does this for each program. Remote
// subjects receive many programs at once.

import type { CompilerParts } from "../../reference/parts.js";
import { PARTS } from "../../reference/parts.js";
import { isLimitEvent } from "../../reference/regalloc/events.js";
import { executionsOn, type TraceSource } from "../execute/claims/check-claims.js";
import { ContinuationRunner, type ResumeMode } from "../execute/continuations.js";
import { EmulatorCache } from "../execute/emulator/emulators.js";
import { fuelFor } from "../execute/fuel.js";
import type { JunkRun } from "../execute/machine/junk.js";
import type { ResumeFilter } from "../execute/machine/machine.js";
import { MachineRunners } from "../execute/machine/runners.js";
import type { ReferenceSubject } from "../execute/reference-subject.js";
import type {
  CompiledCodeCounts,
  LocalSubject,
  OpenLocalSubject,
  PreparedProgram,
  PreparedRun,
  RemoteSubject,
  Subject,
} from "../execute/subject.js";
import { CompilationUnit, DEFAULT_SETTINGS, type OptimizeSettings } from "../execute/unit.js";
import type { ExecutionResources } from "../execute/workshop.js";
import { type Input, isJudged, type Outcome, unjudgedEnding } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { decodeLazily } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { DecodedModule } from "../oracle/fast/program.js";
import { assert, withSubject } from "../support/assert.js";
import { type Aspect, notShownBy } from "./aspects.js";
import { type IgnoredAspects, judge, judgeSecond, unjudged, type Verdict } from "./compare.js";
import { checkAgainstPlain } from "./interpreters.js";
import { OpenRemoteJudge, type RemoteTask } from "./judge-remote.js";

/** The verdict on one execution by one subject, with its evidence. */
export interface ExecutionJudgement {
  /** Index of the input. */
  readonly input: number;
  readonly verdict: Verdict;
  /**
   * The outcome that the verdict is about. Null if the verdict is equal, which needs no evidence, or if the subject
   * declined the program.
   */
  readonly outcome: Outcome | null;
  /**
   * The outcome of the second run, with other junk in undefined bits; null unless outcomes are
   * kept.
   */
  readonly second: Outcome | null;
}

export interface SubjectResult {
  readonly subject: string;
  readonly judgements: readonly ExecutionJudgement[];
  readonly counts: CompiledCodeCounts | null;
  /** The aspects that were not compared in any execution, because the subject cannot show them. */
  readonly notShown: readonly Aspect[];
  /** Why the subject could not express the program; null if it could. */
  readonly declined: string | null;
  /** Whether a compiler of others ran the program without compiling any of its functions. */
  readonly isUncompiled?: boolean;
  /** The known bugs of the subject that explain its differences; absent if none do. */
  readonly known?: string;
  /** True if the code ran on the processor, and not in the emulator of the subject's name. */
  readonly onProcessor?: boolean;
}

export interface ProgramResult {
  /** The oracle's outcomes, by input. */
  readonly expected: readonly Outcome[];
  /** By input: the number of values that the entry executed, or that one continuation executed if it was more. */
  readonly fuelUsed: readonly number[];
  readonly results: readonly SubjectResult[];
  /** Phases and rules that the optimizer applied for some subject. */
  readonly applied: ReadonlySet<string>;
  /**
   * Work that its phases, allocators or the checker omitted because of a limit, for some subject: `<phase>: <limit>`.
   */
  readonly limits: ReadonlySet<string>;
  /** The number of continuations that ran for compiled subjects, by the subject that ran them. */
  readonly continued: Readonly<Record<string, number>>;
}

export interface JudgeOptions {
  readonly subjects: readonly Subject[];
  readonly fuelMax: number;
  readonly settings?: OptimizeSettings;
  readonly parts?: CompilerParts;
  /** Aspects that are not compared; only to prove that each comparison is needed. */
  readonly ignored?: IgnoredAspects;
  readonly resumeFilter?: ResumeFilter | null;
  /** How continuations run; drawn by default. */
  readonly resumes?: ResumeMode;
  /**
   * True to keep the outcomes of both runs even if they are equal; `outcome` is then that of the
   * first run.
   */
  readonly keepOutcomes?: boolean;
  /**
   * True to run only executions on which the oracle can decide: no verdict depends on the others.
   * Native code never runs the others, and no subject runs an execution that exceeds its fuel in
   * the oracle.
   */
  readonly onlyJudged?: boolean;
  /** True to verify every register allocation; the default. */
  readonly checkAllocation?: boolean;
  /** True to check every execution with the plain interpreter, and not only those that differ. */
  readonly isPlain?: boolean;
  /** The fast interpreter. A test replaces it to prove that the plain one finds its faults. */
  readonly oracle?: Oracle;
}

/** Options for features that only subjects of the reference compiler have. */
export interface ReferenceJudgeOptions extends JudgeOptions {
  readonly subjects: readonly ReferenceSubject[];
}

interface JudgeTask {
  /** The program; judging does not change it. */
  readonly module: Module;
  readonly inputs: readonly Input[];
  /** Settings of this program alone. */
  readonly own?: Partial<OptimizeSettings>;
  /**
   * Selected subjects: nonzero at the index of each subject that runs the program; null selects
   * all.
   */
  readonly chosen?: Uint8Array | null;
  /**
   * Runs emulated code where it runs faster, on the processor or simulated. If a difference appears there, the code
   * runs in the emulator too.
   */
  readonly isQuick?: boolean;
  /** True to check every execution of this program with the plain interpreter. */
  readonly isPlain?: boolean;
}

/** A program with the oracle's outcomes. */
interface OracleResult {
  readonly module: Module;
  readonly inputs: readonly Input[];
  readonly chosen: Uint8Array | null;
  readonly isQuick: boolean;
  readonly expected: readonly Outcome[];
  readonly fuelUsed: readonly number[];
  readonly unit: CompilationUnit;
  /** The decoded module, for the oracle. */
  readonly program: DecodedModule;
}

interface OpenedLocal {
  readonly kind: "local";
  readonly subject: LocalSubject;
  readonly open: OpenLocalSubject;
}

type OpenedSubject =
  | OpenedLocal
  | { readonly kind: "remote"; readonly subject: RemoteSubject; readonly open: OpenRemoteJudge };

/** The oracle and the subjects of a process, opened once. All programs share the emulators and arenas. */
export class Judge {
  readonly oracle: Oracle;
  private readonly subjects: readonly OpenedSubject[];
  /** By subject: the aspects that are not compared, because of the options or because the subject cannot show them. */
  private readonly ignored: readonly IgnoredAspects[];
  private readonly notShown: readonly (readonly Aspect[])[];
  private readonly options: JudgeOptions;
  private readonly emulators = new EmulatorCache();
  private readonly runners: MachineRunners;
  private readonly continuations: ContinuationRunner;
  private readonly workshop: ExecutionResources;
  /** By subject: its faster form, opened on first use; null if there is none. */
  private readonly quick: (OpenedLocal | null | undefined)[] = [];

  /** @throws MissingLibrary if a subject needs a library that the machine lacks; call `missing` first */
  constructor(options: JudgeOptions) {
    this.options = options;
    const { parts = PARTS, resumeFilter = null, checkAllocation = true } = options;
    const { oracle = new Oracle(), resumes = "drawn" } = options;
    const runners = new MachineRunners(oracle);
    this.oracle = oracle;
    this.runners = runners;
    const continuations = new ContinuationRunner(oracle, runners, parts, checkAllocation, resumes);
    this.continuations = continuations;
    const { emulators } = this;
    const agree: ExecutionResources["agree"] = (expected, actual) =>
      judge(expected, actual).kind === "equal";
    const shared = { oracle, parts, emulators, runners, continuations, agree };
    const workshop = { ...shared, resumeFilter, checkAllocation };
    this.workshop = workshop;
    this.subjects = options.subjects.map((subject): OpenedSubject => {
      return subject.kind === "local"
        ? { kind: "local", subject, open: subject.open(workshop) }
        : { kind: "remote", subject, open: new OpenRemoteJudge(subject) };
    });
    this.notShown = options.subjects.map(({ capabilities }) => notShownBy(capabilities));
    this.ignored = this.notShown.map(
      (aspects) => new Set([...aspects, ...(options.ignored ?? [])]),
    );
  }

  /**
   * Judges a program synchronously by the subjects of this process. Does not change the module. An
   * error of a subject is rethrown as an InternalError that names the subject.
   */
  judge(task: JudgeTask): ProgramResult {
    const begun = this.begin(task);
    const { chosen } = begun;
    const results: SubjectResult[] = [];
    for (let s = 0; s < this.subjects.length; s++) {
      if (chosen !== null && chosen[s] === 0) continue;
      const { kind, subject } = this.subjects[s];
      assert(kind === "local", () => `${subject.name} is remote: it can only be used by judgeAll`);
      results.push(this.judgeLocal(s, begun));
    }
    return this.end(begun, results);
  }

  /**
   * Judges with subjects of either kind. Each remote subject receives all programs in one batch, all subjects at the
   * same time; results are in the order of programs and subjects.
   */
  async judgeAll(tasks: readonly JudgeTask[]): Promise<ProgramResult[]> {
    const programs = tasks.map((task) => this.begin(task));
    const columns = await Promise.all(
      this.subjects.map((opened, s) => {
        const isAsked = ({ chosen }: OracleResult): boolean => chosen === null || chosen[s] !== 0;
        if (opened.kind === "remote") return this.judgeRemote(s, opened.open, programs, isAsked);
        return programs.map((begun) => (isAsked(begun) ? this.judgeLocal(s, begun) : null));
      }),
    );
    return programs.map((begun, p) => {
      const results = columns.flatMap((column) => column[p] ?? []);
      return this.end(begun, results);
    });
  }

  close(): void {
    for (const { open } of this.subjects) open.close();
    for (const quick of this.quick) quick?.open.close();
    this.emulators.close();
    this.continuations.close();
  }

  private begin(task: JudgeTask): OracleResult {
    const { module, inputs, own = {}, chosen = null, isQuick = false } = task;
    const { oracle, options } = this;
    const { settings = DEFAULT_SETTINGS, parts = PARTS, fuelMax } = options;
    const program = decodeLazily(module);
    const expected: Outcome[] = [];
    const fuelUsed: number[] = [];
    for (const input of inputs) {
      expected.push(oracle.run(program, input, fuelMax));
      fuelUsed.push(Math.max(oracle.fuelUsed, oracle.resumedFuel));
    }
    if (options.isPlain === true || task.isPlain === true) {
      this.checkAgainstPlain(task, expected, (i) => fuelUsed[i] <= PLAIN_FUEL_MAX);
    }
    const unit = new CompilationUnit(module, { ...settings, ...own }, parts);
    return { module, inputs, chosen, isQuick, expected, fuelUsed, unit, program };
  }

  /**
   * Judges the selected inputs with the plain interpreter.
   * @throws InternalError if its outcome differs
   */
  private checkAgainstPlain(
    { module, inputs }: Pick<JudgeTask, "module" | "inputs">,
    expected: readonly Outcome[],
    isWanted: (input: number) => boolean,
  ): void {
    const { oracle, options } = this;
    inputs.forEach((input, i) => {
      if (isWanted(i)) checkAgainstPlain(module, input, expected[i], options.fuelMax, oracle);
    });
  }

  private end(begun: OracleResult, results: SubjectResult[]): ProgramResult {
    const { expected, fuelUsed, unit } = begun;
    this.runners.forget();
    const differing = new Set(results.flatMap(inputsThatDiffer));
    this.checkAgainstPlain(begun, expected, (i) => differing.has(i));
    if (!results.some(isDifferent)) unit.checkClaims(claimedOf(begun));
    const continued = unit.continued.ran;
    const applied = unit.applied();
    const events = results.flatMap(({ counts }) => counts?.events ?? []);
    const limits = new Set([...unit.limits(), ...events.filter(isLimitEvent)]);
    return { expected, fuelUsed, results, applied, limits, continued };
  }

  private judgeLocal(s: number, begun: OracleResult): SubjectResult {
    const opened = this.subjects[s];
    const { name } = opened.subject;
    assert(opened.kind === "local", () => `${name} is a remote subject, expected a local one`);
    try {
      const quick = begun.isQuick ? this.quickOf(s, opened.subject) : null;
      if (quick === null) return this.runLocal(s, opened, begun);
      const { native } = quick.subject;
      const result = this.runLocal(s, quick, begun);
      if (!isDifferent(result)) {
        return { ...result, subject: name, ...(native ? { onProcessor: true } : {}) };
      }
      // A difference on the processor counts for this subject only if the emulator shows it too;
      // else for the native subject.
      const emulated = this.runLocal(s, opened, begun);
      if (isDifferent(emulated)) return emulated;
      assert(
        native,
        () => `simulated code behaves differently than the same code under the emulator`,
      );
      return result;
    } catch (thrown) {
      throw withSubject(name, thrown);
    }
  }

  private quickOf(s: number, { quicker }: LocalSubject): OpenedLocal | null {
    const known = this.quick[s];
    if (known !== undefined) return known;
    const subject = quicker?.() ?? null;
    const workshop = { ...this.workshop, isQuick: true };
    const opened: OpenedLocal | null =
      subject === null ? null : { kind: "local", subject, open: subject.open(workshop) };
    this.quick[s] = opened;
    return opened;
  }

  private runLocal(
    s: number,
    { subject: { name, native }, open }: OpenedLocal,
    { inputs, expected, fuelUsed, unit }: OracleResult,
  ): SubjectResult {
    const { fuelMax } = this.options;
    const ignored = this.ignored[s];
    const prepared = open.prepare(unit);
    const isSkipped = native || this.options.onlyJudged === true;
    const isDeclined = expected.map((outcome) => {
      const open = unjudgedEnding(outcome);
      return open !== null && (isSkipped || open.kind === "out-of-fuel");
    });
    const run = runnerOf(prepared, inputs, isDeclined, fuelUsed, fuelMax);
    const judgements = inputs.map((_, i): ExecutionJudgement => {
      const declined = isDeclined[i] ? unjudged(expected[i]) : null;
      if (declined !== null) return { input: i, verdict: declined, outcome: null, second: null };
      const first = run(i, 0);
      const verdict = judge(expected[i], first, ignored);
      if (prepared.poisons.length === 1) return this.judgement(i, verdict, first, null, first);
      const second = run(i, 1);
      const both = judgeSecond(verdict, expected[i], second, ignored);
      return this.judgement(i, both, first, second, both === verdict ? first : second);
    });
    const { counts } = prepared;
    const notShown = this.notShown[s];
    const result = { subject: name, judgements, counts, notShown, declined: null };
    if (isDifferent(result)) open.discardMachine();
    return result;
  }

  private async judgeRemote(
    s: number,
    open: OpenRemoteJudge,
    programs: readonly OracleResult[],
    isAsked: (begun: OracleResult) => boolean,
  ): Promise<(SubjectResult | null)[]> {
    const { name } = this.subjects[s].subject;
    const asked = programs.filter(isAsked);
    const answered = await open.run(asked, this.ignored[s]).catch((thrown: unknown) => {
      throw withSubject(name, thrown);
    });
    const byProgram = new Map<RemoteTask, SubjectResult>();
    answered.forEach(({ judgements, declined, isUncompiled }, a) => {
      const kept = judgements.map(({ input, verdict, outcome }) => {
        return this.judgement(input, verdict, outcome, null, outcome);
      });
      const notShown = this.notShown[s];
      byProgram.set(asked[a], {
        subject: name,
        judgements: kept,
        counts: null,
        notShown,
        declined,
        ...(isUncompiled ? { isUncompiled } : {}),
      });
    });
    return programs.map((begun) => byProgram.get(begun) ?? null);
  }

  /**
   * Makes a judgement.
   * @param evidence the outcome that the verdict is about
   */
  private judgement(
    input: number,
    verdict: Verdict,
    first: Outcome | null,
    second: Outcome | null,
    evidence: Outcome | null,
  ): ExecutionJudgement {
    if (this.options.keepOutcomes) return { input, verdict, outcome: first, second };
    const outcome = verdict.kind === "equal" ? null : evidence;
    return { input, verdict, outcome, second: null };
  }
}

/**
 * The greatest number of executed values of an execution that the plain interpreter checks although
 * no subject differs.
 */
const PLAIN_FUEL_MAX = 1_000_000;

const inputsThatDiffer = ({ judgements }: SubjectResult): number[] =>
  judgements.flatMap(({ input, verdict }) => (verdict.kind === "different" ? [input] : []));

const isDifferent = ({ judgements }: SubjectResult): boolean =>
  judgements.some(({ verdict }) => verdict.kind === "different");

/**
 * Returns a function that runs input `i` on demand, or runs all inputs first, if the subject runs them faster together.
 */
function runnerOf(
  { run, runAll, poisons }: PreparedProgram,
  inputs: readonly Input[],
  isDeclined: readonly boolean[],
  fuelUsed: readonly number[],
  fuelMax: number,
): (i: number, poison: JunkRun) => Outcome {
  if (runAll === undefined) return (i, poison) => run(inputs[i], poison, fuelUsed[i], fuelMax);
  const runs: PreparedRun[] = [];
  const starts = inputs.map((input, i) => {
    const start = runs.length;
    if (isDeclined[i]) return start;
    for (const poison of poisons) runs.push({ input, poison, fuelUsed: fuelUsed[i] });
    return start;
  });
  const outcomes = runAll(runs, fuelMax);
  return (i, poison) => outcomes[starts[i] + poisons.indexOf(poison)];
}

function claimedOf({ module, program, inputs, expected, fuelUsed }: OracleResult): TraceSource {
  const short = inputs.filter((_, i) => isJudged(expected[i]) && fuelUsed[i] <= CLAIMED_MAX);
  const from = short.length > CLAIMED_INPUTS ? 1 : 0; // inputs after the first may be aimed
  const claimed = short.slice(from, from + CLAIMED_INPUTS);
  return executionsOn(claimed, fuelFor(CLAIMED_MAX), { module, program });
}

/**
 * The number of executions against which claims are checked, and the values of each. More programs are more effective
 * than longer executions.
 */
const CLAIMED_INPUTS = 2;
const CLAIMED_MAX = 3000;

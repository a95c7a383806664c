// Defines the interface of a subject: a thing that runs programs and is judged against the oracle.
// There are two kinds:
//
//   local    in this process, synchronous, one execution after the other. The hot loop of a campaign
//            awaits nothing. The subjects of the reference compiler are of this kind
//            (reference-subject.ts).
//   remote   in another process or machine. It takes batches of programs, each with several inputs,
//            and answers asynchronously.
//
// Nothing here assumes a compiler. The capabilities of a subject list the aspects of an execution
// that it can show. An aspect that it cannot show is not compared, and is counted as not compared
// (../compare/compare.ts).

import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import type { TraceCounts } from "../record/trace-counts.js";
import type { TraceRunner } from "../record/trace-runner.js";
import type { JunkRun } from "./machine/junk.js";
import type { CompilationUnit } from "./unit.js";
import type { ExecutionResources } from "./workshop.js";

/**
 * The aspects that a subject can show.
 * - results: the results of the entry
 * - memory: the heap afterwards
 * - calls: the recorded host calls and their arguments
 * - exits: the guard that exited, with its frames and slots
 * - resumption: the outcomes of an exit's continuations
 * - abi: the registers and the stack that a calling convention preserves
 */
const CAPABILITIES = ["results", "memory", "calls", "exits", "resumption", "abi"] as const;
export type Capability = (typeof CAPABILITIES)[number];
export type Capabilities = ReadonlySet<Capability>;

export const ALL_CAPABILITIES: Capabilities = new Set(CAPABILITIES);

interface SubjectFacts {
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * Code runs on the processor itself, confined only by a process. Such a subject runs only
   * executions that the oracle judges. It runs programs from files only if the user names the
   * subject.
   */
  readonly native: boolean;
  /** Returns one line with the missing requirement and its remedy; null if nothing is missing. */
  readonly missing: () => string | null;
}

export interface LocalSubject extends SubjectFacts {
  readonly kind: "local";
  /**
   * Returns the subject that runs the same code faster, on this machine's processor or simulated.
   * Null or absent if there is none.
   */
  readonly quicker?: () => LocalSubject | null;
  readonly open: (workshop: ExecutionResources) => OpenLocalSubject;
}

export interface OpenLocalSubject {
  /** Never throws because of a program: a compile error is an outcome. */
  prepare(unit: CompilationUnit): PreparedProgram;
  /**
   * Returns traces of a program that share code and have linked exits. If absent, each trace is
   * prepared alone.
   */
  readonly traces?: (unit: CompilationUnit) => TraceCode;
  /** The poisons of every program that it prepares, except those that do not compile. */
  readonly poisons: readonly JunkRun[];
  /**
   * Discards the machine after a wrong run, which may have damaged it. The next run starts a new
   * one.
   */
  discardMachine(): void;
  close(): void;
}

/** The settings of one execution, as in the arguments of `Prepared.call`. */
export interface ExecutionSettings {
  readonly poison: JunkRun;
  readonly fuelUsed: number;
  readonly fuelMax: number;
}

/** The compiled traces of one program. */
export interface TraceCode {
  /** Starts a new execution, in which no exit is linked. */
  begin(execution: ExecutionSettings): TraceRunner;
  readonly counts: readonly CompiledCodeCounts[];
}

/** A prepared program. Other programs that are prepared or run in between do not affect it. */
export interface PreparedProgram {
  /** One element for subjects that have nothing to poison. */
  readonly poisons: readonly JunkRun[];
  /**
   * @param fuelUsed the most values that the oracle executed in the entry or in one continuation;
   * the limits of this run follow from it
   * @param fuelMax the fuel of each continuation that the oracle runs
   */
  run(input: Input, poison: JunkRun, fuelUsed: number, fuelMax: number): Outcome;
  /**
   * Does the same as `run` for each element. It is faster if a request for a run takes longer than
   * most runs.
   */
  readonly runAll?: (runs: readonly PreparedRun[], fuelMax: number) => readonly Outcome[];
  /**
   * Runs the entry on the given heap, which it changes. Absent if the subject cannot do so.
   * @param words low and high word of each argument
   */
  call?(
    words: Int32Array,
    heap: Uint8Array,
    poison: JunkRun,
    fuelUsed: number,
    fuelMax: number,
  ): Outcome;
  /** Counters for statistics, complete after all runs; null if nothing was compiled. */
  readonly counts: CompiledCodeCounts | null;
}

/** The arguments of `Prepared.run` that differ between runs. */
export interface PreparedRun {
  readonly input: Input;
  readonly poison: JunkRun;
  readonly fuelUsed: number;
}

export interface CompiledCodeCounts {
  readonly codeBytes: number;
  readonly instructions: number;
  readonly spillUnits: number;
  readonly moves: number;
  readonly longBranches: number;
  /**
   * Counts of values in halves and of the operations on them, by form; forms that did not occur are
   * absent.
   */
  readonly halves: Readonly<Record<string, number>>;
  /** Copied from Image.events: names of events of the compiler, each once. */
  readonly events: readonly string[];
  /** Counts of recorded and executed traces over all runs; absent if nothing is traced. */
  readonly traces?: TraceCounts;
}

export interface RemoteSubject extends SubjectFacts {
  readonly kind: "remote";
  readonly open: () => OpenRemoteSubject;
}

export interface OpenRemoteSubject {
  /**
   * Translates the programs, and compiles them if that is a separate step. An exception of this
   * function or of `run` is a bug in the subject's harness. A failure of a program is part of its
   * answer.
   */
  prepare(programs: readonly RemoteProgram[]): Promise<PreparedBatch>;
  close(): void;
}

/** A program and the executions to run, all of which the oracle judges. */
export interface RemoteProgram {
  /** Must not be changed. */
  readonly module: Module;
  readonly executions: readonly RemoteExecution[];
}

interface RemoteExecution {
  readonly input: Input;
  /** The number of values that the oracle executed; the time limit follows from it. */
  readonly fuelUsed: number;
}

export interface PreparedBatch {
  /**
   * Returns one answer for each program, in order. It may be called again, also after other batches
   * were prepared.
   */
  run(): Promise<readonly RemoteAnswer[]>;
}

export type RemoteAnswer =
  /**
   * One outcome for each execution, in order. An aspect that the subject cannot show is empty: no
   * events, a heap without bytes (NOT_SHOWN). A process that died, did not end, or wrote unreadable
   * output gives an ending of kind `crash`, `hang` or `garbage` with its evidence; these are
   * differences.
   */
  | {
      readonly kind: "ran";
      readonly outcomes: readonly Outcome[];
      /** The compiler under test compiled none of the program's functions. */
      readonly isUncompiled?: true;
    }
  /** The subject cannot express the program, and ran nothing. */
  | { readonly kind: "declined"; readonly reason: string };

/** The heap of a subject that cannot show it. */
export const NOT_SHOWN = { bytes: new Uint8Array(0), anyNaN: [], masked: [] } as const;

export type Subject = LocalSubject | RemoteSubject;

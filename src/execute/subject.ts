// What a subject is: something that runs programs and is judged against the oracle. Two kinds:
//
//   local    in this process and synchronous, one execution after the other: the hot loop of a
//            campaign awaits nothing. The subjects of the reference compiler are of this kind
//            (reference-subject.ts).
//   remote   in another process or machine. It takes batches of programs, each with several inputs, and
//            answers asynchronously.
//
// Nothing here assumes a compiler. The capabilities of a subject say what it can show of an execution;
// what it cannot show is not compared, and is counted as not compared (../compare/compare.ts).

import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import type { TraceCounts } from "../record/trace-counts.js";
import type { TraceRunner } from "../record/trace-runner.js";
import type { Poison } from "./machine/junk.js";
import type { Unit } from "./unit.js";
import type { Workshop } from "./workshop.js";

/**
 * results: what the entry returns; memory: the heap afterwards; calls: the recorded host calls and
 * their arguments; exits: which guard left, with its frames and slots; resumption: what the
 * continuations of an exit did; abi: what a calling convention wants preserved.
 */
const CAPABILITIES = ["results", "memory", "calls", "exits", "resumption", "abi"] as const;
export type Capability = (typeof CAPABILITIES)[number];
export type Capabilities = ReadonlySet<Capability>;

export const ALL_CAPABILITIES: Capabilities = new Set(CAPABILITIES);

interface SubjectFacts {
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * Code runs on the processor itself, only shielded by a process. Such a subject runs nothing that
   * the oracle does not judge, and no program from a file unless the user names the subject.
   */
  readonly native: boolean;
  /** One line that says what this machine lacks and how to get it; null if nothing. */
  readonly missing: () => string | null;
}

export interface LocalSubject extends SubjectFacts {
  readonly kind: "local";
  /**
   * The same code where it runs quicker: on the processor of this machine, or simulated; null or absent
   * where it cannot run so.
   */
  readonly quicker?: () => LocalSubject | null;
  readonly open: (workshop: Workshop) => OpenLocal;
}

export interface OpenLocal {
  /** Never throws because of a program: a compile error is an outcome. */
  prepare(unit: Unit): Prepared;
  /** Where traces of a program share code, and exits are linked; absent: each is prepared by itself. */
  readonly traces?: (unit: Unit) => TraceCode;
  /** As those of all that it prepares, but for what does not compile. */
  readonly poisons: readonly Poison[];
  /** A run has gone wrong, and may have damaged the machine: the next run begins with a new one. */
  distrust(): void;
  close(): void;
}

/** How one execution is made: as the arguments of `Prepared.call`. */
export interface Execution {
  readonly poison: Poison;
  readonly fuelUsed: number;
  readonly fuelMax: number;
}

/** The traces of one program: what they run as. */
export interface TraceCode {
  /** What runs traces in a new execution: no exit is linked. */
  begin(execution: Execution): TraceRunner;
  readonly counts: readonly CodeCounts[];
}

/** A prepared program: it runs, whatever else is prepared or run in between. */
export interface Prepared {
  /** One run for subjects that have nothing to poison. */
  readonly poisons: readonly Poison[];
  /**
   * @param fuelUsed values that the oracle executed in the entry or in one continuation, at most: the
   *   limits of this run follow from it
   * @param fuelMax for each continuation that the oracle runs
   */
  run(input: Input, poison: Poison, fuelUsed: number, fuelMax: number): Outcome;
  /** As `run` of each, and quicker: where to ask for a run takes longer than most runs. */
  readonly runAll?: (runs: readonly PreparedRun[], fuelMax: number) => readonly Outcome[];
  /**
   * Runs the entry on a heap that is there, which it changes; absent where that cannot be.
   * @param words low and high word of each argument
   */
  call?(
    words: Int32Array,
    heap: Uint8Array,
    poison: Poison,
    fuelUsed: number,
    fuelMax: number,
  ): Outcome;
  /** Counted for statistics, by name, after all runs; null where nothing was compiled. */
  readonly counts: CodeCounts | null;
}

/** The arguments of `Prepared.run` that differ from run to run. */
export interface PreparedRun {
  readonly input: Input;
  readonly poison: Poison;
  readonly fuelUsed: number;
}

export interface CodeCounts {
  readonly codeBytes: number;
  readonly instructions: number;
  readonly spillUnits: number;
  readonly moves: number;
  readonly longBranches: number;
  /** Values in pieces, and what was done with them, by form; forms that did not occur are left out. */
  readonly pieces: Readonly<Record<string, number>>;
  /** Image.events: names of what the compiler did, each once. */
  readonly events: readonly string[];
  /** What was recorded and run, in all runs; absent where nothing is traced. */
  readonly traces?: TraceCounts;
}

export interface RemoteSubject extends SubjectFacts {
  readonly kind: "remote";
  readonly open: () => OpenRemote;
}

export interface OpenRemote {
  /**
   * Translates the programs, and compiles them if that is a step of its own. What is rejected or
   * thrown, here or by `run`, is a bug in the subject's harness and never the fault of a program: what
   * goes wrong with a program is in its answer.
   */
  prepare(programs: readonly RemoteProgram[]): Promise<PreparedBatch>;
  close(): void;
}

/** A program, and the executions to run: only such as the oracle judges. */
export interface RemoteProgram {
  /** Not to be changed. */
  readonly module: Module;
  readonly executions: readonly RemoteExecution[];
}

interface RemoteExecution {
  readonly input: Input;
  /** As for `Prepared.run`: a limit of time follows from it. */
  readonly fuelUsed: number;
}

export interface PreparedBatch {
  /** One answer for each program, in order. May be called again, and whatever else was prepared. */
  run(): Promise<readonly Answer[]>;
}

export type Answer =
  /**
   * One for each execution, in order. What the subject cannot show is left empty: no events, a heap
   * without bytes (NOT_SHOWN). A process that died, did not end, or wrote what cannot be read gives
   * an ending of kind `crash`, `hang` or `garbage` with its evidence: these are differences.
   */
  | { readonly kind: "ran"; readonly outcomes: readonly Outcome[] }
  /** The subject has no way to express the program: nothing was run. */
  | { readonly kind: "declined"; readonly reason: string };

/** The memory of a subject that cannot show it. */
export const NOT_SHOWN = { bytes: new Uint8Array(0), anyNaN: [], masked: [] } as const;

export type Subject = LocalSubject | RemoteSubject;

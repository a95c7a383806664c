// Defines the messages between the page and its worker.

import type { ComparedLine } from "../report/page/diff.js";
import type { ProgramText, ShownCompilation } from "../report/page-state.js";

export type WorkerRequest =
  | { readonly kind: "lists" }
  | ({ readonly kind: "judge" } & ProgramText)
  | JudgeBrowserRequest
  | ({ readonly kind: "compile"; readonly shown: ShownCompilation } & ProgramText)
  | { readonly kind: "draw"; readonly profile: string; readonly seed: string }
  | ({ readonly kind: "reduce" } & ProgramText)
  | FuzzRequest
  | ReduceFoundRequest;

/** A message to the worker. Its replies have the same number; the last one is null. */
export interface WorkerMessage {
  readonly id: number;
  readonly request: WorkerRequest | { readonly kind: "warm-up" };
}

/** Judges a program in the engine of the browser. */
export interface JudgeBrowserRequest {
  readonly kind: "judge-browser";
  readonly text: string;
  /** The number of calls for each run line; the first and the last are judged. */
  readonly calls: number;
  /** One instruction of the module is changed. */
  readonly isBroken: boolean;
}

/** How programs run in the engine of the browser. */
interface BrowserRuns {
  readonly profile: string;
  /** The number of runs of each input; the last one is judged. */
  readonly rounds: number;
  /** One instruction of each module is changed. */
  readonly isBroken: boolean;
}

/** Judges the engine of the browser on programs of consecutive seeds. */
export interface FuzzRequest extends BrowserRuns {
  readonly kind: "fuzz";
  readonly first: string;
  readonly count: number;
}

/** Reduces a program that differs in the engine of the browser. */
export interface ReduceFoundRequest extends BrowserRuns {
  readonly kind: "reduce-found";
  readonly seed: string;
  /** The program from which to continue; null: that of the seed. */
  readonly text: string | null;
  /** Candidates to reject without a run: they were rejected, or their run did not end. */
  readonly rejected: readonly string[];
}

/** A place in the text of a program: line and column, from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Why a request has no result. */
export interface RequestFault {
  readonly kind: "fault";
  /** The place of the cause; null if the cause is not in the text. */
  readonly place: TextPlace | null;
  readonly message: string;
}

/** An opcode, as the editor offers it. */
export interface OpcodeHelp {
  readonly name: string;
  /** Its operands and result, such as `(T, T) -> T`. */
  readonly operands: string;
  /** One sentence. */
  readonly says: string;
}

export interface NameHelp {
  readonly name: string;
  readonly says: string;
}

/** The names that the page offers. */
export interface NameLists {
  readonly kind: "lists";
  readonly profiles: readonly NameHelp[];
  readonly canaries: readonly NameHelp[];
  readonly opcodes: readonly OpcodeHelp[];
}

/** One run line, by the oracle. */
interface JudgedRun {
  readonly line: number;
  readonly input: string;
  readonly outcome: string;
  /** The floats of the outcome, as value and bits. */
  readonly floats: readonly string[];
  /** The failed expectation of the run line; empty if it holds, null without one. */
  readonly failure: string | null;
}

export interface CellVerdict {
  readonly kind: "equal" | "different" | "unjudged";
  /** The difference, or the reason; empty if equal. */
  readonly detail: string;
}

/** One target, level and allocator. */
export interface JudgedCell extends ShownCompilation {
  /** The machine that ran the code. */
  readonly by: string;
  /** By run line; empty if an internal error stopped the compiler. */
  readonly verdicts: readonly CellVerdict[];
  /** The internal error; null if there is none. */
  readonly error: string | null;
}

export interface JudgedProgram {
  readonly kind: "judged";
  /** The size of the program, without parameters, constants and control. */
  readonly values: number;
  readonly runs: readonly JudgedRun[];
  readonly cells: readonly JudgedCell[];
}

/** A call of each run line in the engine of the browser. */
export interface BrowserRow {
  /** The number of the call. */
  readonly calls: number;
  /** By run line; empty if nothing ran. */
  readonly verdicts: readonly CellVerdict[];
  /** Why nothing ran; null if the program ran. */
  readonly error: string | null;
}

export interface BrowserJudged {
  readonly kind: "browser";
  readonly rows: readonly BrowserRow[];
}

export interface PhaseChange {
  readonly phase: string;
  readonly procedure: string;
  /** The rules that were applied, each after its count. */
  readonly rules: readonly string[];
  readonly lines: readonly ComparedLine[];
}

/** A picture of a procedure, as SVG. */
export interface ProcedurePicture {
  readonly procedure: string;
  /** The SVG is null if the procedure is too large to draw. */
  readonly svg: string | null;
}

/** The allocated LIR of a procedure. */
export interface ProcedureLir {
  readonly text: string;
  /** The value that each virtual register holds: `@3` by `v7`. */
  readonly values: Readonly<Record<string, string>>;
}

export interface CompiledForms {
  readonly kind: "compiled";
  readonly phases: readonly PhaseChange[];
  readonly lir: readonly ProcedureLir[];
  /** The control-flow graph of each procedure before the optimizer. */
  readonly graphs: readonly ProcedurePicture[];
  /** The live intervals of each procedure, with the allocated registers and slots. */
  readonly intervals: readonly ProcedurePicture[];
  readonly listing: string;
  readonly bytes: string;
  readonly exits: string;
  /** Why there is no code; null if there is. */
  readonly error: string | null;
}

interface DrawnProgram {
  readonly kind: "drawn";
  readonly text: string;
}

/** A reduction yields its smallest program whenever it finds one, and once more at its end. */
export interface ReducedProgram {
  readonly kind: "reduced";
  readonly text: string;
  readonly values: number;
  /** The size of the given program. */
  readonly valuesBefore: number;
  readonly isComplete: boolean;
}

/** One program, judged in the engine of the browser. */
export interface FuzzedProgram {
  readonly kind: "fuzzed";
  readonly seed: string;
  readonly equal: number;
  /** The reason of each unjudged execution. */
  readonly unjudged: readonly string[];
  readonly difference: BrowserDifference | null;
}

export interface BrowserDifference {
  readonly aspect: string;
  readonly detail: string;
  readonly input: string;
  readonly got: string;
  /** The program with its run lines. */
  readonly text: string;
  readonly values: number;
  /** The opcodes of a small program, by which findings are grouped; null for a larger one. */
  readonly outline: string | null;
}

/** A reduction is about to run a candidate in the engine, which may hang. */
export interface TriedCandidate {
  readonly kind: "tried";
  readonly candidate: string;
  /** The time in which the given program ran. */
  readonly usualMilliseconds: number;
}

/** As ReducedProgram. */
interface ReducedDifference {
  readonly kind: "reduced-found";
  readonly difference: BrowserDifference;
  readonly isComplete: boolean;
}

export type WorkerReply =
  | FuzzedProgram
  | TriedCandidate
  | ReducedDifference
  | RequestFault
  | NameLists
  | JudgedProgram
  | BrowserJudged
  | CompiledForms
  | DrawnProgram
  | ReducedProgram;

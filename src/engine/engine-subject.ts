// Defines the interface of another project's compiler as a subject: its version, its parts, its
// reproducers and the cures for its known bugs.

import {
  ALL_CAPABILITIES,
  type OpenRemoteSubject,
  type RemoteSubject,
} from "../execute/subject.js";
import type { FactKind } from "../export/facts.js";
import type { SourceForm, SourceFormat } from "../export/forms.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import type { RunResult } from "./run-answer.js";
import type { SourceProgram } from "./sources.js";

export interface EngineSubject extends RemoteSubject {
  /**
   * The best number of programs for one batch: a subject that starts a process for each batch
   * prefers many.
   */
  readonly batch: number;
  /** Empty if the engine does not print it. */
  readonly version: () => string;
  /** Returns files that show one execution without Touchstone, including `reproduce.sh`. */
  readonly reproducer: (shown: ReproducedExecution) => FileContents;
  /** Parts that locate a difference; absent if the compiler has none. */
  readonly parts?: CompilerSteps;
  /**
   * Returns the phase of the compiler that causes the difference, from its log; null if none does.
   * Absent if it logs no phases.
   */
  readonly causingPhase?: (program: SourceProgram) => Promise<string | null>;
  /**
   * Returns whether each execution left compiled code, as the engine reports it; null for an
   * execution without an answer. Absent if the engine does not speculate.
   */
  readonly leftCompiled?: (program: SourceProgram) => Promise<readonly (boolean | null)[]>;
  /** Attributes a difference to known bugs; absent if none can be avoided. */
  readonly cures?: KnownBugCures;
  /** The compiler of several rows: they share the buckets of a part of it. */
  readonly family?: string;
  /** The row of the engine, if its name also has flags. */
  readonly row?: string;
  /**
   * Returns the engine with the flags that a seed draws. `withoutFlag` has the engines without one
   * of the flags.
   */
  readonly drawn?: (seed: bigint) => EngineSubject;
  readonly withoutFlag?: readonly (() => EngineSubject)[];
  /** Absent if no flags can be added. */
  readonly alterable?: AlterableEngine;
}

/** An engine to which flags, facts and a form can be added. */
export interface AlterableEngine {
  /** The words that start the compiler, to query its flags; empty if no flags can be added. */
  readonly command: readonly string[];
  /** The format whose forms its programs may have; null if they have only one form. */
  readonly format: SourceFormat | null;
  /** Forms and drawn flags that this version does not support; none if absent. */
  readonly lacks?: readonly string[];
  readonly with: (alteration: EngineAlteration) => EngineSubject;
}

export interface EngineAlteration {
  /** The name of the altered engine. */
  readonly name: string;
  /** Additional arguments of the compiler. */
  readonly words: readonly string[];
  /** The kinds of facts to state; if empty, those of the row. */
  readonly kinds: ReadonlySet<FactKind>;
  readonly form: SourceForm;
}

/**
 * The known bugs of a compiler, by the names of their files in corpus/known/engines, and the same
 * compiler on programs that are rewritten to avoid them. If the rewritten program passes, the
 * failure is that known bug.
 */
export interface KnownBugCures {
  readonly bugs: readonly string[];
  /**
   * @param at index in the batch of the program to rewrite; others are compiled as they are
   * @param run number of earlier runs of the program
   */
  readonly without: (bugs: ReadonlySet<string>, at: number, run: number) => RemoteSubject;
  /**
   * The least number of runs before a program counts as correct, for a compiler that is not
   * deterministic; once if absent.
   */
  readonly tries?: number;
}

/** The steps of a compiler for a program, in order. */
export interface CompilerSteps {
  readonly list: (program: SourceProgram) => Promise<readonly string[]>;
  /** Returns the compiler with the first `count` parts. */
  readonly upTo: (count: number, names: readonly string[]) => RemoteSubject;
  /**
   * Returns the cause that the oracle finds in what the compiler prints of its parts; null if it finds none. Absent if
   * the compiler prints nothing.
   */
  readonly judged?: (program: SourceProgram) => Promise<string | null>;
  /** The cause if the program is wrong without any part. */
  readonly rest: string;
  /** Returns the cause within that part; null if it cannot be found. */
  readonly inside?: (part: string, program: SourceProgram) => Promise<string | null>;
}

/** All capabilities but the calling convention, which exported programs cannot show. */
export const SHOWN_CAPABILITIES = new Set([...ALL_CAPABILITIES].filter((name) => name !== "abi"));

/** Returns a subject that runs exported programs natively, in a process of its own. */
export const exportedSubject = (
  { name, missing }: Pick<RemoteSubject, "name" | "missing">,
  open: () => OpenRemoteSubject,
): RemoteSubject => ({
  kind: "remote",
  name,
  missing,
  capabilities: SHOWN_CAPABILITIES,
  native: true,
  open,
});

export type FileContents = Readonly<Record<string, string | Uint8Array>>;

export interface ReproducedExecution {
  readonly module: Module;
  readonly input: Input;
  /**
   * All executions of the finding that the oracle judges, as the source of facts; absent: this one.
   */
  readonly inputs?: readonly Input[];
  /** The result of a correct compiler. */
  readonly expected: RunResult;
  /** As long as its records: 1 for each bit that the language leaves open. */
  readonly open: Uint8Array;
}

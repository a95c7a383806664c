// A compiler of others as a subject, and what is told of it beside verdicts.

import { ALL_CAPABILITIES, type OpenRemote, type RemoteSubject } from "../execute/subject.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import type { RunAnswer } from "./run-answer.js";
import type { SourceProgram } from "./sources.js";

export interface EngineSubject extends RemoteSubject {
  /** Programs that are best asked for at once: what starts a process for each batch likes many. */
  readonly batch: number;
  /** Empty if it says nothing of that. */
  readonly version: () => string;
  /** What shows one execution without Touchstone; `reproduce.sh` is among them. */
  readonly reproducer: (shown: Shown) => Files;
  /** By which a difference is located; missing where the compiler has no such. */
  readonly parts?: Parts;
  /** The phase of the compiler that is to blame, by what it logs; null where none is. Missing where it logs none. */
  readonly phaseToBlame?: (program: SourceProgram) => Promise<string | null>;
  /** By which a difference is assigned to bugs that are known; missing where none can be kept away. */
  readonly cures?: Cures;
  /** The row that it is, where its name has flags too. */
  readonly row?: string;
  /** Where a seed draws its flags: the engine with those, and with each one of them left out. */
  readonly drawn?: (seed: bigint) => EngineSubject;
  readonly withoutFlag?: readonly (() => EngineSubject)[];
}

/**
 * Bugs that are known of a compiler, by the names of their files in corpus/known/engines, and the same compiler on programs that
 * are written so that they do not meet them. A program that is wrong, and right so, has met that bug.
 */
export interface Cures {
  readonly bugs: readonly string[];
  /**
   * @param at position of the program among those that are asked for at once: others are compiled as they are
   * @param run how often the program has run before
   */
  readonly without: (bugs: ReadonlySet<string>, at: number, run: number) => RemoteSubject;
  /** So often at least a program is run before it counts as right, of a compiler that does not do the same each time; once if missing. */
  readonly tries?: number;
}

/** What a compiler does with a program, one after the other. */
export interface Parts {
  readonly list: (program: SourceProgram) => Promise<readonly string[]>;
  /** The compiler with the first so many of them. */
  readonly upTo: (count: number, names: readonly string[]) => RemoteSubject;
  /** What is to blame where the program is wrong without any of them. */
  readonly rest: string;
  /** What within that part is to blame; null where nothing tells. */
  readonly inside?: (part: string, program: SourceProgram) => Promise<string | null>;
}

/** Everything but how a machine's convention is kept, for which exported programs have no words. */
const SHOWN = new Set([...ALL_CAPABILITIES].filter((name) => name !== "abi"));

/** A subject that runs exported programs natively, in a process of its own. */
export const exportedSubject = (
  { name, missing }: Pick<RemoteSubject, "name" | "missing">,
  open: () => OpenRemote,
): RemoteSubject => ({ kind: "remote", name, missing, capabilities: SHOWN, native: true, open });

/** By name. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** One execution. */
export interface Shown {
  readonly module: Module;
  readonly input: Input;
  /** All executions of the finding that the oracle judges, from which facts are taken; this one, if it is missing. */
  readonly inputs?: readonly Input[];
  /** What it leaves where it is compiled right. */
  readonly expected: RunAnswer;
  /** As long as its records: 1 for each bit that the language leaves open. */
  readonly open: Uint8Array;
}

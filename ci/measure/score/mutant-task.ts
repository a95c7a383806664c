// Defines the input and the output of a process that judges many mutants (judge-mutants.ts).

import { readSync, writeSync } from "node:fs";
import type { Cause } from "../../../src/localize/cause.js";

/** The number that stands for no mutant. */
export const NONE = -1;
/** The environment variable with the mutant that is active while modules are loaded. */
export const MUTANT_VARIABLE = "TOUCHSTONE_MUTANT";
/** The exclusive upper bound of mutant numbers. */
export const MUTANTS_MAX = 1 << 16;

export interface MutantCounts {
  readonly number: number;
  /** The first program to judge; earlier programs have not killed the mutant. */
  readonly from: number;
  /**
   * Programs that executed the mutated code, and programs in which it would have had another
   * result.
   */
  reached: number;
  differed: number;
  /** Processor seconds with this mutant active. */
  processor: number;
  /** Whether to localize its finding. */
  readonly locates: boolean;
}

interface MutantTask {
  readonly seed: bigint;
  /** The maximum number of programs. */
  readonly count: number;
  readonly profile: string;
  readonly mutants: readonly MutantCounts[];
  /** Numbers of programs after which living mutants are reported for the state file. */
  readonly checkpoints: readonly number[];
  /** An existing file, which records the active mutant and the program. */
  readonly activeMutantPath: string;
}

export type MutantMessage =
  | {
      readonly kind: "killed";
      readonly mutant: MutantCounts;
      readonly programs: number;
      readonly how: string;
      readonly subject: string | null;
      readonly cause: Cause | null;
    }
  /** These mutants are alive after this many programs; `isMark`: whether to store that. */
  | {
      readonly kind: "alive";
      readonly programs: number;
      readonly isCheckpoint: boolean;
      readonly mutants: readonly MutantCounts[];
    }
  /**
   * These mutants must be judged in processes of their own, in which they are active from the
   * start.
   */
  | { readonly kind: "alone"; readonly numbers: readonly number[] }
  /** A mutant has left some state: a new process must continue with this program. */
  | { readonly kind: "unclean"; readonly index: number }
  /** The program differs without a mutant. */
  | { readonly kind: "wrong"; readonly index: number }
  | { readonly kind: "end" };

export const mutantTaskText = (task: MutantTask): string =>
  JSON.stringify({ ...task, seed: String(task.seed) });

/** Parses the task in the child process. */
export function parseMutantTask(text: string): MutantTask {
  // The cast: the text was written by mutantTaskText.
  const task = JSON.parse(text) as MutantTask;
  return { ...task, seed: BigInt(task.seed) };
}

/** The active mutant and its program, stored in a file of two words that outlives the process. */
export class ActiveMutantFile {
  private readonly file: number;
  private readonly words = new Int32Array(2);

  /** @param file opened for reading and writing */
  constructor(file: number) {
    this.file = file;
  }

  set(number: number, index: number): void {
    this.words.set([number, index]);
    writeSync(this.file, this.words, 0, this.words.byteLength, 0);
  }

  get(): { number: number; index: number } {
    readSync(this.file, this.words, 0, this.words.byteLength, 0);
    const [number, index] = this.words;
    return { number, index };
  }
}

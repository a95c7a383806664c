// What a process that judges many mutants is told (judge-mutants.ts), and what it says.

import { readSync, writeSync } from "node:fs";

/** Of mutants: none is on. */
export const NONE = -1;
/** The variable that names the mutant which is on while modules are loaded. */
export const MUTANT_VARIABLE = "TOUCHSTONE_MUTANT";
/** Numbers of mutants are below. */
export const MUTANTS_MAX = 1 << 16;

/** A mutant, and what is known of it. */
export interface Trial {
  readonly number: number;
  /** The first program that it is to be judged with: those before have not killed it. */
  readonly from: number;
  /** Programs that have executed its place, and those that would have had another result there. */
  reached: number;
  differed: number;
  /** Seconds of a processor with this mutant on. */
  processor: number;
}

interface MutantTask {
  readonly seed: bigint;
  /** Programs, at most. */
  readonly count: number;
  readonly profile: string;
  readonly mutants: readonly Trial[];
  /** After so many programs it is said which are alive. */
  readonly marks: readonly number[];
  /** A file that is there: which mutant is on, and with which program. */
  readonly mark: string;
}

export type MutantLine =
  | {
      readonly kind: "killed";
      readonly trial: Trial;
      readonly programs: number;
      readonly how: string;
      readonly subject: string | null;
    }
  /** After so many programs these are alive; `isMark`: which is to be kept. */
  | {
      readonly kind: "alive";
      readonly programs: number;
      readonly isMark: boolean;
      readonly trials: readonly Trial[];
    }
  /** To be asked in processes of their own, in which they are on from the start. */
  | { readonly kind: "alone"; readonly numbers: readonly number[] }
  /** What was tried has left something behind: a new process is to go on with this program. */
  | { readonly kind: "unclean"; readonly index: number }
  /** The program differs without any mutant. */
  | { readonly kind: "wrong"; readonly index: number }
  | { readonly kind: "end" };

export const mutantTaskText = (task: MutantTask): string =>
  JSON.stringify({ ...task, seed: String(task.seed) });

/** The task as the process reads it. */
export function parseMutantTask(text: string): MutantTask {
  // Our own words, by mutantTaskText.
  const task = JSON.parse(text) as MutantTask;
  return { ...task, seed: BigInt(task.seed) };
}

/** Which mutant is on and with which program, in a file of two words, so that it outlives the process. */
export class MutantMark {
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

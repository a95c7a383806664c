// What a subject is: one way to compile and run a program. The table of them is subjects.ts.

import type { Parts } from "../../reference/parts.js";
import type { Level } from "../../reference/pipeline.js";
import type { AllocatorName } from "../../reference/regalloc/allocator-names.js";
import type { TargetName } from "../../reference/target/target.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Oracle } from "../oracle/oracle.js";
import type { Continuations } from "./continuations.js";
import type { Emulators } from "./emulator/emulators.js";
import type { Poison } from "./machine/junk.js";
import type { ResumeFilter } from "./machine/machine.js";
import type { Unit } from "./unit.js";

/** A program compiled for one subject. */
export interface Prepared {
  /** One run for subjects that have nothing to poison. */
  readonly poisons: readonly Poison[];
  /**
   * @param fuelUsed values that the oracle executed in the entry or in one continuation, at most: the
   *   limits of this run follow from it
   * @param fuelMax for each continuation that the oracle runs
   */
  run(input: Input, poison: Poison, fuelUsed: number, fuelMax: number): Outcome;
  /** Counted for statistics, by name; null where nothing was compiled. */
  readonly counts: CodeCounts | null;
}

export interface CodeCounts {
  readonly codeBytes: number;
  readonly instructions: number;
  readonly spillUnits: number;
  readonly moves: number;
  readonly longBranches: number;
  /** Values in pieces, and what was done with them, by form; forms that did not come are left out. */
  readonly pieces: Readonly<Record<string, number>>;
  /** Image.happened. */
  readonly happened: readonly string[];
}

export interface OpenSubject {
  readonly name: string;
  /**
   * Never throws for a program's sake: a compile error is an outcome. The last one prepared is the
   * one to run.
   */
  prepare(unit: Unit): Prepared;
  /** A run has gone wrong, and may have harmed what runs: the next begins afresh. */
  distrust(): void;
  close(): void;
}

/** What subjects are opened with. */
export interface Workshop {
  readonly oracle: Oracle;
  readonly parts: Parts;
  readonly emulators: Emulators;
  readonly continuations: Pick<Continuations, "begin" | "resumeOf">;
  readonly resumeFilter: ResumeFilter | null;
  readonly checkAllocation: boolean;
}

export interface Subject {
  readonly name: string;
  readonly level: Level;
  /** What a compiler may choose is drawn by the program's chaos number. */
  readonly chaos: boolean;
  /** Null: that of the level, or nothing is allocated. */
  readonly allocator: AllocatorName | null;
  /** Values of 64 bits that are only moved about are carried in two registers. */
  readonly pieces: boolean;
  /** Null: the optimized IR runs in the oracle. */
  readonly target: TargetName | null;
  /**
   * Code runs on the processor itself, only shielded by a process. Such a subject runs nothing that
   * the oracle does not judge, and no program from a file unless the user names the subject.
   */
  readonly native: boolean;
  /** One line that says what this machine lacks and what mends it; null if nothing. */
  readonly missing: () => string | null;
  readonly open: (subject: Subject, workshop: Workshop) => OpenSubject;
}

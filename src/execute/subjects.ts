// Subjects: ways to compile and run a program, judged against the oracle. One row each; another
// kind of subject is one more file with an `open` of its own, and its rows here.

import type { TargetName } from "../../reference/lower/target.js";
import type { Parts } from "../../reference/parts.js";
import type { Level } from "../../reference/pipeline.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Oracle } from "../oracle/oracle.js";
import { openCompiled } from "./compiled-subject.js";
import { openInterpreted } from "./interpreted-subject.js";
import type { Poison } from "./junk.js";
import type { ResumeFilter } from "./machine.js";
import { unicornMissing } from "./missing.js";
import type { Unit } from "./unit.js";

/** A program compiled for one subject. */
export interface Prepared {
  /** One run for subjects that have nothing to poison. */
  readonly poisons: readonly Poison[];
  /**
   * @param fuelUsed values that the oracle executed in the entry, from which the limit of this run
   * follows
   * @param fuelMax for each continuation
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
}

export interface OpenSubject {
  readonly name: string;
  /**
   * Never throws for a program's sake: a compile error is an outcome. The last one prepared is the
   * one to run.
   */
  prepare(unit: Unit): Prepared;
  close(): void;
}

/** What subjects are opened with. */
export interface Workshop {
  readonly oracle: Oracle;
  readonly parts: Parts;
  readonly resumeFilter: ResumeFilter | null;
  readonly checkAllocation: boolean;
}

export interface Subject {
  readonly name: string;
  readonly level: Level;
  /** Null: the optimized IR runs in the oracle. */
  readonly target: TargetName | null;
  /** One line that says what this machine lacks and what mends it; null if nothing. */
  readonly missing: () => string | null;
  readonly open: (subject: Subject, workshop: Workshop) => OpenSubject;
}

const nothing = (): null => null;

// biome-ignore format: a table
export const SUBJECTS: readonly Subject[] = [
  { name: "ir-O1",    level: "O1", target: null,    missing: nothing,                open: openInterpreted },
  { name: "x64-O0",   level: "O0", target: "x64",   missing: unicornMissing, open: openCompiled },
  { name: "x64-O1",   level: "O1", target: "x64",   missing: unicornMissing, open: openCompiled },
  { name: "arm64-O0", level: "O0", target: "arm64", missing: unicornMissing, open: openCompiled },
  { name: "arm64-O1", level: "O1", target: "arm64", missing: unicornMissing, open: openCompiled },
];

export const subjectNamed = (name: string): Subject | null =>
  SUBJECTS.find((subject) => subject.name === name) ?? null;

/** Values that one execution may take, unless a user says otherwise. */
export const DEFAULT_FUEL = 10_000_000;

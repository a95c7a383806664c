// Tests that the solver's meanings of LIR agree with the LIR interpreter. For programs whose
// lowering is proved, the interpreted LIR must give the oracle's results. The proof shows that the
// LIR, by the solver's meanings, behaves as the program for all inputs. ../meanings.test.ts
// compares the solver's meanings of opcodes with the oracle's. So a disagreement about a row
// appears here as a difference.

import test from "ava";
import { boundaryOf } from "../../compare/boundary-values.js";
import { describeDifference } from "../../compare/describe-difference.js";
import { Judge } from "../../compare/judge-program.js";
import { subjectNamed } from "../../execute/subjects.js";
import { DEFAULT_SETTINGS } from "../../execute/unit.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import { Int64, isInteger } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { SeedSource } from "../../support/source.js";
import { trials } from "../../support/trials.js";
import { type RowInstance, rowInstances } from "./row-proofs.js";

const FUEL = 1000;
const INPUTS = trials(3, 8);
/** The maximum multiple of inputs to try until the oracle judges one. */
const ROUNDS_MAX = 20;
/** The share of instances to test among those whose rows all occurred before. */
const STRIDE = trials(300, 1);
/** Rows that read an unwritten stack slot; the oracle judges no such execution. */
const READS_UNWRITTEN = /\.slot(x\d|u\d|s\d)?$| slotAddress$/;
/** Bytes around an index or an address. */
const NEAR = 16;
/** Bytes of the widest access. */
const WIDEST = 8;

/**
 * Draws boundary values, equally often small numbers, and for 64 bits addresses within the heap.
 */
function inputsOf(source: SeedSource, module: Module): Input[] {
  const { parameters } = module.entry;
  return Array.from({ length: INPUTS }, () => {
    const words = parameters.flatMap(({ type }) => {
      const roll = source.below(3);
      if (roll === 0 && type === Int64) {
        // Atomic operations require a multiple of their size.
        const by = source.below(2) === 0 ? WIDEST * source.below(2) : source.below(NEAR);
        return [HEAP_BASE_LO + module.heapSize / 2 + by, HEAP_BASE_HI];
      }
      if (roll < 2 && isInteger(type)) return [source.below(NEAR), 0];
      const values = boundaryOf(type);
      return [...values[source.below(values.length)]];
    });
    return { words: Int32Array.from(words), heapSeed: 1 + source.below(100) };
  });
}

/** Returns the instances with a row that no earlier instance had, and some of the others. */
function chosen(): RowInstance[] {
  const known = new Set<string>();
  let others = 0;
  const takes = ({ excluded, target, rows }: RowInstance): boolean => {
    if (excluded !== null) return false;
    const names = rows.map((row) => `${target} ${row}`);
    const isNew = names.some((name) => !known.has(name));
    for (const name of names) known.add(name);
    return isNew || others++ % STRIDE === 0;
  };
  return [...rowInstances()].filter(takes);
}

// Runs only the phases that lowering requires.
const SETTINGS = { ...DEFAULT_SETTINGS, phases: [] };

const judges = new Map<string, Judge>();

function judgeFor({ target, level, program }: RowInstance): Judge {
  const name = `lir-${target}-${level}${program.halves ? "-halves" : ""}`;
  const subject = subjectNamed(name);
  assert(subject !== null, () => `there is a subject ${name}`);
  const options = { subjects: [subject], fuelMax: FUEL, resumes: "interpreted" } as const;
  const judge = judges.get(name) ?? new Judge({ ...options, settings: SETTINGS });
  judges.set(name, judge);
  return judge;
}

test("interpreted LIR agrees with its proved lowering", (t) => {
  const source = new SeedSource(1n);
  const asked = new Set<string>();
  const run = new Set<string>();
  const wrong: string[] = [];
  let equal = 0;
  for (const instance of chosen()) {
    const { name, program, target, rows } = instance;
    for (const row of rows) asked.add(`${target} ${row}`);
    for (let round = 0, before = equal; round < ROUNDS_MAX && equal === before; round++) {
      const inputs = inputsOf(source, program.module);
      const { results } = judgeFor(instance).judge({ module: program.module, inputs });
      for (const { verdict } of results[0].judgements) {
        if (verdict.kind === "equal") equal++;
        else if (verdict.kind === "different") {
          wrong.push(`${name}: ${describeDifference(verdict.difference)}`);
        }
      }
      if (equal > before) for (const row of rows) run.add(`${target} ${row}`);
    }
  }
  for (const judge of judges.values()) judge.close();
  t.deepEqual(wrong, []);
  t.log(`${equal} executions; ${run.size} of ${asked.size} rows`);
  t.deepEqual(
    [...asked].filter((row) => !run.has(row) && !READS_UNWRITTEN.test(row)),
    [],
    "rows without a judged execution",
  );
});

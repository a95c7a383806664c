// Tests that a finding of bytecode remains bytecode, and becomes small.

import test from "ava";
import { codeOf, moduleOf } from "../bytecode/interpreter-module.js";
import { listingOf, parseCode } from "../bytecode/text.js";
import { subjectNamed } from "../execute/subjects.js";
import { DEFAULT_SETTINGS } from "../execute/unit.js";
import { HEAP_BASE_HI, HEAP_BASE_LO } from "../ir/outcome.js";
import { hotAt } from "../record/thresholds.js";
import { assert } from "../support/assert.js";
import { reduceProgram } from "./reduce.js";

/** A loop around a condition, with many useless words. */
const TEXT = `bytecode 1
proc main 3 -> 0
  DROP
  DUP
  SUPER square
  LOG
  TOR
again:
  LITC 3
  LITC 4
  IMUL
  LITC 7
  STORE
  LITC 5
  LITC 6
  IADD
  DROP
  LITC 1
  ISUB
  DUP
  LOOPNZ again
  RFROM
  LOG
  HALT
proc square 1 -> 1
  DUP
  IMUL
  EXIT
`;

test("a planted bug in traces of words is reduced to a few words", (t) => {
  const subject = subjectNamed("traced-ir-O0");
  assert(subject !== null, () => "no traced subject");
  const settings = {
    ...DEFAULT_SETTINGS,
    thresholds: hotAt(2),
    tracingFault: "dead-top" as const,
  };
  const words = Int32Array.of(HEAP_BASE_LO, HEAP_BASE_HI, 9, 0, 8, 0, 7, 0);
  const options = { subjects: [subject], fuelMax: 10_000, settings };
  const module = moduleOf(parseCode(TEXT));
  const reduced = reduceProgram(module, [{ words, heapSeed: 0 }], options);
  const left = reduced === null ? null : codeOf(reduced.module);
  t.true(left !== null && left.words.length <= 12, left === null ? "" : listingOf(left).join("\n"));
});

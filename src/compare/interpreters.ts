// Checks that the two interpreters agree, and finds the first difference if they do not. The plain one defines the
// language.

import { isDeepStrictEqual } from "node:util";
import {
  CONSTANT,
  EFFECTS,
  EXITS,
  guardsResult,
  nameOfOpcode,
  Op,
  type Opcode,
  specOf,
} from "../ir/opcodes.js";
import type { Input, ObservedBits, Outcome } from "../ir/outcome.js";
import type { Module, Procedure, Value } from "../ir/procedure.js";
import { printValue } from "../ir/text/print.js";
import { printInput } from "../ir/text/run-line.js";
import { Void } from "../ir/types.js";
import { decodeModule } from "../oracle/fast/decode.js";
import type { Oracle } from "../oracle/fast/oracle.js";
import { DEST, STRIDE } from "../oracle/fast/program.js";
import { interpret } from "../oracle/interpret.js";
import { InternalError } from "../support/assert.js";
import { describeValue } from "./suite.js";

/** The name of the invariant that a disagreement breaks. */
export const INTERPRETERS_DISAGREE = "oracle: the interpreters disagree";

/**
 * Throws an InternalError, with both outcomes and the text of the language, unless the outcome of the plain interpreter
 * equals that of the fast one.
 */
export function checkAgainstPlain(
  module: Module,
  input: Input,
  expected: Outcome,
  fuelMax: number,
  oracle: Oracle,
): void {
  const plain = interpret(module, input, fuelMax);
  if (isDeepStrictEqual(plain, expected)) return;
  const evidence = [
    `${INTERPRETERS_DISAGREE} on ${printInput(module, input)}`,
    `at ${differenceOf(expected, plain)}`,
    ...firstDifferentValue(module, input, fuelMax, oracle),
    "docs/language.md decides which of them is wrong",
  ].join("; ");
  throw new InternalError(evidence, { what: INTERPRETERS_DISAGREE });
}

/**
 * The sections of docs/language.md that define parts of an outcome, by the last name of a path that is in this table.
 */
const SECTIONS: Readonly<Record<string, string>> = {
  events: "6, Calls",
  volatileLoads: "5, Memory",
  fences: "5, Memory",
  calleeExits: "7, Guards and exits",
  frames: "7, Guards and exits",
  resumed: "7, Guards and exits",
  anyNaN: "8, Bits",
  masked: "5, Memory, and 7, Guards and exits",
  heap: "5, Memory",
  rule: "9, Outcomes",
  ending: "9, Outcomes",
  object: "5, Memory",
};

/** Returns the first part of two outcomes that differs, with both values, and the section that defines it. */
function differenceOf(fast: unknown, plain: unknown, path: readonly string[] = []): string {
  if (isTree(fast) && isTree(plain)) {
    const keys = new Set([...Object.keys(fast), ...Object.keys(plain)]);
    for (const key of keys) {
      if (key === "kind" && fast[key] !== plain[key]) break; // shown with the other fields of an ending
      const [x, y] = [fast[key], plain[key]];
      if (!isDeepStrictEqual(x, y)) return differenceOf(x, y, [...path, key]);
    }
  }
  const section = path.findLast((name) => name in SECTIONS);
  const says = section === undefined ? "3, Opcodes" : SECTIONS[section];
  const [x, y] = [fast, plain].map((part) => JSON.stringify(part)?.slice(0, 200) ?? "nothing");
  return `${path.join(".")}: the fast interpreter gives ${x}, the plain one ${y} (section ${says})`;
}

const isTree = (part: unknown): part is Readonly<Record<string, unknown>> =>
  typeof part === "object" && part !== null;

/** A value that the oracle executed, with the bits of its result. */
interface ExecutedValue {
  readonly proc: Procedure;
  readonly value: Value;
  readonly bits: ObservedBits;
}

/**
 * Returns the first value whose bits differ between the interpreters, and the language's sentence about it; none if all
 * are equal.
 */
function firstDifferentValue(
  module: Module,
  input: Input,
  fuelMax: number,
  oracle: Oracle,
): string[] {
  const fast = valuesOfFast(module, input, fuelMax, oracle);
  const plain = valuesOfPlain(module, input, fuelMax);
  const isSame = (x: ExecutedValue | undefined, y: ExecutedValue | undefined): boolean =>
    x?.value === y?.value && isDeepStrictEqual(x?.bits, y?.bits);
  const longer = fast.length > plain.length ? fast : plain;
  const at = longer.findIndex((_, i) => !isSame(fast[i], plain[i]));
  if (at < 0) return [];
  const says = [fast[at], plain[at]].flatMap((step) =>
    step === undefined ? [] : [sentenceOf(step.value)],
  );
  return [
    `first where the fast one ${executes(fast[at])}, and the plain one ${executes(plain[at])}`,
    `section 3 defines ${[...new Set(says)].join(" ")}`,
  ];
}

const executes = (step: ExecutedValue | undefined): string =>
  step === undefined
    ? "ends"
    : `executes ${printValue(step.value)} of ${step.proc.name}, which ${describeResult(step.bits)}`;

const sentenceOf = ({ opcode }: Value): string => `${nameOfOpcode(opcode)}: ${specOf(opcode).says}`;

const describeResult = (bits: ObservedBits): string =>
  `gives ${bits.anyNaN ? "any NaN" : describeValue(bits)}`;

/** The greatest number of results that are recorded: a loop may have millions. */
const VALUES_MAX = 1_000_000;

/** Returns whether both interpreters show the value: one that executes and has a result, except calls of procedures. */
const isShown = ({ type, opcode, host }: Value): boolean =>
  type !== Void && (EFFECTS[opcode] & CONSTANT) === 0 && !(isCall(opcode) && host === null);

const isCall = (opcode: Opcode): boolean =>
  opcode === Op.CCall || opcode === Op.CallIndirect || opcode === Op.CallCheck;

function valuesOfPlain(module: Module, input: Input, fuelMax: number): ExecutedValue[] {
  const steps: ExecutedValue[] = [];
  interpret(module, input, fuelMax, ({ name }, value, { type, lo, hi, anyNaN }) => {
    if (!isShown(value) || steps.length === VALUES_MAX) return;
    const proc = module.procedureNamed(name);
    if (proc !== null) steps.push({ proc, value, bits: { type, lo, hi, anyNaN } });
  });
  return steps;
}

function valuesOfFast(
  module: Module,
  input: Input,
  fuelMax: number,
  oracle: Oracle,
): ExecutedValue[] {
  const steps: ExecutedValue[] = [];
  const values = module.procedures.map((proc) => {
    const byId = new Map<number, Value>();
    proc.forEachValue((value) => byId.set(value.id, value));
    return byId;
  });
  oracle.runWatched(decodeModule(module), input, fuelMax, {
    isRecording: true,
    arrive: (m, pc) => {
      m.fuelUsed = 0;
      return pc;
    },
    executed: (m, pc, next) => {
      const value = values[m.procedure.index].get(m.idAt(pc));
      if (next < 0 || value === undefined || !isShown(value)) return;
      // A guard that fails has a result only if its opcode computes the result before the test.
      if (next === pc + STRIDE || guardsResult(value.opcode) || !isGuard(value.opcode)) {
        const proc = module.procedures[m.procedure.index];
        if (steps.length < VALUES_MAX)
          steps.push({ proc, value, bits: m.bitsOf(m.code[pc + DEST]) });
      }
    },
  });
  return steps;
}

const isGuard = (opcode: Opcode): boolean => (EFFECTS[opcode] & EXITS) !== 0;

// Runs a function of LLVM IR in the oracle, for tests.

import { HEAP_BASE_HI, HEAP_BASE_LO, type Outcome } from "../../ir/outcome.js";
import { parseLlvm } from "../../llvm/parse.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { importLlvm } from "./import-llvm.js";
import type { RefinementSide } from "./memory.js";
import { endingOf } from "./refinement.js";
import { layoutFor, parameterTypes, subjectOf } from "./subject.js";

const FUEL = 1_000_000;

export interface FunctionRun {
  readonly outcome: Outcome;
  /** The result, `poison`, or the rule by which the function exits. */
  readonly shown: string;
}

/** Runs @f; a bigint is an integer, or the number of an object for a pointer. */
export function runFunction(
  text: string,
  values: readonly bigint[],
  side: RefinementSide = "before",
  first = text,
): FunctionRun {
  const llvm = parseLlvm(text);
  const subject = subjectOf(parseLlvm(first), "f");
  const { module } = importLlvm(llvm, subject, layoutFor(subject, 1), side);
  const words = new Int32Array(2 * parameterTypes(subject).length);
  words.set([HEAP_BASE_LO, HEAP_BASE_HI, 0, 0], 0);
  values.forEach((value, i) => {
    const isPointer = subject.parameters[i].object !== null;
    const low = Number(BigInt.asIntN(32, isPointer ? 0n : value));
    words.set([low, Number(BigInt.asIntN(32, isPointer ? value : value >> 32n))], 4 + 2 * i);
  });
  const outcome = new Oracle().run(decodeModule(module), { words, heapSeed: 0 }, FUEL);
  return { outcome, shown: shownOf(outcome) };
}

function shownOf(outcome: Outcome): string {
  const ending = endingOf(outcome);
  if (ending.kind !== "returned") return "rule" in ending ? ending.rule : ending.kind;
  const result = outcome.events.at(-1);
  if (result?.name !== "logMixed") return "void";
  const [{ lo, hi }, double, poison, float] = result.args;
  if (poison.lo !== 0) return "poison";
  if (double.hi !== 0 || float.lo !== 0) return `${double.hi}/${float.lo}`;
  return String((BigInt(hi) << 32n) | BigInt(lo >>> 0));
}

// Which transfer function gave a range that does not hold: phases that rely on ranges are not to blame
// for one. The program as the guilty phase found it is run in the oracle, and each result is compared
// with the range that the analysis has for it. The first result outside its range, of operands within
// theirs, is what its opcode's function does wrong.

import { type Width, widthOf } from "../../reference/optimize/analysis/bounds.js";
import { RangeAnalysis } from "../../reference/optimize/analysis/range-analysis.js";
import type { OptimizeContext } from "../../reference/optimize/edit/context.js";
import { nameOfOpcode, Op, type Opcode } from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import type { Module, Procedure, Value } from "../ir/procedure.js";
import { Int64, isInteger } from "../ir/types.js";
import { decodeModule } from "../oracle/decode.js";
import { Oracle } from "../oracle/oracle.js";
import type { Trace } from "../oracle/trace.js";

/** Phases that rely on ranges. */
export const RANGE_PHASES: readonly string[] = ["eliminate-bounds-checks", "narrow"];
/** What conditions imply narrows a range too. */
const CONDITIONS = "conditions";

/** At the place of a value: its own range, and those of its operands. */
interface Known {
  readonly value: Value;
  /** As the analysis saw it. */
  readonly opcode: Opcode;
  readonly own: Range;
  readonly operands: readonly (readonly [Value, Range])[];
}
type Range = readonly [low: number, high: number];

/**
 * @param proc of the module, as a phase is about to change it
 * @returns the opcode whose function is wrong; null if all ranges hold
 */
export function wrongRangeIn(
  module: Module,
  proc: Procedure,
  context: OptimizeContext,
  inputs: readonly Input[],
  fuelMax: number,
): string | null {
  const known = rangesIn(proc, context);
  const program = decodeModule(module);
  const oracle = new Oracle();
  const index = module.procedures.indexOf(proc);
  for (const input of inputs) {
    const { trace } = oracle.runTraced(program, input, fuelMax);
    const wrong = firstOutside(trace, index, known);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** By id, of integers that may be reached. */
export function rangesIn(proc: Procedure, context: OptimizeContext): ReadonlyMap<number, Known> {
  const analysis = new RangeAnalysis(proc, context);
  const { min, max } = analysis;
  const known = new Map<number, Known>();
  const rangeOf = ({ id }: Value): Range => [min[id], max[id]];
  analysis.walk((value) => {
    if (!isInteger(value.type)) return;
    const operands = [value.a, value.b, value.c].flatMap((operand) =>
      operand !== null && isInteger(operand.type) ? [[operand, rangeOf(operand)] as const] : [],
    );
    known.set(value.id, { value, opcode: value.opcode, own: rangeOf(value), operands });
  });
  return known;
}

export function firstOutside(
  trace: Trace,
  index: number,
  known: ReadonlyMap<number, Known>,
): string | null {
  const latest = new Map<number, bigint>();
  const failed = new Set(trace.exits);
  for (let e = 0; e < trace.length; e++) {
    if (trace.procedures[e] !== index || failed.has(e)) continue; // a guard that fails gives nothing
    const id = trace.ids[e];
    const [lo, hi] = [trace.results[2 * e], trace.results[2 * e + 1]];
    const here = known.get(id);
    latest.set(id, (BigInt(hi) << 32n) | BigInt(lo >>> 0));
    if (here === undefined) continue;
    const { value, opcode, own, operands } = here;
    const isOutside = (of: Value, range: Range): boolean => !holds(of, range, latest.get(of.id));
    if (operands.some(([operand, range]) => isOutside(operand, range))) return CONDITIONS;
    if (opcode !== Op.Phi && isOutside(value, own)) return nameOfOpcode(opcode);
  }
  return null;
}

function holds({ type }: Value, [low, high]: Range, bits: bigint | undefined): boolean {
  if (bits === undefined) return true;
  const x = BigInt.asIntN(type === Int64 ? 64 : 32, bits);
  const width = widthOf(type);
  return x >= leastIn(width, low) && x <= -leastIn(width, -high) - BigInt(isTop(width, high));
}

/** The marks of an Int64 are not the numbers that they stand for. */
const leastIn = ({ least, inner }: Width, low: number): bigint =>
  low === -inner ? BigInt(least) + 1n : BigInt(low);
/** The greatest bound is one more than the greatest integer; so is the mark below it. */
const isTop = ({ greatest, inner }: Width, high: number): boolean =>
  !Number.isNaN(inner) && (high === greatest || high === inner);

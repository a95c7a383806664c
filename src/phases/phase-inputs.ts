// Inputs for the programs of a procedure's phases, which all take the same: the heap, and what registers hold. Many are
// looked at: drawn, half of their numbers next to constants of the procedure, or moved to where the answers of its
// operations jump; those are kept that execute what few others have. They follow from the program alone.

import { aimedInputs } from "../aim/aim.js";
import { drawBits, drawBoundary, drawTame } from "../generate/maker/constants.js";
import { chance } from "../generate/maker/odds.js";
import { Op, specOf } from "../ir/opcodes.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Input, isJudged } from "../ir/outcome.js";
import type { Module, Procedure, Value } from "../ir/procedure.js";
import { Double, Float, isFloating, type Type } from "../ir/types.js";
import type { Words } from "../ir/words.js";
import { decodeWhenAsked } from "../oracle/decode.js";
import { Oracle } from "../oracle/oracle.js";
import { SeedSource, type Source } from "../support/source.js";

const LOOKED_AT = 80;
/** So many inputs are to execute each value, if so many are found. */
const DEEP = 3;
/** How many of those that are looked at, in percent, are drawn and not moved. */
const DRAWN = 60;
/** For each that is kept, beside. */
const AIMED = 1;
/** How many of the memories, in percent, have nothing but zeroes. */
const ZEROES = 10;
/** Values that are executed for a look. */
const FUEL = 5000;

/** @param module what one of the phases left */
export function phaseInputs(module: Module): readonly Input[] {
  const source = new SeedSource(1n);
  const oracle = new Oracle();
  const program = decodeWhenAsked(module);
  const own = constantsOf(module.entry);
  const drawn = (): Input => {
    const words = drawWords(source, module.entry, own);
    return { words, heapSeed: chance(source, ZEROES) ? 0 : drawBits(source) | 1 };
  };
  const kept: Input[] = [];
  /** By value, the inputs of those that are kept. */
  const executed = new Map<number, number>();
  for (let i = 0; i < LOOKED_AT; i++) {
    const isDrawn = kept.length === 0 || chance(source, DRAWN);
    const from = isDrawn ? drawn() : kept[source.below(kept.length)];
    const [moved] = isDrawn ? [] : aimedInputs(module, from, 1, source);
    const input = moved?.input ?? from;
    const { outcome, trace } = oracle.runTraced(program, input, FUEL);
    if (!isJudged(outcome)) continue;
    const ids = new Set(trace.ids.subarray(0, trace.length));
    if ([...ids].every((id) => (executed.get(id) ?? 0) >= DEEP)) continue;
    for (const id of ids) executed.set(id, (executed.get(id) ?? 0) + 1);
    kept.push(input);
  }
  const aimed = kept.flatMap((input) =>
    aimedInputs(module, input, AIMED, source).map((one) => one.input),
  );
  return [...kept, ...aimed];
}

/** Numbers of the procedure; those that something is compared with come first. */
interface Constants {
  readonly compared: readonly Constant[];
  readonly others: readonly Constant[];
}
interface Constant {
  readonly isFloating: boolean;
  readonly words: Words;
}

function constantsOf(entry: Procedure): Constants {
  const compared: Constant[] = [];
  const others: Constant[] = [];
  const constantOf = ({ type, lo, hi }: Value): Constant => {
    return { isFloating: isFloating(type), words: [lo, hi] };
  };
  entry.forEachValue((value) => {
    if (value.isConstant) others.push(constantOf(value));
    const isAsked = specOf(value.opcode).result === "Int32" && value.b !== null;
    if (isAsked) {
      for (const side of [value.a, value.b]) if (side?.isConstant) compared.push(constantOf(side));
    }
    if (value.opcode !== Op.Switch) return;
    const { lo, hi, count } = value.cases;
    for (let c = 0; c < count; c++) compared.push({ isFloating: false, words: [lo[c], hi[c]] });
  });
  return { compared, others };
}

function drawWords(source: Source, { parameters }: Procedure, own: Constants): Int32Array {
  const words = new Int32Array(2 * parameters.length);
  for (const [p, { type }] of parameters.entries()) {
    const isHeap = p === 0;
    words.set(isHeap ? [HEAP_BASE_LO, HEAP_BASE_HI] : draw(source, type, own), 2 * p);
  }
  return words;
}

/** A register of eight bytes, of which a narrower argument is the low half. */
function draw(source: Source, type: Type, { compared, others }: Constants): Words {
  const roll = source.below(100);
  const some = roll < 40 ? compared : roll < 60 ? others : [];
  const fit = some.filter((constant) => constant.isFloating === isFloating(type));
  if (fit.length > 0) {
    const [lo, hi] = fit[source.below(fit.length)].words;
    return chance(source, 60) ? [lo, hi] : [(lo + (chance(source, 50) ? 1 : -1)) | 0, hi];
  }
  const narrow = type === Double && chance(source, 50) ? Float : type;
  if (roll >= 90) return [drawBits(source), narrow === Float ? 0 : drawBits(source)];
  return chance(source, 50) ? drawTame(source, narrow) : drawBoundary(source, narrow);
}

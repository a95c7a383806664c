// Moves inputs to the jumps of a program's operations (jumps.ts). It traces one execution and draws
// operations in it, preferring rare ones. For each it finds operand bits at a jump, and traces them
// backwards to the parameter or the heap bytes from which they come.
//
// The result holds if the moved input takes the same path. Otherwise it is just another input:
// programs are defined on all inputs.

import { drawBits } from "../generate/maker/constants.js";
import { chance } from "../generate/maker/odds.js";
import { Op, type Opcode, specOf } from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import type { Module, Value } from "../ir/procedure.js";
import { type Type, Void } from "../ir/types.js";
import { bitsOf, wideBits } from "../ir/words.js";
import { decodeLazily } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { ChoiceSource } from "../support/source.js";
import { Backtrace, type InputMove } from "./backtrace.js";
import { type SignedBits, wrap } from "./bits.js";
import type { OperandChoice } from "./inverses.js";
import { answersOf, jumpBetween } from "./jumps.js";
import { classesOf } from "./operand-classes.js";

/** Maximum number of values in the traced execution; longer ones are cut short. */
export const FUEL_MAX = 500;
/**
 * The number of operations that are tried for one input. The next constant limits those for which
 * the input is moved.
 */
const TRIES = 16;
const AIMS_MAX = 6;
/** The number of operations that are drawn at a time, of which the rarest is used. */
const RARER_OF = 3;
/** The choice among several suitable operands during the backtrace. */
const ENDS: readonly OperandChoice[] = ["found", "found", "below", "above"];

/** An operand of an operation, and its target bits. */
interface OperandAim {
  /**
   * The operation and its operand: index of the procedure, id of the value, index of the operand.
   */
  readonly procedure: number;
  readonly id: number;
  readonly operand: number;
  readonly bits: SignedBits;
}

interface AimedInput {
  readonly input: Input;
  /** The reached aims; at least one. */
  readonly aims: readonly OperandAim[];
}

const oracle = new Oracle();

/**
 * Returns copies of the input, each moved for some operations; fewer than requested if nothing can
 * be moved.
 */
export function aimedInputs(
  module: Module,
  input: Input,
  count: number,
  source: ChoiceSource,
  fuelMax = FUEL_MAX,
): AimedInput[] {
  const { trace } = oracle.runTraced(decodeLazily(module), input, fuelMax);
  const back = new Backtrace(module, trace, input);
  const sites = sitesOf(back);
  const inputs: AimedInput[] = [];
  if (sites.length === 0) return inputs;
  for (let i = 0; i < count; i++) {
    const plan = new MovePlan(back, source);
    for (let t = 0; t < TRIES && plan.aims.length < AIMS_MAX; t++) {
      plan.aimAt(rarest(back, sites, source));
    }
    if (plan.aims.length > 0) inputs.push({ input: plan.movedFrom(input), aims: plan.aims });
  }
  return inputs;
}

/** Returns the first event of each operation with jumps that depends on the input. */
function sitesOf(back: Backtrace): number[] {
  const { procedures, ids, length } = back.trace;
  const sites: number[] = [];
  const seen = new Set<number>();
  for (let e = 0; e < length; e++) {
    if (back.sources[e] === 0) continue;
    const place = procedures[e] * ID_END + ids[e];
    if (seen.has(place)) continue;
    seen.add(place);
    if (isSite(back.valueAt(e).opcode)) sites.push(e);
  }
  return sites;
}

/** A factor above all ids of values, to combine a procedure and an id into one number. */
const ID_END = 2 ** 24;
const isSite = (opcode: Opcode): boolean => opcode === Op.Switch || answersOf(opcode).length > 0;

function rarest(back: Backtrace, sites: readonly number[], source: ChoiceSource): number {
  let best = sites[source.below(sites.length)];
  for (let i = 1; i < RARER_OF; i++) {
    const other = sites[source.below(sites.length)];
    if (weightAt(back, other) < weightAt(back, best)) best = other;
  }
  return best;
}

/**
 * Returns the generator's weight of the operation; control values, which it places separately,
 * count as frequent.
 */
const weightAt = (back: Backtrace, event: number): number =>
  specOf(back.valueAt(event).opcode).weight || OFTEN;
const OFTEN = 10;

/** The moves of one input, which must not undo each other. */
class MovePlan {
  readonly aims: OperandAim[] = [];
  private readonly back: Backtrace;
  private readonly source: ChoiceSource;
  private readonly moves: InputMove[] = [];
  /** As masks of sources: moved sources, and sources on which the aimed operations depend. */
  private moved = 0;
  private used = 0;

  constructor(back: Backtrace, source: ChoiceSource) {
    this.back = back;
    this.source = source;
  }

  /** Moves the input for an operand of the event, or for both, if possible. */
  aimAt(event: number): void {
    const { back, source } = this;
    const { a, b } = back.valueAt(event);
    if (a === null) return;
    const operand = b === null ? 0 : source.below(2);
    const roll = source.below(10);
    if (b === null || roll < 4) {
      if (source.below(2) === 0) this.move(event, operand, atJump(back, event, operand, source));
      else this.move(event, operand, memberOf(back, event, operand, source));
      return;
    }
    this.move(event, operand, memberOf(back, event, operand, source));
    // The target of the other operand, which is moved as well if it comes from another part of the
    // input.
    const bits = memberOf(back, event, 1 - operand, source);
    this.move(event, 1 - operand, bits);
  }

  private move(event: number, operand: number, bits: SignedBits | null): void {
    const { back } = this;
    const sources = back.sources[back.operandOf(event, operand)];
    if (bits === null || (sources & this.moved) !== 0) return;
    const end = ENDS[this.source.below(ENDS.length)];
    const move = back.lead(back.operandOf(event, operand), bits, end);
    if (move === null || (move.source & this.used) !== 0) return;
    this.moves.push(move);
    this.moved |= move.source;
    this.used |= sources;
    const procedure = back.trace.procedures[event];
    this.aims.push({ procedure, id: back.trace.ids[event], operand, bits });
  }

  movedFrom({ words, heapSeed }: Input): Input {
    const moved = { words: words.slice(), heapSeed };
    for (const { parameter, words: given } of this.moves) {
      if (parameter === null) [moved.heapSeed] = given;
      else moved.words.set(given, 2 * parameter);
    }
    return moved;
  }
}

const typeOfOperand = ({ a, b }: Value, operand: number): Type =>
  (operand === 1 ? b : a)?.type ?? Void;

/** Draws a member of a class, with equal odds for all classes. */
function memberOf(
  back: Backtrace,
  event: number,
  operand: number,
  source: ChoiceSource,
): SignedBits {
  const classes = classesOf(typeOfOperand(back.valueAt(event), operand));
  const { members } = classes[source.below(classes.length)];
  return members[source.below(members.length)];
}

/** Returns operand bits on one side of a jump; null if none was found. */
export function atJump(
  back: Backtrace,
  event: number,
  operand: number,
  source: ChoiceSource,
): SignedBits | null {
  const value = back.valueAt(event);
  const type = typeOfOperand(value, operand);
  if (value.opcode === Op.Switch) return nearKey(value, type, source);
  const answers = answersOf(value.opcode);
  if (answers.length === 0) return null;
  const { answer } = answers[source.below(answers.length)];
  const now = back.bitsAt(back.operandOf(event, operand), type);
  const hasOther = value.b !== null && value.opcode !== Op.Select;
  const otherType = hasOther ? typeOfOperand(value, 1 - operand) : Void;
  const other = hasOther ? back.bitsAt(back.operandOf(event, 1 - operand), otherType) : 0n;
  const of = typeOfOperand(value, 0);
  const ask = (bits: SignedBits) =>
    operand === 0 ? answer(of, bits, other) : answer(of, other, bits);
  const far =
    type === otherType && chance(source, 50)
      ? other
      : chance(source, 40)
        ? anyBits(type, source)
        : memberOf(back, event, operand, source);
  // If there are several jumps, takes the one next to the current operand, or next to the other
  // end.
  const [from, to] = chance(source, 50) ? [now, far] : [far, now];
  const jump = jumpBetween(type, ask, from, to);
  return jump === null ? null : jump[source.below(2)];
}

/** Draws bits of any size, with equal odds for all sizes. */
function anyBits(type: Type, source: ChoiceSource): SignedBits {
  const hi = drawBits(source);
  const bits = wideBits(drawBits(source), hi);
  return wrap(type, bits >> BigInt(source.below(64)));
}

/** Returns a key of a Switch, or a neighbour; null if it has no keys. */
function nearKey({ cases }: Value, type: Type, source: ChoiceSource): SignedBits | null {
  if (cases.count === 0) return null;
  const k = source.below(cases.count);
  const key = bitsOf(type, cases.lo[k], cases.hi[k]);
  return chance(source, 70) ? key : wrap(type, chance(source, 50) ? key + 1n : key - 1n);
}

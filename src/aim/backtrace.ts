// Traces an execution backwards: from target bits of an event to the parameter, or the heap bytes,
// that would produce them on the same path.

import { isReturn, OPCODE_COUNT, Op, type Opcode } from "../ir/opcodes.js";
import { HEAP_BASE, HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../ir/outcome.js";
import { accessSize, type Module, type Procedure, type Value } from "../ir/procedure.js";
import type { Type } from "../ir/types.js";
import { bitsOf, type WordPair, wideBits, wordsOf } from "../ir/words.js";
import type { ExecutionTrace } from "../oracle/fast/trace.js";
import { assert } from "../support/assert.js";
import { type SignedBits, wrap } from "./bits.js";
import { seedFor, wordAt } from "./heap-seed.js";
import { inverseOf, type OperandChoice } from "./inverses.js";

/** A change of one part of an input. */
export interface InputMove {
  /** Its bit in the masks of sources. */
  readonly source: number;
  /** The index of the parameter; null: the heap's seed. */
  readonly parameter: number | null;
  /** For the heap, the seed is in the first word. */
  readonly words: WordPair;
}

/**
 * The bit of the initial heap in masks of sources. The bits below are parameters; the last of them
 * is shared.
 */
const HEAP = 1 << 30;
const PARAMETER_BITS = 30;
const bitOfParameter = (index: number): number => 1 << Math.min(index, PARAMETER_BITS - 1);

/** Maximum number of events visited for one target value, over all paths. */
const STEPS_MAX = 32;

export class Backtrace {
  readonly trace: ExecutionTrace;
  /** By event: the parts of the input on which its data depends. */
  readonly sources: Int32Array;
  private readonly module: Module;
  private readonly input: Input;
  private stepsLeft = 0;
  /** The choice among several operands, for the current backtrace. */
  end: OperandChoice = "found";
  /** The values of the program, by index of the procedure and id of the value. */
  private readonly values: (Value | undefined)[][];

  constructor(module: Module, trace: ExecutionTrace, input: Input) {
    this.module = module;
    this.trace = trace;
    this.input = input;
    this.values = module.procedures.map(() => []);
    this.sources = new Int32Array(trace.length);
    this.findSources();
  }

  valueAt(event: number): Value {
    const { procedures, ids } = this.trace;
    const p = procedures[event];
    const known = this.values[p];
    if (known.length === 0) listValues(this.module.procedures[p], known);
    const value = known[ids[event]];
    assert(value !== undefined, () => `event ${event} is of @${ids[event]}, which is in no block`);
    return value;
  }

  /** Returns the event that produced operand `o` of the event. */
  operandOf(event: number, o: number): number {
    const { starts, dependences } = this.trace;
    return dependences[starts[event] + o];
  }

  dependenceCount(event: number): number {
    const { starts } = this.trace;
    return starts[event + 1] - starts[event];
  }

  /** Returns the result of an event, or the value that an Upsilon wrote. */
  bitsAt(event: number, type: Type): SignedBits {
    const { results } = this.trace;
    return bitsOf(type, results[2 * event], results[2 * event + 1]);
  }

  /**
   * Returns a move that makes the event's result the target bits; null if none was found. If many
   * operands give a result, `end` selects one.
   */
  lead(event: number, wanted: SignedBits, end: OperandChoice): InputMove | null {
    this.stepsLeft = STEPS_MAX;
    this.end = end;
    return this.step(event, wanted);
  }

  /** Continues the current backtrace. */
  step(event: number, wanted: SignedBits): InputMove | null {
    if (this.stepsLeft-- <= 0 || this.sources[event] === 0) return null;
    const value = this.valueAt(event);
    return (STEPS[value.opcode] ?? throughOperation)(this, event, value, wanted);
  }

  /** Returns a heap seed with which the bytes equal `wanted`; of 8 bytes only the upper four. */
  moveHeap(offset: number, size: number, wanted: SignedBits): InputMove | null {
    const at = size === 8 ? offset + 4 : offset;
    const [shown, shift] = size === 8 ? [wanted >> 32n, 0n] : [wanted, 8n * BigInt(at & 3)];
    const used = Math.min(size, 4);
    if ((at & 3) + used > 4 || (size === 8 && (at & 3) !== 0)) return null;
    const index = at >> 2;
    const { heapSeed } = this.input;
    const old = BigInt(heapSeed === 0 ? 0 : wordAt(heapSeed, index));
    const mask = ((1n << BigInt(8 * used)) - 1n) << shift;
    const word = Number(BigInt.asIntN(32, (old & ~mask) | ((shown << shift) & mask)));
    if (word === 0) return null; // no seed gives it
    return { source: HEAP, parameter: null, words: [seedFor(word, index), 0] };
  }

  private findSources(): void {
    const { trace, sources, input } = this;
    const { starts, dependences, procedures } = trace;
    for (let e = 0; e < trace.length; e++) {
      let mask = 0;
      for (let d = starts[e]; d < starts[e + 1]; d++) mask |= sources[dependences[d]];
      const value = this.valueAt(e);
      if (value.opcode === Op.Parameter && procedures[e] === 0 && starts[e] === starts[e + 1]) {
        const { words } = input;
        const isBase =
          words[2 * value.parameterIndex] === HEAP_BASE_LO &&
          words[2 * value.parameterIndex + 1] === HEAP_BASE_HI;
        if (!isBase) mask |= bitOfParameter(value.parameterIndex);
      } else if (LOADS[value.opcode] === 1 && starts[e + 1] - starts[e] === 1) mask |= HEAP;
      sources[e] = mask;
    }
  }
}

function listValues(proc: Procedure, list: (Value | undefined)[]): void {
  for (const parameter of proc.parameters) list[parameter.id] = parameter;
  proc.forEachValue((value) => {
    list[value.id] = value;
  });
}

type BacktraceStep = (
  back: Backtrace,
  event: number,
  value: Value,
  wanted: SignedBits,
) => InputMove | null;

/** Continues at the operand that the value copies. */
const through =
  (operand: number): BacktraceStep =>
  (back, event, _value, wanted) =>
    back.dependenceCount(event) > operand
      ? back.step(back.operandOf(event, operand), wanted)
      : null;

const throughParameter: BacktraceStep = (back, event, value, wanted) => {
  if (back.dependenceCount(event) > 0) {
    return back.step(back.operandOf(event, 0), wanted);
  }
  if (back.trace.procedures[event] !== 0) return null;
  const { parameterIndex: parameter, type } = value;
  return { source: bitOfParameter(parameter), parameter, words: wordsOf(type, wanted) };
};

/** Continues at the callee's result of that number. */
function toReturned(
  back: Backtrace,
  call: number,
  number: number,
  wanted: SignedBits,
): InputMove | null {
  const count = back.dependenceCount(call);
  if (count === 0) return null;
  const returned = back.operandOf(call, count - 1);
  const isGiven =
    isReturn(back.valueAt(returned).opcode) && back.dependenceCount(returned) > number;
  return isGiven ? back.step(back.operandOf(returned, number), wanted) : null;
}

const throughCall: BacktraceStep = (back, event, _value, wanted) =>
  toReturned(back, event, 0, wanted);

const throughExtract: BacktraceStep = (back, event, { resultIndex: lo }, wanted) =>
  back.dependenceCount(event) === 0 ? null : toReturned(back, back.operandOf(event, 0), lo, wanted);

/** An address beyond any heap. */
const HEAP_END = 2 ** 24;

/** Continues at the store of exactly these bytes, or in the initial heap. */
const throughLoad: BacktraceStep = (back, event, value, wanted) => {
  const count = back.dependenceCount(event);
  const at = placeOf(back, back.operandOf(event, 0), value.offset);
  const size = accessSize(value);
  if (!isLoaded(value.opcode, wanted)) return null;
  if (count === 1) {
    const offset = Number(at - HEAP_BASE);
    return offset >= 0 && offset < HEAP_END ? back.moveHeap(offset, size, wanted) : null;
  }
  const store = back.operandOf(event, 1);
  const stored = back.valueAt(store);
  if (count > 2 || STORES[stored.opcode] === 0 || accessSize(stored) !== size) return null;
  if (placeOf(back, back.operandOf(store, 1), stored.offset) !== at || stored.a === null)
    return null;
  const written = back.operandOf(store, 0);
  const { type } = stored.a;
  const old = back.bitsAt(written, type);
  const mask = (1n << BigInt(8 * size)) - 1n;
  return back.step(written, wrap(type, (old & ~mask) | (wanted & mask)));
};

const ADDRESS_BITS = 64;
const placeOf = (back: Backtrace, address: number, offset: number): bigint => {
  const { results } = back.trace;
  const base = wideBits(results[2 * address], results[2 * address + 1]);
  return BigInt.asUintN(ADDRESS_BITS, base + BigInt(offset));
};

/** Returns whether a load can produce these bits. */
function isLoaded(opcode: Opcode, wanted: SignedBits): boolean {
  switch (opcode) {
    case Op.Load8Z:
      return BigInt.asUintN(8, wanted) === wanted;
    case Op.Load8S:
      return BigInt.asIntN(8, wanted) === wanted;
    case Op.Load16Z:
      return BigInt.asUintN(16, wanted) === wanted;
    case Op.Load16S:
      return BigInt.asIntN(16, wanted) === wanted;
    default:
      return true;
  }
}

/**
 * Inverts the operation, for an operand that depends on the input; tries the second operand after
 * the first.
 */
const throughOperation: BacktraceStep = (back, event, value, wanted) => {
  const { opcode, a, b } = value;
  if (a === null) return null;
  const operandTypes = b === null ? [a.type] : [a.type, b.type];
  if (back.dependenceCount(event) < operandTypes.length) return null;
  const operands = operandTypes.map((type, o) => back.bitsAt(back.operandOf(event, o), type));
  for (let moved = 0; moved < operands.length; moved++) {
    const from = back.operandOf(event, moved);
    if (back.sources[from] === 0) continue;
    const operandType = operandTypes[moved];
    const bits = inverseOf(opcode, a.type, {
      moved,
      operands,
      operandType,
      wanted,
      resultType: value.type,
      end: back.end,
    });
    const move = bits === null ? null : back.step(from, bits);
    if (move !== null) return move;
  }
  return null;
};

const LOADS = Uint8Array.from({ length: OPCODE_COUNT });
const STORES = Uint8Array.from({ length: OPCODE_COUNT });
const STEPS: (BacktraceStep | undefined)[] = Array.from({ length: OPCODE_COUNT }, () => undefined);
for (const opcode of [Op.Identity, Op.Opaque, Op.BitwiseCast, Op.Upsilon, Op.Phi, Op.ArgumentReg]) {
  STEPS[opcode] = through(0);
}
STEPS[Op.Select] = through(1);
STEPS[Op.Parameter] = throughParameter;
STEPS[Op.CCall] = throughCall;
STEPS[Op.CallIndirect] = throughCall;
STEPS[Op.CallCheck] = throughCall;
STEPS[Op.Extract] = throughExtract;
for (const opcode of [Op.Load, Op.LoadInvariant, Op.Load8Z, Op.Load8S, Op.Load16Z, Op.Load16S]) {
  LOADS[opcode] = 1;
  STEPS[opcode] = throughLoad;
}
for (const opcode of [Op.Store, Op.Store8, Op.Store16]) STORES[opcode] = 1;

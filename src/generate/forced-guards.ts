// Forces guards to fail on a visit that the input chooses. The rewrite adds a number to the
// parameters of each procedure. Every guard compares it with its own number and the visit. Each
// input is repeated once for each guard. So every exit stub runs, even if the guard's own condition
// never holds. A guard in a loop fails on its first, second and a late visit.
//
// The number of visit n of guard k is `VISITS * k + n`, both from 1 on; 0 selects none. Each
// activation counts visits separately.

import { ASKED, type HostFunction, type KeptAddresses } from "../ir/host-functions.js";
import { CALLS_ADDRESS, EFFECTS, EXITS, nameOfOpcode, Op, type Opcode } from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import {
  type BasicBlock,
  forEachOperand,
  forEachSlotValue,
  type Module,
  type Procedure,
  reachedProcedures,
  type Snapshot,
  type Value,
} from "../ir/procedure.js";
import { Int32, Int64, isWide, type Type, Void } from "../ir/types.js";
import type { WordPair } from "../ir/words.js";
import { assert } from "../support/assert.js";
import type { ChoiceSource } from "../support/source.js";
import { chance } from "./maker/odds.js";

const VISITS = 16;
const INPUTS_MAX = 16;

interface GuardForcing {
  readonly guardsMax: number;
  /**
   * Percentage of guards that fail by their own operands; before the others a forced guard is
   * inserted.
   */
  readonly itself: number;
}
/** With more guards, the rewrite would be most of the program and of its execution. */
export const SOME_GUARDS: GuardForcing = { guardsMax: 20, itself: 60 };
/** Every guard fails by its own exit stub. */
export const EACH_GUARD: GuardForcing = { guardsMax: Number.POSITIVE_INFINITY, itself: 100 };

/** A guard that an input can select. */
export interface ForcedGuard {
  readonly number: number;
  readonly proc: Procedure;
  readonly guard: Value;
  /** Whether the guard may execute more than once in an activation. */
  readonly isRepeated: boolean;
}

/**
 * Rewrites the module, and returns the guards that inputs may select.
 * @param compiled the entry, and the procedures that it calls directly or indirectly
 */
export function forceGuards(
  module: Module,
  compiled: readonly Procedure[],
  source: ChoiceSource,
  forcing: GuardForcing,
): readonly ForcedGuard[] {
  const numbered = withAlternatives(module, compiled);
  const numbers = numbered.map((proc) => proc.newParameter(Int32));
  for (const proc of module.procedures) {
    passNumber(proc, numbers[numbered.indexOf(proc)] ?? null, numbered);
  }
  const forced: ForcedGuard[] = [];
  compiled.forEach((proc, p) => forceIn(proc, numbers[p], forced, source, forcing));
  return forced;
}

/**
 * Returns these procedures and every alternative callee of their indirect calls, since all
 * alternatives take the same parameters.
 */
function withAlternatives(module: Module, compiled: readonly Procedure[]): readonly Procedure[] {
  const all = new Set(compiled);
  for (let before = 0; before < all.size; ) {
    before = all.size;
    for (const proc of module.procedures) {
      proc.forEachValue((call) => {
        if (CALLS_ADDRESS[call.opcode] === 0) return;
        const reached = reachedProcedures(call);
        if (reached.some((callee) => all.has(callee)))
          for (const callee of reached) all.add(callee);
      });
    }
  }
  return [...all];
}

/** Returns the inputs with numbers: first all inputs with 0, then some for each guard. */
export function forceInputs(
  inputs: readonly Input[],
  forced: readonly ForcedGuard[],
  source: ChoiceSource,
): Input[] {
  const given = inputs.map(unforced);
  for (const { number, isRepeated } of forced) {
    const visits = isRepeated ? [1, 2, 3 + source.below(5)] : [1];
    for (const visit of visits) {
      if (given.length >= INPUTS_MAX) return given;
      const input = inputs[source.below(inputs.length)];
      given.push(withNumber(input, VISITS * number + visit));
    }
  }
  return given;
}

/** Returns the input with 0: no guard is forced. */
export const unforced = (input: Input): Input => withNumber(input, 0);

/** Returns the input that makes the guard fail on its first visit of an activation. */
export const failingAtFirst = (input: Input, { number }: ForcedGuard): Input =>
  withNumber(input, VISITS * number + 1);

function withNumber({ words, heapSeed }: Input, number: number): Input {
  const longer = new Int32Array(words.length + 2);
  longer.set(words);
  longer[words.length] = number;
  return { words: longer, heapSeed };
}

// Passes the number on in every call; continuations receive none.
function passNumber(proc: Procedure, number: Value | null, compiled: readonly Procedure[]): void {
  let given = number;
  for (const { values } of proc.blocks) {
    for (const call of values.slice()) {
      const { opcode, rest } = call;
      if (rest === null || !CALLS_PROCEDURES.includes(opcode)) continue;
      const callee = call.procedure ?? reachedProcedures(call)[0];
      if (callee === undefined || !compiled.includes(callee)) continue;
      given ??= atStart(proc, proc.newConstant(Int32, 0, 0));
      rest.push(given);
    }
  }
}

const CALLS_PROCEDURES: readonly Opcode[] = [Op.CCall, Op.CallIndirect, Op.CallCheck, Op.TailCall];

function atStart({ blocks }: Procedure, value: Value): Value {
  value.block = blocks[0];
  blocks[0].values.unshift(value);
  return value;
}

function forceIn(
  proc: Procedure,
  number: Value,
  forced: ForcedGuard[],
  source: ChoiceSource,
  { guardsMax, itself }: GuardForcing,
): void {
  const loops = blocksInLoops(proc);
  for (const block of proc.blocks) {
    const insertion = new ValueInsertion(proc, block);
    for (const value of block.values.slice()) {
      const isCallCheck = value.opcode === Op.CallCheck;
      if (isCallCheck) insertion.keep(value);
      const isGuard = (EFFECTS[value.opcode] & EXITS) !== 0;
      if (isGuard && forced.length < guardsMax) {
        const isRepeated = loops.has(block);
        forced.push({ number: forced.length + 1, proc, guard: value, isRepeated });
        const forcedNumber = chance(source, 20) ? insertion.add(Op.Opaque, Int32, number) : number;
        force(
          insertion,
          value,
          forcedNumber,
          VISITS * forced.length,
          isRepeated,
          chance(source, itself),
        );
      }
      if (!isCallCheck) insertion.keep(value);
    }
    insertion.finish();
  }
}

// Makes the guard fail by its own operands, or inserts a guard with the same snapshot before it
// (after it for a CallCheck).
function force(
  insertion: ValueInsertion,
  guard: Value,
  number: Value,
  base: number,
  isRepeated: boolean,
  failsItself: boolean,
): void {
  const visit = isRepeated ? visitOf(insertion, base) : insertion.constant(Int32, base + 1);
  const hit = insertion.add(Op.Equal, Int32, number, visit);
  // The condition of a callee's deoptimization flag is unknown. A guard after the call exits with
  // the same snapshot, which may show the result.
  const isCallCheck = guard.opcode === Op.CallCheck;
  // An exit that shows the guard's own result needs that result, which does not exist before the
  // guard.
  if (isCallCheck || (!failsItself && !shows(guard.snapshot, guard))) {
    insertion.add(Op.Check, Void, hit).extra = guard.snapshot;
    return;
  }
  const { opcode, a, b, rest, patchpoint, host } = guard;
  if (opcode === Op.Check && a !== null) {
    const wide = a.type === Int64 ? insertion.add(Op.ZExt32, Int64, hit) : hit;
    guard.a = insertion.add(Op.BitOr, a.type, a, wide);
    return;
  }
  const failing =
    host === null ? FAILING[patchpoint?.name ?? nameOfOpcode(opcode)] : deoptOperands(host);
  assert(failing !== undefined, () => `${guard.toString()}: no operands are known that fail it`);
  const chosen = (value: Value, o: number): Value => {
    const words = failing[o]?.(value.type);
    if (words === undefined) return value;
    const constant = insertion.constant(value.type, ...words);
    return insertion.add(Op.Select, value.type, hit, constant, value);
  };
  if (a !== null) guard.a = chosen(a, 0);
  if (b !== null) guard.b = chosen(b, 1);
  if (rest !== null) guard.rest = rest.map(chosen);
}

function shows(snapshot: Snapshot, value: Value): boolean {
  const seen = new Set<Value>();
  for (const own of snapshot.values) forEachOperand(own, (operand) => seen.add(operand));
  forEachSlotValue(snapshot, (shown) => seen.add(shown));
  return seen.has(value);
}

/**
 * Returns zeroes, except for the last operand, which is the least number for which the host
 * function requests deoptimization.
 */
function deoptOperands({ parameters, apply }: HostFunction): readonly WordsOf[] {
  const last = parameters.length - 1;
  for (let number = 0; ; number++) {
    const words = new Int32Array(Math.max(2 * parameters.length, ASKED + 1));
    words[2 * last] = number;
    apply(words, NO_HEAP, NO_SLOTS);
    if (words[ASKED] !== 0) return parameters.map((_, o) => small(o === last ? number : 0));
  }
}
/** Host functions that request deoptimization are events, which access no memory. */
const NO_HEAP = new Uint8Array(0);
const NO_SLOTS: KeptAddresses = { keep() {}, drop() {}, read() {}, write() {} };

type WordsOf = (type: Type) => WordPair;
const least: WordsOf = (type) => (isWide(type) ? [0, -0x8000_0000] : [-0x8000_0000, 0]);
const greatest: WordsOf = (type) => (isWide(type) ? [-1, 0x7fff_ffff] : [0x7fff_ffff, 0]);
const small = (number: number): WordsOf => {
  return () => [number, number >> 31];
};

const half: WordsOf = () => [0, 0x3fe0_0000];

/** Operands that make a guard fail, by its opcode or kind; null for any operand. */
const FAILING: { readonly [name: string]: readonly (WordsOf | null)[] } = {
  CheckAdd: [greatest, small(1)],
  CheckSub: [least, small(1)],
  CheckMul: [least, small(2)],
  CheckToInt32: [half],
  CheckToInt32Exact: [half],
  addOrExit: [small(-1), small(1)],
  exitIfOdd: [small(1)],
  exitIfNegative: [null, least], // -0
  addPassed: [null, null, least],
};

/** Counts a visit and returns its number. */
function visitOf(insertion: ValueInsertion, base: number): Value {
  const { proc } = insertion;
  const count = proc.newValue(Op.Phi, Int32);
  const first = proc.newValue(Op.Upsilon, Void);
  first.a = proc.newConstant(Int32, base, 0);
  first.extra = count;
  insertion.start(first.a, first);
  insertion.keep(count);
  count.block = insertion.block;
  const next = insertion.add(Op.Add, Int32, count, insertion.constant(Int32, 1));
  insertion.add(Op.Upsilon, Void, next).extra = count;
  return next;
}

/** Inserts values into a block. */
class ValueInsertion {
  readonly proc: Procedure;
  readonly block: BasicBlock;
  private readonly values: Value[] = [];
  /** Values for the start of the procedure. */
  private readonly first: Value[] = [];

  constructor(proc: Procedure, block: BasicBlock) {
    this.proc = proc;
    this.block = block;
  }

  keep(value: Value): void {
    this.values.push(value);
  }

  add(opcode: Opcode, type: Type, a: Value, b: Value | null = null, c: Value | null = null): Value {
    const value = this.proc.newValue(opcode, type, a, b, c);
    value.block = this.block;
    this.values.push(value);
    return value;
  }

  constant(type: Type, lo: number, hi = 0): Value {
    const value = this.proc.newConstant(type, lo, isWide(type) ? hi : 0);
    value.block = this.block;
    this.values.push(value);
    return value;
  }

  start(...values: Value[]): void {
    this.first.push(...values);
  }

  finish(): void {
    this.block.values = this.values;
    const [entry] = this.proc.blocks;
    for (const value of this.first) value.block = entry;
    entry.values.unshift(...this.first);
  }
}

/** Returns blocks that can be reached from themselves. */
function blocksInLoops({ blocks }: Procedure): Set<BasicBlock> {
  const loops = new Set<BasicBlock>();
  for (const start of blocks) {
    const seen = new Set<BasicBlock>(start.successors);
    for (const block of seen) for (const next of block.successors) seen.add(next);
    if (seen.has(start)) loops.add(start);
  }
  return loops;
}

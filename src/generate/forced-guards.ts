// Guards that fail on a visit of an input's choice, by rewriting the program: each procedure takes one
// more number, every guard asks whether the number names it and this visit, and each input of the
// program comes again with the numbers of all guards in turn. So all stubs of a program run, also
// those whose own conditions never come true; and a guard in a loop fails at first, at its second
// visit and late.
//
// The number of visit n of guard k is `VISITS * k + n`, both from 1 on; 0 names none. Visits are counted
// in each activation anew.

import { EFFECTS, EXITS, Op, type Opcode } from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import type { BasicBlock, Module, Procedure, Value } from "../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../ir/types.js";
import type { Source } from "../support/source.js";
import { chance } from "./odds.js";

const VISITS = 16;
/** More would be most of what the program is, and of what it runs. */
const GUARDS_MAX = 20;
const INPUTS_MAX = 16;

/** A guard that numbers can name. */
export interface Forced {
  readonly number: number;
  /** It may be visited more than once in an activation. */
  readonly isRepeated: boolean;
}

/**
 * Rewrites the module: gives the guards that inputs may name.
 * @param compiled the entry, and the procedures that it calls, one through the other
 */
export function forceGuards(
  module: Module,
  compiled: readonly Procedure[],
  source: Source,
): readonly Forced[] {
  const numbers = compiled.map((proc) => proc.newParameter(Int32));
  for (const proc of module.procedures) {
    passOn(proc, numbers[compiled.indexOf(proc)] ?? null);
  }
  const forced: Forced[] = [];
  compiled.forEach((proc, p) => forceIn(proc, numbers[p], forced, source));
  return forced;
}

/** The inputs with a number each: all as they were, with none; then some for each guard in turn. */
export function forceInputs(
  inputs: readonly Input[],
  forced: readonly Forced[],
  source: Source,
): Input[] {
  const given = inputs.map((input) => withNumber(input, 0));
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

function withNumber({ words, heapSeed }: Input, number: number): Input {
  const longer = new Int32Array(words.length + 2);
  longer.set(words);
  longer[words.length] = number;
  return { words: longer, heapSeed };
}

// Every call hands the number on; what goes on behind an exit hands on none.
function passOn(proc: Procedure, number: Value | null): void {
  let given = number;
  for (const { values } of proc.blocks) {
    for (const { opcode, procedure, rest } of values.slice()) {
      const calls = opcode === Op.CallIndirect || (opcode === Op.CCall && procedure !== null);
      if (!calls || rest === null) continue;
      given ??= atStart(proc, proc.newConstant(Int32, 0, 0));
      rest.push(given);
    }
  }
}

function atStart({ blocks }: Procedure, value: Value): Value {
  value.block = blocks[0];
  blocks[0].values.unshift(value);
  return value;
}

function forceIn(proc: Procedure, number: Value, forced: Forced[], source: Source): void {
  const loops = blocksInLoops(proc);
  for (const block of proc.blocks) {
    const insertion = new Insertion(proc, block);
    for (const value of block.values.slice()) {
      const isGuard = (EFFECTS[value.opcode] & EXITS) !== 0;
      if (isGuard && forced.length < GUARDS_MAX) {
        const isRepeated = loops.has(block);
        forced.push({ number: forced.length + 1, isRepeated });
        const asked = chance(source, 20) ? insertion.add(Op.Opaque, Int32, number) : number;
        force(insertion, value, asked, VISITS * forced.length, isRepeated, chance(source, 60));
      }
      insertion.keep(value);
    }
    insertion.finish();
  }
}

// The condition is or-ed, or a guard of the same snapshot stands before the one that is forced.
function force(
  insertion: Insertion,
  guard: Value,
  number: Value,
  base: number,
  isRepeated: boolean,
  mayJoin: boolean,
): void {
  const hit = insertion.add(
    Op.Equal,
    Int32,
    number,
    isRepeated ? visitOf(insertion, base) : insertion.constant(base + 1),
  );
  const { a } = guard;
  if (guard.opcode === Op.Check && a !== null && mayJoin) {
    const wide = a.type === Int64 ? insertion.add(Op.ZExt32, Int64, hit) : hit;
    guard.a = insertion.add(Op.BitOr, a.type, a, wide);
  } else {
    insertion.add(Op.Check, Void, hit).extra = guard.snapshot;
  }
}

/** Counts a visit; gives its number. */
function visitOf(insertion: Insertion, base: number): Value {
  const { proc } = insertion;
  const count = proc.newValue(Op.Phi, Int32);
  const first = proc.newValue(Op.Upsilon, Void);
  first.a = proc.newConstant(Int32, base, 0);
  first.extra = count;
  insertion.start(first.a, first);
  insertion.keep(count);
  count.block = insertion.block;
  const next = insertion.add(Op.Add, Int32, count, insertion.constant(1));
  insertion.add(Op.Upsilon, Void, next).extra = count;
  return next;
}

/** New values among those of a block. */
class Insertion {
  readonly proc: Procedure;
  readonly block: BasicBlock;
  private readonly values: Value[] = [];
  /** For the start of the procedure. */
  private readonly first: Value[] = [];

  constructor(proc: Procedure, block: BasicBlock) {
    this.proc = proc;
    this.block = block;
  }

  keep(value: Value): void {
    this.values.push(value);
  }

  add(opcode: Opcode, type: Type, a: Value, b: Value | null = null): Value {
    const value = this.proc.newValue(opcode, type);
    value.a = a;
    value.b = b;
    value.block = this.block;
    this.values.push(value);
    return value;
  }

  constant(number: number): Value {
    const value = this.proc.newConstant(Int32, number, 0);
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

/** Blocks that can be reached from themselves. */
function blocksInLoops({ blocks }: Procedure): Set<BasicBlock> {
  const loops = new Set<BasicBlock>();
  for (const start of blocks) {
    const seen = new Set<BasicBlock>(start.successors);
    for (const block of seen) for (const next of block.successors) seen.add(next);
    if (seen.has(start)) loops.add(start);
  }
  return loops;
}

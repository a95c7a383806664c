// Structured programs on top of the builder, in the manner of a front end: loops and conditions
// with Phis for the variables that change, constants where they are used, arrays with a length that
// each access checks. Nothing is optimized here.

import { Builder, type Emitters } from "../../src/ir/builder.js";
import { Op } from "../../src/ir/opcodes.js";
import { type Module, Procedure, type StackSlot, type Value } from "../../src/ir/procedure.js";
import { type Type, typeNamed, type ValueTypeName, Void } from "../../src/ir/types.js";
import { wideWords } from "../../src/ir/words.js";
import { assert } from "../../src/support/assert.js";

export type Int = Value<"Int32">;
export type Long = Value<"Int64">;
export type Real = Value<"Double">;
type Variables = readonly Value<ValueTypeName>[];

/** Bytes in front of an array's elements: its length, and padding. */
export const ARRAY_HEADER = 8;

/** What guards name: where in the source they stand, and the variables there. */
interface SourcePoint {
  readonly point: number;
  readonly variables: Variables;
}

/** An array of a module: its address, and the size of its elements as a power of two. */
export interface ArrayOf {
  readonly base: Long;
  readonly shift: number;
}

export class FrontEnd {
  readonly emit: Emitters;
  readonly proc: Procedure;
  private readonly builder: Builder;
  private readonly exits: ExitNumbers;

  /** Starts a procedure of the module. */
  constructor(module: Module, name: string, result: Type, exits: ExitNumbers) {
    this.proc = new Procedure(name, result);
    module.procedures.push(this.proc);
    this.builder = new Builder(this.proc);
    this.emit = this.builder.emit;
    this.exits = exits;
  }

  parameter<T extends ValueTypeName>(name: T): Value<T> {
    return this.proc.newParameter(typeOf(name)) as Value<T>; // a value of type T is a Value<T>
  }

  load<T extends ValueTypeName>(name: T, address: Long, offset: number): Value<T> {
    return this.emit.Load(typeOf(name), address, offset) as Value<T>; // as above
  }

  call<T extends ValueTypeName>(name: T, callee: Procedure, args: readonly Value[]): Value<T> {
    assert(callee.result === typeOf(name), () => `${callee.name} gives no ${name}`);
    return this.emit.CCall(callee, args) as Value<T>; // as above
  }

  /** Returns from a procedure without result. */
  end(): void {
    const { block } = this.builder;
    const value = this.proc.newValue(Op.Return, Void);
    value.block = block;
    block.values.push(value);
  }

  slot = (size: number): StackSlot => this.proc.newSlot(size, true);

  int = (value: number): Int => this.emit.Const32([value, 0]);
  long = (value: number): Long => this.emit.Const64(wideWords(BigInt(value)));
  real = (value: number): Real =>
    this.emit.ConstDouble(wideWords(new BigInt64Array(Float64Array.of(value).buffer)[0]));

  /**
   * A loop that tests before each iteration.
   * @param body gives what the variables are in the next iteration
   * @returns the variables behind the loop
   */
  loop<const V extends Variables>(
    initial: V,
    test: (variables: V) => Int,
    body: (variables: V) => V,
  ): V {
    const { builder, emit } = this;
    const before = builder.block;
    const head = builder.startBlock();
    const variables = this.phis(initial);
    const condition = test(variables);
    const tested = builder.block;
    const inside = builder.startBlock();
    const next = body(variables);
    this.goTo(head, next, variables);
    const behind = builder.startBlock();
    builder.block = before;
    this.goTo(head, initial, variables);
    builder.block = tested;
    emit.Branch(condition, inside, behind);
    builder.block = behind;
    return variables;
  }

  /** A loop that nothing ends but what its body does; nothing follows it. */
  forever<const V extends Variables>(initial: V, body: (variables: V) => V): void {
    const { builder } = this;
    const before = builder.block;
    const head = builder.startBlock();
    const variables = this.phis(initial);
    this.goTo(head, body(variables), variables);
    builder.block = before;
    this.goTo(head, initial, variables);
  }

  /**
   * A body for each key and one for everything else; they meet behind.
   * @param bodies give the variables behind; null where they have returned
   */
  dispatch<const V extends Variables>(
    on: Int,
    types: readonly ValueTypeName[],
    bodies: ReadonlyMap<number, () => V | null>,
    otherwise: () => V | null,
  ): V {
    const { builder, emit } = this;
    const before = builder.block;
    const ends: { readonly end: Builder["block"]; readonly given: V }[] = [];
    const place = (body: () => V | null): Builder["block"] => {
      const start = builder.startBlock();
      const given = body();
      if (given !== null) ends.push({ end: builder.block, given });
      return start;
    };
    const cases = [...bodies].map(([key, body]) => [[key, 0], place(body)] as const);
    const defaultTarget = place(otherwise);
    const behind = builder.startBlock();
    const variables = types.map((type) => emit.Phi(typeOf(type))) as Variables as V; // as declared
    for (const { end, given } of ends) {
      builder.block = end;
      this.goTo(behind, given, variables);
    }
    builder.block = before;
    emit.Switch(on, { cases, otherwise: defaultTarget });
    builder.block = behind;
    return variables;
  }

  /** `condition ? then() : otherwise()`, for as many variables as they give. */
  choose<const V extends Variables>(condition: Int, then: () => V, otherwise: () => V): V {
    const { builder } = this;
    const before = builder.block;
    const first = builder.startBlock();
    const given = then();
    const firstEnd = builder.block;
    const second = builder.startBlock();
    const givenElse = otherwise();
    const secondEnd = builder.block;
    const behind = builder.startBlock();
    const variables = this.phis(given);
    builder.block = firstEnd;
    this.goTo(behind, given, variables);
    builder.block = secondEnd;
    this.goTo(behind, givenElse, variables);
    builder.block = before;
    this.emit.Branch(condition, first, second);
    builder.block = behind;
    return variables;
  }

  when(condition: Int, then: () => void): void {
    const { builder } = this;
    const before = builder.block;
    const first = builder.startBlock();
    then();
    const firstEnd = builder.block;
    const behind = builder.startBlock();
    builder.block = firstEnd;
    this.emit.Jump(behind);
    builder.block = before;
    this.emit.Branch(condition, first, behind);
    builder.block = behind;
  }

  /** Leaves the procedure if the condition holds; every guard has an exit of its own. */
  guard(condition: Int, place: SourcePoint): void {
    this.emit.Check(condition, this.snapshot(place));
  }

  snapshot({ point, variables }: SourcePoint) {
    const snapshot = this.proc.newSnapshot(this.exits.next());
    const slots = variables.map((value) => ({ kind: "value", value }) as const);
    snapshot.frames.push({ name: this.proc.name, point, slots });
    return snapshot;
  }

  /** Makes an array at an address: from now on it has a length. */
  allocate(base: Long, shift: number, length: Int): ArrayOf {
    this.emit.Store(length, base, 0);
    return { base, shift };
  }

  /** The address of an element, once the index is known to be in the array. */
  element({ base, shift }: ArrayOf, index: Int, place: SourcePoint): Long {
    const { emit } = this;
    const length = this.load("Int32", base, 0);
    this.guard(emit.AboveEqual(index, length), place);
    const wide = emit.ZExt32(index); // below the length as an unsigned number
    return emit.Add(base, shift === 0 ? wide : emit.Mul(wide, this.long(2 ** shift)));
  }

  private phis<V extends Variables>(values: V): V {
    const phis = values.map(({ type }) => this.emit.Phi(type));
    return phis as Variables as V; // of the same types, one by one
  }

  private goTo(block: Builder["block"], values: Variables, variables: Variables): void {
    values.forEach((value, i) => {
      if (value !== variables[i]) this.emit.Upsilon(value, variables[i]);
    });
    this.emit.Jump(block);
  }
}

/** Numbers for the exits of a module. */
export class ExitNumbers {
  private count = 0;

  next(): number {
    return this.count++;
  }
}

function typeOf(name: ValueTypeName): Type {
  const type = typeNamed(name);
  assert(type !== null && type !== Void, () => `no type is named ${name}`);
  return type;
}

// Translates calls: of earlier fragments, and of the functions that the assembler provides.

import { hostFunctionNamed } from "../../ir/host-functions.js";
import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type, Void } from "../../ir/types.js";
import { LirError, quoted, refusal } from "../../lir/lir-error.js";
import type { LirInstruction } from "../../lir/parse.js";
import { assert } from "../../support/assert.js";
import type { LirContext, LirTree } from "./context.js";
import type { LirEmitter } from "./lir-emitter.js";
import { typeOf } from "./operations.js";

const ARGUMENTS_MAX = 8;

/** Writes a call of a tree. Returns its result; null if the instruction has none. */
export function callTree(
  { hasHeap }: LirContext,
  e: LirEmitter,
  { line, spec, target }: LirInstruction,
  { emitter: { proc } }: LirTree,
  args: readonly Value[],
): Value | null {
  if (args.length > ARGUMENTS_MAX)
    throw new LirError(line, `expected at most ${ARGUMENTS_MAX} arguments, found ${args.length}`);
  const [first] = e.proc.parameters;
  const parameters = proc.parameters.slice(hasHeap ? 1 : 0);
  if (args.length < parameters.length)
    throw new LirError(
      line,
      `${quoted(target)} reads ${parameters.length} parameters, but the call has ${args.length} arguments`,
    );
  const passed = parameters.map(({ type }, i) => argumentOf(e, args[i], type, line));
  const called = e.call(proc, hasHeap ? [first, ...passed] : passed);
  const wanted = typeOf(spec.gives);
  if (wanted === Void) return null;
  if (proc.result === wanted) return called;
  // The low half of the register.
  if (proc.result === Int64 && wanted === Int32) return e.emit(Op.Trunc, Int32, called);
  throw new LirError(line, `${spec.name}: ${quoted(target)} returns no such value`);
}

/** Returns an argument as the parameter's type: Nanojit extends an int by its sign. */
function argumentOf(e: LirEmitter, value: Value, type: Type, line: number): Value {
  if (value.type === type) return value;
  if (value.type === Int32 && type === Int64) return e.emit(Op.SExt32, Int64, value);
  if (value.type === Int64 && type === Int32) return e.emit(Op.Trunc, Int32, value);
  throw new LirError(line, "a parameter is a double, which a fragment cannot read");
}

/** Writes a call of a function that the assembler provides. Returns its result; null if it has none. */
export function callFunction(
  context: LirContext,
  e: LirEmitter,
  { line, spec, target }: LirInstruction,
  args: readonly Value[],
): Value | null {
  if (C_FUNCTIONS.includes(target)) throw refusal(line, target, "a function of C");
  const provided = FUNCTIONS.get(target);
  if (provided === undefined)
    throw new LirError(line, `expected an earlier fragment or a function, found ${quoted(target)}`);
  const { takes, gives, write } = provided;
  const isTyped = args.length === takes.length && takes.every((type, i) => args[i].type === type);
  if (!isTyped || (gives !== typeOf(spec.gives) && spec.gives !== "v"))
    throw new LirError(line, `${quoted(target)} has other parameters, or another result`);
  const result = write(e, args, context);
  return spec.gives === "v" ? null : result;
}

const C_FUNCTIONS = ["puts", "sin"];
export const MALLOC = "malloc";
const MALLOC_ALIGNMENT = 16;

interface ProvidedFunction {
  readonly takes: readonly Type[];
  readonly gives: Type;
  readonly write: (e: LirEmitter, args: readonly Value[], context: LirContext) => Value | null;
}

/** The functions that tests of calls use: a quotient of sums, and a polynomial, of each type of numbers. */
const FUNCTIONS: ReadonlyMap<string, ProvidedFunction> = new Map([
  ["printi", { takes: [Int32], gives: Void, write: print }],
  [MALLOC, { takes: [Int64], gives: Int64, write: allocate }],
  ["free", { takes: [Int64], gives: Void, write: () => null }],
  ...(
    [
      ["d", Double],
      ["f", Float],
    ] as const
  ).flatMap(([letter, type]) => [
    row(`call${letter}1`, Array<Type>(8).fill(type), type, (e, args) => polynomial(e, type, args)),
    row(`calli${letter}1`, [Int32, type, type, Int32, Int32, type], type, (e, [i, x, y, j, k, z]) =>
      quotient(e, type, [x, y, z], [i, j, k]),
    ),
    row(`calli${letter}2`, [Int32, Int32, Int32, type], type, (e, [i, j, k, x]) =>
      quotient(e, type, [x], [i, j, k]),
    ),
    row(`calli${letter}3`, [Int32, Int32, type, Int32, type, type], type, (e, [i, j, x, k, y, z]) =>
      quotient(e, type, [x, y, z], [i, j, k]),
    ),
  ]),
]);

function row(
  name: string,
  takes: readonly Type[],
  gives: Type,
  write: ProvidedFunction["write"],
): readonly [string, ProvidedFunction] {
  return [name, { takes, gives, write }];
}

function print(e: LirEmitter, args: readonly Value[]): null {
  const host = hostFunctionNamed("logInt");
  assert(host !== null, () => "no host function logInt");
  e.call(host, args);
  return null;
}

/** Writes the allocation of an object; beyond the end of the heap it is undefined. */
function allocate(e: LirEmitter, [size]: readonly Value[], { mallocAt }: LirContext): Value {
  const [heap] = e.proc.parameters;
  const cell = e.emit(Op.Add, Int64, heap, e.long(mallocAt));
  const last = e.emit(Op.Add, Int64, size, e.long(MALLOC_ALIGNMENT - 1));
  const rounded = e.emit(Op.BitAnd, Int64, last, e.long(-MALLOC_ALIGNMENT));
  return e.emit(Op.Allocate, Int64, cell, rounded);
}

/** Writes a + b c - d + f / g - h k, from the left. */
function polynomial(e: LirEmitter, type: Type, args: readonly Value[]): Value {
  const [a, b, c, d, f, g, h, k] = args;
  const of = (opcode: Opcode, x: Value, y: Value): Value => e.emit(opcode, type, x, y);
  const left = of(Op.Sub, of(Op.Add, a, of(Op.Mul, b, c)), d);
  return of(Op.Sub, of(Op.Add, left, of(Op.Div, f, g)), of(Op.Mul, h, k));
}

/** Writes the quotient of two sums; the divisor is a sum of ints. */
function quotient(
  e: LirEmitter,
  type: Type,
  numbers: readonly Value[],
  ints: readonly Value[],
): Value {
  const sum = (terms: readonly Value[]): Value =>
    terms.reduce((x, y) => e.emit(Op.Add, x.type, x, y));
  const divisor = e.emit(type === Double ? Op.IToD : Op.IToF, type, sum(ints));
  return e.emit(Op.Div, type, sum(numbers), divisor);
}

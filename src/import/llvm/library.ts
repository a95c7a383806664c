// Writes calls of the functions of the C library whose meaning passes use most: `malloc`, `calloc` and `free`, `strlen`,
// `memcmp`, `bcmp`, `abs`, and exact functions of the math library.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Float, Int32, Int64, isFloating, Void } from "../../ir/types.js";
import { LlvmError } from "../../llvm/llvm-error.js";
import type { FunctionContext, WrittenCall } from "./context.js";
import { overflowsUnsigned, signExtended } from "./integers.js";
import { BYTE_STATES, CELLS } from "./layout.js";
import type { LlvmScalar, LlvmScalars } from "./leaves.js";
import { fillStates } from "./memory.js";

type LibraryWriter = (c: FunctionContext, args: readonly LlvmScalar[]) => LlvmScalar | null;

const math =
  (opcode: Opcode): LibraryWriter =>
  ({ e }, [x]) => ({ value: e.emit(opcode, x.value.type, x.value), poison: x.poison });

const allocate: LibraryWriter = (c, [size]) => {
  const { e } = c;
  if (size.poison !== null) e.leaveIf(size.poison, "an access at poison");
  return { value: freshObject(c, size.value, BYTE_STATES.unwritten), poison: null };
};

const allocateCleared: LibraryWriter = (c, [count, unit]) => {
  const { e } = c;
  const poison = e.either(count.poison, unit.poison);
  if (poison !== null) e.leaveIf(poison, "an access at poison");
  const isLarge = overflowsUnsigned(e, "mul", 64, count.value, unit.value);
  e.leaveIf(isLarge, "objects that are too large");
  const size = e.emit(Op.Mul, Int64, count.value, unit.value);
  const address = freshObject(c, size);
  e.emit(Op.FillBytes, Void, e.int(0), address, size);
  return { value: address, poison: null };
};

/** The end of an object is not known from its address alone, so only its first byte ends. */
const release: LibraryWriter = (c, [pointer]) => {
  const { e, base, layout } = c;
  if (pointer.poison !== null) e.leaveIf(pointer.poison, "an access at poison");
  const isNull = e.compare(Op.Equal, pointer.value, e.long(0));
  const distance = e.sub(pointer.value, base);
  const isFar = e.compare(Op.Above, distance, e.long(layout.states - 1));
  e.leaveIf(e.and(isFar, e.not(isNull)), "an access outside of objects");
  // A null pointer ends nothing.
  const address = e.select(isNull, base, pointer.value);
  fillStates(c, address, e.select(isNull, e.long(0), e.long(1)), BYTE_STATES.absent);
  return null;
};

const absolute: LibraryWriter = ({ e }, [x]) => {
  const { value, poison } = x;
  const bits = value.type === Int64 ? 64 : 32;
  const zero = e.integer(value.type, 0n);
  const signed = signExtended(e, bits, value);
  const isLeast = e.compare(Op.Equal, value, e.integer(value.type, 1n << BigInt(bits - 1)));
  const isNegative = e.compare(Op.LessThan, signed, zero);
  return {
    value: e.select(isNegative, e.sub(zero, value), value),
    poison: e.either(poison, isLeast),
  };
};

const WRITERS: Readonly<Record<string, LibraryWriter>> = {
  malloc: allocate,
  calloc: allocateCleared,
  free: release,
  abs: absolute,
  labs: absolute,
  fabs: math(Op.Abs),
  sqrt: math(Op.Sqrt),
  floor: math(Op.Floor),
  ceil: math(Op.Ceil),
  trunc: math(Op.FTrunc),
  rint: math(Op.Nearest),
  nearbyint: math(Op.Nearest),
  fabsf: math(Op.Abs),
  sqrtf: math(Op.Sqrt),
  floorf: math(Op.Floor),
  ceilf: math(Op.Ceil),
  truncf: math(Op.FTrunc),
  rintf: math(Op.Nearest),
  nearbyintf: math(Op.Nearest),
};
const FLOATS = /^(?:fabs|sqrt|floor|ceil|trunc|rint|nearbyint)f?$/;

/** Functions that make an object. */
export const ALLOCATORS: ReadonlySet<string> = new Set(["malloc", "calloc"]);

export const isLibraryFunction = (name: string): boolean => Object.hasOwn(WRITERS, name);

export function writeLibraryCall(
  c: FunctionContext,
  name: string,
  { args, instruction }: WrittenCall,
): LlvmScalars | null {
  const operands = args.flat();
  const { line, type } = instruction;
  const expected = name === "calloc" ? 2 : 1;
  const [first] = operands;
  const isFloatName = FLOATS.test(name);
  const isRight =
    operands.length === expected &&
    isFloating(first.value.type) === isFloatName &&
    (!/f$/.test(name) || !isFloatName || first.value.type === Float) &&
    (!/alloc$|^free$|^labs$/.test(name) || operands.every(({ value }) => value.type === Int64)) &&
    (name !== "abs" || first.value.type === Int32);
  if (!isRight) throw new LlvmError(line, `@${name}: expected the operands of the C library`);
  const made = WRITERS[name](c, operands);
  return made === null || type.kind === "void" ? null : [made];
}

/** Functions that LLVM recognizes by name (TargetLibraryInfo), and whose calls passes replace. */
const RECOGNIZED = new RegExp(
  "^(?:_*(?:malloc|calloc|realloc|free|aligned_alloc|memalign|strdup|strndup|abs|labs|llabs|ffs\\w*|fls\\w*|isascii|isdigit|toascii" +
    "|mem\\w+|str\\w+|stp\\w+|bcmp|bcopy|bzero|[fsv]*n?printf|puts|putchar|fput[cs]|fwrite|fread|fopen|fclose|ato[fil]\\w*" +
    "|(?:sin|cos|tan|a?sinh?|a?cosh?|a?tanh?|atan2|exp\\d*|expm1|log\\d*|log1p|logb|pow|fmod|fmin|fmax|fdim|hypot|cbrt|ldexp|frexp|modf|round\\w*|remainder)[fl]?" +
    "|Zn[wa]\\w+|Zd[la]\\w+|cxa_\\w+))$",
);

/** Whether passes know the meaning of a function of another module. */
export const isKnownLibrary = (name: string): boolean => RECOGNIZED.test(name);

/** Returns the address of a new object that the program allocates. */
function freshObject(c: FunctionContext, size: Value, state: number = BYTE_STATES.defined): Value {
  const { e, base, layout } = c;
  const address = e.load(Op.Load, Int64, base, CELLS.freshEnd);
  const isLarge = e.compare(Op.Above, size, e.long(layout.stackAt - layout.freshAt));
  e.leaveIf(isLarge, "objects that are too large");
  const end = e.and(e.add(e.add(address, size), e.long(layout.gap + 63)), e.long(-64));
  const isFull = e.compare(Op.Above, e.sub(end, base), e.long(layout.stackAt));
  e.leaveIf(isFull, "objects that are too large");
  e.store(Op.Store, end, base, CELLS.freshEnd);
  fillStates(c, address, size, state);
  return address;
}

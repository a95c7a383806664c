// Translates each instruction of a trace. An opcode without a rule is not modelled.

import { convert, toBit } from "./conversions.js";
import { MEMORY } from "./memory.js";
import type { TraceInstruction } from "./recorded-trace.js";
import type { TextValue } from "./trace-text.js";
import { cut, type TraceWriter } from "./trace-writer.js";
import { TYPES } from "./values.js";

type Rule = (writer: TraceWriter, ref: number, instruction: TraceInstruction) => TextValue | null;

const resultType = (writer: TraceWriter, ref: number) => {
  const type = writer.typeOf(ref);
  return TYPES[type] ?? cut(`a result of type ${type}`);
};

/** Both operands in the type of the result, widened if they are addresses. */
function operands(
  writer: TraceWriter,
  ref: number,
  { op1, op2 }: TraceInstruction,
): readonly [TextValue, TextValue] {
  const isWide = resultType(writer, ref) === "Int64";
  return isWide ? [writer.wide(op1), writer.wide(op2)] : [writer.value(op1), writer.value(op2)];
}

const binary =
  (opcode: string): Rule =>
  (writer, ref, instruction) =>
    writer.text.op(resultType(writer, ref), opcode, ...operands(writer, ref, instruction));

const shift =
  (opcode: string): Rule =>
  (writer, ref, { op1, op2 }) => {
    const count = writer.value(op2);
    const { text } = writer;
    const narrow = count.type === "Int64" ? text.op("Int32", "Trunc", count) : count;
    const type = resultType(writer, ref);
    return text.op(type, opcode, type === "Int64" ? writer.wide(op1) : writer.value(op1), narrow);
  };

const unary =
  (opcode: string): Rule =>
  (writer, ref, { op1 }) => {
    const type = resultType(writer, ref);
    return writer.text.op(type, opcode, type === "Int64" ? writer.wide(op1) : writer.value(op1));
  };

const overflowing =
  (opcode: string): Rule =>
  (writer, ref, { op1, op2 }) => {
    const [a, b] = [writer.value(op1), writer.value(op2)];
    return writer.text.emit(a.type, `${opcode}(${a.id}, ${b.id}) ${writer.snapshotFor(ref)}`);
  };

/** Guards: the opcode on signed integers and numbers; of `U`, the one on integers, and what a number must not be. */
const compare =
  (opcode: string): Rule =>
  (writer, ref, { op1, op2, type }) => {
    const kind = TYPES[writer.typeOf(ref)];
    // A comparison of types with one value is of the references.
    const pair =
      kind === "Int64" || kind === null
        ? ([writer.wide(op1), writer.wide(op2)] as const)
        : ([writer.value(op1), writer.value(op2)] as const);
    if (pair[0].type !== pair[1].type) return cut(`a comparison of type ${type}`);
    writer.guard(ref, writer.text.op("Int32", opcode, ...pair));
    return null;
  };

const unordered =
  (onIntegers: string, excluded: string): Rule =>
  (writer, ref, instruction) => {
    const a = writer.value(instruction.op1);
    if (a.type !== "Double" && a.type !== "Float")
      return compare(onIntegers)(writer, ref, instruction);
    writer.exitIf(ref, writer.text.op("Int32", excluded, a, writer.value(instruction.op2)));
    return null;
  };

/** `minsd` and `maxsd`: the second operand if the numbers are unordered or equal. */
const extreme =
  (onIntegers: string, test: string): Rule =>
  (writer, ref, instruction) => {
    const { text } = writer;
    const type = resultType(writer, ref);
    const [a, b] = operands(writer, ref, instruction);
    if (type !== "Double") return text.op(type, onIntegers, a, b);
    return text.op(type, "Select", text.op("Int32", test, a, b), a, b);
  };

/** The integer with the highest bit alone for a quotient that does not exist. */
const wrongQuotient = 1n << 63n;

const divide: Rule = (writer, ref, { op1, op2 }) => {
  const type = writer.typeOf(ref);
  if (type === "num") return writer.text.op("Double", "Div", writer.value(op1), writer.value(op2));
  if (type !== "i64" && type !== "u64") return cut(`DIV ${type}`);
  return wideQuotient(
    writer,
    type === "i64" ? "ChillDiv" : "UDiv",
    writer.value(op1),
    writer.value(op2),
  );
};

function wideQuotient(
  { text }: TraceWriter,
  opcode: string,
  a: TextValue,
  b: TextValue,
): TextValue {
  const isZero = text.op("Int32", "Equal", b, text.long(0));
  const divisor = text.op("Int64", "Select", isZero, text.long(1), b);
  const quotient = text.op("Int64", opcode, a, divisor);
  return text.op("Int64", "Select", isZero, text.long(wrongQuotient), quotient);
}

const modulo: Rule = (writer, ref, { op1, op2 }) => {
  const { text } = writer;
  const type = writer.typeOf(ref);
  const [a, b] = [writer.value(op1), writer.value(op2)];
  if (type === "i64" || type === "u64")
    return wideQuotient(writer, type === "i64" ? "ChillMod" : "UMod", a, b);
  if (type === "num") {
    const floor = text.op("Double", "Floor", text.op("Double", "Div", a, b));
    return text.op("Double", "Sub", a, text.op("Double", "Mul", floor, b));
  }
  if (type !== "int") return cut(`MOD ${type}`);
  return floorMod(writer, a, b);
};

function floorMod({ text }: TraceWriter, a: TextValue, b: TextValue): TextValue {
  const rest = text.op("Int32", "ChillMod", a, b);
  const differs = text.op("Int32", "LessThan", text.op("Int32", "BitXor", rest, b), text.int(0));
  const moved = text.op("Int32", "Add", rest, b);
  const wraps = text.op(
    "Int32",
    "BitAnd",
    differs,
    text.op("Int32", "NotEqual", rest, text.int(0)),
  );
  return text.op("Int32", "Select", wraps, moved, rest);
}

const ROUNDINGS = ["Floor", "Ceil", "FTrunc", "Sqrt"];

function copyBytes(writer: TraceWriter, [to, from, size]: readonly TextValue[]): TextValue {
  writer.text.call("Void", "copyBytes", writer.heap, to, from, size);
  return to;
}

/** C functions that are modelled, with their arguments. */
const CALLS: {
  readonly [name: string]: (writer: TraceWriter, args: readonly TextValue[]) => TextValue;
} = {
  lj_vm_modi: (writer, [a, b]) => floorMod(writer, a, b),
  lj_carith_divi64: (writer, [a, b]) => wideQuotient(writer, "ChillDiv", a, b),
  lj_carith_divu64: (writer, [a, b]) => wideQuotient(writer, "UDiv", a, b),
  lj_carith_modi64: (writer, [a, b]) => wideQuotient(writer, "ChillMod", a, b),
  lj_carith_modu64: (writer, [a, b]) => wideQuotient(writer, "UMod", a, b),
  memcpy: copyBytes,
  memset: (writer, [to, byte, size]) => {
    writer.text.call("Void", "fillBytes", writer.heap, to, byte, size);
    return to;
  },
  lj_str_cmp: (writer, [a, b]) => writer.text.call("Int32", "compareStrings", writer.heap, a, b),
};

const call: Rule = (writer, _ref, { op1, op2 }) => {
  const name = writer.recorded.calls[op2] ?? "?";
  const rule = CALLS[name] ?? cut(`a call of ${name}`);
  return rule(writer, argumentsOf(writer, op1));
};

/** A call by the FFI. */
const callForeign: Rule = (writer, _ref, { op1, op2 }) => {
  const isMemmove = writer.trace.constants[-op2 - 1]?.bits === writer.recorded.memmove;
  return isMemmove ? copyBytes(writer, argumentsOf(writer, op1)) : cut("CALLXS");
};

function argumentsOf(writer: TraceWriter, op1: number): TextValue[] {
  const args: TextValue[] = [];
  let ref = op1;
  for (;;) {
    const instruction = ref > 0 ? writer.trace.instructions[ref - 1] : undefined;
    if (instruction?.opcode !== "CARG") break;
    args.unshift(writer.value(instruction.op2));
    ref = instruction.op1;
  }
  return [writer.value(ref), ...args];
}

const KEY_INDEX = 0x40;
const FRAME = 0x02;
const TYPE_CHECKED = 0x04;
const CONVERTED = 0x08;

const loadSlot: Rule = (writer, ref, { op1, op2, isGuard }) => {
  const { text } = writer;
  const type = writer.typeOf(ref);
  if ((op2 & KEY_INDEX) !== 0) return cut("SLOAD of the index of a key");
  const bits = writer.slot(op1);
  if ((op2 & FRAME) !== 0 && TYPES[type] === "Int32") return text.op("Int32", "Trunc", bits);
  const value = writer.untagged(ref, type, bits, (op2 & TYPE_CHECKED) !== 0);
  if (value?.type !== "Double" || type === "num") return value;
  if (isGuard && (op2 & CONVERTED) !== 0)
    return text.emit("Int32", `CheckToInt32(${value.id}) ${writer.snapshotFor(ref)}`);
  return text.op("Int32", "TruncS32", value);
};

/** Checks to where a function returns, and moves the base to the frame of that function. */
const returnToFrame: Rule = (writer, ref, { op2 }) => {
  const { text } = writer;
  const pc = writer.value(op2);
  const link = text.op("Int64", "Add", writer.base, text.long(-8));
  const found = text.load("Int64", writer.at(link));
  writer.guard(ref, text.op("Int32", "Equal", found, pc));
  const register = text.op("Int64", "Add", pc, text.long(-3));
  const slots = text.op(
    "Int32",
    "Add",
    text.load("Int32", writer.at(register), "Load8Z"),
    text.int(2),
  );
  const bytes = text.op("Int64", "Shl", text.op("Int64", "ZExt32", slots), text.int(3));
  writer.returnTo(text.op("Int64", "Sub", writer.base, bytes));
  return null;
};

const nothing: Rule = () => null;

export const INSTRUCTIONS: { readonly [opcode: string]: Rule } = {
  ...MEMORY,
  SLOAD: loadSlot,
  LT: compare("LessThan"),
  GE: compare("GreaterEqual"),
  LE: compare("LessEqual"),
  GT: compare("GreaterThan"),
  EQ: compare("Equal"),
  NE: compare("NotEqual"),
  ULT: unordered("Below", "GreaterEqual"),
  UGE: unordered("AboveEqual", "LessThan"),
  ULE: unordered("BelowEqual", "GreaterThan"),
  UGT: unordered("Above", "LessEqual"),
  ABC: compare("Above"),
  RETF: returnToFrame,
  BNOT: (writer, ref, { op1 }) => {
    const type = resultType(writer, ref);
    const ones = type === "Int64" ? writer.text.long(-1) : writer.text.int(-1);
    return writer.text.op(
      type,
      "BitXor",
      type === "Int64" ? writer.wide(op1) : writer.value(op1),
      ones,
    );
  },
  BSWAP: unary("ByteSwap"),
  BAND: binary("BitAnd"),
  BOR: binary("BitOr"),
  BXOR: binary("BitXor"),
  BSHL: shift("Shl"),
  BSHR: shift("ZShr"),
  BSAR: shift("SShr"),
  BROL: shift("RotL"),
  BROR: shift("RotR"),
  ADD: binary("Add"),
  SUB: binary("Sub"),
  MUL: binary("Mul"),
  DIV: divide,
  MOD: modulo,
  NEG: unary("Neg"),
  ABS: unary("Abs"),
  MIN: extreme("Min", "LessThan"),
  MAX: extreme("Max", "GreaterThan"),
  FPMATH: (writer, _ref, { op1, op2 }) => {
    const opcode = ROUNDINGS[op2] ?? cut(`FPMATH ${op2}`);
    return writer.text.op("Double", opcode, writer.value(op1));
  },
  ADDOV: overflowing("CheckAdd"),
  SUBOV: overflowing("CheckSub"),
  MULOV: overflowing("CheckMul"),
  CONV: convert,
  TOBIT: (writer, _ref, { op1, op2 }) => toBit(writer, writer.value(op1), writer.value(op2)),
  CALLN: call,
  CALLL: call,
  CALLS: call,
  CALLXS: callForeign,
  CARG: nothing,
  NOP: nothing,
  USE: nothing,
  GCSTEP: nothing,
  PVAL: (writer, ref) => writer.parentValue(ref),
  TBAR: nothing,
  OBAR: nothing,
  XBAR: nothing,
  PHI: nothing,
  RENAME: nothing,
};

// Translates CONV and TOBIT. A conversion to an integer that is out of range gives the integer with
// the highest bit alone, as on x86-64.

import type { TraceInstruction } from "./recorded-trace.js";
import type { TextValue } from "./trace-text.js";
import { cut, type TraceWriter } from "./trace-writer.js";
import { type IrType, irType, TYPES } from "./values.js";

const SIGN_EXTENDED = 0x800;
const SMALL: { readonly [type: string]: readonly [opcode: string, mask: number] } = {
  i8: ["SExt8", 0],
  i16: ["SExt16", 0],
  u8: ["BitAnd", 0xff],
  u16: ["BitAnd", 0xffff],
};

export function convert(
  writer: TraceWriter,
  ref: number,
  instruction: TraceInstruction,
): TextValue {
  const { op1, op2, isGuard } = instruction;
  const from = irType(op2 & 31) ?? cut("a conversion");
  const to = irType((op2 >> 5) & 31) ?? cut("a conversion");
  const value = writer.value(op1);
  if (TYPES[from] !== value.type && !(TYPES[from] === "Int64" && value.type === "Int64"))
    return cut(`CONV ${to}.${from} of ${value.type}`);
  if (from === "num" || from === "flt") return fromFloat(writer, ref, from, to, value, isGuard);
  if (to === "num" || to === "flt") return toFloat(writer, from, to, value);
  return betweenIntegers(writer, from, to, value, (op2 & SIGN_EXTENDED) !== 0);
}

function fromFloat(
  { text, snapshotFor }: TraceWriter,
  ref: number,
  from: IrType,
  to: IrType,
  value: TextValue,
  isGuard: boolean,
): TextValue {
  if (from === to) return value;
  if (to === "flt") return text.op("Float", "DoubleToFloat", value);
  const wide = from === "flt" ? text.op("Double", "FloatToDouble", value) : value;
  if (to === "num") return wide;
  if (isGuard) return text.emit("Int32", `CheckToInt32(${wide.id}) ${snapshotFor(ref)}`);
  const type = TYPES[to];
  if (to === "u64") {
    const low = truncated({ text }, "Int64", wide);
    const distance = text.double(0x43f0000000000000n);
    const high = truncated({ text }, "Int64", text.op("Double", "Sub", wide, distance));
    const isHigh = text.op("Int32", "LessThan", low, text.long(0));
    const isNegative = text.op("Int32", "LessThan", wide, text.double(0n));
    const chosen = text.op("Int64", "Select", isHigh, high, low);
    return text.op("Int64", "Select", isNegative, low, chosen);
  }
  if (to === "u32") return text.op("Int32", "Trunc", truncated({ text }, "Int64", wide));
  return type === "Int64" || type === "Int32"
    ? truncated({ text }, type, wide)
    : cut(`CONV ${to}.${from}`);
}

/** Rounds toward zero; the integer with the highest bit alone if that is out of range. */
function truncated(
  { text }: Pick<TraceWriter, "text">,
  type: "Int32" | "Int64",
  value: TextValue,
): TextValue {
  const [opcode, least, beyond] =
    type === "Int32"
      ? ["TruncS32", text.double(0xc1e0000000200000n), text.double(0x41e0000000000000n)]
      : ["TruncS64", text.double(0xc3e0000000000001n), text.double(0x43e0000000000000n)];
  const isAbove = text.op("Int32", "GreaterThan", value, least);
  const isBelow = text.op("Int32", "LessThan", value, beyond);
  const fits = text.op("Int32", "BitAnd", isAbove, isBelow);
  const wrong = type === "Int32" ? text.int(0x80000000) : text.long(1n << 63n);
  return text.op(type, "Select", fits, text.op(type, opcode, value), wrong);
}

function toFloat({ text }: TraceWriter, from: IrType, to: IrType, value: TextValue): TextValue {
  const isUnsigned = from === "u32" || from === "u64";
  const [type, letter] = to === "num" ? (["Double", "D"] as const) : (["Float", "F"] as const);
  return text.op(type, `${isUnsigned ? "U" : "I"}To${letter}`, value);
}

function betweenIntegers(
  { text }: TraceWriter,
  from: IrType,
  to: IrType,
  value: TextValue,
  isSigned: boolean,
): TextValue {
  const small = SMALL[to] ?? SMALL[from];
  if (small !== undefined && value.type === "Int32") {
    const [opcode, mask] = small;
    const narrow =
      mask === 0
        ? text.op("Int32", opcode, value)
        : text.op("Int32", opcode, value, text.int(mask));
    return TYPES[to] === "Int64"
      ? text.op("Int64", mask === 0 ? "SExt32" : "ZExt32", narrow)
      : narrow;
  }
  if (TYPES[to] === "Int64" && value.type === "Int32")
    return text.op("Int64", isSigned ? "SExt32" : "ZExt32", value);
  if (TYPES[to] === "Int32" && value.type === "Int64") return text.op("Int32", "Trunc", value);
  return value;
}

/** Adds 2^52 + 2^51, and takes the low bits: rounds to nearest. */
export function toBit({ text }: TraceWriter, number: TextValue, bias: TextValue): TextValue {
  const sum = text.op("Double", "Add", number, bias);
  return text.op("Int32", "Trunc", text.op("Int64", "BitwiseCast", sum));
}

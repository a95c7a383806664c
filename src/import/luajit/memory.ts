// Translates accesses to tables, strings, upvalues and cdata: addresses of LuaJIT's objects
// (lj_obj.h, 64-bit references), translated to the copy of the memory.

import type { TraceInstruction } from "./recorded-trace.js";
import type { TextValue } from "./trace-text.js";
import { cut, type TraceWriter } from "./trace-writer.js";
import { TYPES } from "./values.js";

/** Offsets and widths in bytes of the fields that FLOAD and FREF name. */
const FIELDS: { readonly [name: string]: readonly [offset: number, width: 1 | 2 | 4 | 8] } = {
  "str.len": [20, 4],
  "func.env": [16, 8],
  "func.pc": [32, 8],
  "func.ffid": [10, 1],
  "thread.env": [72, 8],
  "tab.meta": [32, 8],
  "tab.array": [16, 8],
  "tab.node": [40, 8],
  "tab.asize": [48, 4],
  "tab.hmask": [52, 4],
  "tab.nomm": [10, 1],
  "udata.meta": [32, 8],
  "udata.udtype": [10, 1],
  "udata.file": [40, 8],
  "cdata.ctypeid": [10, 2],
  "cdata.ptr": [16, 8],
  "cdata.int": [16, 4],
  "cdata.int64": [16, 8],
  "cdata.int64_4": [20, 4],
};
const STRING_BYTES = 24;
const NODE_BYTES = 24;
const UPVALUES = 40;
const CDATA_BYTES = 16;
const CDATA_KIND = 10;

type Rule = (writer: TraceWriter, ref: number, instruction: TraceInstruction) => TextValue | null;

const fieldOf = (writer: TraceWriter, number: number): readonly [number, 1 | 2 | 4 | 8] => {
  const name = writer.recorded.fields[number] ?? "?";
  return FIELDS[name] ?? cut(`the field ${name}`);
};

const offsetBy = (
  { text }: TraceWriter,
  address: TextValue,
  bytes: number | TextValue,
): TextValue =>
  text.op("Int64", "Add", address, typeof bytes === "number" ? text.long(bytes) : bytes);

const loadSlot: Rule = (writer, ref, { op1, isGuard }) => {
  const bits = writer.text.load("Int64", writer.at(writer.value(op1)));
  return writer.untagged(ref, typeAt(writer, ref), bits, isGuard);
};
const typeAt = (writer: TraceWriter, ref: number) => writer.typeOf(ref);

const storeSlot: Rule = (writer, _ref, { op1, op2 }) => {
  writer.text.store(writer.tagged(op2), writer.at(writer.value(op1)));
  return null;
};

/** Loads and stores of bytes by the IR type; other types have their own width. */
const LOADS: { readonly [type: string]: string } = {
  i8: "Load8S",
  u8: "Load8Z",
  i16: "Load16S",
  u16: "Load16Z",
};
const STORES: { readonly [type: string]: string } = {
  ...{ i8: "Store8", u8: "Store8", i16: "Store16", u16: "Store16" },
};

export const MEMORY: { readonly [opcode: string]: Rule } = {
  AREF: (writer, _ref, { op1, op2 }) => {
    const { text } = writer;
    const bytes = text.op("Int64", "Shl", writer.wide(op2), text.int(3));
    return offsetBy(writer, writer.value(op1), bytes);
  },
  HREFK: (writer, ref, { op1, op2 }) => {
    const { text } = writer;
    const { slot } = writer.trace.constants[-op2 - 1] ?? { slot: null };
    const node = offsetBy(
      writer,
      writer.value(op1),
      NODE_BYTES * (slot ?? cut("a key without slot")),
    );
    const key = text.load("Int64", writer.at(node, 8));
    writer.guard(ref, text.op("Int32", "Equal", key, writer.tagged(op2)));
    return node;
  },
  HREF: (writer, ref, { op1, op2 }) => {
    const nothing = absentKey(writer, ref);
    const key = writer.tagged(op2);
    return writer.text.call("Int64", "findKey", writer.heap, writer.value(op1), key, nothing);
  },
  UREFO: (writer, _ref, { op1, op2 }) => {
    const upvalue = upvalueOf(writer, op1, op2);
    return writer.text.load("Int64", writer.at(upvalue, 32));
  },
  UREFC: (writer, ref, { op1, op2, isGuard }) => {
    const upvalue = upvalueOf(writer, op1, op2);
    if (isGuard) {
      const closed = writer.text.load("Int32", writer.at(upvalue, 10), "Load8Z");
      writer.guard(ref, closed);
    }
    return offsetBy(writer, upvalue, 16);
  },
  FREF: (writer, _ref, { op1, op2 }) =>
    offsetBy(writer, writer.value(op1), fieldOf(writer, op2)[0]),
  STRREF: (writer, _ref, { op1, op2 }) =>
    offsetBy(writer, offsetBy(writer, writer.value(op1), writer.wide(op2)), STRING_BYTES),
  ALOAD: loadSlot,
  HLOAD: loadSlot,
  ULOAD: loadSlot,
  VLOAD: loadSlot,
  ASTORE: storeSlot,
  HSTORE: storeSlot,
  USTORE: storeSlot,
  FLOAD: (writer, _ref, { op1, op2 }) => {
    // A field of LuaJIT's own state: masks for NEG and ABS, which need none here.
    if (op1 === -1) return null;
    const [offset, width] = fieldOf(writer, op2);
    const address = writer.at(writer.value(op1), offset);
    if (width === 8) return writer.text.load("Int64", address);
    const opcode = width === 4 ? "Load" : width === 2 ? "Load16Z" : "Load8Z";
    return writer.text.load("Int32", address, opcode);
  },
  FSTORE: (writer, _ref, { op1, op2 }) => {
    const {
      opcode,
      op1: object,
      op2: field,
    } = writer.trace.instructions[op1 - 1] ?? cut("a field");
    if (opcode !== "FREF") return cut("a store to no field");
    const [offset, width] = fieldOf(writer, field);
    const value = writer.typeOf(op2) === "nil" ? writer.text.long(0) : writer.value(op2);
    const stored = width === 1 ? "Store8" : width === 2 ? "Store16" : "Store";
    writer.text.store(value, writer.at(writer.value(object), offset), 0, stored);
    return null;
  },
  XLOAD: (writer, ref, { op1 }) => {
    const type = writer.typeOf(ref);
    const kind = TYPES[type] ?? cut(`XLOAD ${type}`);
    return writer.text.load(kind, writer.at(writer.value(op1)), LOADS[type]);
  },
  XSTORE: (writer, ref, { op1, op2 }) => {
    const type = writer.typeOf(ref);
    const wide = writer.value(op2);
    const isNarrowed = TYPES[type] === "Int32" && wide.type === "Int64";
    const value = isNarrowed ? writer.text.op("Int32", "Trunc", wide) : wide;
    if (value.type !== TYPES[type]) return cut(`XSTORE ${type} of ${value.type}`);
    writer.text.store(value, writer.at(writer.value(op1)), 0, STORES[type]);
    return null;
  },
  ALEN: (writer, ref, { op1 }) => {
    const length = writer.text.call("Int32", "lengthOf", writer.heap, writer.value(op1));
    writer.cutIf(ref, writer.text.op("Int32", "LessThan", length, writer.text.int(0)));
    return length;
  },
  TNEW: (writer, _ref, { op1, op2 }) => {
    const { text, recorded } = writer;
    if (op1 > 1024 || op2 > 8) return cut("TNEW of a large table");
    const nodes = op2 === 0 ? 0 : 1 << op2;
    const sizes = [text.int(op1), text.int(nodes), text.int(Math.max(0, nodes - 1))];
    return text.call("Int64", "newTable", writer.heap, ...sizes, text.long(recorded.nilNode));
  },
  TDUP: (writer, _ref, { op1 }) =>
    writer.text.call("Int64", "duplicate", writer.heap, writer.value(op1)),
  CNEWI: (writer, _ref, { op1, op2 }) => {
    const object = newCdata(writer, op1, writer.text.long(CDATA_BYTES + 8));
    writer.text.store(writer.value(op2), writer.at(object), CDATA_BYTES);
    return object;
  },
  CNEW: (writer, _ref, { op1, op2 }) => {
    const { text } = writer;
    if (op2 === -1) return newCdata(writer, op1, text.long(UNKNOWN_BYTES));
    const size = text.op("Int64", "Add", writer.wide(op2), text.long(CDATA_BYTES));
    return newCdata(writer, op1, size);
  },
  NEWREF: newKey,
};

/** The room for cdata whose size depends on its type. */
const UNKNOWN_BYTES = 1 << 14;

function newCdata(writer: TraceWriter, kind: number, size: TextValue): TextValue {
  const { text } = writer;
  const object = text.call("Int64", "allocate", writer.heap, size);
  text.store(writer.value(kind), writer.at(object), CDATA_KIND, "Store16");
  return object;
}

/** The numbers of rotations in the hash of a number. */
const ROTATIONS = [14, 5, 13];
const STRING_ID = 12;

/**
 * Adds a key to the hash part: in its main position, if that is free. Otherwise nodes move, or the table grows, which
 * is not modelled.
 */
function newKey(writer: TraceWriter, ref: number, { op1, op2 }: TraceInstruction): TextValue {
  const { text } = writer;
  const table = writer.value(op1);
  const key = writer.tagged(op2);
  const type = writer.typeOf(op2);
  const mask = text.load("Int32", writer.at(table, FIELDS["tab.hmask"][0]));
  const hash =
    type === "str"
      ? text.load("Int32", writer.at(writer.value(op2), STRING_ID))
      : type === "num" || type === "int"
        ? hashOfNumber(writer, key)
        : cut(`NEWREF of a key of type ${type}`);
  const index = text.op("Int64", "ZExt32", text.op("Int32", "BitAnd", hash, mask));
  const nodes = text.load("Int64", writer.at(table, FIELDS["tab.node"][0]));
  const bytes = text.op("Int64", "Mul", index, text.long(NODE_BYTES));
  const node = text.op("Int64", "Add", nodes, bytes);
  const isTaken = text.op("Int32", "NotEqual", text.load("Int64", writer.at(node)), text.long(-1));
  const isEmpty = text.op("Int32", "Equal", mask, text.int(0));
  writer.cutIf(ref, text.op("Int32", "BitOr", isTaken, isEmpty));
  text.store(key, writer.at(node, 8));
  return node;
}

/** Returns hashlohi of lj_tab.c. */
function hashOfNumber({ text }: TraceWriter, bits: TextValue): TextValue {
  const rotate = (value: TextValue, r: number): TextValue =>
    text.op("Int32", "RotL", value, text.int(ROTATIONS[r]));
  let high = text.op("Int32", "Shl", text.op("Int32", "TruncHigh", bits), text.int(1));
  let low = text.op("Int32", "BitXor", text.op("Int32", "Trunc", bits), high);
  high = rotate(high, 0);
  low = text.op("Int32", "Sub", low, high);
  high = text.op("Int32", "BitXor", rotate(high, 1), low);
  return text.op("Int32", "Sub", high, rotate(low, 2));
}

/** Returns the address for a key that a table does not have: traces compare the result with it. */
function absentKey(writer: TraceWriter, ref: number): TextValue {
  const compared = writer.trace.instructions.find(
    ({ opcode, op1, op2 }) => (opcode === "EQ" || opcode === "NE") && op1 === ref && op2 < 0,
  );
  if (compared !== undefined) return writer.value(compared.op2);
  return writer.text.long(writer.recorded.nilNode);
}

function upvalueOf(writer: TraceWriter, f: number, packed: number): TextValue {
  const { text } = writer;
  return text.load("Int64", writer.at(writer.value(f), UPVALUES + 8 * (packed >> 8)));
}

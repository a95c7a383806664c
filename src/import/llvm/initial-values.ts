// Stores the initial values of globals (LangRef, "Global Variables").

import { Op } from "../../ir/opcodes.js";
import { Int64, Void } from "../../ir/types.js";
import { outside } from "../../llvm/llvm-error.js";
import type { LlvmGlobal, LlvmOperand } from "../../llvm/module.js";
import { allocSize, type LlvmType, layoutOf, storeSize } from "../../llvm/types.js";
import { constantLeaves } from "./constants.js";
import type { FunctionContext } from "./context.js";
import { BYTE_STATES } from "./layout.js";

/** The bytes of an initial value, and the parts of it that are no numbers. */
interface InitialImage {
  readonly bytes: Uint8Array;
  /** Bytes without a value. */
  readonly unwritten: { readonly at: number; readonly size: number }[];
  readonly addresses: {
    readonly at: number;
    readonly operand: LlvmOperand;
    readonly type: LlvmType;
  }[];
}

/** Makes the global an object, and stores its initial value. */
export function writeInitialValue(
  c: FunctionContext,
  { name, type, initializer, isConstant }: LlvmGlobal,
): void {
  const { e, base, layout } = c;
  const place = layout.placeOf(name, type);
  if (place === null) throw outside(e.line, `the space for the global @${name}`);
  const size = Math.max(storeSize(type), allocSize(type));
  const image: InitialImage = { bytes: new Uint8Array(size), unwritten: [], addresses: [] };
  if (initializer === null) externalBytes(image.bytes, name);
  else fill(image, initializer, type, 0, e.line);
  const address = e.offset(base, place.at);
  const state = isConstant ? BYTE_STATES.constant : BYTE_STATES.defined;
  const fillBytes = (byte: number, at: number, count: number): void => {
    e.emit(Op.FillBytes, Void, e.int(byte), e.offset(base, place.at + at), e.long(count));
  };
  fillBytes(0, 0, size);
  fillBytes(state, layout.states, size);
  for (const { at, size: count } of image.unwritten)
    fillBytes(state | BYTE_STATES.unwritten, layout.states + at, count);
  storeImage(c, image.bytes, place.at);
  for (const { at, operand, type: of } of image.addresses) {
    const [{ value }] = constantLeaves(c, operand, of);
    e.store(Op.Store, value, address, at);
  }
}

/** Other modules define the value: any, but the same in all texts. */
function externalBytes(bytes: Uint8Array, name: string): void {
  for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 37 + name.length) & 0xff;
}

function storeImage({ e, base }: FunctionContext, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < bytes.length; i += 8) {
    const word = bytes.slice(i, i + 8);
    if (word.every((byte) => byte === 0)) continue;
    let bits = 0n;
    for (const byte of Array.from(word).reverse()) bits = (bits << 8n) | BigInt(byte);
    if (word.length === 8) e.store(Op.Store, e.integer(Int64, bits), base, at + i);
    else {
      for (const [k, byte] of word.entries()) e.store(Op.Store8, e.int(byte), base, at + i + k);
    }
  }
}

function fill(
  image: InitialImage,
  operand: LlvmOperand,
  type: LlvmType,
  at: number,
  line: number,
): void {
  const size = storeSize(type);
  switch (operand.kind) {
    case "zero":
    case "null":
      return;
    case "undef":
    case "poison":
      image.unwritten.push({ at, size });
      return;
    case "int":
      fillNumber(image.bytes, operand.value, at, size);
      return;
    case "float":
      fillNumber(image.bytes, bitsOfFloat(type, operand.value), at, size);
      return;
    case "elements": {
      const offsets = type.kind === "struct" ? layoutOf(type.fields, type.isPacked).offsets : null;
      operand.elements.forEach((each, i) => {
        const offset = offsets?.[i] ?? i * allocSize(each.type);
        if (at + offset + storeSize(each.type) > image.bytes.length)
          throw outside(line, "an initial value larger than its global");
        fill(image, each.operand, each.type, at + offset, line);
      });
      return;
    }
    default:
      if (type.kind !== "ptr" && size !== 8) throw outside(line, "an address of less than 8 bytes");
      image.addresses.push({ at, operand, type });
  }
}

function fillNumber(bytes: Uint8Array, value: bigint, at: number, size: number): void {
  for (let i = 0; i < size; i++) bytes[at + i] = Number((value >> BigInt(8 * i)) & 0xffn);
}

const view = new DataView(new ArrayBuffer(8));

function bitsOfFloat({ kind }: LlvmType, x: number): bigint {
  if (kind === "float") {
    view.setFloat32(0, x);
    return BigInt(view.getUint32(0));
  }
  view.setFloat64(0, x);
  return view.getBigUint64(0);
}

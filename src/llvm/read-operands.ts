// Reads operands: names, constants and constant expressions (LangRef, "Constants").

import { LlvmError, outside } from "./llvm-error.js";
import type { LlvmOperand, TypedOperand } from "./module.js";
import { readConstantExpression } from "./read-instructions.js";
import { type NamedTypes, readAttributes, readType } from "./read-types.js";
import type { Reader } from "./reader.js";
import { intType, type LlvmType } from "./types.js";

const NAMED_CONSTANTS: Readonly<Record<string, LlvmOperand>> = {
  true: { kind: "int", value: 1n },
  false: { kind: "int", value: 0n },
  null: { kind: "null" },
  undef: { kind: "undef" },
  poison: { kind: "poison" },
  zeroinitializer: { kind: "zero" },
};
const BRACKETS: Readonly<Record<string, string>> = { "[": "]", "{": "}", "<": ">" };

/** @throws LlvmError */
export function readOperand(reader: Reader, named: NamedTypes, type: LlvmType): LlvmOperand {
  const { token, line } = reader;
  switch (token.kind) {
    case "local":
    case "global":
      reader.next();
      return { kind: token.kind, name: token.text };
    case "number":
      reader.next();
      return numberOf(token.text, type, line);
    case "string":
      reader.next();
      return bytesOf(token.text);
    case "word": {
      const constant = Object.hasOwn(NAMED_CONSTANTS, token.text) && NAMED_CONSTANTS[token.text];
      if (constant) {
        reader.next();
        return constant;
      }
      if (token.text === "splat") return readSplat(reader, named, type);
      return { kind: "expression", instruction: readConstantExpression(reader, named) };
    }
    default:
      if (Object.hasOwn(BRACKETS, token.text)) return readElements(reader, named);
      throw reader.unexpected("an operand");
  }
}

export function readTypedOperand(reader: Reader, named: NamedTypes): TypedOperand {
  const type = readType(reader, named);
  if (type.kind === "metadata") throw outside(reader.line, "operands that are metadata");
  readAttributes(reader, named);
  return { type, operand: readOperand(reader, named, type) };
}

function readElements(reader: Reader, named: NamedTypes): LlvmOperand {
  const open = reader.next().text;
  if (open === "<" && reader.is("{")) {
    const packed = readElements(reader, named);
    reader.expect(">");
    return packed;
  }
  const elements: TypedOperand[] = [];
  while (!reader.accept(BRACKETS[open])) {
    if (elements.length > 0) reader.expect(",");
    elements.push(readTypedOperand(reader, named));
  }
  return { kind: "elements", elements };
}

function readSplat(reader: Reader, named: NamedTypes, type: LlvmType): LlvmOperand {
  reader.expect("splat");
  reader.expect("(");
  const element = readTypedOperand(reader, named);
  reader.expect(")");
  const count = type.kind === "vector" ? type.count : 0;
  return { kind: "elements", elements: Array.from({ length: count }, () => element) };
}

const BYTE = intType(8);
const bytesOf = (text: string): LlvmOperand => ({
  kind: "elements",
  elements: Array.from(text, (char) => {
    return { type: BYTE, operand: { kind: "int", value: BigInt(char.charCodeAt(0)) } };
  }),
});

const view = new DataView(new ArrayBuffer(8));

function numberOf(text: string, type: LlvmType, line: number): LlvmOperand {
  if (type.kind === "int") {
    if (!/^-?\d+$/.test(text)) throw new LlvmError(line, `expected an integer, found '${text}'`);
    return { kind: "int", value: BigInt.asUintN(type.bits, BigInt(text)) };
  }
  if (type.kind !== "float" && type.kind !== "double") {
    throw new LlvmError(line, `a number where ${type.kind} is expected`);
  }
  if (!text.startsWith("0x")) return { kind: "float", value: Number(text) };
  if (!/^0x[0-9a-fA-F]{1,16}$/.test(text)) throw outside(line, `the constant ${text}`);
  // The bits of a double, for a float as well.
  view.setBigUint64(0, BigInt(text));
  return { kind: "float", value: view.getFloat64(0) };
}

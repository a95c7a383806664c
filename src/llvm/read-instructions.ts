// Reads instructions and operands (LangRef, "Instruction Reference", "Constants"). Each row of the table reads what follows an opcode.

import { LlvmError, outside } from "./llvm-error.js";
import type { LlvmInstruction, LlvmOperand, TypedOperand } from "./module.js";
import { type NamedTypes, readAttributes, readType } from "./read-types.js";
import type { TokenReader } from "./reader.js";
import { BIT, intType, type LlvmType, POINTER, VOID } from "./types.js";

type InstructionParts = Partial<LlvmInstruction> & Pick<LlvmInstruction, "type">;
type InstructionReader = (reader: TokenReader, named: NamedTypes) => InstructionParts;

/** Words before the operands that make a result poison, or allow the result to change. */
const FLAGS = new Set([
  ...["nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw"],
  ...["nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast", "volatile"],
]);

function binary(reader: TokenReader, named: NamedTypes): InstructionParts {
  const type = readType(reader, named);
  const x = readOperand(reader, named, type);
  reader.expect(",");
  const y = readOperand(reader, named, type);
  return {
    type,
    operands: [
      { type, operand: x },
      { type, operand: y },
    ],
  };
}

function unary(reader: TokenReader, named: NamedTypes): InstructionParts {
  const x = readTypedOperand(reader, named);
  return { type: x.type, operands: [x] };
}

function conversion(reader: TokenReader, named: NamedTypes): InstructionParts {
  const x = readTypedOperand(reader, named);
  reader.expect("to");
  return { type: readType(reader, named), operands: [x] };
}

function comparison(reader: TokenReader, named: NamedTypes): InstructionParts {
  const predicate = reader.take("word", "a predicate");
  const { type: compared, operands = [] } = binary(reader, named);
  const type: LlvmType =
    compared.kind === "vector" ? { kind: "vector", count: compared.count, element: BIT } : BIT;
  return { type, predicate, operands };
}

function operandsUntilEnd(reader: TokenReader, named: NamedTypes): TypedOperand[] {
  const operands = [readTypedOperand(reader, named)];
  while (reader.is(",") && reader.peek().kind !== "meta") {
    reader.next();
    operands.push(readTypedOperand(reader, named));
  }
  return operands;
}

function select(reader: TokenReader, named: NamedTypes): InstructionParts {
  const operands = operandsUntilEnd(reader, named);
  if (operands.length !== 3) throw new LlvmError(reader.line, "expected three operands of select");
  return { type: operands[1].type, operands };
}

function phi(reader: TokenReader, named: NamedTypes): InstructionParts {
  const type = readType(reader, named);
  const operands: TypedOperand[] = [];
  const labels: string[] = [];
  do {
    reader.expect("[");
    operands.push({ type, operand: readOperand(reader, named, type) });
    reader.expect(",");
    labels.push(reader.take("local", "a label"));
    reader.expect("]");
  } while (reader.peek().kind !== "meta" && reader.accept(","));
  return { type, operands, labels };
}

function branch(reader: TokenReader, named: NamedTypes): InstructionParts {
  const operands: TypedOperand[] = [];
  if (!reader.is("label")) {
    operands.push(readTypedOperand(reader, named));
    reader.expect(",");
  }
  const labels = [label(reader)];
  if (operands.length > 0) {
    reader.expect(",");
    labels.push(label(reader));
  }
  return { type: VOID, operands, labels };
}

function label(reader: TokenReader): string {
  reader.expect("label");
  return reader.take("local", "a label");
}

function switchOn(reader: TokenReader, named: NamedTypes): InstructionParts {
  const value = readTypedOperand(reader, named);
  reader.expect(",");
  const labels = [label(reader)];
  const keys: bigint[] = [];
  reader.expect("[");
  while (!reader.accept("]")) {
    const key = readTypedOperand(reader, named).operand;
    if (key.kind !== "int")
      throw new LlvmError(reader.line, "expected an integer as the key of a case");
    keys.push(key.value);
    reader.expect(",");
    labels.push(label(reader));
  }
  return { type: VOID, operands: [value], labels, keys };
}

function ret(reader: TokenReader, named: NamedTypes): InstructionParts {
  if (reader.accept("void")) return { type: VOID };
  return { type: VOID, operands: [readTypedOperand(reader, named)] };
}

function alloca(reader: TokenReader, named: NamedTypes): InstructionParts {
  reader.accept("inalloca");
  const element = readType(reader, named);
  const operands: TypedOperand[] = [];
  let alignment = 16;
  while (reader.is(",") && reader.peek().kind !== "meta") {
    reader.next();
    if (reader.accept("align")) alignment = reader.integer();
    else if (reader.is("addrspace")) throw outside(reader.line, "address spaces");
    else operands.push(readTypedOperand(reader, named));
  }
  return { type: POINTER, element, operands, alignment };
}

function alignmentAfter(reader: TokenReader): number | undefined {
  if (!(reader.is(",") && reader.peek().text === "align")) return undefined;
  reader.next();
  reader.next();
  return reader.integer();
}

function access(
  type: LlvmType,
  operands: TypedOperand[],
  alignment: number | undefined,
): InstructionParts {
  return { type, operands, ...(alignment === undefined ? {} : { alignment }) };
}

function load(reader: TokenReader, named: NamedTypes): InstructionParts {
  const type = readType(reader, named);
  reader.expect(",");
  const pointer = readTypedOperand(reader, named);
  return access(type, [pointer], alignmentAfter(reader));
}

function store(reader: TokenReader, named: NamedTypes): InstructionParts {
  const value = readTypedOperand(reader, named);
  reader.expect(",");
  const pointer = readTypedOperand(reader, named);
  return access(VOID, [value, pointer], alignmentAfter(reader));
}

function elementPointer(reader: TokenReader, named: NamedTypes): InstructionParts {
  if (reader.is("inrange")) throw outside(reader.line, "inrange");
  const element = readType(reader, named);
  reader.expect(",");
  const operands = operandsUntilEnd(reader, named);
  const counts = operands.flatMap(({ type }) => (type.kind === "vector" ? [type.count] : []));
  if (counts.length > 0) throw outside(reader.line, "vectors of pointers");
  return { type: POINTER, element, operands };
}

function indicesAfter(reader: TokenReader): number[] {
  const indices: number[] = [];
  while (reader.is(",") && reader.peek().kind === "number") {
    reader.next();
    indices.push(reader.integer());
  }
  return indices;
}

/** Returns the type of the part that the indices name. */
function partType(type: LlvmType, indices: readonly number[], line: number): LlvmType {
  return indices.reduce((inner: LlvmType, index) => {
    const part =
      inner.kind === "struct"
        ? inner.fields[index]
        : inner.kind === "array" || inner.kind === "vector"
          ? inner.element
          : undefined;
    if (part === undefined) throw new LlvmError(line, `the aggregate has no element ${index}`);
    return part;
  }, type);
}

function extractValue(reader: TokenReader, named: NamedTypes): InstructionParts {
  const x = readTypedOperand(reader, named);
  const indices = indicesAfter(reader);
  return { type: partType(x.type, indices, reader.line), operands: [x], indices };
}

function insertValue(reader: TokenReader, named: NamedTypes): InstructionParts {
  const x = readTypedOperand(reader, named);
  reader.expect(",");
  const part = readTypedOperand(reader, named);
  return { type: x.type, operands: [x, part], indices: indicesAfter(reader) };
}

function extractElement(reader: TokenReader, named: NamedTypes): InstructionParts {
  const operands = operandsUntilEnd(reader, named);
  return { type: partType(operands[0].type, [0], reader.line), operands };
}

function insertElement(reader: TokenReader, named: NamedTypes): InstructionParts {
  const operands = operandsUntilEnd(reader, named);
  return { type: operands[0].type, operands };
}

function shuffle(reader: TokenReader, named: NamedTypes): InstructionParts {
  const operands = operandsUntilEnd(reader, named);
  const [x, , mask] = operands;
  if (mask === undefined || x.type.kind !== "vector" || mask.type.kind !== "vector")
    throw new LlvmError(reader.line, "expected two vectors and a mask");
  const { count } = mask.type;
  const { operand } = mask;
  const indices = Array.from({ length: count }, (_, lane) => {
    if (operand.kind === "zero") return 0;
    if (operand.kind !== "elements") return -1;
    const element = operand.elements[lane]?.operand;
    return element?.kind === "int" ? Number(element.value) : -1;
  });
  const type: LlvmType = { kind: "vector", count, element: x.type.element };
  return { type, operands: operands.slice(0, 2), indices };
}

const CONVENTIONS = /^(?:ccc|fastcc|coldcc|tailcc|swiftcc|swifttailcc|cc|preserve_\w+|x86_\w+cc)$/;

function call(reader: TokenReader, named: NamedTypes): InstructionParts {
  const { line } = reader;
  while (CONVENTIONS.test(reader.token.text)) {
    reader.next();
    reader.acceptNumber();
  }
  const resultAttributes = readAttributes(reader, named);
  const type = readType(reader, named);
  if (reader.is("(")) reader.skipGroup(); // the types of a variadic function's parameters
  if (reader.is("asm")) throw outside(line, "inline assembly");
  const callee: TypedOperand = { type: POINTER, operand: readOperand(reader, named, POINTER) };
  const operands: TypedOperand[] = [];
  const attributes = [];
  reader.expect("(");
  while (!reader.accept(")")) {
    if (operands.length > 0) reader.expect(",");
    const argumentType = readType(reader, named);
    if (argumentType.kind === "metadata") {
      operands.push({ type: argumentType, operand: { kind: "zero" } });
      attributes.push(readAttributes(reader, named));
      while (!reader.is(",") && !reader.is(")")) {
        if (reader.isAtEnd) throw reader.unexpected("')'");
        if (["(", "{"].some((each) => reader.is(each))) reader.skipGroup();
        else reader.next();
      }
      continue;
    }
    attributes.push(readAttributes(reader, named));
    operands.push({ type: argumentType, operand: readOperand(reader, named, argumentType) });
  }
  const callAttributes = new Set<string>();
  while (
    reader.line === line &&
    (reader.token.kind === "attributes" || reader.token.kind === "word")
  ) {
    callAttributes.add(reader.next().text);
    if (reader.is("(")) reader.skipGroup();
  }
  if (reader.line === line && reader.is("[")) reader.skipGroup(); // operand bundles are facts alone
  return { type, operands: [callee, ...operands], attributes, resultAttributes, callAttributes };
}

const BINARY_OPCODES = [
  ...["add", "sub", "mul", "udiv", "sdiv", "urem", "srem"],
  ...["shl", "lshr", "ashr", "and", "or", "xor"],
  ...["fadd", "fsub", "fmul", "fdiv", "frem"],
];
const CONVERSION_OPCODES = [
  ...["trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp"],
  ...["ptrtoint", "inttoptr", "bitcast"],
];

const READERS: ReadonlyMap<string, InstructionReader> = new Map([
  ...BINARY_OPCODES.map((opcode) => [opcode, binary] as const),
  ...CONVERSION_OPCODES.map((opcode) => [opcode, conversion] as const),
  ...([
    ["fneg", unary],
    ["freeze", unary],
    ["icmp", comparison],
    ["fcmp", comparison],
    ["select", select],
    ["phi", phi],
    ["br", branch],
    ["switch", switchOn],
    ["ret", ret],
    ["unreachable", () => ({ type: VOID })],
    ["alloca", alloca],
    ["load", load],
    ["store", store],
    ["getelementptr", elementPointer],
    ["extractvalue", extractValue],
    ["insertvalue", insertValue],
    ["extractelement", extractElement],
    ["insertelement", insertElement],
    ["shufflevector", shuffle],
    ["call", call],
  ] satisfies [string, InstructionReader][]),
]);

/** @throws LlvmError */
export function readInstruction(reader: TokenReader, named: NamedTypes): LlvmInstruction {
  const { line } = reader;
  let result: string | null = null;
  if (reader.token.kind === "local") {
    result = reader.next().text;
    reader.expect("=");
  }
  while (reader.is("tail") || reader.is("musttail") || reader.is("notail")) reader.next();
  return readAfterResult(reader, named, result, line);
}

function readAfterResult(
  reader: TokenReader,
  named: NamedTypes,
  result: string | null,
  line: number,
): LlvmInstruction {
  const opcode = reader.take("word", "an instruction");
  const read = READERS.get(opcode);
  if (read === undefined) throw outside(line, opcode);
  const flags = new Set<string>();
  for (;;) {
    if (reader.is("atomic")) throw outside(line, `atomic ${opcode}`);
    const { kind, text } = reader.token;
    if (kind !== "word" || !FLAGS.has(text)) break;
    flags.add(reader.next().text);
    if (reader.is("(")) reader.skipGroup();
  }
  const parts = read(reader, named);
  return { operands: [], ...parts, result, opcode, flags, line };
}

/** Reads an opcode with its operands in parentheses, as constants have it. */
function readConstantExpression(reader: TokenReader, named: NamedTypes): LlvmInstruction {
  const { line } = reader;
  const opcode = reader.take("word", "an operand");
  const read = READERS.get(opcode);
  const isAllowed = BINARY_OPCODES.includes(opcode) || CONVERSION_OPCODES.includes(opcode);
  if (read === undefined || !(isAllowed || opcode === "getelementptr")) throw outside(line, opcode);
  const flags = new Set<string>();
  while (reader.token.kind === "word" && FLAGS.has(reader.token.text)) {
    flags.add(reader.next().text);
  }
  if (reader.is("inrange")) {
    reader.next();
    reader.skipGroup();
  }
  reader.expect("(");
  const parts =
    isAllowed && BINARY_OPCODES.includes(opcode)
      ? constantPair(reader, named)
      : read(reader, named);
  reader.expect(")");
  return { operands: [], ...parts, result: null, opcode, flags, line };
}

/** In constants each operand has its type. */
function constantPair(reader: TokenReader, named: NamedTypes): InstructionParts {
  const x = readTypedOperand(reader, named);
  reader.expect(",");
  const y = readTypedOperand(reader, named);
  return { type: x.type, operands: [x, y] };
}

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
export function readOperand(reader: TokenReader, named: NamedTypes, type: LlvmType): LlvmOperand {
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
      if (token.text === "splat") return reader.nested(() => readSplat(reader, named, type));
      return reader.nested(() => ({
        kind: "expression",
        instruction: readConstantExpression(reader, named),
      }));
    }
    default:
      if (Object.hasOwn(BRACKETS, token.text))
        return reader.nested(() => readElements(reader, named));
      throw reader.unexpected("an operand");
  }
}

function readTypedOperand(reader: TokenReader, named: NamedTypes): TypedOperand {
  const type = readType(reader, named);
  if (type.kind === "metadata") throw outside(reader.line, "operands that are metadata");
  readAttributes(reader, named);
  return { type, operand: readOperand(reader, named, type) };
}

function readElements(reader: TokenReader, named: NamedTypes): LlvmOperand {
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

function readSplat(reader: TokenReader, named: NamedTypes, type: LlvmType): LlvmOperand {
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
    throw new LlvmError(line, `expected a constant of kind ${type.kind}, got a number`);
  }
  if (!text.startsWith("0x")) return { kind: "float", value: Number(text) };
  if (!/^0x[0-9a-fA-F]{1,16}$/.test(text)) throw outside(line, `the constant ${text}`);
  // The bits of a double, for a float as well.
  view.setBigUint64(0, BigInt(text));
  return { kind: "float", value: view.getFloat64(0) };
}

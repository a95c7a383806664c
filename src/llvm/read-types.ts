// Reads types and attributes (LangRef, "Type System", "Parameter Attributes", "Function Attributes").

import { outside } from "./llvm-error.js";
import type { ParameterAttributes } from "./module.js";
import type { TokenReader } from "./reader.js";
import { intType, type LlvmType } from "./types.js";

export type NamedTypes = Map<string, LlvmType>;

const SIMPLE = new Set(["float", "double", "ptr", "void", "label", "metadata"] as const);
type SimpleTypeName = typeof SIMPLE extends Set<infer Each> ? Each : never;
const isSimple = (word: string): word is SimpleTypeName =>
  (SIMPLE as ReadonlySet<string>).has(word);

/** Integers are BigInts, so the limit only bounds the work. */
const BITS_MAX = 256;
const COUNT_MAX = 1 << 20;
const TYPE_DEPTH_MAX = 50;

/** @throws LlvmError */
export function readType(reader: TokenReader, named: NamedTypes, depth = 0): LlvmType {
  const { line, token } = reader;
  if (depth > TYPE_DEPTH_MAX) throw outside(line, "types that nest deeper than 50");
  if (token.kind === "local") {
    reader.next();
    const type = named.get(token.text);
    if (type === undefined) throw outside(line, `the type %${token.text}`);
    return type;
  }
  if (reader.accept("[")) return readSequence(reader, named, "array", "]", depth);
  if (reader.is("<") && reader.peek().text === "{") {
    reader.next();
    const fields = readFields(reader, named, depth);
    reader.expect(">");
    return { kind: "struct", fields, isPacked: true };
  }
  if (reader.accept("<")) return readSequence(reader, named, "vector", ">", depth);
  if (reader.is("{")) {
    return { kind: "struct", fields: readFields(reader, named, depth), isPacked: false };
  }
  const word = reader.take("word", "a type");
  const [, bits] = /^i(\d+)$/.exec(word) ?? [];
  if (bits !== undefined) {
    if (Number(bits) > BITS_MAX || bits === "0") throw outside(line, `the type ${word}`);
    return intType(Number(bits));
  }
  if (!isSimple(word)) throw outside(line, `the type ${word}`);
  if (word === "ptr" && reader.is("addrspace")) throw outside(line, "address spaces");
  return { kind: word };
}

function readSequence(
  reader: TokenReader,
  named: NamedTypes,
  kind: "array" | "vector",
  close: string,
  depth: number,
): LlvmType {
  const { line } = reader;
  if (reader.is("vscale")) throw outside(line, "scalable vectors");
  const count = reader.integer();
  if (count > COUNT_MAX) throw outside(line, `${count} elements`);
  reader.expect("x");
  const element = readType(reader, named, depth + 1);
  reader.expect(close);
  return { kind, count, element };
}

function readFields(reader: TokenReader, named: NamedTypes, depth: number): LlvmType[] {
  reader.expect("{");
  const fields: LlvmType[] = [];
  while (!reader.accept("}")) {
    if (fields.length > 0) reader.expect(",");
    fields.push(readType(reader, named, depth + 1));
  }
  return fields;
}

const NO_ATTRIBUTES: ParameterAttributes = {
  names: new Set(),
  dereferenceable: 0,
  alignment: 1,
  range: null,
  pointee: null,
};

/** Words that begin an operand or end the attributes. */
const OPERAND_WORDS = new Set([
  ...["true", "false", "null", "undef", "poison", "zeroinitializer", "none", "asm", "blockaddress"],
  ...["getelementptr", "bitcast", "inttoptr", "ptrtoint", "add", "sub", "mul", "xor", "shl"],
  ...["trunc", "zext", "sext", "select", "icmp", "dso_local_equivalent", "no_cfi"],
  ...["extractelement", "insertelement"],
  ...["shufflevector", "and", "or", "lshr", "ashr", "addrspacecast", "fcmp", "to", "unwind", "x"],
]);

/** Reads the attributes of a parameter, an argument or a result, and skips those that do not constrain a value. */
export function readAttributes(reader: TokenReader, named: NamedTypes): ParameterAttributes {
  const names = new Set<string>();
  let { dereferenceable, alignment, range, pointee } = NO_ATTRIBUTES;
  for (;;) {
    const { token } = reader;
    if (token.kind === "string") {
      reader.next();
      if (reader.accept("=")) reader.take("string", "the value of the attribute");
      continue;
    }
    if (token.kind === "attributes") {
      reader.next();
      continue;
    }
    if (token.kind !== "word" || OPERAND_WORDS.has(token.text) || isTypeWord(token.text)) break;
    reader.next();
    names.add(token.text);
    if (token.text === "align") {
      const inParentheses = reader.accept("(");
      alignment = reader.integer();
      if (inParentheses) reader.expect(")");
    } else if (token.text === "dereferenceable") {
      reader.expect("(");
      dereferenceable = reader.integer();
      reader.expect(")");
    } else if (token.text === "range") {
      reader.expect("(");
      readType(reader, named);
      const from = BigInt(reader.take("number", "a bound"));
      reader.expect(",");
      range = [from, BigInt(reader.take("number", "a bound"))];
      reader.expect(")");
    } else if ((token.text === "byval" || token.text === "sret") && reader.accept("(")) {
      pointee = readType(reader, named);
      reader.expect(")");
    } else if (reader.is("(")) reader.skipGroup();
  }
  return { names, dereferenceable, alignment, range, pointee };
}

const isTypeWord = (word: string): boolean =>
  /^i\d+$/.test(word) ||
  isSimple(word) ||
  /^(half|bfloat|fp128|x86_\w+|ppc_fp128|token|opaque|target)$/.test(word);

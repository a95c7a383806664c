// Assembles a class file from text. Class files of this version have no tables of stack contents:
// the virtual machine derives them, so verification also checks the exporter.
//
//   class NAME extends NAME [implements NAME]
//   field FLAGS NAME DESCRIPTOR
//   method FLAGS NAME DESCRIPTOR
//   instructions, separated by spaces or lines
//
// An instruction has the name of the specification. A member is `owner.name` followed by its
// descriptor: `getstatic Program.heap [B`. `name:` is a label. Pseudo-instructions:
//
//   int N, long N              the shortest push of the constant
//   float BITS, double BITS    likewise, by its bits
//   type NAME, ldc TEXT        push a class, or a string without spaces
//   switch KEY LABEL ... default LABEL
//   catch FROM TO HANDLER NAME     an entry of the exception table

import { assert } from "../../support/assert.js";
import { ByteWriter } from "../byte-writer.js";
import { ExportRefusal } from "../refusal.js";
import { instructionNamed, inverseOf, TERMINATORS, wordsOf } from "./instructions.js";

/** Version 49 has class constants, and its verifier derives types. */
const MAJOR = 49;
const CODE_MAX = 0xffff;
const ACCESS: Readonly<Record<string, number>> = {
  public: 1,
  static: 8,
  final: 16,
  super: 32,
  native: 256,
  abstract: 1024,
};

/** Appends in big endian. */
const u2 = (out: ByteWriter, value: number): void => out.append([(value >>> 8) & 255, value & 255]);
const u4 = (out: ByteWriter, value: number): void => {
  u2(out, value >>> 16);
  u2(out, value);
};

class ConstantPool {
  readonly out = new ByteWriter();
  private readonly known = new Map<string, number>();
  count = 1;

  text(value: string): number {
    return this.entry(`text ${value}`, 1, () => {
      const bytes = new TextEncoder().encode(value);
      return [bytes.length >>> 8, bytes.length & 255, ...bytes];
    });
  }

  type(name: string): number {
    return this.entry(`class ${name}`, 1, () => this.indices(this.text(name)), 7);
  }

  string(value: string): number {
    return this.entry(`string ${value}`, 1, () => this.indices(this.text(value)), 8);
  }

  member(tag: number, owner: string, name: string, descriptor: string): number {
    return this.entry(
      `${tag} ${owner}.${name} ${descriptor}`,
      1,
      () => {
        const names = [this.text(name), this.text(descriptor)];
        const both = this.entry(`name ${name} ${descriptor}`, 1, () => this.indices(...names), 12);
        return this.indices(this.type(owner), both);
      },
      tag,
    );
  }

  /** @param bytes in big endian */
  number(tag: number, bytes: Uint8Array): number {
    return this.entry(`${tag} ${bytes.join()}`, bytes.length / 4, () => [...bytes], tag);
  }

  private indices(...indices: readonly number[]): number[] {
    return indices.flatMap((index) => [index >>> 8, index & 255]);
  }

  private entry(key: string, size: number, contents: () => number[], tag = 1): number {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const bytes = contents();
    this.out.byte(tag);
    this.out.append(bytes);
    const index = this.count;
    this.known.set(key, index);
    this.count += size;
    if (this.count > CODE_MAX) throw new ExportRefusal("a class with more than 65,535 constants");
    return index;
  }
}

/** A part of a method's code whose length may depend on its position. */
type CodeItem =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "label"; readonly name: string }
  | { readonly kind: "jump"; readonly code: number; readonly to: string }
  | { readonly kind: "switch"; readonly keys: readonly number[]; readonly to: readonly string[] };

const GOTO = 167;
const GOTO_W = 200;
const TABLE_SWITCH = 170;
const LOOKUP_SWITCH = 171;
const WIDE = 196;
/** A table with more entries per key becomes a lookup. */
const ENTRIES_PER_KEY_MAX = 4;

/** The code of one method. */
class CodeBuilder {
  private readonly pool: ConstantPool;
  private readonly items: CodeItem[] = [];
  private readonly depths = new Map<string, number>();
  private readonly handlers: string[][] = [];
  private depth = 0;
  private depthMax = 0;
  private locals: number;

  constructor(pool: ConstantPool, parameterWords: number) {
    this.pool = pool;
    this.locals = parameterWords;
  }

  write(tokens: readonly string[]): void {
    for (let at = 0; at < tokens.length; ) at += this.writeInstruction(tokens, at);
  }

  /** Returns the number of tokens that it used. */
  private writeInstruction(tokens: readonly string[], at: number): number {
    const [name, first = "", second = ""] = tokens.slice(at, at + 3);
    if (name.endsWith(":")) return this.label(name.slice(0, -1));
    if (name === "switch") return this.switch(tokens, at);
    if (name === "catch") {
      this.handlers.push(tokens.slice(at + 1, at + 5));
      const handler = tokens[at + 3];
      this.depths.set(handler, 1);
      return 5;
    }
    if (this.pushConstant(name, first)) return 2;
    const row = instructionNamed(name);
    assert(row !== null, () => `jvm: no instruction is named '${name}'`);
    const { code, operand, stackEffect } = row;
    let used = operand === "none" ? 1 : 2;
    let change = stackEffect;
    if (operand === "none") this.bytes(code);
    else if (operand === "byte") this.bytes(code, Number(first));
    else if (operand === "class") this.bytes(code, ...bigEndianPair(this.pool.type(first)));
    else if (operand === "local") this.local(code, Number(first), name);
    else if (operand === "label") {
      this.items.push({ kind: "jump", code, to: first });
      this.reachLabel(first, this.depth + stackEffect);
    } else {
      used = 3;
      change += this.member(code, operand, first, second);
    }
    this.changeDepth(change);
    if (TERMINATORS.has(name)) this.depth = 0;
    return used;
  }

  private label(name: string): number {
    this.depth = Math.max(this.depth, this.depths.get(name) ?? 0);
    this.items.push({ kind: "label", name });
    this.changeDepth(0);
    return 1;
  }

  private reachLabel(label: string, depth: number): void {
    this.depths.set(label, Math.max(depth, this.depths.get(label) ?? 0));
  }

  private changeDepth(change: number): void {
    this.depth += change;
    this.depthMax = Math.max(this.depthMax, this.depth);
  }

  private bytes(...bytes: readonly number[]): void {
    this.items.push({ kind: "bytes", bytes: Uint8Array.from(bytes) });
  }

  private local(code: number, index: number, name: string): void {
    const words = /^[ld]/.test(name) ? 2 : 1;
    this.locals = Math.max(this.locals, index + words);
    if (index < 256) this.bytes(code, index);
    else this.bytes(WIDE, code, ...bigEndianPair(index));
  }

  /** Returns how parameters and results change the stack depth. */
  private member(code: number, kind: "field" | "method", path: string, type: string): number {
    const dot = path.lastIndexOf(".");
    const isInterface = code === 185;
    const tag = kind === "field" ? 9 : isInterface ? 11 : 10;
    const index = this.pool.member(tag, path.slice(0, dot), path.slice(dot + 1), type);
    const { argumentWords, resultWords } = wordsOf(type);
    this.bytes(code, ...bigEndianPair(index), ...(isInterface ? [argumentWords + 1, 0] : []));
    if (kind === "method") return resultWords - argumentWords;
    return code % 2 === 0 ? resultWords : -resultWords; // the codes of reads are even
  }

  /** Writes the push of a constant; returns false for any other instruction. */
  private pushConstant(name: string, text: string): boolean {
    const view = new DataView(new ArrayBuffer(8));
    if (name === "int") {
      const value = Number(text) | 0;
      view.setInt32(0, value);
      if (value >= -1 && value <= 5) this.bytes(3 + value);
      else if (value >= -128 && value < 128) this.bytes(16, value & 255);
      else if (value >= -32768 && value < 32768) this.bytes(17, ...bigEndianPair(value));
      else this.loadConstant(this.pool.number(3, new Uint8Array(view.buffer, 0, 4)));
      this.changeDepth(1);
    } else if (name === "float") {
      view.setInt32(0, Number(text));
      this.loadConstant(this.pool.number(4, new Uint8Array(view.buffer, 0, 4)));
      this.changeDepth(1);
    } else if (name === "type" || name === "ldc") {
      this.loadConstant(name === "ldc" ? this.pool.string(text) : this.pool.type(text));
      this.changeDepth(1);
    } else if (name === "long" || name === "double") {
      const bits = BigInt(text);
      view.setBigUint64(0, BigInt.asUintN(64, bits));
      if (name === "long" && (bits === 0n || bits === 1n)) this.bytes(9 + Number(bits));
      else
        this.bytes(20, ...bigEndianPair(this.pool.number(name === "long" ? 5 : 6, bytesOf(view))));
      this.changeDepth(2);
    } else return false;
    return true;
  }

  private loadConstant(index: number): void {
    if (index < 256) this.bytes(18, index);
    else this.bytes(19, ...bigEndianPair(index));
  }

  private switch(tokens: readonly string[], at: number): number {
    const end = tokens.indexOf("default", at);
    const cases = tokens.slice(at + 1, end);
    const rows = cases.flatMap((key, i) =>
      i % 2 === 0 ? [{ key: Number(key), to: cases[i + 1] }] : [],
    );
    rows.sort((x, y) => x.key - y.key);
    const to = [...rows.map((row) => row.to), tokens[end + 1]];
    this.items.push({ kind: "switch", keys: rows.map(({ key }) => key), to });
    for (const label of to) this.reachLabel(label, this.depth - 1);
    this.depth = 0;
    return end + 2 - at;
  }

  /** Returns the attribute's contents. */
  codeAttribute(method: string): Uint8Array {
    const code = this.encode(false) ?? this.encode(true);
    assert(code !== null, () => `jvm: a long jump of ${method} does not reach`);
    const { bytes, positions } = code;
    if (bytes.length > CODE_MAX)
      throw new ExportRefusal(`a method of more than 65,535 bytes: ${method} has ${bytes.length}`);
    const out = new ByteWriter();
    u2(out, this.depthMax);
    u2(out, this.locals);
    u4(out, bytes.length);
    out.append(bytes);
    u2(out, this.handlers.length);
    for (const [from, to, handler, type] of this.handlers) {
      for (const label of [from, to, handler]) u2(out, positions.get(label) ?? 0);
      u2(out, this.pool.type(type));
    }
    u2(out, 0);
    return out.take();
  }

  /** @returns null if a short jump does not reach its target */
  private encode(
    isLong: boolean,
  ): { readonly bytes: Uint8Array; readonly positions: ReadonlyMap<string, number> } | null {
    const positions = new Map<string, number>();
    let at = 0;
    for (const item of this.items) {
      if (item.kind === "label") positions.set(item.name, at);
      else at += sizeOf(item, at, isLong);
    }
    const out = new ByteWriter();
    let isReached = true;
    const distance = (to: string, from: number): number => {
      const target = positions.get(to);
      assert(target !== undefined, () => `jvm: no label is named '${to}'`);
      return target - from;
    };
    for (const item of this.items) {
      const from = out.length;
      if (item.kind === "bytes") out.append(item.bytes);
      else if (item.kind === "switch") writeSwitch(out, item, (to) => distance(to, from));
      else if (item.kind === "jump" && !isLong) {
        const jump = distance(item.to, from);
        if (jump !== (jump << 16) >> 16) isReached = false;
        out.append([item.code, ...bigEndianPair(jump)]);
      } else if (item.kind === "jump") {
        const isConditional = item.code !== GOTO;
        if (isConditional) out.append([inverseOf(item.code), 0, 8]);
        const start = out.length;
        out.byte(GOTO_W);
        u4(out, distance(item.to, start));
      }
    }
    return isReached ? { bytes: out.take(), positions } : null;
  }
}

const bigEndianPair = (value: number): [number, number] => [(value >>> 8) & 255, value & 255];
const bytesOf = (view: DataView): Uint8Array => new Uint8Array(view.buffer);

function sizeOf(item: Exclude<CodeItem, { kind: "label" }>, at: number, isLong: boolean): number {
  if (item.kind === "bytes") return item.bytes.length;
  if (item.kind === "jump") return isLong ? (item.code === GOTO ? 5 : 8) : 3;
  const start = 1 + ((3 - at) & 3);
  return start + (isTable(item.keys) ? 12 + 4 * span(item.keys) : 8 + 8 * item.keys.length);
}

const span = (keys: readonly number[]): number => keys[keys.length - 1] - keys[0] + 1;
const isTable = (keys: readonly number[]): boolean =>
  keys.length > 1 && span(keys) <= ENTRIES_PER_KEY_MAX * keys.length;

function writeSwitch(
  out: ByteWriter,
  { keys, to }: Extract<CodeItem, { kind: "switch" }>,
  distance: (to: string) => number,
): void {
  out.byte(isTable(keys) ? TABLE_SWITCH : LOOKUP_SWITCH);
  while (out.length % 4 !== 0) out.byte(0);
  const otherwise = distance(to[keys.length]);
  u4(out, otherwise);
  if (isTable(keys)) {
    u4(out, keys[0]);
    u4(out, keys[keys.length - 1]);
    for (let key = keys[0], k = 0; k < keys.length; key++)
      u4(out, key === keys[k] ? distance(to[k++]) : otherwise);
    return;
  }
  u4(out, keys.length);
  keys.forEach((key, k) => {
    u4(out, key);
    u4(out, distance(to[k]));
  });
}

interface MethodText {
  readonly flags: readonly string[];
  readonly name: string;
  readonly type: string;
  readonly tokens: string[];
}

const flagsOf = (words: readonly string[]): number =>
  words.reduce((sum, word) => sum | (ACCESS[word] ?? 0), 0);

/**
 * Returns the bytes of the class file.
 * @throws ExportRefusal if the class exceeds a limit of class files
 */
export function assemble(text: string): Uint8Array {
  const pool = new ConstantPool();
  const [head, ...lines] = text.split("\n").filter((line) => line.trim() !== "");
  const [, name, , parent, , ...interfaces] = head.split(" ");
  const isAbstract = text.includes("method public abstract");
  const fields: MethodText[] = [];
  const methods: MethodText[] = [];
  for (const line of lines) {
    const words = line.trim().split(/\s+/);
    const [first, ...rest] = words;
    if (first !== "field" && first !== "method") {
      methods[methods.length - 1].tokens.push(...words);
      continue;
    }
    const [named, type] = rest.slice(-2);
    const member = { flags: rest.slice(0, -2), name: named, type, tokens: [] };
    (first === "field" ? fields : methods).push(member);
  }
  const body = new ByteWriter();
  u2(body, ACCESS["public"] | ACCESS["super"] | (isAbstract ? ACCESS["abstract"] : 0));
  u2(body, pool.type(name));
  u2(body, pool.type(parent));
  u2(body, interfaces.length);
  for (const one of interfaces) u2(body, pool.type(one));
  u2(body, fields.length);
  for (const field of fields) {
    writeHead(body, pool, field);
    u2(body, 0);
  }
  u2(body, methods.length);
  for (const method of methods) writeMethod(body, pool, method);
  u2(body, 0);
  const out = new ByteWriter();
  out.append([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, MAJOR]);
  u2(out, pool.count);
  out.append(pool.out.take());
  out.append(body.take());
  return out.take().slice();
}

function writeHead(out: ByteWriter, pool: ConstantPool, { flags, name, type }: MethodText): void {
  u2(out, flagsOf(flags));
  u2(out, pool.text(name));
  u2(out, pool.text(type));
}

/** The maximum number of argument words of a method. */
const PARAMETERS_MAX = 255;

function writeMethod(out: ByteWriter, pool: ConstantPool, method: MethodText): void {
  const { flags, name, type, tokens } = method;
  writeHead(out, pool, method);
  const hasCode = !flags.includes("native") && !flags.includes("abstract");
  u2(out, hasCode ? 1 : 0);
  if (!hasCode) return;
  const { argumentWords } = wordsOf(type);
  if (argumentWords > PARAMETERS_MAX)
    throw new ExportRefusal(`a method with ${argumentWords} words of parameters`);
  const code = new CodeBuilder(pool, argumentWords + (flags.includes("static") ? 0 : 1));
  code.write(tokens);
  const bytes = code.codeAttribute(name);
  u2(out, pool.text("Code"));
  u4(out, bytes.length);
  out.append(bytes);
}

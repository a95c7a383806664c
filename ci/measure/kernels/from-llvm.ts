// Translates unoptimized LLVM IR, as `clang -O0` writes it, to a program. The result resembles the
// output of a simple front end: variables are stack slots, every use loads, and every assignment
// stores.
//
// It supports the IR of C with integers, pointers, structures and doubles: no globals, no vectors,
// no intrinsics. Integers narrower than 32 bits are Int32 values whose upper bits are arbitrary,
// except truth values, which are 0 or 1. Signed overflow wraps.

import type { Module } from "../../../src/ir/procedure.js";
import { parseModule } from "../../../src/ir/text/parse.js";
import { assert } from "../../../src/support/assert.js";

/** Translates a module. The first function of the text becomes the entry. */
export function moduleFromLlvm(text: string, heapSize: number): Module {
  const layouts = new Map<string, readonly string[]>();
  for (const [, name, fields] of text.matchAll(/^(%[\w.]+) = type \{ (.*) \}$/gm)) {
    layouts.set(name, fields.split(", "));
  }
  const functions = [...text.matchAll(/^define (.*?)@(\w+)\((.*?)\)[^\n]*\{\n([\s\S]*?)^\}/gm)];
  assert(functions.length > 0, () => "the LLVM module defines no function");
  const procedures = functions.map(([, head, name, parameters, body]) =>
    new FunctionTranslator(layouts).procedure(
      name,
      head.trim().split(" ").at(-1) ?? "",
      parameters,
      body,
    ),
  );
  return parseModule(`touchstone 1\nheap ${heapSize}\n\n${procedures.join("\n")}`);
}

// biome-ignore format: a table
const BINARY: Readonly<Record<string, string>> = {
  add: "Add", sub: "Sub", mul: "Mul", sdiv: "Div", udiv: "UDiv", srem: "Mod", urem: "UMod",
  and: "BitAnd", or: "BitOr", xor: "BitXor", shl: "Shl", ashr: "SShr", lshr: "ZShr",
  fadd: "Add", fsub: "Sub", fmul: "Mul", fdiv: "Div",
};
const SHIFTS = new Set(["shl", "ashr", "lshr"]);

// biome-ignore format: a table
const COMPARISONS: Readonly<Record<string, string>> = {
  eq: "Equal", ne: "NotEqual", slt: "LessThan", sgt: "GreaterThan", sle: "LessEqual", sge: "GreaterEqual",
  ult: "Below", ugt: "Above", ule: "BelowEqual", uge: "AboveEqual",
  oeq: "Equal", une: "NotEqual", olt: "LessThan", ogt: "GreaterThan", ole: "LessEqual", oge: "GreaterEqual",
};

// biome-ignore format: a table
const TYPES: Readonly<Record<string, { readonly ours: string; readonly size: number; readonly load: string; readonly store: string; readonly constant: string }>> = {
  i1:     { ours: "Int32",  size: 1, load: "Load8Z",  store: "Store8",  constant: "Const32" },
  i8:     { ours: "Int32",  size: 1, load: "Load8Z",  store: "Store8",  constant: "Const32" },
  i16:    { ours: "Int32",  size: 2, load: "Load16Z", store: "Store16", constant: "Const32" },
  i32:    { ours: "Int32",  size: 4, load: "Load",    store: "Store",   constant: "Const32" },
  i64:    { ours: "Int64",  size: 8, load: "Load",    store: "Store",   constant: "Const64" },
  ptr:    { ours: "Int64",  size: 8, load: "Load",    store: "Store",   constant: "Const64" },
  double: { ours: "Double", size: 8, load: "Load",    store: "Store",   constant: "ConstDouble" },
  void:   { ours: "Void",   size: 0, load: "",        store: "",        constant: "" },
};

/** The opcode of a conversion, by its name and the types from and to; null: no operation. */
// biome-ignore format: a table
const CONVERSIONS: Readonly<Record<string, string | null>> = {
  "sext i8 i32": "SExt8", "sext i16 i32": "SExt16", "sext i8 i64": "SExt8To64", "sext i16 i64": "SExt16To64", "sext i32 i64": "SExt32",
  "zext i1 i8": null, "zext i1 i32": null, "zext i1 i64": "ZExt32", "zext i32 i64": "ZExt32",
  "trunc i32 i8": null, "trunc i32 i16": null, "trunc i16 i8": null,
  "trunc i64 i32": "Trunc", "trunc i64 i16": "Trunc", "trunc i64 i8": "Trunc",
  "ptrtoint ptr i64": null, "inttoptr i64 ptr": null,
  "sitofp i32 double": "IToD", "sitofp i64 double": "IToD", "uitofp i32 double": "UToD", "uitofp i64 double": "UToD",
  "fptosi double i32": "TruncS32", "fptosi double i64": "TruncS64", "fptoui double i32": "TruncU32",
};

/** Translates one function, line by line. */
class FunctionTranslator {
  private readonly layouts: ReadonlyMap<string, readonly string[]>;
  /** By LLVM name: the number of the value. */
  private readonly numbers = new Map<string, number>();
  private readonly blocks = new Map<string, number>();
  private readonly slots: string[] = [];
  private readonly slotOf = new Map<string, number>();
  private readonly lines: string[] = [];
  private next = 0;
  /** By block: the Phi operands that its end writes, as LLVM type, operand and Phi. */
  private readonly writes = new Map<string, (readonly [string, string, string])[]>();
  private block = "entry";

  constructor(layouts: ReadonlyMap<string, readonly string[]>) {
    this.layouts = layouts;
  }

  procedure(name: string, result: string, parameters: string, body: string): string {
    const head =
      parameters === ""
        ? []
        : parameters.split(", ").map((text) => {
            const words = text.split(" ");
            return `${TYPES[words[0]].ours} @${this.numberOf(words[words.length - 1])}`;
          });
    const lines = joinSwitches(body).map((line) =>
      line.replace(/, !.*$|, align \d+$|;.*$/g, "").trim(),
    );
    for (const line of lines) this.scan(line);
    this.label("entry");
    for (const line of lines) {
      const label = /^([\w.]+):/.exec(line);
      if (label === null) this.instruction(line.replace(/, align \d+$/, ""));
      else if (label[1] !== "entry") this.label(label[1]);
    }
    const slots = this.slots.map((slot) => `${slot}\n`).join("");
    return `proc ${name}(${head.join(", ")}) -> ${TYPES[result].ours}\n${slots}${this.lines.join("\n")}\n`;
  }

  /** Records the Phis, whose operands are written in other blocks. */
  private scan(line: string): void {
    const label = /^([\w.]+):/.exec(line);
    if (label !== null) this.block = label[1];
    const phi = /^(%[\w.]+) = phi (\w+) (.*)$/.exec(line);
    if (phi === null) return;
    for (const [, operand, from] of phi[3].matchAll(/\[ (\S+), %([\w.]+) \]/g)) {
      this.writes.set(from, [...(this.writes.get(from) ?? []), [phi[2], operand, phi[1]]]);
    }
  }

  private label(name: string): void {
    this.block = name;
    this.lines.push(`#${this.blockOf(name)}:`);
  }

  private instruction(line: string): void {
    if (line === "") return;
    const defined = /^(%[\w.]+) = (.*)$/.exec(line);
    if (defined === null) this.effect(line);
    else this.definition(defined[1], defined[2]);
  }

  private effect(line: string): void {
    const [opcode] = line.split(" ");
    if (opcode === "store") {
      const [, type, value, address] = matchOf(/^store (\w+) (\S+), ptr (\S+?)(?:,.*)?$/, line);
      const stored = this.operand(type, value);
      this.emit("Void", TYPES[type].store, `@${stored}, ${this.address(address)}`);
    } else if (opcode === "call") {
      this.call(null, line);
    } else {
      this.leave(opcode, line);
    }
  }

  private leave(opcode: string, line: string): void {
    for (const [type, operand, phi] of this.writes.get(this.block) ?? []) {
      this.emit("Void", "Upsilon", `@${this.operand(type, operand)}, ^${this.numberOf(phi)}`);
    }
    if (opcode === "ret") {
      const [, type, value] = matchOf(/^ret (\w+)(?: (\S+))?$/, line);
      this.emit("Void", "Return", type === "void" ? "" : `@${this.operand(type, value)}`);
    } else if (opcode === "switch") {
      const [, type, value, otherwise, rest] = matchOf(
        /^switch (\w+) (\S+), label %([\w.]+) \[(.*)\]$/,
        line,
      );
      const cases = [...rest.matchAll(/i\d+ (-?\d+), label %([\w.]+)/g)].map(
        ([, key, target]) => `${key}: #${this.blockOf(target)}, `,
      );
      const on = this.compared(type, value);
      this.emit("Void", "Switch", `@${on}, ${cases.join("")}default: #${this.blockOf(otherwise)}`);
    } else if (opcode === "br") {
      const targets = [...line.matchAll(/label %([\w.]+)/g)].map(
        ([, to]) => `#${this.blockOf(to)}`,
      );
      const condition = /^br i1 (\S+),/.exec(line);
      if (condition === null) this.emit("Void", "Jump", targets[0]);
      else
        this.emit("Void", "Branch", `@${this.operand("i1", condition[1])}, ${targets.join(", ")}`);
    } else {
      assert(opcode === "unreachable", () => `this line of LLVM IR has no translation: ${line}`);
      this.emit("Void", "Oops", "");
    }
  }

  private definition(name: string, line: string): void {
    const [opcode] = line.split(" ");
    if (opcode === "alloca") {
      const [, type] = matchOf(/^alloca (\[.*?\]|[%\w.]+)/, line);
      this.slotOf.set(name, this.slots.length);
      const kind = TYPES[type] === undefined ? "locked" : "anonymous";
      this.slots.push(`slot stack${this.slots.length} = ${kind} ${this.sizeOf(type)}`);
    } else if (opcode === "load") {
      const [, type, address] = matchOf(/^load (\w+), ptr (\S+?)(?:,.*)?$/, line);
      this.define(name, TYPES[type].ours, TYPES[type].load, this.address(address));
    } else if (opcode === "getelementptr") {
      this.elementAddress(name, line);
    } else if (opcode === "icmp" || opcode === "fcmp") {
      const [, how, type, a, b] = matchOf(/^.cmp (\w+) (\w+) (\S+), (\S+)$/, line);
      this.define(
        name,
        "Int32",
        COMPARISONS[how],
        `@${this.compared(type, a)}, @${this.compared(type, b)}`,
      );
    } else if (opcode === "phi") {
      this.define(name, TYPES[line.split(" ")[1]].ours, "Phi", "");
    } else if (opcode === "select") {
      const [, on, type, a, b] = matchOf(/^select i1 (\S+), (\w+) (\S+), \w+ (\S+)$/, line);
      const operands = [this.operand("i1", on), this.operand(type, a), this.operand(type, b)];
      this.define(name, TYPES[type].ours, "Select", operands.map((n) => `@${n}`).join(", "));
    } else if (opcode === "call") {
      this.call(name, line);
    } else if (opcode === "fneg") {
      this.define(name, "Double", "Neg", `@${this.operand("double", line.split(" ")[2])}`);
    } else if (BINARY[opcode] !== undefined) {
      this.binary(name, opcode, line);
    } else {
      this.conversion(name, line);
    }
  }

  private binary(name: string, opcode: string, line: string): void {
    const [, type, a, b] = matchOf(/^\w+ (?:nsw |nuw |exact |disjoint )*(\w+) (\S+), (\S+)$/, line);
    const left = this.operand(type, a);
    const plain = this.operand(type, b);
    const isWideShift = SHIFTS.has(opcode) && type === "i64";
    const right = isWideShift ? this.emit("Int32", "Trunc", `@${plain}`) : plain;
    this.define(name, TYPES[type].ours, BINARY[opcode], `@${left}, @${right}`);
  }

  private conversion(name: string, line: string): void {
    const [, opcode, from, operand, to] = matchOf(
      /^(\w+) (?:nneg |nuw |nsw )*(\w+) (\S+) to (\w+)$/,
      line,
    );
    const value = this.operand(from, operand);
    const key = `${opcode} ${from} ${to}`;
    const how = CONVERSIONS[key];
    const isNarrow = opcode === "zext" && (from === "i8" || from === "i16");
    if (to === "i1") {
      const one = this.operand("i32", "1");
      this.define(name, "Int32", "BitAnd", `@${value}, @${one}`);
    } else if (isNarrow) {
      const cut = this.compared(from, operand);
      this.numbers.set(name, to === "i64" ? this.emit("Int64", "ZExt32", `@${cut}`) : cut);
    } else {
      assert(how !== undefined, () => `this line of LLVM IR has no translation: ${line}`);
      if (how === null) this.numbers.set(name, value);
      else this.define(name, TYPES[to].ours, how, `@${value}`);
    }
  }

  private call(name: string | null, line: string): void {
    const [, type, callee, rest] = matchOf(/^call (\w+) @(\w+)\((.*)\)/, line);
    const args =
      rest === ""
        ? []
        : rest.split(", ").map((text) => {
            const words = text.split(" ");
            return `, @${this.operand(words[0], words[words.length - 1])}`;
          });
    const operands = `${callee}${args.join("")}`;
    if (name === null) this.emit(TYPES[type].ours, "CCall", operands);
    else this.define(name, TYPES[type].ours, "CCall", operands);
  }

  /** Emits the address of an element: the base plus each index times its element size. */
  private elementAddress(name: string, line: string): void {
    const [, first, base, indices] = matchOf(
      /^getelementptr (?:inbounds |nuw |nusw )*(\[.*?\]|[%\w.]+), ptr (\S+?), (.*)$/,
      line,
    );
    let type = first;
    let at = this.pointer(base);
    indices.split(", ").forEach((index, i) => {
      const [indexType, operand] = index.split(" ");
      const fields = i === 0 ? undefined : this.layouts.get(type);
      if (fields !== undefined) {
        const before = fields
          .slice(0, Number(operand))
          .reduce((sum, field) => sum + this.sizeOf(field), 0);
        const offset = this.operand("i64", `${before}`);
        at = this.emit("Int64", "Add", `@${at}, @${offset}`);
        type = fields[Number(operand)];
        return;
      }
      if (i > 0) type = elementOf(type);
      const plain = this.operand(indexType, operand);
      const wide = indexType === "i32" ? this.emit("Int64", "SExt32", `@${plain}`) : plain;
      const scaled = this.emit(
        "Int64",
        "Mul",
        `@${wide}, @${this.operand("i64", `${this.sizeOf(type)}`)}`,
      );
      at = this.emit("Int64", "Add", `@${at}, @${scaled}`);
    });
    this.numbers.set(name, at);
  }

  private sizeOf(type: string): number {
    if (type.startsWith("["))
      return Number(type.slice(1).split(" ")[0]) * this.sizeOf(elementOf(type));
    const fields = this.layouts.get(type);
    // The kernels declare structures so that no padding is needed.
    if (fields !== undefined) return fields.reduce((sum, field) => sum + this.sizeOf(field), 0);
    assert(TYPES[type] !== undefined, () => `the LLVM type ${type} has no translation`);
    return TYPES[type].size;
  }

  private address(name: string): string {
    return `@${this.pointer(name)}`;
  }

  private pointer(name: string): number {
    const slot = this.slotOf.get(name);
    return slot === undefined
      ? this.operand("ptr", name)
      : this.emit("Int64", "SlotBase", `stack${slot}`);
  }

  /** Returns an operand, zero-extended from its type. */
  private compared(type: string, text: string): number {
    const value = this.operand(type, text);
    if (type !== "i8" && type !== "i16") return value;
    return this.emit(
      "Int32",
      "BitAnd",
      `@${value}, @${this.operand("i32", type === "i8" ? "255" : "65535")}`,
    );
  }

  private operand(type: string, text: string): number {
    if (text.startsWith("%")) return this.numberOf(text);
    const { ours, constant } = TYPES[type];
    return this.emit(ours, constant, literalOf(type, text));
  }

  private define(name: string, type: string, opcode: string, operands: string): void {
    this.lines.push(`  ${type} @${this.numberOf(name)} = ${opcode}(${operands})`);
  }

  private emit(type: string, opcode: string, operands: string): number {
    const number = this.next++;
    this.lines.push(`  ${type} @${number} = ${opcode}(${operands})`);
    return number;
  }

  private numberOf(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    const number = this.next++;
    this.numbers.set(name, number);
    return number;
  }

  private blockOf(name: string): number {
    const known = this.blocks.get(name);
    if (known !== undefined) return known;
    const number = this.blocks.size;
    this.blocks.set(name, number);
    return number;
  }
}

/** Returns the lines of a body, with each switch joined to one line. */
function joinSwitches(body: string): string[] {
  return body.replace(/\[\n[\s\S]*?\n {2}\]/g, (cases) => cases.replaceAll("\n", " ")).split("\n");
}

function literalOf(type: string, text: string): string {
  if (text === "true") return "1";
  if (text === "false" || text === "null") return "0";
  if (type !== "double" || !text.startsWith("0x"))
    return type === "double" ? `${Number(text)}` : text;
  const bits = new BigInt64Array([BigInt.asIntN(64, BigInt(text))]);
  return `${new Float64Array(bits.buffer)[0]}`;
}

/** Returns `T` of `[n x T]`. */
const elementOf = (type: string): string => type.slice(type.indexOf(" x ") + 3, -1);

function matchOf(pattern: RegExp, line: string): RegExpExecArray {
  const match = pattern.exec(line);
  assert(match !== null, () => `this line of LLVM IR has no translation: ${line}`);
  return match;
}

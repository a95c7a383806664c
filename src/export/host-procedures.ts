// Defines host functions as procedures of the language, so that an exported program contains its
// own. A test compares each procedure with the function of the oracle and the harness
// (host-procedures.test.ts). The exporter adds the code that records calls.

import type { HostFunction } from "../ir/host-functions.js";
import { Op } from "../ir/opcodes.js";
import { HEAP_BASE } from "../ir/outcome.js";
import { Procedure, type Value } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { Int32, Int64, isFloating, isWide, Void } from "../ir/types.js";
import { assert } from "../support/assert.js";
import { hasFormatBody } from "./answers.js";
import {
  blockOf,
  OPERAND_NAMES,
  parseScript,
  type ScriptMacros,
  ScriptWriter,
} from "./expressions.js";

const MACROS: ScriptMacros = {
  scramble: {
    takes: "x",
    gives: parseScript(
      "z = Add(x, 0x9e3779b9); u = Mul(BitXor(z, ZShr(z, 16)), 0x85ebca6b); " +
        "v = Mul(BitXor(u, ZShr(u, 13)), 0xc2b2ae35); BitXor(v, ZShr(v, 16))",
    ),
  },
};

/**
 * Scripts of the results, by name of the host function. HEAP is the address of the heap and SIZE is
 * its size. `sum` is the hash of all arguments that `wide` computes. Floating-point arguments and
 * results are purified.
 */
// biome-ignore format: a table
const SCRIPTS: Readonly<Record<string, string>> = {
  mix32:    "scramble(BitXor(x, scramble(y)))",
  mix64:    "low = scramble(BitXor(Trunc(x), scramble(BitXor(Trunc(y), z)))); " +
            "Stitch(scramble(BitXor(TruncHigh(x), scramble(BitXor(TruncHigh(y), low)))), low)",
  blend:    "Select(BitAnd(y, 1), FloatToDouble(z), x)",
  halve:    "Mul(x, DoubleToFloat(BitwiseCast(Stitch(0x3fe00000, 0))))",
  logInt:   "x",
  logMixed: "x",
  ask:      "low = scramble(BitXor(Trunc(x), TruncHigh(x))); Stitch(scramble(low), low)",
  stir:     "at = Add(ZExt32(UMod(x, SIZE)), HEAP); old = Load8Z.Int32(at); " +
            "Store8(BitXor(Trunc(y), TruncHigh(y)), at); old",
  wide:     "Stitch(scramble(sum), sum)",
  ping:     "",
  mix11:    "IToD(sum)",
  sum12:    "IToF(SShr(sum, 8))",
  scatter:  "more = scramble(sum); at = Add(ZExt32(UMod(sum, SIZE)), HEAP); old = Load8Z.Int32(at); " +
            "Store8(BitXor(old, more), at); Store8(SShr(more, 8), Add(ZExt32(UMod(more, SIZE)), HEAP)); old",
  crowd:    "IToD(sum)",
  consult:  "scramble(BitXor(y, scramble(BitXor(Trunc(x), TruncHigh(x)))))",
  confer:   "Stitch(scramble(sum), sum)",
};

/**
 * A loop that sums every sixteenth byte of the heap, shared by two functions. `first` is the
 * initial sum.
 */
const sumOfHeap = (size: number, first: string): string => `
#0:
  Int64 @1 = Const64(${HEAP_BASE})
  Int64 @2 = Const64(${HEAP_BASE + BigInt(size)})
  Int64 @3 = Const64(16)
  Int32 @4 = Const32(31)
  Int32 @5 = Const32(7)
  Void @6 = Upsilon(@1, ^9)
  Void @7 = Upsilon(${first}, ^10)
  Void @8 = Jump(#1)
#1:
  Int64 @9 = Phi()
  Int32 @10 = Phi()
  Int32 @11 = Load8Z(@9)
  Int32 @12 = Mul(@10, @4)
  Int32 @13 = Add(@12, @11)
  Int64 @14 = Add(@9, @3)
  Int32 @15 = Below(@14, @2)
  Void @16 = Upsilon(@14, ^9)
  Void @17 = Upsilon(@13, ^10)
  Void @18 = Branch(@15, #1, #2)
#2:`;

const TEXTS: Readonly<Record<string, (size: number) => string>> = {
  checksum: (size) => `proc checksum(Int32 @0) -> Int32${sumOfHeap(size, "@0")}
  Void @19 = Return(@13)
`,
  census: (size) => `proc census() -> Int64${sumOfHeap(size, "@5")}
  Int32 @20 = Const32(0x9e3779b9)
  Int32 @21 = Const32(0x85ebca6b)
  Int32 @22 = Const32(0xc2b2ae35)
  Int32 @23 = Const32(16)
  Int32 @24 = Const32(13)
  Int32 @25 = Add(@13, @20)
  Int32 @26 = ZShr(@25, @23)
  Int32 @27 = BitXor(@25, @26)
  Int32 @28 = Mul(@27, @21)
  Int32 @29 = ZShr(@28, @24)
  Int32 @30 = BitXor(@28, @29)
  Int32 @31 = Mul(@30, @22)
  Int32 @32 = ZShr(@31, @23)
  Int32 @33 = BitXor(@31, @32)
  Int64 @34 = Stitch(@33, @13)
  Void @35 = Return(@34)
`,
};

/** Returns whether the procedure of the host function depends on the heap of its program. */
export const usesHeap = (name: string): boolean =>
  name in TEXTS || /\b(HEAP|SIZE)\b/.test(SCRIPTS[name] ?? "");

/**
 * Returns a procedure that computes the result of the host function on a heap of this size. If each
 * format defines the body itself, the procedure has only the signature.
 */
export function hostProcedure(host: HostFunction, heapSize: number): Procedure {
  if (hasFormatBody(host)) return headOf(host);
  const text = TEXTS[host.name];
  if (text === undefined) return scriptedProcedure(host, heapSize);
  return parseModule(`touchstone 1\nheap ${heapSize}\n${text(heapSize)}`).entry;
}

/** Returns a procedure with the signature of the function that returns 0. */
function headOf({ name, parameters, result }: HostFunction): Procedure {
  const proc = new Procedure(name, result);
  for (const type of parameters) proc.newParameter(type);
  const last = proc.newValue(Op.Return, Void);
  const zero = result === Void ? null : proc.newConstant(result, 0, 0);
  last.a = zero;
  proc.blocks.push(blockOf(0, zero === null ? [last] : [zero, last]));
  proc.blockIdEnd = 1;
  return proc;
}

function scriptedProcedure(
  { name, parameters, result }: HostFunction,
  heapSize: number,
): Procedure {
  const text = SCRIPTS[name];
  assert(text !== undefined, () => `host function ${name} has no procedure`);
  const proc = new Procedure(name, result);
  const writer = new ScriptWriter(proc, MACROS);
  const args = parameters.map((type) => purified(writer, proc.newParameter(type)));
  const names = new Map([
    ["SIZE", writer.constant(Int32, BigInt(heapSize))],
    ["HEAP", writer.constant(Int64, HEAP_BASE)],
  ]);
  // The hash is long. A script that does not use it would force the compiler to remove it.
  if (/\bsum\b/.test(text)) names.set("sum", folded(writer, args));
  args.slice(0, OPERAND_NAMES.length).forEach((arg, i) => {
    names.set(OPERAND_NAMES[i], arg);
  });
  const last = proc.newValue(Op.Return, Void);
  const answer = text === "" ? null : writer.write(parseScript(text), names);
  if (answer !== null && result !== Void) last.a = purified(writer, answer);
  proc.blocks.push(blockOf(0, [...writer.values, last]));
  proc.blockIdEnd = 1;
  return proc;
}

function purified(writer: ScriptWriter, value: Value): Value {
  if (!isFloating(value.type)) return value;
  return writer.write(PURIFY, new Map([["x", value]]));
}
const PURIFY = parseScript("PurifyNaN(x)");

/**
 * Hashes the low and the high word of each argument as `wide` does; the high word of a 32-bit
 * argument is 0.
 */
function folded(writer: ScriptWriter, args: readonly Value[]): Value {
  let sum = writer.constant(Int32, 0n);
  for (const arg of args) {
    const bits = isFloating(arg.type) ? "BitwiseCast(x)" : "x";
    const halves = isWide(arg.type) ? [`Trunc(${bits})`, `TruncHigh(${bits})`] : [bits, "0"];
    for (const half of halves) {
      const script = parseScript(`scramble(BitXor(sum, ${half}))`);
      sum = writer.write(
        script,
        new Map([
          ["x", arg],
          ["sum", sum],
        ]),
      );
    }
  }
  return sum;
}

// Rewrites a module so that most Int64 values are computed as pairs of Int32, as a compiler for a
// 32-bit machine computes them. The behaviour of the module does not change: a test runs it with
// the oracle before and after.
//
// Input:  a valid module, expanded for its format; it is changed in place.
// Output: a valid module. Each Int64 whose opcode has a row is a Stitch of its halves, and opcodes
//         with rows read halves. Other opcodes use whole values: accesses, calls, divisions,
//         conversions of floats.

import { analyzeControlFlow } from "../ir/control-flow.js";
import { nameOfOpcode, Op, type OpcodeName } from "../ir/opcodes.js";
import type { Procedure, Value } from "../ir/procedure.js";
import { type BasicBlock, forEachOperand, forEachSlotValue, type Module } from "../ir/procedure.js";
import { Int32, Int64 } from "../ir/types.js";
import { expand } from "./expand.js";
import { type ExpansionScript, OPERAND_NAMES, parseScript, ScriptWriter } from "./expressions.js";
import type { SourceForm } from "./forms.js";

/** The scripts of the low and the high half, or that of a result that is no Int64. */
type PairRow = readonly [low: string, high: string] | readonly [result: string];

// The low half of an Int64 operand `x` is `x`, the high half `xh`. The script of the high half may
// also use the result `low` and the names of the first script.

const compared = (equal: OpcodeName, test: OpcodeName): PairRow => [
  `Select(Equal(xh, yh), ${equal}(x, y), ${test}(xh, yh))`,
];
const chosen = (test: OpcodeName, low: OpcodeName): PairRow => [
  `s = Select(Equal(xh, yh), ${low}(x, y), ${test}(xh, yh)); Select(s, x, y)`,
  "Select(s, xh, yh)",
];
const each = (script: string): PairRow => [script, script.replace(/\b[xyz]\b/g, "$&h")];
// Shifts of Int32 use the low 5 bits of the count, so bits cross by 32 - y = 1 + (y ^ 31) places.
const UP = "ZShr(ZShr(p, 1), BitXor(y, 31))";
const DOWN = "Shl(Shl(q, 1), BitXor(y, 31))";
const SWAPPED = "c = BitAnd(y, 32); p = Select(c, xh, x); q = Select(c, x, xh)";
const PRODUCT =
  "a = BitAnd(x, 0xffff); b = ZShr(x, 16); c = BitAnd(y, 0xffff); d = ZShr(y, 16); " +
  "m = Add(Mul(b, c), ZShr(Mul(a, c), 16)); n = Add(Mul(a, d), BitAnd(m, 0xffff)); " +
  "h = Add(Add(Mul(b, d), ZShr(m, 16)), ZShr(n, 16)); Add(h, Add(Mul(x, yh), Mul(xh, y)))";

// biome-ignore format: a table
const ROWS: Readonly<Partial<Record<OpcodeName, PairRow>>> = {
  Identity:     each("x"),
  Opaque:       each("Opaque(x)"),
  Add:          ["Add(x, y)", "Add(Add(xh, yh), Below(low, x))"],
  Sub:          ["Sub(x, y)", "Sub(Sub(xh, yh), Below(x, y))"],
  Neg:          ["Neg(x)", "Sub(Neg(xh), NotEqual(x, 0))"],
  Mul:          ["Mul(x, y)", PRODUCT],
  BitAnd:       each("BitAnd(x, y)"),
  BitOr:        each("BitOr(x, y)"),
  BitXor:       each("BitXor(x, y)"),
  Shl:          ["c = BitAnd(y, 32); p = x; s = Shl(x, y); Select(c, 0, s)", `Select(c, s, BitOr(Shl(xh, y), ${UP}))`],
  ZShr:         [`c = BitAnd(y, 32); q = xh; s = ZShr(xh, y); Select(c, s, BitOr(ZShr(x, y), ${DOWN}))`, "Select(c, 0, s)"],
  SShr:         [`c = BitAnd(y, 32); q = xh; s = SShr(xh, y); Select(c, s, BitOr(ZShr(x, y), ${DOWN}))`, "Select(c, SShr(xh, 31), s)"],
  RotL:         [`${SWAPPED}; BitOr(Shl(p, y), ZShr(ZShr(q, 1), BitXor(y, 31)))`, `BitOr(Shl(q, y), ${UP})`],
  RotR:         [`${SWAPPED}; BitOr(ZShr(p, y), ${DOWN})`, "BitOr(ZShr(q, y), Shl(Shl(p, 1), BitXor(y, 31)))"],
  Clz:          ["Select(xh, Clz(xh), Add(Clz(x), 32))", "0"],
  Ctz:          ["Select(x, Ctz(x), Add(Ctz(xh), 32))", "0"],
  PopCnt:       ["Add(PopCnt(x), PopCnt(xh))", "0"],
  ByteSwap:     ["ByteSwap(xh)", "ByteSwap(x)"],
  Min:          chosen("LessThan", "Below"),
  Max:          chosen("GreaterThan", "Above"),
  UMin:         chosen("Below", "Below"),
  UMax:         chosen("Above", "Above"),
  AddOverflows: ["r = Add(Add(xh, yh), Below(Add(x, y), x)); LessThan(BitAnd(BitXor(xh, r), BitXor(yh, r)), 0)"],
  SubOverflows: ["r = Sub(Sub(xh, yh), Below(x, y)); LessThan(BitAnd(BitXor(xh, yh), BitXor(xh, r)), 0)"],
  AddCarries:   ["s = Add(xh, yh); BitOr(Below(s, xh), Below(Add(s, Below(Add(x, y), x)), s))"],
  SExt8To64:    ["SExt8(x)", "SShr(low, 31)"],
  SExt16To64:   ["SExt16(x)", "SShr(low, 31)"],
  SExt32:       ["x", "SShr(x, 31)"],
  ZExt32:       ["x", "0"],
  Stitch:       ["y", "x"],
  Trunc:        ["x"],
  TruncHigh:    ["xh"],
  Equal:        ["Equal(BitOr(BitXor(x, y), BitXor(xh, yh)), 0)"],
  NotEqual:     ["NotEqual(BitOr(BitXor(x, y), BitXor(xh, yh)), 0)"],
  LessThan:     compared("Below", "LessThan"),
  GreaterThan:  compared("Above", "GreaterThan"),
  LessEqual:    compared("BelowEqual", "LessThan"),
  GreaterEqual: compared("AboveEqual", "GreaterThan"),
  Above:        compared("Above", "Above"),
  Below:        compared("Below", "Below"),
  AboveEqual:   compared("AboveEqual", "Above"),
  BelowEqual:   compared("BelowEqual", "Below"),
  // The condition of a Select may be an Int64 too, or the only one.
  Select:       ["Select(x, y, z)", "Select(x, yh, zh)"],
};

/** Opcodes that test an Int64 for zero: they test the halves together. */
const TESTS: ReadonlySet<number> = new Set([Op.Branch, Op.Check, Op.Select]);
/** Opcodes whose result is an address if an operand is. */
const DERIVES_ADDRESS: ReadonlySet<number> = new Set([Op.Identity, Op.Opaque, Op.Add, Op.Select]);
const EITHER = parseScript("BitOr(x, xh)");

const SCRIPTS: ReadonlyMap<string, readonly ExpansionScript[]> = new Map(
  Object.entries(ROWS).map(([name, row]) => [name, row.map(parseScript)]),
);

/** Expands a module for a format (expand.ts), and splits its Int64 values in the form `word-pairs`. */
export function expandInForm(module: Module, lacking: ReadonlySet<string>, form: SourceForm): void {
  expand(module, lacking);
  if (form.has("word-pairs")) splitIntoPairs(module);
}

/** Computes the Int64 values of all procedures of a module as pairs. */
function splitIntoPairs({ procedures }: Module): void {
  for (const proc of procedures) new PairSplitter(proc).split();
}

interface Halves {
  readonly low: Value;
  readonly high: Value;
}

class PairSplitter {
  private readonly proc: Procedure;
  private readonly halves = new Map<Value, Halves>();
  /** Addresses of slots and functions, which only some opcodes may use. */
  private readonly addresses = new Set<Value>();
  /** Values that are removed if nothing uses them, in order of their definitions. */
  private readonly removable: Value[] = [];
  /** The halves of values without a row, which belong to one list of values. */
  private local = new Map<Value, Halves>();
  private writer: ScriptWriter;

  constructor(proc: Procedure) {
    this.proc = proc;
    this.writer = new ScriptWriter(proc);
  }

  split(): void {
    const { proc } = this;
    proc.forEachValue((value) => {
      if (value.opcode !== Op.Phi || value.type !== Int64) return;
      this.halves.set(value, { low: this.newPhi(), high: this.newPhi() });
    });
    for (const block of inOrder(proc)) {
      block.values = this.splitValues(block.values);
      for (const value of block.values) value.block = block;
    }
    for (const { values } of proc.snapshots) {
      values.splice(0, values.length, ...this.splitValues(values));
    }
    this.removeUnused();
  }

  private newPhi(): Value {
    return this.proc.newValue(Op.Phi, Int32);
  }

  private splitValues(values: readonly Value[]): Value[] {
    const split: Value[] = [];
    this.local = new Map();
    for (const value of values) {
      this.writer = new ScriptWriter(this.proc);
      const isKept = this.splitValue(value);
      this.removable.push(...this.writer.values);
      split.push(...this.writer.values);
      if (isKept) split.push(value);
    }
    return split;
  }

  /** Appends the halves of a value. Returns false if they replace it. */
  private splitValue(value: Value): boolean {
    const { opcode, a } = value;
    if (opcode === Op.Upsilon) return this.splitUpsilon(value);
    if (opcode === Op.Phi) {
      const halves = this.halves.get(value);
      if (halves !== undefined) {
        this.writer.values.push(halves.low, halves.high);
        this.becomesStitch(value, halves);
      }
      return true;
    }
    if (this.isAddress(value)) {
      this.addresses.add(value);
      return true;
    }
    if (TESTS.has(opcode) && a?.type === Int64) {
      const { low: x, high: xh } = this.halvesOf(a);
      value.a = this.writer.write(EITHER, new Map(Object.entries({ x, xh })));
    }
    const scripts = SCRIPTS.get(nameOfOpcode(opcode));
    if (scripts !== undefined && usesInt64(value)) this.splitByRow(value, scripts);
    return true;
  }

  private splitUpsilon(value: Value): boolean {
    const to = this.halves.get(value.phi);
    if (to === undefined || value.a === null) return true;
    const from = this.halvesOf(value.a);
    for (const half of ["low", "high"] as const) {
      const upsilon = this.proc.newValue(value.opcode, value.type, from[half]);
      upsilon.extra = to[half];
      this.writer.values.push(upsilon);
    }
    return false;
  }

  private splitByRow(value: Value, [low, high]: readonly ExpansionScript[]): void {
    const names = new Map<string, Value>();
    [value.a, value.b, value.c].forEach((operand, i) => {
      if (operand === null) return;
      if (operand.type !== Int64) return void names.set(OPERAND_NAMES[i], operand);
      const halves = this.halvesOf(operand);
      names.set(OPERAND_NAMES[i], halves.low).set(`${OPERAND_NAMES[i]}h`, halves.high);
    });
    const result = this.writer.run(low, names);
    if (value.type !== Int64) {
      value.becomes(result);
      return;
    }
    const halves = { low: result, high: this.writer.run(high, names.set("low", result)) };
    this.halves.set(value, halves);
    this.becomesStitch(value, halves);
  }

  private becomesStitch(value: Value, { low, high }: Halves): void {
    value.becomes(high);
    value.opcode = Op.Stitch;
    value.b = low;
    this.removable.push(value);
  }

  private halvesOf(value: Value): Halves {
    const known = this.halves.get(value) ?? this.local.get(value);
    if (known !== undefined) return known;
    const halves = value.isConstant
      ? { low: this.constant(value.constantLow), high: this.constant(value.constantHigh) }
      : { low: this.half(Op.Trunc, value), high: this.half(Op.TruncHigh, value) };
    this.local.set(value, halves);
    return halves;
  }

  private constant(word: number): Value {
    const constant = this.proc.newConstant(Int32, word, 0);
    this.writer.values.push(constant);
    return constant;
  }

  private half(opcode: typeof Op.Trunc, of: Value): Value {
    const half = this.proc.newValue(opcode, Int32, of);
    this.writer.values.push(half);
    return half;
  }

  private isAddress({ opcode, a, b, c }: Value): boolean {
    if (opcode === Op.SlotBase || opcode === Op.FunctionAddress) return true;
    if (!DERIVES_ADDRESS.has(opcode)) return false;
    return [a, b, c].some((operand) => operand !== null && this.addresses.has(operand));
  }

  /** Removes whole values and halves that nothing uses. */
  private removeUnused(): void {
    const { proc, removable } = this;
    proc.countUses();
    // `countUses` counts slots at guards, and no guard may name this snapshot.
    for (const snapshot of proc.snapshots) {
      forEachSlotValue(snapshot, (value) => {
        value.uses++;
      });
    }
    for (const value of removable.toReversed()) {
      if (value.uses > 0 || value.opcode === Op.Upsilon) continue;
      forEachOperand(value, (operand) => {
        operand.uses--;
      });
      value.becomesNop();
    }
    const remains = ({ opcode }: Value): boolean => opcode !== Op.Nop;
    for (const block of proc.blocks) block.values = block.values.filter(remains);
    for (const { values } of proc.snapshots) {
      values.splice(0, values.length, ...values.filter(remains));
    }
  }
}

const usesInt64 = ({ type, a }: Value): boolean => type === Int64 || a?.type === Int64;

/** Returns the blocks so that definitions come before uses, and then those that nothing reaches. */
function inOrder(proc: Procedure): Iterable<BasicBlock> {
  return new Set([...analyzeControlFlow(proc).order, ...proc.blocks]);
}

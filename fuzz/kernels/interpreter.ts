// The loop of a bytecode interpreter with a stack, as an engine's: a Switch over opcodes, checked
// accesses to code and stack, integer arithmetic that leaves where it overflows.

import { Module, type Procedure, type StackSlot } from "../../src/ir/procedure.js";
import { Int32 } from "../../src/ir/types.js";
import {
  ARRAY_HEADER,
  type ArrayOf,
  ExitNumbers,
  FrontEnd,
  type Int,
  type Long,
} from "./front-end.js";
import { HEAP_SIZE, type Kernel } from "./kernel.js";

// One byte each; operands follow as one byte, or two where it says so.
// biome-ignore format: a table
const BYTECODES = {
  push:        { code: 0, operandBytes: 2 }, // signed
  load:        { code: 1, operandBytes: 1 }, // the number of a local
  store:       { code: 2, operandBytes: 1 },
  add:         { code: 3, operandBytes: 0 },
  multiply:    { code: 4, operandBytes: 0 },
  remainder:   { code: 5, operandBytes: 0 },
  less:        { code: 6, operandBytes: 0 },
  jump:        { code: 7, operandBytes: 1 }, // the offset of a bytecode
  jumpIfFalse: { code: 8, operandBytes: 1 },
  return:      { code: 9, operandBytes: 0 },
} as const;
type Bytecode = keyof typeof BYTECODES;
type Line = readonly [bytecode: Bytecode, operand?: number];

const LOCALS = 4;
const STACK_MAX = 8;

// for (i = 0, sum = 1; i < n; i++) sum = (sum * 31 + i) % modulus; return sum
const [N, MODULUS, I, SUM] = [0, 1, 2, 3];
const SETUP: readonly Line[] = [
  ["push", 0],
  ["store", I],
  ["push", 1],
  ["store", SUM],
];
const TEST: readonly Line[] = [["load", I], ["load", N], ["less"]];
const BODY: readonly Line[] = [
  ...([["load", SUM], ["push", 31], ["multiply"], ["load", I], ["add"]] as const),
  ...([["load", MODULUS], ["remainder"], ["store", SUM]] as const),
  ...([["load", I], ["push", 1], ["add"], ["store", I]] as const),
];
const LOOP = sizeOf(SETUP);
const END = LOOP + sizeOf([...TEST, ["jumpIfFalse"], ...BODY, ["jump"]]);
const CODE = encode([
  ...SETUP,
  ...TEST,
  ["jumpIfFalse", END],
  ...BODY,
  ["jump", LOOP],
  ["load", SUM],
  ["return"],
]);

const CODE_SIZE = CODE.length;

function sizeOf(lines: readonly Line[]): number {
  return lines.reduce((size, [bytecode]) => size + 1 + BYTECODES[bytecode].operandBytes, 0);
}

function encode(lines: readonly Line[]): number[] {
  return lines.flatMap(([bytecode, operand = 0]) => {
    const { code, operandBytes } = BYTECODES[bytecode];
    return [code, operand & 0xff, (operand >> 8) & 0xff].slice(0, 1 + operandBytes);
  });
}

function build(): Module {
  const module = new Module();
  module.heapSize = HEAP_SIZE;
  const exits = new ExitNumbers();
  const f = new FrontEnd(module, "main", Int32, exits);
  const { emit } = f;
  const heap = f.parameter("Int64");
  const n = f.parameter("Int32");
  const modulus = f.parameter("Int32");
  const code = f.allocate(heap, 0, f.int(CODE_SIZE));
  CODE.forEach((byte, i) => emit.Store8(f.int(byte), code.base, ARRAY_HEADER + i));
  emit.Return(f.call("Int32", buildInterpret(module, exits), [heap, n, modulus]));
  return module;
}

/** `interpret(code, n, modulus)`; the last two become locals. */
function buildInterpret(module: Module, exits: ExitNumbers): Procedure {
  const f = new FrontEnd(module, "interpret", Int32, exits);
  const base = f.parameter("Int64");
  const n = f.parameter("Int32");
  const modulus = f.parameter("Int32");
  const { emit } = f;
  const memory: Memory = {
    code: { base, shift: 0 },
    locals: f.slot(4 * LOCALS),
    stack: f.slot(4 * STACK_MAX),
  };
  emit.Store(n, emit.SlotBase(memory.locals), 4 * N);
  emit.Store(modulus, emit.SlotBase(memory.locals), 4 * MODULUS);
  f.forever([f.int(0), f.int(0)], ([pc, depth]) => {
    const handlers = new Handlers(f, memory, pc, depth);
    const bytecode = handlers.bytecode();
    const table = handlers.table();
    const cases = Object.entries(BYTECODES).map(([name, { code }]) => {
      return [code, table[name as Bytecode]] as const; // a key of that very table
    });
    return f.dispatch(bytecode, ["Int32", "Int32"], new Map(cases), () => {
      emit.Oops(); // the code has no other bytecodes
      return null;
    });
  });
  return f.proc;
}

interface Memory {
  readonly code: ArrayOf;
  readonly locals: StackSlot;
  readonly stack: StackSlot;
}

/** The next pc and depth; null where the procedure has returned. */
type Handler = () => readonly [pc: Int, depth: Int] | null;

/** What the loop does for each bytecode, given where it is in code and stack. */
class Handlers {
  private readonly f: FrontEnd;
  private readonly memory: Memory;
  private readonly pc: Int;
  private readonly depth: Int;

  constructor(f: FrontEnd, memory: Memory, pc: Int, depth: Int) {
    this.f = f;
    this.memory = memory;
    this.pc = pc;
    this.depth = depth;
  }

  bytecode(): Int {
    const { f, memory, pc } = this;
    return f.emit.Load8Z(f.element(memory.code, pc, this.at(0)), ARRAY_HEADER);
  }

  table(): { readonly [B in Bytecode]: Handler } {
    const { f, memory, pc, depth } = this;
    const { emit } = f;
    return {
      push: () => {
        const at = f.element(memory.code, emit.Add(pc, f.int(2)), this.at(0));
        return [this.next("push"), this.push(emit.Load16S(at, ARRAY_HEADER - 1), depth)];
      },
      load: () => [
        this.next("load"),
        this.push(f.load("Int32", this.word(memory.locals, this.operand()), 0), depth),
      ],
      store: () => {
        const [value, below] = this.pop(depth);
        emit.Store(value, this.word(memory.locals, this.operand()), 0);
        return [this.next("store"), below];
      },
      add: this.binary("add", (x, y) => emit.CheckAdd(x, y, this.operands(x, y, 3))),
      multiply: this.binary("multiply", (x, y) => emit.CheckMul(x, y, this.operands(x, y, 4))),
      remainder: this.binary("remainder", (x, y) => {
        emit.Check(emit.LessEqual(y, f.int(0)), this.operands(x, y, 5));
        return emit.Mod(x, y);
      }),
      less: this.binary("less", (x, y) => emit.LessThan(x, y)),
      jump: () => [this.operand(), depth],
      jumpIfFalse: () => {
        const [value, below] = this.pop(depth);
        const [to] = f.choose(
          value,
          () => [this.next("jumpIfFalse")],
          () => [this.operand()],
        );
        return [to, below];
      },
      return: () => {
        const [value] = this.pop(depth);
        emit.Return(value);
        return null;
      },
    };
  }

  private at(point: number) {
    return { point, variables: [this.memory.code.base, this.pc, this.depth] };
  }

  /** The address of a word of a stack slot. */
  private word(slot: StackSlot, index: Int): Long {
    const { f } = this;
    const { emit } = f;
    return emit.Add(emit.SlotBase(slot), emit.Mul(emit.SExt32(index), f.long(4)));
  }

  private push(value: Int, at: Int): Int {
    const { f } = this;
    f.guard(f.emit.AboveEqual(at, f.int(STACK_MAX)), this.at(1));
    f.emit.Store(value, this.word(this.memory.stack, at), 0);
    return f.emit.Add(at, f.int(1));
  }

  private pop(at: Int): readonly [value: Int, at: Int] {
    const { f } = this;
    const top = f.emit.Sub(at, f.int(1));
    f.guard(f.emit.AboveEqual(top, f.int(STACK_MAX)), this.at(2));
    return [f.load("Int32", this.word(this.memory.stack, top), 0), top];
  }

  /** The byte after the bytecode. */
  private operand(): Int {
    const { f } = this;
    const at = f.emit.Add(this.pc, f.int(1));
    return f.emit.Load8Z(f.element(this.memory.code, at, this.at(0)), ARRAY_HEADER);
  }

  private next(name: Bytecode): Int {
    return this.f.emit.Add(this.pc, this.f.int(1 + BYTECODES[name].operandBytes));
  }

  /** Pops two operands and pushes the result; a guard of `give` can show both operands. */
  private binary(name: Bytecode, give: (left: Int, right: Int) => Int): Handler {
    return () => {
      const [right, below] = this.pop(this.depth);
      const [left, bottom] = this.pop(below);
      return [this.next(name), this.push(give(left, right), bottom)];
    };
  }

  private operands(left: Int, right: Int, point: number) {
    const { variables } = this.at(point);
    return this.f.snapshot({ point, variables: [...variables, left, right] });
  }
}

function interpret(code: Uint8Array, n: number, modulus: number): number {
  const locals = new Int32Array(LOCALS);
  const stack = new Int32Array(STACK_MAX);
  locals[N] = n;
  locals[MODULUS] = modulus;
  let pc = 0;
  let depth = 0;
  for (;;) {
    switch (code[pc]) {
      case BYTECODES.push.code:
        stack[depth++] = ((code[pc + 1] | (code[pc + 2] << 8)) << 16) >> 16;
        pc += 3;
        break;
      case BYTECODES.load.code:
        stack[depth++] = locals[code[pc + 1]];
        pc += 2;
        break;
      case BYTECODES.store.code:
        locals[code[pc + 1]] = stack[--depth];
        pc += 2;
        break;
      case BYTECODES.add.code:
        stack[depth - 2] = small(stack[depth - 2] + stack[depth - 1]);
        depth--;
        pc++;
        break;
      case BYTECODES.multiply.code:
        stack[depth - 2] = small(stack[depth - 2] * stack[depth - 1]);
        depth--;
        pc++;
        break;
      case BYTECODES.remainder.code:
        stack[depth - 2] = stack[depth - 2] % stack[depth - 1];
        depth--;
        pc++;
        break;
      case BYTECODES.less.code:
        stack[depth - 2] = stack[depth - 2] < stack[depth - 1] ? 1 : 0;
        depth--;
        pc++;
        break;
      case BYTECODES.jump.code:
        pc = code[pc + 1];
        break;
      case BYTECODES.jumpIfFalse.code:
        pc = stack[--depth] !== 0 ? pc + 2 : code[pc + 1];
        break;
      case BYTECODES.return.code:
        return stack[depth - 1];
      default:
        throw new RangeError(`no bytecode ${code[pc]}`);
    }
  }
}

function small(value: number): number {
  if (value === (value | 0)) return value;
  throw new RangeError("overflow");
}

function javascript(heap: ArrayBuffer, [n, modulus]: readonly number[]): number {
  const code = new Uint8Array(heap, ARRAY_HEADER, CODE_SIZE);
  code.set(CODE);
  return interpret(code, n, modulus);
}

const PRIME = 10_007;

export const interpreter: Kernel = {
  name: "interpreter",
  about:
    "A bytecode interpreter; its program makes a hash of 0 to n - 1, modulo the last argument.",
  build,
  javascript,
  args: (n) => [n, PRIME],
  fill: 0,
  counted: 500,
  timed: 20_000,
  leaving: [
    [100, 2 ** 31 - 1], // a product overflows
    [10, 0],
  ],
  inner: { unit: "iteration", counts: (n) => [1, n], sizes: [100, 500] },
};

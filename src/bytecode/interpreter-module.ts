// Builds an interpreter of bytecode as a module, which the oracle runs and any compiler may
// compile. Its entry takes the heap and three integers, which it pushes.
//
//   #0     the entry
//   #1     an edge: a loop or a procedure of the bytecode begins
//   #2     the next word: Phis of ip, sp and rp, and a Switch over ip, which contains the code
//   #3     a Switch over the primitive in the low byte of the word
//   #4 ... one block for each primitive, and one more for each conditional jump,
//          then one block for each word of the code, which passes it to #3
//
// A module of that structure is bytecode (`codeOf`); no other data marks it.

import { hostFunctionNamed } from "../ir/host-functions.js";
import { Op, type Opcode } from "../ir/opcodes.js";
import {
  type BasicBlock,
  type FrameSlot,
  Module,
  Procedure,
  SwitchCases,
  type Value,
} from "../ir/procedure.js";
import { printModule } from "../ir/text/print.js";
import { Double, Int32, Int64, type Type, Void } from "../ir/types.js";
import { ARGUMENTS, type BytecodeWords, PRIMITIVE_BITS, PRIMITIVE_MASK } from "./code.js";
import {
  CELL_BYTES,
  DATA_CLASS,
  DATA_WORDS,
  HALT_EXIT,
  HEAP_BYTES,
  NO_ROOM_EXIT,
  OPERAND_CLASS,
  OPERAND_DEAD_BYTES,
  OPERAND_LIMIT,
  OPERAND_START,
  RETURN_CLASS,
  RETURN_DEAD_BYTES,
  RETURN_LIMIT,
  RETURN_START,
  WORD_BYTES,
  WRONG_TAG_EXIT,
} from "./layout.js";
import {
  type BytecodePrimitive,
  type CellKind,
  type ComputingOpcode,
  isInteger,
  PRIMITIVES,
  type PrimitiveSteps,
  TAG_BITS,
  TAG_MASK,
} from "./primitives.js";
import { faultOf } from "./verify-code.js";

const ENTRY_NAME = "interpret";
/** Indices of blocks. */
export const EDGE_BLOCK = 1;
export const NEXT_BLOCK = 2;

export function moduleOf(code: BytecodeWords): Module {
  return new InterpreterBuilder(code).build();
}

/** By entry of a module. Editing bytecode makes a new module, so entries do not change. */
const knownCode = new WeakMap<Procedure, BytecodeWords | null>();

/** Returns the bytecode that the module interprets; null if it is another program. */
export function codeOf(module: Module): BytecodeWords | null {
  const { procedures, entry } = module;
  if (procedures.length !== 1 || entry.name !== ENTRY_NAME) return null;
  let code = knownCode.get(entry);
  if (code === undefined) {
    code = findCode(module);
    knownCode.set(entry, code);
  }
  return code;
}

/** Stores that the module interprets that code, so that `codeOf` need not analyse it. */
export function rememberCode({ entry }: Module, code: BytecodeWords): void {
  knownCode.set(entry, code);
}

function findCode(module: Module): BytecodeWords | null {
  const { entry } = module;
  const next = entry.blocks[NEXT_BLOCK];
  if (next?.last.opcode !== Op.Switch) return null;
  // The last successor is the default.
  const words = next.successors.slice(0, -1).map(({ values }) => values[0]?.a?.constantLow ?? 0);
  const code = { words };
  if (faultOf(code) !== null) return null;
  return renumberedText(moduleOf(code)) === renumberedText(module) ? code : null;
}

/** Returns the text of the module with values, blocks and snapshots renumbered. */
function renumberedText(module: Module): string {
  const numbers = new Map<string, number>();
  return printModule(module).replace(/([@^#]|\bs)(\d+)/g, (_, kind: string, id: string) => {
    const name = (kind === "^" ? "@" : kind) + id;
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return `${kind}${number}`;
  });
}

/** The Phis of the interpreter's state. */
interface StatePhis {
  readonly ip: Value;
  readonly sp: Value;
  readonly rp: Value;
}

export function statePhisOf({ entry }: Module): StatePhis {
  const [ip, sp, rp] = entry.blocks[NEXT_BLOCK].values;
  return { ip, sp, rp };
}

class InterpreterBuilder {
  private readonly code: BytecodeWords;
  private readonly module = new Module();
  private readonly proc = new Procedure(ENTRY_NAME, Void);
  private readonly constants = new Map<string, Value>();
  private block: BasicBlock;
  private readonly edge: BasicBlock;
  private readonly next: BasicBlock;
  private readonly decode: BasicBlock;
  private readonly heap: Value;
  private readonly state: StatePhis;
  private readonly word: Value;

  constructor(code: BytecodeWords) {
    this.code = code;
    const { proc, module } = this;
    module.heapSize = HEAP_BYTES;
    module.procedures.push(proc);
    this.heap = proc.newParameter(Int64);
    for (let i = 0; i < ARGUMENTS; i++) proc.newParameter(Int32);
    this.block = proc.newBlock();
    this.edge = proc.newBlock();
    this.next = proc.newBlock();
    this.decode = proc.newBlock();
    const phi = (type: Type): Value => proc.newValue(Op.Phi, type);
    this.state = { ip: phi(Int32), sp: phi(Int64), rp: phi(Int64) };
    this.word = phi(Int32);
  }

  build(): Module {
    const { proc, module } = this;
    const [entry] = proc.blocks;
    const undefinedWord = proc.newBlock();
    this.makeEntry();
    this.startBlock(this.edge);
    this.jumpTo(this.next);
    this.makeDecode(undefinedWord);
    this.makeNext(undefinedWord);
    this.startBlock(undefinedWord);
    this.add(Op.Oops, Void);
    dropUnusedLoads(proc);
    // Constants are defined before all uses.
    entry.values.unshift(...this.constants.values());
    for (const constant of this.constants.values()) constant.block = entry;
    return module;
  }

  add(opcode: Opcode, type: Type, ...operands: (Value | null)[]): Value {
    const [a, b, c] = operands;
    return this.block.append(this.proc.newValue(opcode, type, a, b, c));
  }

  access(
    opcode: Opcode,
    type: Type,
    operands: Value[],
    offset: number,
    memoryClass: number,
  ): Value {
    const value = this.add(opcode, type, ...operands);
    value.offset = offset;
    value.memoryClass = memoryClass;
    return value;
  }

  integer(type: Type, n: number): Value {
    const key = `${type} ${n}`;
    const known = this.constants.get(key);
    if (known !== undefined) return known;
    const value = this.proc.newConstant(type, n | 0, type === Int64 ? n >> 31 : 0);
    this.constants.set(key, value);
    return value;
  }

  /** Jumps to `to` with this state. */
  continueAt(to: "edge" | "next", ip: Value, sp: Value, rp: Value): void {
    this.upsilon(ip, this.state.ip);
    this.upsilon(sp, this.state.sp);
    this.upsilon(rp, this.state.rp);
    this.jumpTo(to === "edge" ? this.edge : this.next);
  }

  /**
   * Branches to two new blocks. Continues in the block for a nonzero condition, and returns the
   * other.
   */
  branch(condition: Value): BasicBlock {
    const [then, otherwise] = [this.proc.newBlock(), this.proc.newBlock()];
    this.add(Op.Branch, Void, condition);
    this.block.successors = [then, otherwise];
    this.startBlock(then);
    return otherwise;
  }

  startBlock(block: BasicBlock): void {
    this.block = block;
  }

  /** Adds a guard whose exit ends the program, with the state before the word. */
  leaveIf(condition: Value, exit: number): void {
    const { ip, sp, rp } = this.state;
    const snapshot = this.proc.newSnapshot(exit);
    const dead = (address: Value, offset: number, size: number): FrameSlot => ({
      kind: "deadBytes",
      ...{ address, offset, size },
    });
    const slots: FrameSlot[] = [ip, sp, rp].map((value) => ({ kind: "value", value }));
    slots.push(dead(sp, CELL_BYTES, OPERAND_DEAD_BYTES), dead(rp, WORD_BYTES, RETURN_DEAD_BYTES));
    snapshot.frames.push({ name: ENTRY_NAME, point: exit, slots });
    this.add(Op.Check, Void, condition).extra = snapshot;
  }

  private upsilon(value: Value, phi: Value): void {
    this.add(Op.Upsilon, Void, value).extra = phi;
  }

  private jumpTo(block: BasicBlock): void {
    this.add(Op.Jump, Void);
    this.block.successors = [block];
  }

  private appendPhi(phi: Value): void {
    this.block.append(phi);
  }

  private makeEntry(): void {
    const sp = this.add(Op.Add, Int64, this.heap, this.integer(Int64, OPERAND_START));
    const rp = this.add(Op.Add, Int64, this.heap, this.integer(Int64, RETURN_START));
    this.proc.parameters.slice(1).forEach((argument, i) => {
      const cell = this.add(Op.ZExt32, Int64, argument);
      this.access(Op.Store, Void, [cell, sp], CELL_BYTES * (i + 1), OPERAND_CLASS);
    });
    const top = this.add(Op.Add, Int64, sp, this.integer(Int64, CELL_BYTES * ARGUMENTS));
    this.continueAt("edge", this.integer(Int32, 0), top, rp);
  }

  private makeNext(undefinedWord: BasicBlock): void {
    const { ip, sp, rp } = this.state;
    this.startBlock(this.next);
    for (const phi of [ip, sp, rp]) this.appendPhi(phi);
    this.switchOver(ip, this.code.words.length, undefinedWord, (i) => {
      this.upsilon(this.integer(Int32, this.code.words[i]), this.word);
      this.jumpTo(this.decode);
    });
  }

  private makeDecode(undefinedWord: BasicBlock): void {
    this.startBlock(this.decode);
    this.appendPhi(this.word);
    const number = this.add(Op.BitAnd, Int32, this.word, this.integer(Int32, PRIMITIVE_MASK));
    const immediate = this.add(Op.SShr, Int32, this.word, this.integer(Int32, PRIMITIVE_BITS));
    const nextAddress = this.add(Op.Add, Int32, this.state.ip, this.integer(Int32, 1));
    this.switchOver(number, PRIMITIVES.length, undefinedWord, (i) => {
      const steps = new BlockEmitter(
        this,
        PRIMITIVES[i],
        this.heap,
        this.state,
        immediate,
        nextAddress,
      );
      PRIMITIVES[i].applyTo(steps);
      steps.finish();
    });
  }

  /** Ends the block by a Switch over 0 to `count` - 1, with a new block for each. */
  private switchOver(
    operand: Value,
    count: number,
    otherwise: BasicBlock,
    make: (i: number) => void,
  ): void {
    const { block, proc } = this;
    const keys = Array.from({ length: count }, (_, i) => i);
    const targets = keys.map(() => proc.newBlock());
    this.add(Op.Switch, Void, operand).extra = new SwitchCases(
      keys,
      keys.map(() => 0),
    );
    block.successors = [...targets, otherwise];
    for (const i of keys) {
      this.startBlock(targets[i]);
      make(i);
    }
  }
}

/** Removes loads of popped cells that are not used. */
function dropUnusedLoads(proc: Procedure): void {
  const used = new Set<Value>();
  proc.forEachValue(({ a, b, c, rest }) => {
    for (const value of [a, b, c, ...(rest ?? [])]) if (value !== null) used.add(value);
  });
  for (const block of proc.blocks) {
    block.values = block.values.filter((value) => value.opcode !== Op.Load || used.has(value));
  }
}

/**
 * Emits one primitive as a block: operands are loaded from memory, results are stored to memory.
 */
class BlockEmitter implements PrimitiveSteps<Value> {
  private readonly builder: InterpreterBuilder;
  private readonly primitive: BytecodePrimitive;
  private readonly heap: Value;
  private readonly state: StatePhis;
  private readonly immediateValue: Value;
  private readonly nextWord: Value;
  /** How far the tops have moved. */
  private cells = 0;
  private words = 0;
  private isFinished = false;

  constructor(
    builder: InterpreterBuilder,
    primitive: BytecodePrimitive,
    heap: Value,
    state: StatePhis,
    immediate: Value,
    nextWord: Value,
  ) {
    this.builder = builder;
    this.primitive = primitive;
    this.heap = heap;
    this.state = state;
    this.immediateValue = immediate;
    this.nextWord = nextWord;
  }

  /** Continues with the next word, unless the primitive has jumped. */
  finish(): void {
    if (!this.isFinished) this.continueAt("next", this.nextWord);
  }

  immediate(): Value {
    return this.immediateValue;
  }

  nextAddress(): Value {
    return this.nextWord;
  }

  pop(kind: CellKind): Value {
    const offset = CELL_BYTES * this.cells--;
    const type = isInteger(kind) ? Int32 : Double;
    return this.builder.access(Op.Load, type, [this.state.sp], offset, OPERAND_CLASS);
  }

  push(kind: CellKind, value: Value): void {
    const cell = isInteger(kind) ? this.builder.add(Op.ZExt32, Int64, value) : value;
    const offset = CELL_BYTES * ++this.cells;
    this.builder.access(Op.Store, Void, [cell, this.state.sp], offset, OPERAND_CLASS);
  }

  popReturn(): Value {
    const offset = WORD_BYTES * this.words--;
    return this.builder.access(Op.Load, Int32, [this.state.rp], offset, RETURN_CLASS);
  }

  pushReturn(value: Value): void {
    const offset = WORD_BYTES * ++this.words;
    this.builder.access(Op.Store, Void, [value, this.state.rp], offset, RETURN_CLASS);
  }

  local(): Value {
    return this.builder.access(Op.Load, Int32, [this.localAddress()], 0, RETURN_CLASS);
  }

  setLocal(value: Value): void {
    this.builder.access(Op.Store, Void, [value, this.localAddress()], 0, RETURN_CLASS);
  }

  load(index: Value): Value {
    return this.builder.access(Op.Load, Int32, [this.dataAddress(index)], 0, DATA_CLASS);
  }

  store(value: Value, index: Value): void {
    this.builder.access(Op.Store, Void, [value, this.dataAddress(index)], 0, DATA_CLASS);
  }

  compute(
    opcode: ComputingOpcode,
    operands: readonly Value[],
    _: CellKind,
    gives: CellKind,
  ): Value {
    return this.builder.add(Op[opcode], isInteger(gives) ? Int32 : Double, ...operands);
  }

  log(value: Value): void {
    const call = this.builder.add(Op.CCall, Void);
    call.rest = [value];
    call.extra = hostFunctionNamed("logInt");
  }

  box(payload: Value, tag: number): Value {
    const { builder } = this;
    const shifted = builder.add(Op.Shl, Int32, payload, builder.integer(Int32, TAG_BITS));
    return builder.add(Op.BitOr, Int32, shifted, builder.integer(Int32, tag));
  }

  tagOf(box: Value): Value {
    return this.builder.add(Op.BitAnd, Int32, box, this.builder.integer(Int32, TAG_MASK));
  }

  payloadOf(box: Value): Value {
    return this.builder.add(Op.SShr, Int32, box, this.builder.integer(Int32, TAG_BITS));
  }

  checkTag(tag: number): void {
    const box = this.pop("box");
    this.cells++;
    const { builder } = this;
    const isOther = builder.add(Op.NotEqual, Int32, this.tagOf(box), builder.integer(Int32, tag));
    builder.leaveIf(isOther, WRONG_TAG_EXIT);
  }

  truthOf(integer: Value): Value {
    return this.builder.add(Op.NotEqual, Int32, integer, this.builder.integer(Int32, 0));
  }

  checkRoom(): void {
    const { sp, rp } = this.state;
    this.builder.leaveIf(this.isBeyond(sp, OPERAND_LIMIT), NO_ROOM_EXIT);
    this.builder.leaveIf(this.isBeyond(rp, RETURN_LIMIT), NO_ROOM_EXIT);
  }

  jump(): void {
    this.continueAt(this.primitive.isEdge ? "edge" : "next", this.immediateValue);
  }

  jumpIf(condition: Value, isZero: boolean): void {
    const otherwise = this.builder.branch(condition);
    const taken = this.primitive.isEdge ? "edge" : "next";
    if (isZero) this.continueAt("next", this.nextWord);
    else this.continueAt(taken, this.immediateValue);
    this.builder.startBlock(otherwise);
    if (isZero) this.continueAt(taken, this.immediateValue);
    else this.continueAt("next", this.nextWord);
  }

  jumpTo(address: Value): void {
    this.continueAt("next", address);
  }

  halt(): void {
    this.builder.leaveIf(this.builder.integer(Int32, 1), HALT_EXIT);
    this.builder.add(Op.Oops, Void);
    this.isFinished = true;
  }

  private continueAt(to: "edge" | "next", ip: Value): void {
    const { sp, rp } = this.state;
    this.builder.continueAt(
      to,
      ip,
      this.offsetBy(sp, CELL_BYTES * this.cells),
      this.offsetBy(rp, WORD_BYTES * this.words),
    );
    this.isFinished = true;
  }

  private offsetBy(pointer: Value, bytes: number): Value {
    return bytes === 0
      ? pointer
      : this.builder.add(Op.Add, Int64, pointer, this.builder.integer(Int64, bytes));
  }

  private isBeyond(pointer: Value, limit: number): Value {
    const last = this.builder.add(Op.Add, Int64, this.heap, this.builder.integer(Int64, limit));
    return this.builder.add(Op.Above, Int32, pointer, last);
  }

  private localAddress(): Value {
    const bytes = this.builder.add(
      Op.Shl,
      Int32,
      this.immediateValue,
      this.builder.integer(Int32, 2),
    );
    const top = this.offsetBy(this.state.rp, WORD_BYTES * this.words);
    return this.builder.add(Op.Sub, Int64, top, this.builder.add(Op.ZExt32, Int64, bytes));
  }

  private dataAddress(index: Value): Value {
    const word = this.builder.add(
      Op.BitAnd,
      Int32,
      index,
      this.builder.integer(Int32, DATA_WORDS - 1),
    );
    const bytes = this.builder.add(Op.Shl, Int32, word, this.builder.integer(Int32, 2));
    return this.builder.add(Op.Add, Int64, this.heap, this.builder.add(Op.ZExt32, Int64, bytes));
  }
}

// Writes a graph of B3 as a program. The procedure returns nothing: it records the results of the
// original procedure and the operands of calls.

import { EFFECTS, Op, type Opcode, opcodeNamed, PARTIAL } from "../../ir/opcodes.js";
import {
  accessSize,
  type BasicBlock,
  Module,
  type Snapshot,
  SwitchCases,
  type Value,
} from "../../ir/procedure.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  isFloating,
  type Type,
  typeNamed,
  Void,
} from "../../ir/types.js";
import { ProcedureEmitter } from "../emitter.js";
import type { ImportError } from "../import-error.js";
import { record, writeCall, writePure } from "./by-hand.js";
import { effectsOf } from "./effects.js";
import { type B3Block, type B3Graph, type B3Value, errorAt } from "./graph.js";
import { B3Memory } from "./memory.js";
import {
  bitsOf,
  FRAME_AT,
  generatorOf,
  type ImportEnvironment,
  INITIAL_WRITES,
  INSTANCE_AT,
  offsetOf,
  pooledAddress,
  SLOTS_AT,
  TRAP_EXIT,
} from "./surroundings.js";

/** Matches a patchpoint without operands that reads a register reserved by the engine. */
const KEPT_REGISTER = /^resultConstraints = Register\(/;
/** The distance between the addresses of two stack slots. A larger slot overlaps the next one. */
const SLOT_BYTES = 256;

/** @throws ImportError if the graph contains something that a program cannot express */
export function writeModule(graph: B3Graph, surroundings: ImportEnvironment): Module {
  const module = new Module();
  module.heapSize = surroundings.heapBytes;
  module.procedures.push(new B3Writer(graph, surroundings).write());
  return module;
}

class B3Writer {
  private readonly graph: B3Graph;
  private readonly surroundings: ImportEnvironment;
  private readonly emitter = new ProcedureEmitter("b3", [], { next: 0 });
  private readonly memory: B3Memory;
  /** Arguments by register. */
  private readonly registers = new Map<string, Value>();
  private readonly sources = new Map<number, B3Value>();
  private readonly values = new Map<number, Value>();
  private readonly tuples = new Map<number, readonly Value[]>();
  private readonly variables = new Map<string, Value>();
  private readonly blocks = new Map<number, BasicBlock>();

  constructor(graph: B3Graph, surroundings: ImportEnvironment) {
    this.graph = graph;
    this.surroundings = surroundings;
    const { proc } = this.emitter;
    const heap = proc.newParameter(Int64);
    for (const [register, type] of surroundings.registers) {
      this.registers.set(register, proc.newParameter(type));
    }
    for (const type of INITIAL_WRITES) {
      const address = proc.newParameter(Int64);
      this.emitter.store(Op.Store, proc.newParameter(type), address, 0);
    }
    this.memory = new B3Memory(this.emitter, heap);
    for (const value of graph.blocks.flatMap(({ values }) => values)) {
      this.sources.set(value.id, value);
      if (value.opcode === "Phi") this.values.set(value.id, proc.newValue(Op.Phi, typeOf(value)));
    }
  }

  write() {
    const { emitter, graph } = this;
    const first = emitter.block;
    for (const { id } of graph.blocks) this.blocks.set(id, emitter.proc.newBlock());
    emitter.jump(this.block(graph.blocks[0].id, 0));
    for (const block of inOrder(graph)) {
      emitter.block = this.block(block.id, 0);
      for (const value of block.values) this.writeValue(value, block);
    }
    // An unreachable block has no values.
    const { proc } = emitter;
    proc.blocks = proc.blocks.filter((block) => block === first || block.values.length > 0);
    return proc;
  }

  private writeValue(value: B3Value, block: B3Block): void {
    const special = SPECIAL.get(value.opcode);
    if (special !== undefined) special(this, value, block);
    else this.copyOperation(value);
  }

  /** Copies an operation without effects that has the same meaning in both languages. */
  private copyOperation(value: B3Value): void {
    const { opcode: name, flag, children } = value;
    const opcode = opcodeNamed(flag === "" ? name : `${flag}${name}`);
    if (opcode === null || (EFFECTS[opcode] & ~PARTIAL) !== 0) throw unsupported(value);
    const operands = children.map((id) => this.operand(id, value));
    this.values.set(value.id, this.emitter.emit(opcode, typeOf(value), ...operands));
  }

  // The methods that ROWS uses.

  define(value: B3Value, given: Value): void {
    this.values.set(value.id, given);
  }

  constant(value: B3Value): void {
    const bits = bitsOf(value);
    if (bits === null) throw unsupported(value);
    this.define(value, this.constantOf(typeOf(value), bits));
  }

  truncate(value: B3Value): void {
    const { emit } = this.emitter;
    const from = this.operand(value.children[0], value);
    if (from.type !== Double) {
      this.define(value, emit(Op.Trunc, Int32, from));
      return;
    }
    // The low half of a register, as a Float.
    const low = emit(Op.Trunc, Int32, emit(Op.BitwiseCast, Int64, from));
    this.define(value, emit(Op.BitwiseCast, Float, low));
  }

  /** B3 has bitwise operations on floating-point values too. */
  bitwise(value: B3Value, opcode: Opcode): void {
    const { emit } = this.emitter;
    const type = typeOf(value);
    const operands = value.children.map((id) => this.operand(id, value));
    if (!isFloating(type)) {
      this.define(value, emit(opcode, type, ...operands));
      return;
    }
    const bits = type === Double ? Int64 : Int32;
    const [x, y] = operands.map((operand) => emit(Op.BitwiseCast, bits, operand));
    this.define(value, emit(Op.BitwiseCast, type, emit(opcode, bits, x, y)));
  }

  argument(value: B3Value): void {
    const argument = this.registers.get(value.attributes[0]);
    if (argument === undefined) throw unsupported(value);
    this.define(value, this.emitter.emit(Op.Identity, argument.type, argument));
  }

  frame(value: B3Value): void {
    this.define(value, this.memory.at(FRAME_AT));
  }

  wasmAddress(value: B3Value): void {
    const base = this.memory.at(0);
    const from = this.operand(value.children[0], value);
    this.define(value, this.emitter.emit(Op.Add, Int64, base, from));
  }

  load(value: B3Value): void {
    const opcode = accessOf(value);
    const address = pooledAddress(value, this.sources);
    const pooled = address === null ? undefined : this.surroundings.pool.get(address);
    if (pooled !== undefined) {
      this.define(value, this.constantOf(typeOf(value), pooled));
      return;
    }
    const access = this.emitter.emit(opcode, typeOf(value));
    this.place(access, value, value.children[0]);
    this.define(value, access);
  }

  store(value: B3Value): void {
    const stored = this.operand(value.children[0], value);
    const access = this.emitter.emit(accessOf(value), Void, stored);
    this.place(access, value, value.children[1]);
  }

  phi({ id }: B3Value): void {
    const phi = this.values.get(id);
    if (phi === undefined) return;
    this.emitter.block.append(phi);
  }

  upsilon(value: B3Value): void {
    const target = value.attributes.find((text) => text.startsWith("^")) ?? "";
    const phi = this.values.get(Number(target.slice(1)));
    if (phi === undefined || phi.opcode !== Op.Phi) throw unsupported(value);
    this.emitter.upsilon(this.operand(value.children[0], value), phi);
  }

  set(value: B3Value): void {
    const stored = this.operand(value.children[0], value);
    this.emitter.store(Op.Store, stored, this.variable(value), 0);
  }

  get(value: B3Value): void {
    this.define(value, this.emitter.load(Op.Load, typeOf(value), this.variable(value), 0));
  }

  check(value: B3Value): void {
    const [condition, ...shown] = value.children.map((id) => this.operand(id, value));
    this.leave(condition, this.exitOf(value), shown);
  }

  /** Writes checked arithmetic, which exits on overflow. */
  checked(value: B3Value): void {
    const opcode = opcodeNamed(value.opcode);
    const [a, b, ...shown] = value.children.map((id) => this.operand(id, value));
    if (opcode === null || a === undefined || b === undefined) throw unsupported(value);
    const guard = this.emitter.emit(opcode, typeOf(value), a, b);
    guard.extra = this.snapshot(this.exitOf(value), shown);
    this.define(value, guard);
  }

  slot({ id, attributes: [name = ""] }: B3Value): void {
    const number = Number(name.slice("stack".length));
    this.values.set(id, this.memory.at(SLOTS_AT + SLOT_BYTES * number));
  }

  return(value: B3Value): void {
    for (const id of value.children) record(this.emitter, this.operand(id, value));
    this.emitter.return();
  }

  patchpoint(value: B3Value, block: B3Block): void {
    const { surroundings, emitter } = this;
    const effects = effectsOf(value);
    const types = value.types.map(typeNamedIn(value)).filter((type) => type !== Void);
    const kept = value.attributes.find((text) => KEPT_REGISTER.test(text));
    // A call without operands looks similar, but its effects may change pinned registers.
    const isCall = value.children.length > 0 || /Terminal|WritesPinned/.test(effects);
    if (kept !== undefined && !isCall) {
      const isMemory = kept.includes(`(${surroundings.memoryRegister})`);
      this.define(value, this.memory.at(isMemory ? 0 : INSTANCE_AT));
      return;
    }
    const operands = value.children.map((id) => this.operand(id, value));
    if (surroundings.checkGenerators.has(generatorOf(value))) {
      this.leave(emitter.int(1), this.exitOf(value), operands);
      return;
    }
    const { successors } = block;
    const isLast = effects.includes("Terminal");
    if (isLast && successors.length === 0) {
      for (const operand of operands) record(emitter, operand);
      emitter.return();
      return;
    }
    const number = surroundings.generators.get(generatorOf(value)) ?? 0;
    if (effects === "") this.defineTuple(value, writePure(emitter, number, operands, types));
    else if (effects.includes("Writes:Top")) {
      this.call(value, number, operands, isLast ? [...types, Int64] : types);
      if (isLast) this.branchOnLastResult(value, block);
    } else if (types.length > 0 || isLast || effects.includes("Writes:")) throw unsupported(value);
  }

  /**
   * Ends a block after a patchpoint with two successors. The last result selects the successor; in
   * most cases it is the first.
   */
  private branchOnLastResult(value: B3Value, { successors }: B3Block): void {
    if (successors.length !== 2) throw unsupported(value);
    const { emit, long } = this.emitter;
    const choice = this.tuples.get(value.id)?.at(-1);
    if (choice === undefined) throw unsupported(value);
    const [first, second] = successors.map(({ block }) => this.block(block, value.line));
    this.emitter.branch(emit(Op.BitAnd, Int64, choice, long(7)), first, second);
  }

  ccall(value: B3Value): void {
    const operands = value.children.map((id) => this.operand(id, value));
    const types = value.types.map(typeNamedIn(value)).filter((type) => type !== Void);
    this.call(value, 0, operands, types);
  }

  extract(value: B3Value): void {
    const number = Number(value.attributes[0]?.replace("<<", ""));
    const given = this.tuples.get(value.children[0])?.[number];
    if (given === undefined) throw unsupported(value);
    this.define(value, given);
  }

  oops(): void {
    this.emitter.emit(Op.Oops, Void);
  }

  jump(value: B3Value, { successors }: B3Block): void {
    if (successors.length > 1) throw unsupported(value);
    this.emitter.jump(this.block(successors[0]?.block, value.line));
  }

  branch(value: B3Value, { successors: [then, otherwise] }: B3Block): void {
    this.emitter.branch(
      this.operand(value.children[0], value),
      this.block(then?.block, value.line),
      this.block(otherwise?.block, value.line),
    );
  }

  switch(value: B3Value, { successors }: B3Block): void {
    const on = this.operand(value.children[0], value);
    const cases = successors.filter(({ key }) => /^-?\d{1,19}$/.test(key));
    const rest = successors.find(({ key }) => key === "default");
    if (cases.length + 1 !== successors.length) throw unsupported(value);
    const keys = cases.map(({ key }) => BigInt(key));
    const high = keys.map((key) => (on.type === Int64 ? wordOf(key >> 32n) : 0));
    const last = this.emitter.emit(Op.Switch, Void, on);
    last.extra = new SwitchCases(keys.map(wordOf), high);
    const targets = [...cases, rest].map((target) => this.block(target?.block, value.line));
    this.emitter.block.successors.push(...targets);
  }

  // Helpers of the rows.

  private call(
    value: B3Value,
    number: number,
    operands: readonly Value[],
    types: readonly Type[],
  ): void {
    const seen = this.emitter.load(
      Op.Load,
      Int64,
      this.memory.otherLocation(this.memory.at(0), 0),
      0,
    );
    this.defineTuple(value, writeCall(this.emitter, number, operands, types, seen));
    this.memory.shiftAll();
  }

  private defineTuple({ id }: B3Value, given: readonly Value[]): void {
    if (given.length > 0) this.values.set(id, given[0]);
    this.tuples.set(id, given);
  }

  /** Inserts the address computation before the access, which is the last value of the block. */
  private place(access: Value, value: B3Value, base: number): void {
    const { emitter, memory } = this;
    const { values } = emitter.block;
    values.pop();
    const { emit, long } = emitter;
    const address = emit(Op.Add, Int64, this.operand(base, value), long(offsetOf(value)));
    const at = value.flag.startsWith("Traps")
      ? memory.location(address, accessSize(access), (condition) =>
          this.leave(condition, TRAP_EXIT, []),
        )
      : memory.otherLocation(address, this.surroundings.partOf(value));
    if (access.a === null) access.a = at;
    else access.b = at;
    values.push(access);
  }

  private leave(condition: Value, exit: number, shown: readonly Value[]): void {
    this.emitter.emit(Op.Check, Void, condition).extra = this.snapshot(exit, shown);
  }

  private snapshot(exit: number, shown: readonly Value[]): Snapshot {
    const snapshot = this.emitter.proc.newSnapshot(exit);
    const slots = shown.map((value) => ({ kind: "value", value }) as const);
    snapshot.frames.push({ name: "b3", point: 0, slots });
    return snapshot;
  }

  private exitOf(value: B3Value): number {
    return TRAP_EXIT + 1 + (this.surroundings.generators.get(generatorOf(value)) ?? 0);
  }

  private constantOf(type: Type, bits: bigint): Value {
    const isWide = type === Int64 || type === Double;
    return this.emitter.constant(type, wordOf(bits), isWide ? wordOf(bits >> 32n) : 0);
  }

  private variable(value: B3Value): Value {
    const name = value.attributes.find((text) => text.startsWith("var")) ?? "";
    const base = this.emitter.emit(Op.SlotBase, Int64);
    const known = this.variables.get(name);
    base.extra = known === undefined ? this.emitter.proc.newSlot(8, false) : known.extra;
    if (known === undefined) this.variables.set(name, base);
    return base;
  }

  private operand(id: number | undefined, user: B3Value): Value {
    const value = id === undefined ? undefined : this.values.get(id);
    if (value === undefined)
      throw errorAt(user.line, `${user.opcode} uses b@${id}, which is not defined before`);
    return value;
  }

  private block(id: number | undefined, line: number): BasicBlock {
    const block = id === undefined ? undefined : this.blocks.get(id);
    if (block === undefined) throw errorAt(line, "a successor is missing");
    return block;
  }
}

type ValueWriter = (writer: B3Writer, value: B3Value, block: B3Block) => void;

/** Opcodes whose import does more than copy an opcode with the same name. */
// biome-ignore format: a table
const ROWS: Readonly<Record<string, ValueWriter>> = {
  Nop:          () => {},
  Const32:      (writer, value) => writer.constant(value),
  Const64:      (writer, value) => writer.constant(value),
  ConstFloat:   (writer, value) => writer.constant(value),
  ConstDouble:  (writer, value) => writer.constant(value),
  BitAnd:       (writer, value) => writer.bitwise(value, Op.BitAnd),
  BitOr:        (writer, value) => writer.bitwise(value, Op.BitOr),
  BitXor:       (writer, value) => writer.bitwise(value, Op.BitXor),
  Trunc:        (writer, value) => writer.truncate(value),
  ArgumentReg:  (writer, value) => writer.argument(value),
  FramePointer: (writer, value) => writer.frame(value),
  WasmAddress:  (writer, value) => writer.wasmAddress(value),
  Load:         (writer, value) => writer.load(value),
  Load8Z:       (writer, value) => writer.load(value),
  Load8S:       (writer, value) => writer.load(value),
  Load16Z:      (writer, value) => writer.load(value),
  Load16S:      (writer, value) => writer.load(value),
  Store:        (writer, value) => writer.store(value),
  Store8:       (writer, value) => writer.store(value),
  Store16:      (writer, value) => writer.store(value),
  Phi:          (writer, value) => writer.phi(value),
  Upsilon:      (writer, value) => writer.upsilon(value),
  Set:          (writer, value) => writer.set(value),
  Get:          (writer, value) => writer.get(value),
  Check:        (writer, value) => writer.check(value),
  CheckAdd:     (writer, value) => writer.checked(value),
  CheckSub:     (writer, value) => writer.checked(value),
  CheckMul:     (writer, value) => writer.checked(value),
  SlotBase:     (writer, value) => writer.slot(value),
  Fence:        () => {},
  Return:       (writer, value) => writer.return(value),
  Patchpoint:   (writer, value, block) => writer.patchpoint(value, block),
  CCall:        (writer, value) => writer.ccall(value),
  Extract:      (writer, value) => writer.extract(value),
  Oops:         (writer) => writer.oops(),
  Jump:         (writer, value, block) => writer.jump(value, block),
  EntrySwitch:  (writer, value, block) => writer.jump(value, block),
  Branch:       (writer, value, block) => writer.branch(value, block),
  Switch:       (writer, value, block) => writer.switch(value, block),
};
/** A map, because a log may contain a property name of Object as an opcode. */
const SPECIAL: ReadonlyMap<string, ValueWriter> = new Map(Object.entries(ROWS));

/** Returns the reachable blocks in reverse postorder, so each block follows its dominators. */
function inOrder({ blocks }: B3Graph): readonly B3Block[] {
  const byId = new Map(blocks.map((block) => [block.id, block]));
  const seen = new Set<B3Block>([blocks[0]]);
  const finished: B3Block[] = [];
  const work = [{ block: blocks[0], next: 0 }];
  for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
    const target = top.block.successors[top.next++];
    if (target === undefined) {
      finished.push(top.block);
      work.pop();
      continue;
    }
    const block = byId.get(target.block);
    if (block === undefined || seen.has(block)) continue;
    seen.add(block);
    work.push({ block, next: 0 });
  }
  return finished.reverse();
}

const wordOf = (bits: bigint): number => Number(BigInt.asIntN(32, bits));

function accessOf(value: B3Value): Opcode {
  const opcode = opcodeNamed(value.opcode);
  if (opcode === null || (value.flag !== "" && value.flag !== "Traps")) throw unsupported(value);
  return opcode;
}

const typeOf = (value: B3Value): Type => typeNamedIn(value)(value.types[0]);

const typeNamedIn =
  (value: B3Value) =>
  (name: string): Type => {
    const type = typeNamed(name);
    if (type === null) throw unsupported(value);
    return type;
  };

function unsupported({ line, opcode, flag, types }: B3Value): ImportError {
  const name = flag === "" ? opcode : `${opcode}<${flag}>`;
  return errorAt(line, `${types.join(", ")} ${name} cannot be imported`);
}

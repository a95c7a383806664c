// Writes a tree of fragments as a procedure. A label begins a block; an exit that a patch continues is a branch to the
// block of the other fragment.

import {
  analyzeControlFlow,
  type ControlFlow,
  dominates,
  UNREACHABLE,
} from "../../ir/control-flow.js";
import { Op, type Opcode } from "../../ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../ir/procedure.js";
import { Double, Int32, Int64, nameOfType, type Type, Void } from "../../ir/types.js";
import { LirError, quoted, refusal } from "../../lir/lir-error.js";
import type { LirForm, LirLetter, LirSpec } from "../../lir/names.js";
import type { LirFragment, LirInstruction } from "../../lir/parse.js";
import { assert } from "../../support/assert.js";
import { callFunction, callTree } from "./calls.js";
import type { LirContext, LirTree } from "./context.js";
import type { LirEmitter } from "./lir-emitter.js";
import { isCondition, typeOf, writeLoad, writeOperation, writeStore } from "./operations.js";

/** @throws LirError */
export function writeTree(context: LirContext, tree: LirTree): Procedure {
  return new TreeWriter(context, tree).write();
}

/** A named value of a fragment. */
interface Definition {
  readonly value: Value;
  readonly spec: LirSpec;
}

/** A use of a value in another block. */
interface DistantUse {
  readonly line: number;
  readonly name: string;
  readonly from: BasicBlock;
  readonly to: BasicBlock;
}

class TreeWriter {
  readonly e: LirEmitter;
  private readonly context: LirContext;
  private readonly tree: LirTree;
  private readonly starts = new Map<LirFragment, BasicBlock>();
  private readonly addresses = new Map<LirInstruction, Value>();
  private readonly uses: DistantUse[] = [];
  private fragment: LirFragment;
  private definitions = new Map<string, Definition>();
  private labels = new Map<string, BasicBlock>();
  /** No path from the text before leads to the current instruction. */
  private isDead = false;

  constructor(context: LirContext, tree: LirTree) {
    this.context = context;
    this.tree = tree;
    this.e = tree.emitter;
    [this.fragment] = tree.fragments;
  }

  write(): Procedure {
    const { e, tree } = this;
    const entry = e.block;
    for (const fragment of tree.fragments) this.reserve(fragment);
    for (const fragment of tree.fragments) this.starts.set(fragment, e.startBlock());
    e.block = entry;
    e.jump(this.startOf(this.fragment));
    for (const fragment of tree.fragments) this.writeFragment(fragment);
    const { proc } = e;
    const flow = analyzeControlFlow(proc);
    this.checkUses(flow);
    proc.blocks = proc.blocks.filter(({ index }) => flow.position[index] !== UNREACHABLE);
    return proc;
  }

  /** Writes the addresses of what a fragment allocates, which exist throughout the procedure. */
  private reserve({ instructions }: LirFragment): void {
    const { e } = this;
    for (const instruction of instructions) {
      const allocation = this.context.allocations.get(instruction);
      if (allocation === undefined) continue;
      e.line = instruction.line;
      const { size, heapAt } = allocation;
      this.addresses.set(instruction, heapAt === null ? this.slot(size) : this.heapAddress(heapAt));
    }
  }

  private slot(size: number): Value {
    const base = this.e.emit(Op.SlotBase, Int64);
    base.extra = this.e.proc.newSlot(size, true);
    return base;
  }

  private heapAddress(at: number): Value {
    const { e } = this;
    return e.emit(Op.Add, Int64, e.proc.parameters[0], e.long(at));
  }

  private startOf(fragment: LirFragment): BasicBlock {
    const start = this.starts.get(fragment);
    assert(start !== undefined, () => `${fragment.name} is not in the tree`);
    return start;
  }

  private writeFragment(fragment: LirFragment): void {
    const { e } = this;
    const { instructions, lastLine, name } = fragment;
    this.fragment = fragment;
    e.fragment = name;
    this.definitions = new Map();
    this.labels = new Map();
    for (const { line, spec, result } of instructions) {
      if (spec.form !== "label" || result === null) continue;
      e.line = line;
      if (this.labels.has(result))
        throw new LirError(line, `the label ${quoted(result)} is defined twice`);
      this.labels.set(result, e.startBlock());
    }
    e.block = this.startOf(fragment);
    this.isDead = false;
    for (const instruction of instructions) this.writeInstruction(instruction);
    e.line = lastLine;
    if (!this.isDead) this.leave();
  }

  private writeInstruction(instruction: LirInstruction): void {
    const { e } = this;
    const { line, spec, result } = instruction;
    this.context.count(line);
    e.line = line;
    if (
      result !== null &&
      spec.form !== "label" &&
      (this.definitions.has(result) || this.labels.has(result))
    )
      throw new LirError(line, `${quoted(result)} is defined twice`);
    if (spec.form !== "label" && this.isDead) return;
    const write = FORMS[spec.form];
    const value = write(this, instruction);
    if (value === null || result === null) return;
    this.definitions.set(result, { value, spec });
  }

  // The methods that FORMS uses.

  /** Returns the operands as the types that the instruction takes. */
  operands({ line, spec, operands }: LirInstruction): Value[] {
    return spec.takes.map((letter, i) => this.operand(operands[i], letter, spec, line));
  }

  arguments({ line, operands }: LirInstruction): Value[] {
    return operands.map((name) => this.definition(name, line).value);
  }

  /** Returns the condition of a jump, a guard or a move. */
  condition({ line, spec, operands: [name] }: LirInstruction): Value {
    const { spec: source } = this.definition(name, line);
    if (!isCondition(source))
      throw new LirError(
        line,
        `${spec.name}: expected the result of a comparison, found that of ${source.name}`,
      );
    return this.operand(name, "i", spec, line);
  }

  definition(name: string, line: number): Definition {
    const definition = this.definitions.get(name);
    if (definition === undefined)
      throw new LirError(
        line,
        `expected a value that an earlier line defines, found ${quoted(name)}`,
      );
    const { value } = definition;
    const from = value.block;
    const { block } = this.e;
    if (from !== null && from !== block && value.opcode !== Op.SlotBase)
      this.uses.push({ line, name, from, to: block });
    return definition;
  }

  private operand(name: string, letter: LirLetter, { name: user }: LirSpec, line: number): Value {
    const { value } = this.definition(name, line);
    const wanted = typeOf(letter);
    if (value.type === wanted) return value;
    const converted =
      this.context.program.dialect === "2010" ? this.converted(value, wanted) : null;
    if (converted === null)
      throw new LirError(
        line,
        `${user}: expected ${NOUNS[letter]}, but ${quoted(name)} is of type ${nameOfType(value.type)}`,
      );
    return converted;
  }

  /** Until 2010, values have a size and no type. */
  private converted(value: Value, wanted: Type): Value | null {
    const { emit } = this.e;
    const { type } = value;
    if ((type === Int64 && wanted === Double) || (type === Double && wanted === Int64))
      return emit(Op.BitwiseCast, wanted, value);
    return type === Int64 && wanted === Int32 ? emit(Op.Trunc, Int32, value) : null;
  }

  address(instruction: LirInstruction): Value {
    const address = this.addresses.get(instruction);
    assert(address !== undefined, () => `line ${instruction.line} allocates nothing`);
    return address;
  }

  parameter({ words: [index] }: LirInstruction): Value {
    const { proc, emit } = this.e;
    const parameter = proc.parameters[index + (this.context.hasHeap ? 1 : 0)];
    return emit(Op.Identity, parameter.type, parameter);
  }

  startLabel(name: string): void {
    const block = this.labels.get(name);
    assert(block !== undefined, () => `${name} is no label`);
    if (!this.isDead) this.e.jump(block);
    this.e.block = block;
    this.isDead = false;
  }

  labelNamed({ line, target }: LirInstruction): BasicBlock {
    const block = this.labels.get(target);
    if (block === undefined) throw new LirError(line, `expected a label, found ${quoted(target)}`);
    return block;
  }

  jump(block: BasicBlock): void {
    this.e.jump(block);
    this.isDead = true;
  }

  restart(): void {
    this.jump(this.startOf(this.fragment));
  }

  /** Goes to the block if the condition is not zero, and otherwise to the next instruction. */
  jumpIf(condition: Value, then: BasicBlock, isInverted = false): void {
    const { e } = this;
    const from = e.block;
    const next = e.startBlock();
    e.block = from;
    if (isInverted) e.branch(condition, next, then);
    else e.branch(condition, then, next);
    e.block = next;
  }

  /** Leaves the fragment without a condition. */
  leave(instruction: LirInstruction | null = null): void {
    const { e } = this;
    const next = instruction === null ? undefined : this.context.continuations.get(instruction);
    this.isDead = true;
    if (next !== undefined) e.jump(this.startOf(next));
    else if (this.tree.exitsReturn) e.return();
    else {
      e.exitIf(e.int(1));
      e.emit(Op.Oops, Void);
    }
  }

  /** Leaves the fragment if the condition is not zero, or if it is. */
  leaveIf(instruction: LirInstruction, condition: Value, isInverted: boolean): void {
    const { e } = this;
    const target = this.leavesTo(instruction);
    if (target !== null) this.jumpIf(condition, target, isInverted);
    else e.exitIf(isInverted ? e.emit(Op.Equal, Int32, condition, e.int(0)) : condition);
  }

  /** Computes the result, and leaves the fragment on overflow. */
  leaveOnOverflow(instruction: LirInstruction): Value {
    const { e } = this;
    const { spec } = instruction;
    const [x, y] = this.operands(instruction);
    const [opcode, overflows] = OVERFLOWS.get(spec.opcode) ?? [];
    assert(opcode !== undefined && overflows !== undefined, () => `${spec.name} does not overflow`);
    const target = this.leavesTo(instruction);
    if (target === null) {
      const guard = e.emit(spec.opcode ?? opcode, Int32, x, y);
      guard.extra = e.exit();
      return guard;
    }
    const value = e.emit(opcode, Int32, x, y);
    this.jumpIf(e.emit(overflows, Int32, x, y), target);
    return value;
  }

  /** Returns the block to which a guard goes; null if it leaves the program. */
  private leavesTo(instruction: LirInstruction): BasicBlock | null {
    const { e } = this;
    const next = this.context.continuations.get(instruction);
    if (next !== undefined) return this.startOf(next);
    if (!this.tree.exitsReturn) return null;
    const from = e.block;
    const block = e.startBlock();
    e.return();
    e.block = from;
    return block;
  }

  return(...values: readonly Value[]): void {
    this.e.return(...values);
    this.isDead = true;
  }

  call(instruction: LirInstruction): Value | null {
    const tree = this.context.treeNamed(instruction.target, this.fragment);
    const args = this.arguments(instruction);
    if (tree === null) return callFunction(this.context, this.e, instruction, args);
    return callTree(this.context, this.e, instruction, tree, args);
  }

  /** Refuses uses that a path reaches which does not pass the definition. */
  private checkUses(flow: ControlFlow): void {
    for (const { line, name, from, to } of this.uses) {
      const at = flow.position[to.index];
      const defined = flow.position[from.index];
      if (at === UNREACHABLE || (defined !== UNREACHABLE && dominates(flow, defined, at))) continue;
      throw new LirError(line, `${quoted(name)} is not defined on every path to this line`);
    }
  }
}

const NOUNS: Readonly<Record<LirLetter, string>> = {
  ...{ i: "an int", q: "a quad", p: "a pointer", d: "a double", f: "a float", v: "nothing" },
};

/** By the opcode of a guard, or of its condition: the operation, and its overflow. */
const OVERFLOWS: ReadonlyMap<Opcode | null, readonly [operation: Opcode, overflows: Opcode]> =
  new Map([
    [Op.CheckAdd, [Op.Add, Op.AddOverflows]],
    [Op.CheckSub, [Op.Sub, Op.SubOverflows]],
    [Op.CheckMul, [Op.Mul, Op.MulOverflows]],
  ]);
const OPERATIONS: ReadonlyMap<Opcode | null, Opcode> = new Map([
  [Op.AddOverflows, Op.Add],
  [Op.SubOverflows, Op.Sub],
  [Op.MulOverflows, Op.Mul],
]);

type FormWriter = (writer: TreeWriter, instruction: LirInstruction) => Value | null;

/** Writes an instruction, and returns its result. */
const FORMS: Readonly<Record<LirForm, FormWriter>> = {
  value: (w, instruction) => {
    const { spec } = instruction;
    if (spec.opcode === Op.Select) w.condition(instruction);
    return writeOperation(w.e, spec, w.operands(instruction));
  },
  flag: (w, { line, spec, operands: [name] }) => {
    const { spec: source, value } = w.definition(name, line);
    const opcode = FLAGS.get(`${spec.name} ${source.name}`);
    if (opcode === undefined) throw refusal(line, spec.name, `the flag of ${source.name}`);
    return w.e.emit(opcode, Int32, ...operandsOf(value));
  },
  remainder: (w, { line, spec, operands: [name] }) => {
    const { spec: source, value } = w.definition(name, line);
    if (source.opcode !== Op.Div || value.type !== typeOf(spec.gives))
      throw new LirError(
        line,
        `${spec.name}: expected the result of a division, found that of ${source.name}`,
      );
    return w.e.emit(Op.Mod, value.type, ...operandsOf(value));
  },
  immediate: (w, { spec, words: [lo, hi] }) => w.e.constant(typeOf(spec.gives), lo, hi),
  load: (w, instruction) =>
    writeLoad(w.e, instruction.spec, w.operands(instruction)[0], instruction.words[0]),
  store: (w, instruction) => {
    const [value, base] = w.operands(instruction);
    writeStore(w.e, instruction.spec, value, base, instruction.words[0]);
    return null;
  },
  jump: (w, instruction) => {
    w.jump(w.labelNamed(instruction));
    return null;
  },
  jumpIf: (w, instruction) => {
    w.jumpIf(w.condition(instruction), w.labelNamed(instruction));
    return null;
  },
  jumpIfNot: (w, instruction) => {
    w.jumpIf(w.condition(instruction), w.labelNamed(instruction), true);
    return null;
  },
  jumpOverflow: (w, instruction) => {
    const { spec } = instruction;
    const operands = w.operands(instruction);
    const operation = OPERATIONS.get(spec.opcode);
    assert(spec.opcode !== null && operation !== undefined, () => `${spec.name} does not overflow`);
    const value = w.e.emit(operation, typeOf(spec.gives), ...operands);
    w.jumpIf(w.e.emit(spec.opcode, Int32, ...operands), w.labelNamed(instruction));
    return value;
  },
  restart: (w) => {
    w.restart();
    return null;
  },
  exit: (w, instruction) => {
    w.leave(instruction);
    return null;
  },
  exitIf: (w, instruction) => {
    w.leaveIf(instruction, w.condition(instruction), false);
    return null;
  },
  exitIfNot: (w, instruction) => {
    w.leaveIf(instruction, w.condition(instruction), true);
    return null;
  },
  exitOverflow: (w, instruction) => w.leaveOnOverflow(instruction),
  call: (w, instruction) => w.call(instruction),
  return: (w, instruction) => {
    w.return(...w.operands(instruction));
    return null;
  },
  allocate: (w, instruction) => w.address(instruction),
  parameter: (w, instruction) => w.parameter(instruction),
  label: (w, { result }) => {
    if (result !== null) w.startLabel(result);
    return null;
  },
  nothing: () => null,
  refused: (_, { line, spec }) => {
    throw refusal(line, spec.name, spec.why);
  },
};

const operandsOf = ({ a, b }: Value): Value[] => [a, b].filter((each) => each !== null);

/** The flags of the processor, by the instruction that sets them. */
const FLAGS: ReadonlyMap<string, Opcode> = new Map([
  ["ov addi", Op.AddOverflows],
  ["ov subi", Op.SubOverflows],
  ["ov muli", Op.MulOverflows],
  ["cs addi", Op.AddCarries],
  ["cs subi", Op.Below],
]);

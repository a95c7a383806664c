// Translates the body of a function from structured control and an operand stack to blocks, values
// and Phis.
//
// Locals are values from the start: a local.set only changes the current value of the local. Code
// after an unconditional branch is unreachable and is skipped. The body is valid, so each
// translated instruction finds its operands.

import { Op } from "../ir/opcodes.js";
import type { BasicBlock, Value } from "../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type } from "../ir/types.js";
import { call, callIndirect, returnResults } from "./calls.js";
import { type ProcedureEmitter, VALUES_MAX } from "./emitter.js";
import { errorAt, tooMany } from "./import-error.js";
import type { PendingFunction, WasmInstance } from "./instance.js";
import { INSTANCE_INSTRUCTIONS } from "./instance-instructions.js";
import { type ControlLabel, enterLoop, goToLoop, joinEdges, type OpenEdge } from "./labels.js";
import { localsOfLoops } from "./loop-locals.js";
import { loadFrom, type MemoryAddress, storeTo } from "./memory.js";
import { MEMORY_LOADS, MEMORY_STORES } from "./memory-accesses.js";
import { OPERATIONS } from "./operations.js";
import type { FunctionType, WasmInstruction } from "./wasm-module.js";

/**
 * Writes the body of a procedure.
 * @throws ImportError
 */
export function writeBody(instance: WasmInstance, pending: PendingFunction): void {
  new FunctionBody(instance, pending).write();
}

/** The most locals that the frame of a trap shows. */
const SHOWN_MAX = 16;
/** The most locals and operands that the branches and labels of a function copy, as references. */
const COPIES_MAX = 32_000_000;
const NO_TYPE: FunctionType = { parameters: [], results: [] };
const CONSTANT_TYPES = new Map<string, Type>([
  ["i32.const", Int32],
  ["i64.const", Int64],
  ["f32.const", Float],
  ["f64.const", Double],
]);

class FunctionBody {
  readonly instance: WasmInstance;
  readonly emitter: ProcedureEmitter;
  readonly heap: Value;
  private readonly type: FunctionType;
  private readonly body: readonly WasmInstruction[];
  private locals: Value[];
  private operands: Value[] = [];
  private readonly labels: ControlLabel[] = [];
  /** The current code is unreachable, so instructions are skipped. */
  private isDead = false;
  /** The number of open labels in unreachable code. */
  private deadDepth = 0;
  private readonly loops: ReadonlyMap<number, ReadonlySet<number>>;
  private copies = 0;
  private at = 0;

  constructor(instance: WasmInstance, { emitter, function: source }: PendingFunction) {
    this.instance = instance;
    this.emitter = emitter;
    this.type = source.type;
    this.body = source.body;
    this.loops = localsOfLoops(source.body, VALUES_MAX);
    const [heap, ...parameters] = emitter.proc.parameters;
    this.heap = heap;
    const zeroes = new Map<Type, Value>();
    const zero = (type: Type): Value => {
      const known = zeroes.get(type) ?? emitter.constant(type, 0);
      zeroes.set(type, known);
      return known;
    };
    this.locals = [...parameters, ...source.locals.map(zero)];
  }

  write(): void {
    this.open("function", { parameters: [], results: this.type.results }, null);
    this.body.forEach((instruction, i) => {
      const { at, name } = instruction;
      this.at = at;
      this.emitter.setPlace(at, this.locals.slice(0, SHOWN_MAX));
      const control = CONTROL.get(name);
      if (control !== undefined) control(this, instruction, i);
      else if (!this.isDead) this.straight(instruction);
    });
  }

  get isSkipped(): boolean {
    return this.isDead;
  }

  pop(): Value {
    const value = this.operands.pop();
    if (value === undefined) throw errorAt(this.at, "an operand is missing");
    return value;
  }

  popMany(count: number): Value[] {
    return count === 0 ? [] : this.operands.splice(-count);
  }

  push(...values: readonly Value[]): void {
    this.operands.push(...values);
  }

  private straight(instruction: WasmInstruction): void {
    const { name, at, index, lo, hi } = instruction;
    const { emitter, operands } = this;
    const operation = OPERATIONS.get(name);
    const load = MEMORY_LOADS.get(name);
    const store = MEMORY_STORES.get(name);
    const constant = CONSTANT_TYPES.get(name);
    const special = INSTANCE_INSTRUCTIONS.get(name);
    if (operation !== undefined) {
      const [x, y = x] = this.popMany(operation.takes.length);
      this.push(operation.make(emitter, x, y));
    } else if (constant !== undefined) this.push(emitter.constant(constant, lo, hi));
    else if (name === "local.get") this.push(this.locals[index]);
    else if (name === "local.set") this.locals[index] = this.pop();
    else if (name === "local.tee") this.locals[index] = operands[operands.length - 1];
    else if (name === "drop") this.pop();
    else if (name === "select") {
      const [x, y, condition] = this.popMany(3);
      this.push(emitter.emit(Op.Select, x.type, condition, x, y));
    } else if (load !== undefined) this.push(loadFrom(this.address(this.pop(), lo), load));
    else if (store !== undefined) {
      const value = this.pop();
      storeTo(this.address(this.pop(), lo), value, store);
    } else if (name === "call") {
      const { parameters } = this.instance.wasm.functions[index].type;
      this.push(...call(this.instance, this, index, this.popMany(parameters.length)));
    } else if (name === "call_indirect") {
      const element = this.pop();
      const { parameters } = this.instance.wasm.types[index];
      const args = this.popMany(parameters.length);
      this.push(...callIndirect(this.instance, this, instruction, element, args));
    } else if (special !== undefined) special(this, index, instruction);
    else if (name !== "nop") throw errorAt(at, `${name} is outside of the import`);
  }

  private address(pointer: Value, offset: number): MemoryAddress {
    const { emitter, heap, instance } = this;
    return { emitter, heap, layout: instance.layout, pointer, offset };
  }

  /** Opens a label whose parameters are on the stack. */
  open(kind: ControlLabel["kind"], type: FunctionType, loop: ControlLabel["loop"]): ControlLabel {
    const below = this.copy(this.operands, 0, this.operands.length - type.parameters.length);
    const label: ControlLabel = { kind, type, below, edges: [], loop, otherwise: null };
    this.labels.push(label);
    return label;
  }

  openBlock({ blockType }: WasmInstruction): void {
    if (this.isDead) this.deadDepth++;
    else this.open("block", blockType ?? NO_TYPE, null);
  }

  openLoop({ blockType }: WasmInstruction, i: number): void {
    if (this.isDead) {
      this.deadDepth++;
      return;
    }
    const type = blockType ?? NO_TYPE;
    const label = this.open("loop", type, null);
    this.labels.pop();
    const operands = this.operands.slice(label.below.length);
    const edge: OpenEdge = { block: this.emitter.block, locals: this.locals, operands };
    const loop = enterLoop(this.emitter, type, edge, this.loops.get(i) ?? new Set());
    this.labels.push({ ...label, loop });
    this.operands = [...label.below, ...loop.parameters];
    this.locals = this.copy(this.locals);
    for (const [index, phi] of loop.locals) this.locals[index] = phi;
  }

  openIf({ blockType }: WasmInstruction): void {
    if (this.isDead) {
      this.deadDepth++;
      return;
    }
    const condition = this.pop();
    const label = this.open("if", blockType ?? NO_TYPE, null);
    const { emitter } = this;
    const before = emitter.block;
    const then = emitter.startBlock();
    const otherwise = emitter.startBlock();
    emitter.block = before;
    emitter.branch(condition, then, otherwise);
    const operands = this.operands.slice(label.below.length);
    label.otherwise = { block: otherwise, locals: this.copy(this.locals), operands };
    emitter.block = then;
  }

  openElse(): void {
    if (this.isDead && this.deadDepth > 0) return;
    const label = this.labels[this.labels.length - 1];
    if (!this.isDead) label.edges.push(this.edge(label.type.results.length));
    this.continueAt(label.otherwise, label);
    label.otherwise = null;
  }

  close(): void {
    if (this.isDead && this.deadDepth > 0) {
      this.deadDepth--;
      return;
    }
    const label = this.labels.pop();
    if (label === undefined) throw errorAt(this.at, "an end without a label");
    if (!this.isDead) label.edges.push(this.edge(label.type.results.length));
    if (label.otherwise !== null) label.edges.push(label.otherwise);
    this.continueAt(joinEdges(this.emitter, label.edges), label);
    if (label.kind === "function" && !this.isDead) this.return();
  }

  private continueAt(edge: OpenEdge | null, { below }: ControlLabel): void {
    this.isDead = edge === null;
    if (edge === null) return;
    this.emitter.block = edge.block;
    this.locals = this.copy(edge.locals);
    this.operands = [...this.copy(below), ...edge.operands];
  }

  /** Returns an edge from `block` with the topmost operands. */
  private edge(count: number, block = this.emitter.block): OpenEdge {
    const operands = this.operands.slice(this.operands.length - count);
    return { block, locals: this.copy(this.locals), operands };
  }

  /**
   * Copies values, within a limit for the function.
   * @throws ImportError
   */
  private copy(values: readonly Value[], start = 0, end = values.length): Value[] {
    this.copies += end - start;
    if (this.copies > COPIES_MAX) {
      throw tooMany(this.at, COPIES_MAX, "locals and operands at the branches of one function");
    }
    return values.slice(start, end);
  }

  branch(depth: number): void {
    this.goTo(depth, this.emitter.block);
    this.isDead = true;
  }

  /** Connects the open block `from` to a label. */
  private goTo(depth: number, from: BasicBlock): void {
    const label = this.labels[this.labels.length - 1 - depth];
    const { type, loop, edges } = label;
    if (loop !== null) goToLoop(this.emitter, loop, this.edge(type.parameters.length, from));
    else edges.push(this.edge(type.results.length, from));
  }

  branchIf([depth]: readonly number[]): void {
    const { emitter } = this;
    const condition = this.pop();
    const before = emitter.block;
    const leaving = emitter.startBlock();
    const staying = emitter.startBlock();
    emitter.block = before;
    emitter.branch(condition, leaving, staying);
    this.goTo(depth, leaving);
    emitter.block = staying;
  }

  branchTable(labels: readonly number[]): void {
    const { emitter } = this;
    const index = this.pop();
    const before = emitter.block;
    const blocks = new Map<number, BasicBlock>();
    for (const depth of labels) {
      if (!blocks.has(depth)) blocks.set(depth, emitter.startBlock());
    }
    emitter.block = before;
    const targets = labels.flatMap((depth) => blocks.get(depth) ?? []);
    const cases = targets.slice(0, -1);
    emitter.switch(index, [...cases.keys()], cases, targets[cases.length]);
    for (const [depth, block] of blocks) this.goTo(depth, block);
    this.isDead = true;
  }

  return(): void {
    const { instance, emitter, heap, type } = this;
    const results = this.operands.slice(this.operands.length - type.results.length);
    returnResults(instance, { emitter, heap }, results);
    this.isDead = true;
  }

  trap(): void {
    this.emitter.trap("unreachable");
    this.isDead = true;
  }
}

/** Returns whether the import supports the instruction. */
export const isImported = (name: string): boolean =>
  IMPORTED.has(name) ||
  CONTROL.has(name) ||
  CONSTANT_TYPES.has(name) ||
  OPERATIONS.has(name) ||
  MEMORY_LOADS.has(name) ||
  MEMORY_STORES.has(name) ||
  INSTANCE_INSTRUCTIONS.has(name);

/** Supported instructions without a row in another table. */
const IMPORTED: ReadonlySet<string> = new Set([
  "nop",
  "drop",
  "select",
  "local.get",
  "local.set",
  "local.tee",
  "call",
  "call_indirect",
]);

type ControlTranslator = (body: FunctionBody, instruction: WasmInstruction, index: number) => void;

const unlessDead =
  (act: ControlTranslator): ControlTranslator =>
  (body, instruction, index) => {
    if (!body.isSkipped) act(body, instruction, index);
  };

const CONTROL: ReadonlyMap<string, ControlTranslator> = new Map([
  ["block", (body, instruction) => body.openBlock(instruction)],
  ["loop", (body, instruction, i) => body.openLoop(instruction, i)],
  ["if", (body, instruction) => body.openIf(instruction)],
  ["else", (body) => body.openElse()],
  ["end", (body) => body.close()],
  ["br", unlessDead((body, { labels: [depth] }) => body.branch(depth))],
  ["br_if", unlessDead((body, { labels }) => body.branchIf(labels))],
  ["br_table", unlessDead((body, { labels }) => body.branchTable(labels))],
  ["return", unlessDead((body) => body.return())],
  ["unreachable", unlessDead((body) => body.trap())],
] satisfies [string, ControlTranslator][]);

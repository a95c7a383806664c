// Writes one procedure of the language as one function of WebAssembly.
//
// A value with one use, later in its own block, is written at the use; a constant is written at
// each use. Every other value has a local. A Phi has two locals: its variable, which Upsilons
// write, and its value. ../forms.ts lists the forms that differ from this.

import {
  BULK,
  CONSTANT,
  EFFECTS,
  Op,
  type Opcode,
  READS_MEMORY,
  WRITES_MEMORY,
} from "../../ir/opcodes.js";
import { HEAP_BASE_LO } from "../../ir/outcome.js";
import {
  type BasicBlock,
  forEachOperand,
  forEachSlotValue,
  type Procedure,
  reachedProcedures,
  type SwitchCases,
  type Value,
} from "../../ir/procedure.js";
import { Int64, isWide, type Type, Void } from "../../ir/types.js";
import { wideBits, wideWords } from "../../ir/words.js";
import { assert } from "../../support/assert.js";
import { ByteWriter } from "../byte-writer.js";
import { LATE_SHARE, PLAIN_FORM, type SourceForm } from "../forms.js";
import { type ExitBlocks, leaveByBlocks } from "../leave-by-blocks.js";
import { makeReducible } from "../make-reducible.js";
import { addressSlots, NO_SLOT, slotOffsets } from "../slots.js";
import { OOPS } from "../status.js";
import { type Construct, type NestingPlan, planOf, type Sink, structure } from "../structure.js";
import { writeExit } from "./exits.js";
import type { FunctionWriter } from "./function-writer.js";
import { hideOperand } from "./hidden.js";
import {
  type Mnemonic,
  NO_RESULT,
  WASM_TYPES,
  writeConstant,
  writeInstruction,
  writeJumpTable,
} from "./instructions.js";
import { STATUS } from "./layout.js";
import type { ModuleIndices } from "./linked.js";
import { accessOf, hasRow, REMAINDER, type RowItem, repeats, rowOf } from "./opcode-rows.js";
import { StackPlan } from "./stack-plan.js";
import { TYPES } from "./value-types.js";

const NOTHING = new Uint8Array(0);
/** The greatest height of a nested operand: engines read operands by recursion. */
const HEIGHT_MAX = 16;
const NO_LOCAL = -1;
/** The number of iterations in the form `hot-entry`: engines replace code of hot loops. */
const HOT = 100_000;
/** A Switch becomes a table if the table has at most this many entries for each key. */
const ENTRIES_PER_KEY_MAX = 4;

/**
 * The role of a function. `plain` is a procedure of the program. `flagged` also takes the argument
 * of Linked.isFlagged. `host` records nothing itself; it has one 32-bit local after its parameters
 * for the code that records.
 */
export type FunctionRole = "plain" | "flagged" | "host";

/**
 * Returns the function's body with its locals. The expanded `proc` is changed in place.
 * @param before the first instructions
 */
export function writeProcedure(
  proc: Procedure,
  linked: ModuleIndices,
  role: FunctionRole,
  before: Uint8Array = NOTHING,
): Uint8Array {
  const exits = leaveByBlocks(proc, linked.hasCallCheck && role !== "host");
  makeReducible(proc);
  const form = role === "host" ? PLAIN_FORM : linked.form;
  return new ProcedureWriter(proc, exits, linked, role, form).write(before);
}

interface Frame {
  readonly kind: Construct["kind"];
  readonly results: readonly Value[];
  /** The block that follows its end: a jump to it may be left out. Null if there is none. */
  readonly next: BasicBlock | null;
}

class ProcedureWriter implements Sink, FunctionWriter {
  readonly proc: Procedure;
  readonly linked: ModuleIndices;
  readonly code = new ByteWriter();
  readonly flagLocal: number;
  /**
   * The size of all slots in bytes, and the offset of each slot in the frame, by position in
   * `proc.slots`.
   */
  readonly frameSize: number;
  private readonly slotStarts: readonly number[];
  private readonly slotOfAddress: Int32Array;
  private readonly frameLocal: number;
  private readonly exits: ExitBlocks;
  /**
   * By value id: the local of the value, and the local of a Phi's variable; NO_LOCAL if there is
   * none.
   */
  private readonly locals: Int32Array;
  private readonly variables: Int32Array;
  private readonly localTypes: number[] = [];
  private readonly firstLocal: number;
  private readonly form: SourceForm;
  private readonly nesting: NestingPlan;
  private readonly stack: StackPlan;
  /** By value id: 1 if the value is computed at its first use. */
  private readonly isTeed: Uint8Array;
  /** By value id: 1 if the load is executed at its use. */
  private readonly isNestedLoad: Uint8Array;
  /** Values that are computed at their first use, and have not been used. */
  private readonly untaken = new Set<Value>();
  private readonly frames: Frame[] = [];
  /** Whether the last instruction ended a construct. */
  private hasJustEnded = false;
  /** By block: the value below the results of its label. */
  private readonly kept = new Map<BasicBlock, Value>();
  /** The value that has another local in the current block, and its usual local. */
  private moved: { readonly value: Value; readonly local: number } | null = null;

  constructor(
    proc: Procedure,
    exits: ExitBlocks,
    linked: ModuleIndices,
    role: FunctionRole,
    form: SourceForm,
  ) {
    this.proc = proc;
    this.form = form;
    this.nesting = planOf(proc);
    this.stack = new StackPlan(this.nesting, form);
    this.isNestedLoad = new Uint8Array(proc.valueIdEnd);
    this.isTeed = new Uint8Array(proc.valueIdEnd);
    this.exits = exits;
    this.linked = linked;
    this.flagLocal = proc.parameters.length;
    this.firstLocal = proc.parameters.length + (role === "flagged" ? 1 : 0);
    if (role === "host") this.newLocal(WASM_TYPES.i32);
    this.locals = new Int32Array(proc.valueIdEnd).fill(NO_LOCAL);
    this.variables = new Int32Array(proc.valueIdEnd).fill(NO_LOCAL);
    proc.parameters.forEach(({ id }, p) => {
      this.locals[id] = p;
    });
    this.slotOfAddress = addressSlots(proc);
    const { starts, size } = slotOffsets(proc);
    this.slotStarts = starts;
    this.frameSize = size;
    this.frameLocal = size > 0 ? this.newLocal(WASM_TYPES.i32) : NO_LOCAL;
    this.giveLocals();
  }

  write(before: Uint8Array): Uint8Array {
    this.code.append(before);
    if (this.frameSize > 0) {
      this.op("global.get", this.linked.stackPointer);
      this.op("i32.const", this.frameSize);
      this.op("i32.sub");
      this.op("local.tee", this.frameLocal);
      this.op("global.set", this.linked.stackPointer);
    }
    if (this.form.has("hot-entry") && this.linked.isEntry(this.proc)) this.writeHotLoop();
    structure(this.nesting, this);
    // Every block ends in a jump or leaves, so the end of the body is unreachable.
    this.op("unreachable");
    this.op("end");
    const body = new ByteWriter();
    const groups = groupsOf(this.localTypes);
    body.unsigned(groups.length);
    for (const [count, type] of groups) {
      body.unsigned(count);
      body.byte(type);
    }
    body.append(this.code.take());
    return body.take();
  }

  op(name: Mnemonic, immediate = 0): void {
    this.hasJustEnded = name === "end";
    const { hidden, zero } = this.linked;
    if (hidden.has(name)) hideOperand(this.code, name, zero);
    writeInstruction(this.code, name, immediate);
  }

  newLocal(wasmType: number): number {
    this.localTypes.push(wasmType);
    return this.firstLocal + this.localTypes.length - 1;
  }

  private writeHotLoop(): void {
    const count = this.newLocal(WASM_TYPES.i32);
    this.op("loop", NO_RESULT);
    this.op("local.get", count);
    this.op("i32.const", 1);
    this.op("i32.add");
    this.op("local.tee", count);
    this.op("i32.const", HOT);
    this.op("i32.lt_u");
    this.op("br_if", 0);
    this.op("end");
  }

  // Assignment of locals.

  private giveLocals(): void {
    const { proc, exits, form } = this;
    const uses = new Int32Array(proc.valueIdEnd);
    const users: (Value | null)[] = new Array<Value | null>(proc.valueIdEnd).fill(null);
    const isUsedInBlock = new Uint8Array(proc.valueIdEnd);
    for (const block of proc.blocks) {
      for (const value of block.values) {
        forEachOperand(value, (operand) => {
          uses[operand.id]++;
          users[operand.id] = value;
          if (operand.block === block) isUsedInBlock[operand.id] = 1;
        });
      }
      const snapshot = exits.get(block);
      // The exit reads its slots after the block's values, so each of these values needs a local.
      if (snapshot !== undefined) forEachSlotValue(snapshot, ({ id }) => (uses[id] += 2));
    }
    const mayBeInline = (value: Value): boolean => {
      const user = users[value.id];
      return uses[value.id] === 1 && user !== null && this.mayHold(user, value);
    };
    const movable = form.has("nested-loads") ? this.movableLoads(users, mayBeInline) : NO_LOADS;
    const hasLoad = new Uint8Array(proc.valueIdEnd);
    const heights = new Int32Array(proc.valueIdEnd);
    for (const block of proc.blocks) {
      for (const value of block.values) {
        const { id } = value;
        if (value.opcode === Op.Phi) this.variables[id] = this.newLocal(TYPES[value.type].code);
        if (value.type === Void || isConstant(value)) continue;
        const isPure = isMovable(value);
        const isLoad = movable.has(value);
        const isInline = !form.has("flat") && (isPure || isLoad) && mayBeInline(value);
        const isTeed = form.has("tees") && isPure && uses[id] > 1 && isUsedInBlock[id] === 1;
        const height = isInline || isTeed ? this.heightOf(value, heights) : 0;
        if (isInline) {
          forEachOperand(value, (operand) => (hasLoad[id] |= hasLoad[operand.id]));
          if (isLoad) hasLoad[id] = 1;
        }
        if (isInline && height < HEIGHT_MAX) {
          heights[id] = height;
          if (isLoad) this.isNestedLoad[id] = 1;
          continue;
        }
        hasLoad[id] = 0;
        if (uses[id] > 0) this.locals[id] = this.newLocal(TYPES[value.type].code);
        if (!isTeed || height >= HEIGHT_MAX) continue;
        let isLate = true; // a load among the operands has to be executed in its place
        forEachOperand(value, (operand) => (isLate &&= hasLoad[operand.id] === 0));
        if (!isLate) continue;
        this.isTeed[id] = 1;
        heights[id] = height;
      }
    }
  }

  /**
   * Returns the loads that may be executed at their only use: no effect is between the load and the
   * first value that is not nested.
   */
  private movableLoads(
    users: readonly (Value | null)[],
    mayBeInline: (value: Value) => boolean,
  ): ReadonlySet<Value> {
    const loads = new Set<Value>();
    const roots = new Int32Array(this.proc.valueIdEnd);
    for (const { values } of this.proc.blocks) {
      let effect = values.length; // the position of the next effect
      for (let at = values.length - 1; at >= 0; at--) {
        const value = values[at];
        const user = users[value.id];
        const isLoad = MOVABLE_LOADS.has(value.opcode);
        const isNested = (isMovable(value) || isLoad) && user !== null && mayBeInline(value);
        const isPassed = value.opcode === Op.Upsilon && this.stack.isOperandPassed(value);
        // Operands of jumps are written after all values.
        roots[value.id] = isNested ? roots[user.id] : isPassed ? values.length - 1 : at;
        if (isNested && isLoad && roots[value.id] <= effect) loads.add(value);
        if (!isMovable(value) && !isLoad && !QUIET.has(value.opcode) && !isConstant(value))
          effect = at;
      }
    }
    return loads;
  }

  private heightOf(value: Value, heights: Int32Array): number {
    let height = 0;
    forEachOperand(value, ({ id }) => {
      height = Math.max(height, heights[id] + 1);
    });
    return height;
  }

  /**
   * Returns whether the operand may be written at its only user: the user is in the same block and
   * reads it once.
   */
  private mayHold(user: Value, operand: Value): boolean {
    if (user.block !== operand.block || user.block === null) return false;
    if (user.opcode === Op.Switch) return false;
    if (!hasRow(user.opcode)) return true;
    const row = rowOf(user.opcode, user.a?.type ?? Void);
    return [user.a, user.b, user.c].every(
      (candidate, i) => candidate !== operand || !repeats(row, i),
    );
  }

  push(value: Value): void {
    const local = this.locals[value.id];
    if (this.untaken.delete(value)) {
      this.compute(value);
      this.op("local.tee", local);
    } else if (local !== NO_LOCAL) this.op("local.get", local);
    else if (isConstant(value)) this.pushConstant(value);
    else if (MOVABLE_LOADS.has(value.opcode)) this.computeLoad(value);
    else this.compute(value);
  }

  private pushConstant(value: Value): void {
    const { opcode, type } = value;
    if (opcode === Op.SlotBase) {
      this.op("local.get", this.frameLocal);
      this.op("i64.extend_i32_u");
      this.op("i64.const", this.slotStarts[this.proc.slots.indexOf(value.slot)]);
      this.op("i64.add");
    } else if (opcode === Op.FunctionAddress) {
      assert(value.procedure !== null, () => `@${value.id} is the address of nothing`);
      this.op("i64.const", this.linked.tableIndex(value.procedure));
    } else {
      const { constantLow: lo, constantHigh: hi } = value;
      if (this.form.has("late-constants") && value.id % LATE_SHARE === 0) {
        this.op("global.get", this.linked.variableWith(type, lo, hi));
      } else {
        writeConstant(this.code, TYPES[type].name, lo, hi);
      }
    }
  }

  /** Pushes the result of the value, computed from its operands. */
  private compute(value: Value): void {
    const operands = [value.a, value.b, value.c];
    const row = rowOf(value.opcode, typeForRow(value));
    let isWidened = false; // the next instruction extends a constant that is wide already
    for (const [s, step] of row.entries()) {
      if (isWidened) {
        isWidened = false;
        continue;
      }
      if (typeof step !== "number") {
        const isRemainder = step.name === "call" && step.immediate === REMAINDER;
        this.op(step.name, isRemainder ? this.linked.remainder() : step.immediate);
        continue;
      }
      const operand = operands[step];
      assert(operand !== null, () => `@${value.id} lacks operand ${step}`);
      isWidened = this.isWideCount(operand, row[s + 1]);
      if (isWidened) writeConstant(this.code, "i64", operand.constantLow, 0);
      else this.push(operand);
    }
  }

  private isWideCount({ opcode }: Value, next: RowItem | undefined): boolean {
    return (
      this.form.has("wide-counts") &&
      opcode === Op.Const32 &&
      typeof next === "object" &&
      next.name === "i64.extend_i32_u"
    );
  }

  straight(block: BasicBlock): void {
    for (const value of block.values) if (value !== block.last) this.writeValue(value);
    this.computeUntaken();
  }

  /** Computes the values whose first use has not been written. */
  private computeUntaken(): void {
    for (const value of this.untaken) {
      this.untaken.delete(value);
      this.compute(value);
      this.op("local.set", this.locals[value.id]);
    }
  }

  private writeValue(value: Value): void {
    const { opcode, id } = value;
    const local = this.locals[id];
    const effects = EFFECTS[opcode];
    // One thread needs no fence, and not every engine has the instruction.
    if (opcode === Op.Nop || opcode === Op.Fence || isConstant(value)) return;
    if (opcode === Op.Upsilon && value.a !== null) {
      if (this.stack.isOperandPassed(value)) return;
      // The Phi may be in an unreachable block.
      const variable = this.variables[value.phi.id];
      if (variable === NO_LOCAL) return;
      this.push(value.a);
      this.op("local.set", variable);
    } else if (opcode === Op.Phi) {
      if (local === NO_LOCAL || this.stack.isPassed(value)) return;
      this.op("local.get", this.variables[id]);
      this.op("local.set", local);
    } else if ((effects & WRITES_MEMORY) !== 0) {
      this.writeStore(value);
    } else if ((effects & READS_MEMORY) !== 0) {
      if (this.isNestedLoad[id] === 1) return;
      this.computeLoad(value);
      this.keep(local);
    } else if ((effects & BULK) !== 0) {
      this.writeBulk(value);
    } else if (opcode === Op.CCall || opcode === Op.CallIndirect) {
      this.writeCall(value);
      if (value.type !== Void) this.keep(local);
    } else if (this.isTeed[id] === 1) {
      this.untaken.add(value);
    } else if (local !== NO_LOCAL) {
      this.compute(value);
      this.keep(local);
    }
  }

  private computeLoad(load: Value): void {
    this.pushAddress(load);
    this.op(accessOf(load.opcode, load.type), this.offsetOf(load));
  }

  private keep(local: number): void {
    if (local === NO_LOCAL) this.op("drop");
    else this.op("local.set", local);
  }

  // Memory. The address of a heap access is the distance from the start of the heap. The
  // instruction's offset is the location of the heap in memory. An address in a slot is an address
  // in memory.

  private writeStore(value: Value): void {
    assert(value.a !== null, () => `@${value.id} stores nothing`);
    this.pushAddress(value);
    this.push(value.a);
    this.op(accessOf(value.opcode, value.a.type), this.offsetOf(value));
  }

  // For 0 bytes the addresses may be invalid, and the instruction would check them.
  private writeBulk({ id, opcode, a, b, c }: Value): void {
    assert(a !== null && b !== null && c !== null, () => `@${id} lacks an operand`);
    this.computeUntaken(); // the instructions in the `if` are not always executed
    const isFill = opcode === Op.FillBytes;
    this.push(c);
    this.op("i64.eqz");
    this.op("i32.eqz");
    this.op("if", NO_RESULT);
    this.pushPlace(isFill ? b : a);
    if (isFill) this.push(a);
    else this.pushPlace(b);
    this.push(c);
    this.op("i32.wrap_i64");
    this.op(isFill ? "memory.fill" : "memory.copy");
    this.op("end");
  }

  /** Pushes the location in memory of an address of the heap. */
  private pushPlace(address: Value): void {
    this.push(address);
    this.op("i32.wrap_i64");
    this.op("i32.const", (this.linked.layout.heap - HEAP_BASE_LO) | 0);
    this.op("i32.add");
  }

  private pushAddress(access: Value): void {
    const isSlot = this.slotOfAddress[access.address.id] !== NO_SLOT;
    const distance = (access.offset - (isSlot ? 0 : HEAP_BASE_LO)) | 0;
    this.push(access.address);
    this.op("i32.wrap_i64");
    if (distance === 0) return;
    this.op("i32.const", distance);
    this.op("i32.add");
  }

  private offsetOf(access: Value): number {
    return this.slotOfAddress[access.address.id] === NO_SLOT ? this.linked.layout.heap : 0;
  }

  private writeCall(call: Value): void {
    const { host, procedure, rest } = call;
    for (const arg of rest ?? []) this.push(arg);
    if (host !== null) {
      this.op("call", this.linked.hostFunction(host));
      return;
    }
    if (this.linked.isFlagged) this.op("i32.const", 1);
    if (procedure !== null) {
      this.op("call", this.linked.functionOf(procedure));
      return;
    }
    const [target] = reachedProcedures(call);
    assert(call.a !== null && target !== undefined, () => `@${call.id} calls nothing`);
    this.push(call.a);
    this.op("i32.wrap_i64");
    this.op("call_indirect", this.linked.typeOf(target));
  }

  // Control; see Sink.

  begin({ kind, target, entered, hasElse }: Construct): void {
    const above = this.frames.at(-1);
    let next: BasicBlock | null = null;
    if (kind === "block") {
      next = target;
      if (target !== null && this.form.has("kept-on-stack")) this.keepBelow(target);
    } else if (this.form.has("fall-through") && (kind === "loop" || hasElse)) {
      next = above?.next ?? null;
    }
    const results = this.stack.passed(next);
    this.frames.push({ kind, results, next });
    this.op(kind, this.linked.blockType(typesOf(this.stack.passed(entered)), typesOf(results)));
  }

  private keepBelow(target: BasicBlock): void {
    const value = this.stack.keptFor(target, ({ id }) => this.locals[id] !== NO_LOCAL);
    if (value === null) return;
    this.push(value);
    this.kept.set(target, value);
  }

  enter(from: BasicBlock, to: BasicBlock): void {
    this.pass(from, to);
  }

  start(block: BasicBlock): void {
    if (this.moved !== null) this.locals[this.moved.value.id] = this.moved.local;
    this.moved = null;
    for (const { id } of this.stack.passed(block).toReversed()) this.keep(this.locals[id]);
    const value = this.kept.get(block);
    if (value === undefined) return;
    this.moved = { value, local: this.locals[value.id] };
    this.locals[value.id] = this.newLocal(TYPES[value.type].code);
    this.op("local.set", this.locals[value.id]);
  }

  /** Pushes the Phis that the jump passes. */
  private pass(from: BasicBlock, to: BasicBlock): void {
    for (const phi of this.stack.passed(to)) {
      const operand = this.stack.operandFrom(from, phi);
      if (operand === null) this.op("local.get", this.variables[phi.id]);
      else this.push(operand);
    }
  }

  otherwise(): void {
    this.fillResults();
    this.op("else");
  }

  end(): void {
    this.fillResults();
    const next = this.frames.pop()?.next ?? null;
    this.op("end");
    // Control reaches the end of an inner construct that leads to the same block.
    if (next !== null && next === this.frames.at(-1)?.next) this.hasJustEnded = false;
  }

  /** Control does not reach the end of a construct after an inner one, but its type is checked. */
  private fillResults(): void {
    const results = this.frames.at(-1)?.results ?? [];
    if (this.hasJustEnded && results.length > 0) this.op("unreachable");
  }

  jump(depth: number, from: BasicBlock, to: BasicBlock): void {
    this.pass(from, to);
    const frame = this.frames.at(-1);
    if (this.form.has("fall-through") && frame?.next === to) this.hasJustEnded = false;
    else this.op("br", depth);
  }

  jumpIf(depth: number, from: BasicBlock, to: BasicBlock, isNegated: boolean): void {
    this.pass(from, to);
    this.condition(from, isNegated);
    this.op("br_if", depth);
    for (const _ of this.stack.passed(to)) this.op("drop");
  }

  condition(block: BasicBlock, isNegated: boolean): void {
    const { a } = block.last;
    assert(a !== null, () => `the Branch of block ${block.id} has no operand`);
    this.push(a);
    if (isNegated) this.op(a.type === Int64 ? "i64.eqz" : "i32.eqz");
    else if (a.type === Int64) {
      this.op("i64.const", 0);
      this.op("i64.ne");
    }
  }

  table(block: BasicBlock, depths: readonly number[]): void {
    const { last } = block;
    assert(last.a !== null, () => `the Switch of block ${block.id} has no operand`);
    const keys = keysOf(last.cases, isWide(last.a.type));
    const otherwise = depths[keys.length];
    const dense = denseTable(keys, depths, otherwise);
    if (dense === null) this.compareKeys(last, depths);
    else this.jumpByIndex(last.a, dense, otherwise);
  }

  private compareKeys({ id, a, cases }: Value, depths: readonly number[]): void {
    assert(a !== null, () => `the Switch @${id} has no operand`);
    const type = TYPES[a.type].name;
    for (let k = 0; k < cases.count; k++) {
      this.push(a);
      writeConstant(this.code, type, cases.lo[k], cases.hi[k]);
      this.op(type === "i64" ? "i64.eq" : "i32.eq");
      this.op("br_if", depths[k]);
    }
    this.op("br", depths[cases.count]);
  }

  /**
   * Writes a table jump. Indices beyond the table go to the default. A 64-bit operand is first
   * compared with the table's size, since only its low half is the index.
   */
  private jumpByIndex(operand: Value, { first, depths }: DenseSwitch, otherwise: number): void {
    const isNarrow = operand.type !== Int64;
    const pushIndex = (): void => {
      this.push(operand);
      writeConstant(this.code, isNarrow ? "i32" : "i64", ...wideWords(first));
      this.op(isNarrow ? "i32.sub" : "i64.sub");
    };
    pushIndex();
    if (!isNarrow) {
      this.op("i64.const", depths.length);
      this.op("i64.ge_u");
      this.op("br_if", otherwise);
      pushIndex();
      this.op("i32.wrap_i64");
    }
    writeJumpTable(this.code, depths, otherwise);
  }

  leave(block: BasicBlock): void {
    const snapshot = this.exits.get(block);
    if (snapshot !== undefined) writeExit(this, snapshot);
    else if (block.last.opcode === Op.Return) {
      if (block.last.a !== null) this.push(block.last.a);
      this.popFrame();
      this.op("return");
    } else {
      this.endExecution(OOPS);
    }
  }

  popFrame(): void {
    if (this.frameSize === 0) return;
    this.op("local.get", this.frameLocal);
    this.op("i32.const", this.frameSize);
    this.op("i32.add");
    this.op("global.set", this.linked.stackPointer);
  }

  pushSlotAddress(slot: number): void {
    this.op("local.get", this.frameLocal);
    this.op("i32.const", this.slotStarts[slot]);
    this.op("i32.add");
  }

  endExecution(status: number): void {
    this.op("i32.const", STATUS);
    this.op("i32.const", status);
    this.op("i32.store");
    if (this.linked.leave !== null) this.op("call", this.linked.leave);
    this.op("unreachable");
  }
}

const NO_LOADS: ReadonlySet<Value> = new Set();
const MOVABLE_LOADS: ReadonlySet<Opcode> = new Set([
  Op.Load,
  Op.Load8Z,
  Op.Load8S,
  Op.Load16Z,
  Op.Load16S,
  Op.LoadInvariant,
]);
/** Values without effects on memory, besides the movable ones. */
const QUIET: ReadonlySet<Opcode> = new Set([Op.Nop, Op.Phi, Op.Upsilon]);

const typesOf = (values: readonly Value[]): Type[] => values.map(({ type }) => type);

const isConstant = ({ opcode }: Value): boolean => (EFFECTS[opcode] & CONSTANT) !== 0;

/** Returns whether the value may be computed at a later point of its block. */
const isMovable = ({ opcode }: Value): boolean => hasRow(opcode);

/**
 * Returns the type that selects the row: the type of the first operand, or of a Select's condition.
 */
const typeForRow = ({ a }: Value): Type => a?.type ?? Void;

const keysOf = ({ lo, hi }: SwitchCases, isWideKey: boolean): bigint[] =>
  lo.map((low, k) => (isWideKey ? wideBits(low, hi[k]) : BigInt(low)));

interface DenseSwitch {
  readonly first: bigint;
  readonly depths: readonly number[];
}

/**
 * Returns the depths for consecutive keys from the least one on; null if the keys are too sparse.
 */
function denseTable(
  keys: readonly bigint[],
  depths: readonly number[],
  otherwise: number,
): DenseSwitch | null {
  if (keys.length < 2) return null;
  let first = keys[0];
  let last = keys[0];
  for (const key of keys) {
    if (key < first) first = key;
    if (key > last) last = key;
  }
  if (last - first >= BigInt(ENTRIES_PER_KEY_MAX * keys.length)) return null;
  const table = new Array<number>(Number(last - first) + 1).fill(otherwise);
  keys.forEach((key, k) => {
    table[Number(key - first)] = depths[k];
  });
  return { first, depths: table };
}

/** Returns the locals in order as runs of one type, each with a count. */
function groupsOf(types: readonly number[]): [number, number][] {
  const groups: [number, number][] = [];
  for (const type of types) {
    const last = groups.at(-1);
    if (last !== undefined && last[1] === type) last[0]++;
    else groups.push([1, type]);
  }
  return groups;
}

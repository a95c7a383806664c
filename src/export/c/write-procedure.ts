// Writes one procedure of the language as one C function: a variable for each value, a label for
// each block.

import type { FenceRow } from "../../ir/fences.js";
import type { HostFunction } from "../../ir/host-functions.js";
import { CONSTANT, EFFECTS, Op, READS_MEMORY } from "../../ir/opcodes.js";
import {
  type BasicBlock,
  type Procedure,
  reachedProcedures,
  type Value,
} from "../../ir/procedure.js";
import { Double, Float, isWide, type Type, Void } from "../../ir/types.js";
import { hasFormatBody } from "../answers.js";
import { isBoolean } from "../facts.js";
import { type LinkedProgram, mustNotInline } from "../linked-program.js";
import { C_TYPES } from "../main-program.js";
import {
  goTo,
  type Notation,
  recordOfCall,
  recordOfReturn,
  StatementWriter,
} from "../statements.js";
import { accessOf, claimedRowOf, impossibleRowOf, rowOf } from "./opcode-rows.js";
import { disjointName, inClass } from "./stated-accesses.js";

const UNREACHABLE = "__builtin_unreachable()";
/** Digits of the probability of a branch. */
const SHARE_DIGITS = 4;

const NOTATION: Notation = {
  end: ";",
  open: "{",
  close: "}",
  pointer: (name) => `uint8_t *${name}`,
  variable: (type, name) => `${C_TYPES[type]} ${name}`,
  literal,
  index: (number) => `UINT64_C(${number})`,
  heapBase: "T_HEAP_BASE",
  accessOf,
  reserve: "t_reserve",
  copy: "memcpy",
  finish: "t_finish",
};

/** Returns the name of a procedure with its parameter and result types, as in a declaration. */
export function headOf(proc: Procedure, names: LinkedProgram, isFlagged = names.isFlagged): string {
  const parameters = proc.parameters.map(({ id, type }) => `${C_TYPES[type]} v${id}`);
  if (isFlagged) parameters.push("uint32_t flag");
  const takes = parameters.length === 0 ? "void" : parameters.join(", ");
  return `static ${C_TYPES[proc.result]} ${names.functionOf(proc)}(${takes})`;
}

/**
 * Returns the attributes before the declaration of a procedure. A procedure without a result has
 * none.
 */
export function attributesOf(proc: Procedure, names: LinkedProgram): string {
  const effect = names.factsOf(proc)?.memoryEffect ?? "any";
  if (effect === "any" || proc.result === Void) return "";
  return `__attribute__((${effect === "none" ? "const" : "pure"})) `;
}

/**
 * Returns the text of the function.
 * @param proc an expanded procedure, which is changed in place
 * @param classes names of the memory classes that the program states (see MEMORY_CLASS); the
 * procedure's classes are added
 */
export function writeProcedure(
  proc: Procedure,
  names: LinkedProgram,
  classes: Set<string>,
): string {
  return functionOf(proc, names, names.isFlagged, [], classes);
}

export function writeHost(host: HostFunction, proc: Procedure, names: LinkedProgram): string {
  const before = [...recordOfCall(NOTATION, host, proc), ...ownCall(host, proc)];
  const attribute = mustNotInline(proc) ? "T_NOINLINE " : "";
  return attribute + functionOf(proc, names, false, before, new Set());
}

/**
 * Returns the statement that calls the main program's function; nothing for other host functions.
 */
function ownCall(host: HostFunction, { parameters }: Procedure): string[] {
  if (!hasFormatBody(host)) return [];
  const args = parameters.map(({ id }) => `v${id}`);
  return [`  ${host.result === Void ? "" : "return "}t_${host.name}(${args.join(", ")});`];
}

/** Returns statements that record that a procedure returned. */
export function returnRecord(
  proc: Procedure,
  names: LinkedProgram,
  result: string | null,
): string[] {
  return recordOfReturn(NOTATION, proc, names, result);
}

/** @param before the first statements of the body */
function functionOf(
  proc: Procedure,
  names: LinkedProgram,
  isFlagged: boolean,
  before: readonly string[],
  classes: Set<string>,
): string {
  const head = headOf(proc, names, isFlagged);
  const writer = new ProcedureWriter(NOTATION, proc, names, isFlagged, classes);
  return `${head} {\n${[...writer.declarations(), ...before, ...writer.blocks()].join("\n")}\n}\n`;
}

/** Aligns an array, so that stated alignments of addresses hold. */
export const ALIGNED = "_Alignas(8) ";

class ProcedureWriter extends StatementWriter {
  /** The stated facts; null for none. */
  private readonly facts = this.names.factsOf(this.proc);
  /**
   * A store to the heap that is not written yet, because a later load may be known to touch other
   * bytes.
   */
  private pendingStore: Value | null = null;
  private readonly classes: Set<string>;

  constructor(
    notation: Notation,
    proc: Procedure,
    names: LinkedProgram,
    isFlagged: boolean,
    classes: Set<string>,
  ) {
    super(notation, proc, names, isFlagged);
    this.classes = classes;
  }

  declarations(): string[] {
    const align = this.facts === null ? "" : ALIGNED;
    const lines = this.proc.slots.map(
      ({ id, size }) => `  ${align}uint8_t slot${id}[${size}] = { 0 };`,
    );
    for (const { values } of this.proc.blocks) {
      for (const { id, type, opcode } of values) {
        if (type === Void || (EFFECTS[opcode] & CONSTANT) !== 0) continue;
        lines.push(`  ${C_TYPES[type]} v${id};`);
        // An Upsilon may be in a block that never reaches its Phi, and a Phi may be reached without
        // its Upsilon.
        if (opcode === Op.Phi) lines.push(`  ${C_TYPES[type]} phi${id} = 0;`);
      }
    }
    return lines;
  }

  blocks(): readonly string[] {
    for (const parameter of this.proc.parameters) this.assume("range", parameter);
    for (const block of this.proc.blocks) {
      this.lines.push(`L${block.id}:;`);
      if (this.facts?.isUnreachable(block.values, block.id)) this.line(UNREACHABLE);
      for (const value of block.values) if (value !== block.last) this.writeValue(value);
      this.writePendingStore();
      this.writeLast(block);
    }
    return this.lines;
  }

  protected override writeValue(value: Value): void {
    const never = impossibleRowOf(value.opcode, value.a?.type ?? Void);
    if (never !== null && this.facts?.claims(never.claim, value) === true) {
      this.line(`if (${this.filled(never.text, value)}) ${UNREACHABLE}`);
    }
    const { opcode } = value;
    const isPaired = this.writePair(value);
    if (!isMovableBeforeStore(value)) this.writePendingStore();
    if (opcode === Op.Store && (this.facts?.disjointFrom(value).length ?? 0) > 0) {
      this.pendingStore = value;
      return;
    }
    if (!isPaired) super.writeValue(value);
    if (opcode === Op.Phi || isBoolean(value)) this.assume("assume", value);
    else if (opcode === Op.CCall || (EFFECTS[opcode] & READS_MEMORY) !== 0) {
      this.assume("range", value);
    }
  }

  /** Writes the pending store and this load as one call whose pointers are declared disjoint. */
  private writePair(load: Value): boolean {
    const store = this.pendingStore;
    if (store === null || load.opcode !== Op.Load) return false;
    if (this.facts?.disjointFrom(store).includes(load) !== true) return false;
    const stored = this.operand(store.a);
    const pair = disjointName(store.a?.type ?? Void, load.type);
    const call = `${pair}(${this.address(store)}, ${stored}, ${this.address(load)})`;
    this.line(`${this.nameOf(load)} = ${call}`);
    this.pendingStore = null;
    return true;
  }

  private writePendingStore(): void {
    if (this.pendingStore !== null) super.writeValue(this.pendingStore);
    this.pendingStore = null;
  }

  private assume(kind: "range" | "assume", value: Value): void {
    const range = this.facts?.rangeOf(kind, value) ?? null;
    if (range === null || (isBoolean(value) && range.span > 0n)) return;
    const { type } = value;
    const first = BigInt.asUintN(isWide(type) ? 64 : 32, range.first);
    const distance = `${this.nameOf(value)} - ${literal(type, Number(first & 0xffffffffn), Number(first >> 32n))}`;
    this.line(`if (${distance} > ${range.span}u) ${UNREACHABLE}`);
  }

  protected override address(access: Value): string {
    const at = super.address(access);
    const alignment = this.facts?.alignmentOf(access) ?? 1;
    return alignment === 1 ? at : `__builtin_assume_aligned(${at}, ${alignment})`;
  }

  protected override accessOf(access: Value, type: Type): string {
    const plain = accessOf(access.opcode, type);
    const memoryClass = this.facts?.memoryClassOf(access) ?? null;
    if (memoryClass === null) return plain;
    const name = `${this.names.prefix}c${memoryClass}`;
    this.classes.add(name);
    return inClass(name, plain);
  }

  protected override heap(): string {
    return this.names.heap;
  }

  protected override nameOf({ id }: Value): string {
    return `v${id}`;
  }

  protected override shadowOf({ id }: Value): string {
    return `phi${id}`;
  }

  protected override slot(id: number): string {
    return `slot${id}`;
  }

  protected override keptAddress(slot: string, at: string): string {
    return `(uint64_t)(uintptr_t)${slot} + ${at}`;
  }

  protected override addressOfProcedure(proc: Procedure): string {
    return `(uint64_t)(uintptr_t)&${this.names.functionOf(proc)}`;
  }

  protected override computed(value: Value): string {
    const { opcode, a } = value;
    const type = a?.type ?? Void;
    const known = claimedRowOf(opcode, type);
    const isKnown = known !== null && this.facts?.claims(known.claim, value) === true;
    const row = isKnown ? known.text : rowOf(opcode, type);
    return this.filled(row, value);
  }

  private filled(row: string, { a, b, c }: Value): string {
    const operands = [a, b, c];
    return row.replace(/\$(\d)/g, (_, n) => this.operand(operands[Number(n)]));
  }

  // For 0 bytes the addresses may be invalid.
  protected override writeCopy(to: string, from: string, size: string): void {
    this.line(`if (${size} != 0) memmove(${to}, ${from}, ${size})`);
  }

  protected override writeFill(to: string, byte: string, size: string): void {
    this.line(`if (${size} != 0) memset(${to}, (int)(${byte} & 255), ${size})`);
  }

  protected override writeFence({ name }: FenceRow): void {
    this.line(`t_fence_${name}()`);
  }

  protected override callOfAddress(call: Value, args: readonly string[]): string {
    const [target] = reachedProcedures(call);
    const takes = target.parameters.map(({ type }) => C_TYPES[type]);
    if (this.isFlagged) takes.push("uint32_t");
    const type = `${C_TYPES[target.result]} (*)(${takes.length === 0 ? "void" : takes.join(", ")})`;
    return `((${type})(uintptr_t)${this.operand(call.a)})(${args.join(", ")})`;
  }

  protected override writeBranch({ last, successors: [taken, missed] }: BasicBlock): void {
    this.line(`if (${this.expected(last)}) ${goTo(taken)}`);
    this.line(goTo(missed));
  }

  /** Returns the condition of a branch, annotated with its probability. */
  private expected(branch: Value): string {
    const condition = this.operand(branch.a);
    const ways = this.facts?.branchCountsOf(branch) ?? null;
    if (ways === null) return condition;
    const share = (ways.taken / (ways.taken + ways.missed)).toFixed(SHARE_DIGITS);
    return `__builtin_expect_with_probability(${condition} != 0, 1, ${share})`;
  }

  protected override writeSwitch(block: BasicBlock): void {
    this.lines.push(`  switch (${this.operand(block.last.a)}) {`);
    for (const { key, go } of this.casesOf(block)) {
      this.line(key === null ? `default: ${go}` : `case ${key}: ${go}`);
    }
    this.lines.push("  }");
  }

  protected override writeReturn(result: string | null): void {
    this.line(result === null ? "return" : `return ${result}`);
  }
}

/**
 * Returns whether the value neither accesses memory nor exits. Such a value may move before an
 * earlier store.
 */
const isMovableBeforeStore = ({ opcode }: Value): boolean =>
  EFFECTS[opcode] === 0 || (EFFECTS[opcode] & CONSTANT) !== 0 || opcode === Op.Upsilon;

/** Returns a constant with these bits. */
function literal(type: Type, lo: number, hi: number): string {
  const low = (lo >>> 0).toString(16);
  const bits = isWide(type)
    ? `UINT64_C(0x${(hi >>> 0).toString(16)}${low.padStart(8, "0")})`
    : `0x${low}u`;
  return type === Float ? `t_float(${bits})` : type === Double ? `t_double(${bits})` : bits;
}

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
import { Double, Float, isInteger, isWide, type Type, Void } from "../../ir/types.js";
import { isBoolean } from "../facts.js";
import { LATE_SHARE, PLAIN_FORM, type SourceForm } from "../forms.js";
import { type LinkedProgram, mustNotInline } from "../linked-program.js";
import { C_TYPES } from "../main-program.js";
import { GotoWriter, goTo, type LanguageNotation, startOfHost } from "../statements.js";
import { inForm } from "./access-forms.js";
import { LoopForms } from "./loop-forms.js";
import { accessOf, claimedRowOf, impossibleRowOf, rowOf } from "./opcode-rows.js";
import { disjointName, inClass } from "./stated-accesses.js";
import { type ValueForms, valueForms } from "./value-forms.js";

const UNREACHABLE = "__builtin_unreachable()";
/** Digits of the probability of a branch. */
const SHARE_DIGITS = 4;

export const NOTATION: LanguageNotation = {
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
  returns: (result) => (result === null ? "return" : `return ${result}`),
  prefix: "t_",
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
  form: SourceForm,
): string {
  return inLinkage(functionOf(proc, names, names.isFlagged, [], classes, form), form);
}

/** Returns the text of a static function with the linkage of the form. */
export function inLinkage(text: string, form: SourceForm): string {
  if (form.has("inline-calls")) return text.replace(/^static /, "static inline ");
  if (form.has("noinline-calls")) return text.replace(/^static /, "T_NOINLINE static ");
  return form.has("extern-calls") ? text.replace(/^static /, "") : text;
}

export function writeHost(host: HostFunction, proc: Procedure, names: LinkedProgram): string {
  const before = startOfHost(NOTATION, host, proc);
  const attribute = mustNotInline(proc) ? "T_NOINLINE " : "";
  return attribute + functionOf(proc, names, false, before, new Set(), PLAIN_FORM);
}

/** @param before the first statements of the body */
function functionOf(
  proc: Procedure,
  names: LinkedProgram,
  isFlagged: boolean,
  before: readonly string[],
  classes: Set<string>,
  form: SourceForm,
): string {
  const head = headOf(proc, names, isFlagged);
  const writer = new ProcedureWriter(NOTATION, proc, names, isFlagged, classes, form);
  const blocks = writer.blocks();
  return `${head} {\n${[...writer.declarations(), ...before, ...blocks].join("\n")}\n}\n`;
}

/** Aligns an array, so that stated alignments of addresses hold. */
export const ALIGNED = "_Alignas(8) ";

class ProcedureWriter extends GotoWriter {
  /** The stated facts; null for none. */
  private readonly facts = this.names.factsOf(this.proc);
  /**
   * A store to the heap that is not written yet, because a later load may be known to touch other
   * bytes.
   */
  private pendingStore: Value | null = null;
  private readonly classes: Set<string>;
  private readonly form: SourceForm;
  private readonly forms: ValueForms;
  private readonly loops: LoopForms;
  /** The constants that are variables. */
  private readonly lateConstants = new Map<string, string>();

  constructor(
    notation: LanguageNotation,
    proc: Procedure,
    names: LinkedProgram,
    isFlagged: boolean,
    classes: Set<string>,
    form: SourceForm,
  ) {
    super(notation, proc, names, isFlagged);
    this.classes = classes;
    this.form = form;
    this.forms = valueForms(proc, form, this.facts, [...this.exits.values()]);
    this.loops = new LoopForms(form.has("loops") ? proc.blocks : []);
  }

  declarations(): string[] {
    const align = this.facts === null ? "" : ALIGNED;
    const lines = this.proc.slots.map(
      ({ id, size }) => `  ${align}uint8_t slot${id}[${size}] = { 0 };`,
    );
    for (const { values } of this.proc.blocks) {
      for (const value of values) {
        const { id, type, opcode } = value;
        if (type === Void || (EFFECTS[opcode] & CONSTANT) !== 0) continue;
        if (this.forms.isNested(value)) continue;
        const variable = this.forms.typeOf(value);
        lines.push(`  ${variable} v${id};`);
        // An Upsilon may be in a block that never reaches its Phi, and a Phi may be reached without
        // its Upsilon.
        if (opcode === Op.Phi) lines.push(`  ${variable} phi${id} = 0;`);
      }
    }
    lines.push(...this.lateConstants.values());
    return lines;
  }

  blocks(): readonly string[] {
    for (const parameter of this.proc.parameters) this.assume("range", parameter);
    for (const block of this.proc.blocks) {
      this.lines.push(...this.loops.beginOf(block));
      this.lines.push(`L${block.id}:;`);
      if (this.facts?.isUnreachable(block.values, block.id)) this.line(UNREACHABLE);
      for (const value of block.values) if (value !== block.last) this.writeValue(value);
      this.writePendingStore();
      this.writeLast(block);
      this.lines.push(...this.loops.endOf(block));
    }
    return this.lines;
  }

  protected override writeValue(value: Value): void {
    if (this.forms.isNested(value)) return;
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
    if (!isPaired) {
      if (opcode === Op.Select && this.form.has("if-select")) this.writeSelect(value);
      else super.writeValue(value);
    }
    if (opcode === Op.Phi || isBoolean(value)) this.assume("assume", value);
    else if (opcode === Op.CCall || (EFFECTS[opcode] & READS_MEMORY) !== 0) {
      this.assume("range", value);
    }
  }

  private writeSelect(select: Value): void {
    const name = this.nameOf(select);
    this.line(`if (${this.operand(select.a)}) ${name} = ${this.operand(select.b)}`);
    this.line(`else ${name} = ${this.operand(select.c)}`);
  }

  /** Returns an operand of the plain type of its value. */
  protected override operand(value: Value | null): string {
    if (value === null || (EFFECTS[value.opcode] & CONSTANT) !== 0) return this.constant(value);
    if (this.forms.isNested(value)) {
      return `((${C_TYPES[value.type]})(${this.expressionOf(value)}))`;
    }
    const name = this.nameOf(value);
    return this.isPlain(value) ? name : `(${C_TYPES[value.type]})${name}`;
  }

  /** Returns whether the variable has the plain type; parameters always have it. */
  private isPlain(value: Value): boolean {
    return value.block === null || this.forms.typeOf(value) === C_TYPES[value.type];
  }

  private constant(value: Value | null): string {
    const text = super.operand(value);
    if (value === null || !this.isLate(value)) return text;
    const name = `k${value.id}`;
    this.lateConstants.set(name, `  static ${C_TYPES[value.type]} ${name} = ${text};`);
    return name;
  }

  private isLate({ isConstant, type, id }: Value): boolean {
    return (
      this.form.has("late-constants") && isConstant && isInteger(type) && id % LATE_SHARE === 0
    );
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
    if (memoryClass === null) return inForm(plain, this.form);
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
    const signed = row.replace(/\((int\d\d_t)\)\(\$(\d)\)/g, (text, type, n) => {
      const operand = operands[Number(n)];
      const isSigned = operand !== null && this.isVariable(operand);
      return isSigned && this.forms.typeOf(operand) === type ? this.nameOf(operand) : text;
    });
    return signed.replace(/\$(\d)/g, (_, n) => this.operand(operands[Number(n)]));
  }

  /** Returns whether the value has a variable of the type that the form selects. */
  private isVariable(value: Value): boolean {
    const isConstant = (EFFECTS[value.opcode] & CONSTANT) !== 0;
    return value.block !== null && !isConstant && !this.forms.isNested(value);
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

  protected override writeBranch(block: BasicBlock): void {
    const { last } = block;
    const [taken, missed] = block.successors;
    const repeated = this.loops.repeatedBy(block);
    if (repeated !== null) {
      const condition = repeated === taken ? this.expected(last) : `!(${this.expected(last)})`;
      this.lines.push(`} while (${condition});`);
      this.line(goTo(repeated === taken ? missed : taken));
      return;
    }
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

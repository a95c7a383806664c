// Writes a trace as a procedure: parameters for the slots that it loads, a check for each guard, the
// snapshots as frames, and a loop if it has one.

import type { RecordedTrace, RecordedTraces, TraceInstruction } from "./recorded-trace.js";
import { type TextValue, TraceText } from "./trace-text.js";
import {
  FIRST_TAGGED,
  type IrType,
  irType,
  isTagged,
  PAYLOAD,
  primitive,
  TYPES,
  tagOf,
} from "./values.js";

/** The part that the rest of the import does not model; the program exits before it. */
export class CutError extends Error {
  override readonly name = "CutError";
}
export const cut = (what: string): never => {
  throw new CutError(what);
};

/** The exit at an instruction that is not modelled, plus the number of the snapshot before it. */
export const CUT = 20_000;
/** The exit after the given number of iterations. */
export const LIMIT = 30_000;

/** The end of a trace that has no loop. */
export const END = 40_000;

/** A slot that a snapshot restores, and how its frame shows it: one with a single value, not at all. */
export interface ShownSlot {
  readonly slot: number;
  readonly type: IrType;
}

/** Entries that hold no value of the program: links of frames, and the position of `next` in a table. */
const FRAME_FLAGS = 0x13_0000;
const BIAS = 0x8000;

const isNumeric = (type: IrType): boolean => TYPES[type] === "Int32" || type === "num";

export class TraceWriter {
  readonly text: TraceText;
  readonly slots: readonly number[];
  /** The instructions PVAL, whose parameters follow those of the slots. */
  readonly parentValues: readonly number[];
  /** The slots that each snapshot restores. */
  readonly shown: readonly (readonly ShownSlot[])[];
  readonly recorded: RecordedTraces;
  readonly trace: RecordedTrace;
  /** The base of the frame, which a return to a lower frame changes. */
  base: TextValue;
  private readonly values = new Map<number, TextValue | null>();
  private readonly named = new Map<string, string>();
  private iteration: TextValue;
  private isInLoop = false;
  private hasReturned = false;

  constructor(recorded: RecordedTraces, trace: RecordedTrace) {
    this.recorded = recorded;
    this.trace = trace;
    const loads = trace.instructions.filter(({ opcode }) => opcode === "SLOAD");
    this.slots = [...new Set(loads.map(({ op1 }) => op1))].sort((a, b) => a - b);
    this.parentValues = trace.instructions.flatMap(({ opcode }, i) =>
      opcode === "PVAL" ? [i + 1] : [],
    );
    this.text = new TraceText(3 + this.slots.length + this.parentValues.length);
    this.base = { type: "Int64", id: "@2" };
    this.iteration = this.text.int(0);
    this.shown = trace.snapshots.map(({ entries }) =>
      entries.flatMap((entry) =>
        (entry & FRAME_FLAGS) !== 0 ? [] : [this.shownSlot(entry >>> 24, entry & 0xffff)],
      ),
    );
  }

  private shownSlot(slot: number, biased: number): ShownSlot {
    return { slot, type: this.typeOf(biased - BIAS) };
  }

  /** Returns the IR type of an instruction or constant. */
  typeOf(ref: number): IrType {
    const { instructions, constants } = this.trace;
    const number = ref > 0 ? instructions[ref - 1]?.type : constants[-ref - 1]?.type;
    const type = ref === 0 ? "p64" : number === undefined ? null : irType(number);
    return type ?? cut(`a reference to ${ref}, which does not exist`);
  }

  /** Translates an address of LuaJIT's process. Parts of one object may be copied to different places. */
  at(address: TextValue, offset = 0): TextValue {
    const { text, heap } = this;
    const moved = offset === 0 ? address : text.op("Int64", "Add", address, text.long(offset));
    return text.call("Int64", "at", heap, moved);
  }

  get heap(): TextValue {
    return { type: "Int64", id: "@0" };
  }

  value(ref: number): TextValue {
    if (ref === 0) return this.base;
    if (ref < 0) return this.constantValue(ref);
    const opcode = this.trace.instructions[ref - 1]?.opcode ?? "nothing";
    return this.values.get(ref) ?? cut(`the result of ${opcode}`);
  }

  private constantValue(ref: number): TextValue {
    const { type: number, bits } = this.trace.constants[-ref - 1] ?? cut(`the constant ${ref}`);
    const type = irType(number) ?? cut(`a constant of type ${number}`);
    const kind = TYPES[type];
    if (kind === null) return this.text.long(primitive(type));
    if (kind === "Int32") return this.text.int(Number(BigInt.asIntN(32, bits)));
    return kind === "Double" ? this.text.double(bits) : this.text.long(bits);
  }

  /** Returns the value as an Int64, with the sign of an Int32. */
  wide(ref: number): TextValue {
    const value = this.value(ref);
    return value.type === "Int32" ? this.text.op("Int64", "SExt32", value) : value;
  }

  set(ref: number, value: TextValue | null): void {
    this.values.set(ref, value);
  }

  /** Leaves by the snapshot of the instruction unless the condition holds. */
  guard(ref: number, holds: TextValue): void {
    const { text } = this;
    const fails = text.op("Int32", "Equal", holds, this.text.int(0));
    this.exitIf(ref, fails);
  }

  exitIf(ref: number, fails: TextValue): void {
    this.text.emit("Void", `Check(${fails.id}) ${this.snapshotFor(ref)}`);
  }

  /** Returns the name of the snapshot by which a guard leaves. */
  snapshotFor = (ref: number): string => this.snapshotNamed(this.snapshotNumber(ref), 0);

  private snapshotNumber(ref: number): number {
    const { snapshots } = this.trace;
    let found = 0;
    for (const [s, { ref: first }] of snapshots.entries()) if (first <= ref) found = s;
    return found;
  }

  private snapshotNamed(number: number, exits: number): string {
    const key = `${number + exits} ${this.isInLoop}`;
    const known = this.named.get(key);
    if (known !== undefined) return known;
    const block: string[] = [];
    const shown: string[] = [this.iteration.id, this.base.id];
    for (const entry of this.trace.snapshots[number]?.entries ?? []) {
      if ((entry & FRAME_FLAGS) !== 0) continue;
      const ref = (entry & 0xffff) - BIAS;
      if (TYPES[this.typeOf(ref)] === null) continue;
      const value = this.value(ref);
      shown.push(value.type === "Int32" ? this.asDouble(value, block) : value.id);
    }
    const name = this.text.snapshot(number + exits, block, `trace@${number}: ${shown.join(", ")}`);
    this.named.set(key, name);
    return name;
  }

  private asDouble(value: TextValue, block: string[]): string {
    const id = this.text.newId();
    block.push(`  Double ${id} = IToD(${value.id})`);
    return id;
  }

  /**
   * Ends the program before an instruction; its frame shows the last snapshot that is known. Returns false if none is:
   * the trace repeats allocations of its parent first.
   */
  cutBefore(ref: number): boolean {
    const snapshot = this.snapshotBefore(ref);
    if (snapshot !== null) this.leave(snapshot);
    return snapshot !== null;
  }

  private snapshotBefore(ref: number): string | null {
    for (let s = this.snapshotNumber(ref); s >= 0; s--) {
      try {
        return this.snapshotNamed(s, CUT);
      } catch (error) {
        // It shows the result of the instruction that is not modelled.
        if (!(error instanceof CutError)) throw error;
      }
    }
    return null;
  }

  /** Leaves before an instruction whose result is unknown. */
  cutIf(ref: number, isUnknown: TextValue): void {
    const snapshot = this.snapshotBefore(ref) ?? cut("an unknown length");
    this.text.emit("Void", `Check(${isUnknown.id}) ${snapshot}`);
  }

  /** Ends the trace in the state of its last snapshot. */
  end(): void {
    this.leave(this.snapshotNamed(this.trace.snapshots.length - 1, END));
  }

  private leave(snapshot: string): void {
    this.text.emit("Void", `Check(${this.text.int(1).id}) ${snapshot}`);
    this.text.emit("Void", "Oops()");
  }

  /** Starts the block that is repeated: each PHI becomes a Phi, which replaces its left operand. */
  startLoop(): void {
    const { text } = this;
    const phis = this.phis.map(({ op1 }) => ({ op1, before: this.value(op1), id: text.newId() }));
    const count = text.newId();
    for (const { before, id } of phis) text.emit("Void", `Upsilon(${before.id}, ^${id.slice(1)})`);
    text.emit("Void", `Upsilon(${this.iteration.id}, ^${count.slice(1)})`);
    text.emit("Void", "Jump(#1)");
    text.startBlock(1);
    for (const { op1, before, id } of phis) {
      text.define(before.type, id, "Phi()");
      this.set(op1, { type: before.type, id });
    }
    text.define("Int32", count, "Phi()");
    this.phiIds = [...phis.map(({ id }) => id), count];
    this.iteration = text.op("Int32", "Add", { type: "Int32", id: count }, text.int(1));
    this.isInLoop = true;
  }
  private phiIds: readonly string[] = [];

  private get phis(): readonly TraceInstruction[] {
    return this.trace.instructions.filter(({ opcode }) => opcode === "PHI");
  }

  /**
   * Ends the block that is repeated.
   * @param loop the instruction LOOP, whose snapshot holds at the start of each iteration
   */
  repeat(loop: number): void {
    const { text, iteration } = this;
    const next = [...this.phis.map(({ op2 }) => this.value(op2)), iteration];
    for (const [p, { op1 }] of this.phis.entries()) this.set(op1, next[p]);
    const limit = this.snapshotNamed(this.snapshotNumber(loop), LIMIT);
    const isOver = text.op("Int32", "AboveEqual", iteration, { type: "Int32", id: "@1" });
    text.emit("Void", `Check(${isOver.id}) ${limit}`);
    for (const [p, value] of next.entries())
      text.emit("Void", `Upsilon(${value.id}, ^${this.phiIds[p].slice(1)})`);
    text.emit("Void", "Jump(#1)");
  }

  /** Returns the bits of a slot: a parameter, until a return changes the base. */
  slot(number: number): TextValue {
    if (!this.hasReturned) return { type: "Int64", id: `@${3 + this.slots.indexOf(number)}` };
    const address = this.text.op("Int64", "Add", this.base, this.text.long(8 * (number - 2)));
    return this.text.load("Int64", this.at(address));
  }

  /** Returns a value of the parent that only an object holds, which the parent did not allocate. */
  parentValue(ref: number): TextValue {
    const { text } = this;
    const number = 3 + this.slots.length + this.parentValues.indexOf(ref);
    const bits: TextValue = { type: "Int64", id: `@${number}` };
    const type = TYPES[this.typeOf(ref)];
    if (type === "Int32") return text.op("Int32", "Trunc", bits);
    if (type === "Double") return text.op("Double", "BitwiseCast", bits);
    return type === "Int64" ? bits : cut("PVAL");
  }

  returnTo(base: TextValue): void {
    this.base = base;
    this.hasReturned = true;
  }

  /**
   * Returns the value in the bits of a slot, after a check of its tag.
   * @param isChecked false if the tag is known
   */
  untagged(ref: number, type: IrType, bits: TextValue, isChecked: boolean): TextValue | null {
    const { text } = this;
    if (isChecked && isNumeric(type))
      this.guard(ref, text.op("Int32", "Below", bits, text.long(FIRST_TAGGED)));
    else if (isChecked) {
      const tag = text.op("Int64", "SShr", bits, text.int(47));
      this.guard(ref, text.op("Int32", "Equal", tag, text.long(tagOf(type))));
    }
    if (TYPES[type] === null) return null;
    if (isNumeric(type)) return text.op("Double", "BitwiseCast", bits);
    return isTagged(type) ? text.op("Int64", "BitAnd", bits, text.long(PAYLOAD)) : bits;
  }

  /** Returns the bits of a slot that holds the value. */
  tagged(ref: number): TextValue {
    const { text } = this;
    const type = this.typeOf(ref);
    if (TYPES[type] === null) return text.long(primitive(type));
    const value = this.value(ref);
    if (isTagged(type)) return text.op("Int64", "BitOr", value, text.long(tagOf(type) << 47n));
    if (!isNumeric(type)) return cut(`a store of type ${type}`);
    const number = value.type === "Int32" ? text.op("Double", "IToD", value) : value;
    return text.op("Int64", "BitwiseCast", text.op("Double", "PurifyNaN", number));
  }
}

// Appends values to a procedure, with the combinations that several instructions of LLVM need.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { FrameSlot, Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isWide, type Type, Void } from "../../ir/types.js";
import { outside } from "../../llvm/llvm-error.js";
import { ProcedureEmitter } from "../emitter.js";
import { type LlvmRule, numberOfRule } from "./rules.js";

export class LlvmEmitter extends ProcedureEmitter {
  /** The line of the text that is translated. */
  line = 0;

  protected override tooMany(limit: number, counted: string): Error {
    return outside(this.line, `more than ${limit} ${counted}`);
  }

  /** Exits by the rule if the condition is not zero. */
  leaveIf(condition: Value, rule: LlvmRule): void {
    const snapshot = this.proc.newSnapshot(this.exits.next++);
    const kind: FrameSlot = { kind: "constant", type: Int32, lo: numberOfRule(rule), hi: 0 };
    snapshot.frames.push({ name: this.proc.name, point: this.line, slots: [kind] });
    this.emit(Op.Check, Void, condition).extra = snapshot;
  }

  /** Exits, and ends the block. */
  leave(rule: LlvmRule): void {
    this.leaveIf(this.int(1), rule);
    this.emit(Op.Oops, Void);
  }

  /** Returns an integer constant of the type, by its low bits. */
  integer(type: Type, bits: bigint): Value {
    const lo = Number(BigInt.asIntN(32, bits));
    return this.constant(type, lo, isWide(type) ? Number(BigInt.asIntN(32, bits >> 32n)) : 0);
  }

  float(type: Type, number: number): Value {
    const view = new DataView(new ArrayBuffer(8));
    if (type === Float) {
      view.setFloat32(0, number);
      return this.constant(Float, view.getInt32(0), 0);
    }
    view.setFloat64(0, number);
    return this.constant(Double, view.getInt32(4), view.getInt32(0));
  }

  compare = (opcode: Opcode, x: Value, y: Value): Value => this.emit(opcode, Int32, x, y);

  and = (x: Value, y: Value): Value => this.emit(Op.BitAnd, x.type, x, y);
  not = (x: Value): Value => this.emit(Op.BitXor, Int32, x, this.int(1));
  add = (x: Value, y: Value): Value => this.emit(Op.Add, x.type, x, y);
  sub = (x: Value, y: Value): Value => this.emit(Op.Sub, x.type, x, y);
  select = (condition: Value, x: Value, y: Value): Value =>
    this.emit(Op.Select, x.type, condition, x, y);

  /** Returns an address after another one. */
  offset = (address: Value, bytes: number): Value =>
    bytes === 0 ? address : this.add(address, this.long(bytes));

  /** Returns whether one of the conditions holds; null stands for one that never does. */
  either(...conditions: readonly (Value | null)[]): Value | null {
    const distinct = [...new Set(conditions.filter((each) => each !== null))];
    return distinct.reduce<Value | null>(
      (all, each) => (all === null ? each : this.emit(Op.BitOr, Int32, all, each)),
      null,
    );
  }

  /** Returns the integer with 64 bits. */
  widened = (x: Value): Value => (x.type === Int64 ? x : this.emit(Op.ZExt32, Int64, x));
  narrowed = (x: Value): Value => (x.type === Int32 ? x : this.emit(Op.Trunc, Int32, x));
}

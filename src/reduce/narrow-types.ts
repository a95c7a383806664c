// Narrows types, from Int64 to Int32 or from Double to Float: those of a value and of all values that must have its
// type (operands of one type, Phis, calls, returns, exits), in one edit. Conversions at the border are removed with it.
// Values whose type is fixed from outside remain: addresses, results of host functions, patchpoints, fields of slots.

import {
  CALLS_ADDRESS,
  isReturn,
  isValueOperand,
  Op,
  type Opcode,
  specOf,
  typesOver,
} from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import {
  type FrameSlot,
  type Module,
  Procedure,
  parameterTypeFor,
  reachedProcedures,
  returnedValues,
  type Value,
} from "../ir/procedure.js";
import { replaceBy } from "../ir/tidy.js";
import { Double, Float, Int32, Int64, isWide, type Type } from "../ir/types.js";
import type { Candidate } from "./candidate.js";
import { changeResult } from "./drop-calls.js";
import type { CandidateEdit } from "./schedule.js";

/** A value of the program, or the result of a procedure. */
type WebNode = Value | Procedure;

const narrowOf = (type: Type): Type => (type === Int64 ? Int32 : type === Double ? Float : type);
const typeOf = (node: WebNode): Type => (node instanceof Procedure ? node.result : node.type);

/**
 * For opcodes that make a 64-bit value from another type: the opcode that makes the 32-bit value
 * instead, or the operand that is that value.
 */
const NARROW_MAKERS = new Map<Opcode, Opcode | "operand" | "low half">([
  [Op.SExt32, "operand"],
  [Op.ZExt32, "operand"],
  [Op.FloatToDouble, "operand"],
  [Op.Stitch, "low half"],
  [Op.SExt8To64, Op.SExt8],
  [Op.SExt16To64, Op.SExt16],
  [Op.IToD, Op.IToF],
  [Op.UToD, Op.UToF],
  [Op.TruncS64, Op.TruncS32],
  [Op.TruncU64, Op.TruncU32],
]);

/**
 * For opcodes that take a part of a 64-bit value: their replacement if the value has 32 bits; its
 * high half is 0.
 */
const NARROW_TAKERS = new Map<Opcode, "operand" | "zero">([
  [Op.Trunc, "operand"],
  [Op.DoubleToFloat, "operand"],
  [Op.TruncHigh, "zero"],
]);

/**
 * Lists edits that turn 64-bit values into 32-bit ones: one edit for each set of values that must
 * have the same width.
 */
export function narrowTypes(candidate: Candidate): CandidateEdit[] {
  const webs = new WidthWebs(candidate.module);
  return webs.all().map((web) => () => {
    for (const node of web) narrowNode(node, candidate);
    for (const user of webs.takers) {
      if (user.a !== null && web.has(user.a)) replaceTaker(user);
    }
  });
}

/** The sets of nodes that must have the same width. */
class WidthWebs {
  /** Values that convert a 64-bit operand, and so need not have its width. */
  readonly takers: Value[] = [];
  private readonly leaders = new Map<WebNode, WebNode>();
  private readonly pinned = new Set<WebNode>();

  constructor(module: Module) {
    for (const proc of module.procedures) {
      for (const parameter of proc.parameters) this.leaderOf(parameter);
      proc.forEachValue((value) => this.visit(value, proc));
    }
    this.joinExits(module);
  }

  /**
   * Returns the sets that can be narrowed: all values are wide, and nothing outside fixes their
   * type.
   */
  all(): Set<WebNode>[] {
    const webs = new Map<WebNode, Set<WebNode>>();
    for (const node of this.leaders.keys()) {
      const leader = this.leaderOf(node);
      const web = webs.get(leader) ?? new Set();
      webs.set(leader, web.add(node));
    }
    return [...webs.values()].filter((web) =>
      [...web].every((node) => isWide(typeOf(node)) && !this.pinned.has(node)),
    );
  }

  private leaderOf(node: WebNode): WebNode {
    let leader = node;
    for (let next = this.leaders.get(leader); next !== undefined && next !== leader; ) {
      leader = next;
      next = this.leaders.get(leader);
    }
    this.leaders.set(node, leader);
    return leader;
  }

  private join(x: WebNode, y: WebNode): void {
    const [leader, other] = [this.leaderOf(x), this.leaderOf(y)];
    if (leader !== other) this.leaders.set(other, leader);
  }

  private pin(node: WebNode): void {
    this.leaderOf(node);
    this.pinned.add(node);
  }

  private visit(value: Value, proc: Procedure): void {
    const { opcode, type } = value;
    const { args, result } = specOf(opcode);
    if (isWide(type)) {
      this.leaderOf(value);
      const isMade = value.isConstant || NARROW_MAKERS.has(opcode) || opcode === Op.BitwiseCast;
      if (result !== "T" && result !== "Callee" && !isMade) this.pin(value);
      if (result === "T" && !typesOver(opcode).includes(narrowOf(type))) this.pin(value);
    }
    if (NARROW_TAKERS.has(opcode)) this.takers.push(value);
    const operands = [value.a, value.b, value.c];
    let first: Value | null = result === "T" ? value : null;
    args.filter(isValueOperand).forEach((arg, k) => {
      const operand = operands[k];
      if (operand === null) return;
      if (arg === "T") {
        const isOpen =
          opcode === Op.BitwiseCast || typesOver(opcode).includes(narrowOf(operand.type));
        if (!isOpen) this.pin(operand);
        if (first !== null) this.join(first, operand);
        first ??= operand;
      } else if (arg !== "U" && !NARROW_TAKERS.has(opcode)) this.pin(operand);
    });
    if (opcode === Op.BitwiseCast && value.a !== null) this.join(value, value.a);
    if (opcode === Op.Upsilon && value.a !== null) this.join(value.a, value.phi);
    if (isReturn(opcode) && value.a !== null) this.join(value.a, proc);
    if (isReturn(opcode)) for (const result of returnedValues(value).slice(1)) this.pin(result);
    if (value.rest !== null) this.joinCall(value, value.rest);
  }

  private joinCall(call: Value, rest: readonly Value[]): void {
    const isIndirect = CALLS_ADDRESS[call.opcode] === 1;
    const callees = isIndirect ? reachedProcedures(call) : call.procedure ? [call.procedure] : [];
    if (callees.length === 0) {
      for (const operand of rest) this.pin(operand);
      this.pin(call);
    }
    for (const callee of callees) {
      if (isWide(call.type)) this.join(call, callee);
      rest.forEach((operand, k) => {
        if (callee.parameters[k] !== undefined) this.join(operand, callee.parameters[k]);
      });
    }
  }

  /**
   * Joins the slots at one position of the snapshots of one exit, and the continuation's parameter: all have one type.
   */
  private joinExits({ procedures, continuations }: Module): void {
    const places = new Map<string, WebNode>();
    for (const { snapshots } of procedures) {
      for (const { exit, frames } of snapshots) {
        frames.forEach(({ slots }, f) => {
          const parameters = continuations.get(exit)?.[f]?.parameters ?? [];
          const given = slots.filter((slot) => parameterTypeFor(slot) !== 0);
          slots.forEach((slot, s) => {
            const node = nodeOf(slot);
            const place = places.get(`${exit} ${f} ${s}`);
            const parameter = parameters[given.indexOf(slot)];
            for (const other of [place, parameter]) {
              if (other === undefined) continue;
              if (node === null) this.pin(other);
              else this.join(other, node);
            }
            if (node !== null) places.set(`${exit} ${f} ${s}`, node);
            if (slot.kind === "fields") for (const { value } of slot.fields) this.pin(value);
            else if (slot.kind === "deadBytes") this.pin(slot.address);
          });
        });
      }
    }
  }
}

const nodeOf = (slot: FrameSlot): WebNode | null => (slot.kind === "value" ? slot.value : null);

function narrowNode(node: WebNode, candidate: Candidate): void {
  const { module } = candidate;
  const type = narrowOf(typeOf(node));
  if (node instanceof Procedure) {
    changeResult(module, node, type);
    return;
  }
  const { opcode, a, b } = node;
  const made = NARROW_MAKERS.get(opcode);
  if (node.isConstant) {
    const bits = narrowBits(node.type, node.constantLow, node.constantHigh);
    node.type = type;
    node.becomesConstant(bits, 0);
    return;
  }
  node.type = type;
  if (made === "operand" && a !== null) replaceBy(node, a);
  else if (made === "low half" && b !== null) replaceBy(node, b);
  else if (typeof made === "number") node.opcode = made;
  else if (opcode === Op.Parameter && module.entry.parameters[node.parameterIndex] === node) {
    const p = node.parameterIndex;
    candidate.inputs = candidate.inputs.map((input) => withNarrow(input, p, type));
  }
}

/** Returns the nearest bits of the narrow type. */
function narrowBits(type: Type, lo: number, hi: number): number {
  if (type !== Double) return lo;
  const view = new DataView(new ArrayBuffer(8));
  view.setInt32(0, lo, true);
  view.setInt32(4, hi, true);
  view.setFloat32(0, view.getFloat64(0, true), true);
  return view.getInt32(0, true);
}

function withNarrow({ words, heapSeed }: Input, p: number, type: Type): Input {
  const copy = words.slice();
  const wide = type === Float ? Double : Int64;
  copy.set([narrowBits(wide, words[2 * p], words[2 * p + 1]), 0], 2 * p);
  return { words: copy, heapSeed };
}

function replaceTaker(user: Value): void {
  if (NARROW_TAKERS.get(user.opcode) === "zero") user.becomesConstant(0, 0);
  else if (user.a !== null) replaceBy(user, user.a);
}

// Types become narrower, from Int64 to Int32 or from Double to Float: of a value together with all that
// must have its type (operands of one type, Phis, calls, returns, exits), in one edit. Conversions at the
// border are removed with it. Values whose type is given from outside stay: addresses, results of host
// functions, patchpoints, fields of slots.

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
  givenType,
  type Module,
  Procedure,
  reachedProcedures,
  returnedBy,
  type Slot,
  type Value,
} from "../ir/procedure.js";
import { replaceBy } from "../ir/tidy.js";
import { Double, Float, Int32, Int64, isWide, type Type } from "../ir/types.js";
import type { Candidate } from "./candidate.js";
import { changeResult } from "./drop-calls.js";
import type { Edit } from "./schedule.js";

/** A value of the program, or what a procedure returns. */
type Node = Value | Procedure;

const narrowOf = (type: Type): Type => (type === Int64 ? Int32 : type === Double ? Float : type);
const typeOf = (node: Node): Type => (node instanceof Procedure ? node.result : node.type);

/** What makes a wide value out of something else makes the narrow one, or is its operand. */
const MADE = new Map<Opcode, Opcode | "operand" | "low half">([
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

/** What takes a wide value apart takes the narrow one as it is; its high half is 0. */
const TAKEN = new Map<Opcode, "operand" | "zero">([
  [Op.Trunc, "operand"],
  [Op.DoubleToFloat, "operand"],
  [Op.TruncHigh, "zero"],
]);

/** One edit for each set of values that can only change together. */
export function narrowTypes(candidate: Candidate): Edit[] {
  const webs = new Webs(candidate.module);
  return webs.all().map((web) => () => {
    for (const node of web) narrowNode(node, candidate);
    for (const user of webs.takers) {
      if (user.a !== null && web.has(user.a)) take(user);
    }
  });
}

/** Sets of nodes that have to keep the same width. */
class Webs {
  /** Users that convert what they are given. */
  readonly takers: Value[] = [];
  private readonly leaders = new Map<Node, Node>();
  private readonly pinned = new Set<Node>();

  constructor(module: Module) {
    for (const proc of module.procedures) {
      for (const parameter of proc.parameters) this.leaderOf(parameter);
      proc.forEachValue((value) => this.visit(value, proc));
    }
    this.joinExits(module);
  }

  /** Those in which every node is wide, and no type is given from outside. */
  all(): Set<Node>[] {
    const webs = new Map<Node, Set<Node>>();
    for (const node of this.leaders.keys()) {
      const leader = this.leaderOf(node);
      const web = webs.get(leader) ?? new Set();
      webs.set(leader, web.add(node));
    }
    return [...webs.values()].filter((web) =>
      [...web].every((node) => isWide(typeOf(node)) && !this.pinned.has(node)),
    );
  }

  private leaderOf(node: Node): Node {
    let leader = node;
    for (let next = this.leaders.get(leader); next !== undefined && next !== leader; ) {
      leader = next;
      next = this.leaders.get(leader);
    }
    this.leaders.set(node, leader);
    return leader;
  }

  private join(x: Node, y: Node): void {
    const [leader, other] = [this.leaderOf(x), this.leaderOf(y)];
    if (leader !== other) this.leaders.set(other, leader);
  }

  private pin(node: Node): void {
    this.leaderOf(node);
    this.pinned.add(node);
  }

  private visit(value: Value, proc: Procedure): void {
    const { opcode, type } = value;
    const { args, result } = specOf(opcode);
    if (isWide(type)) {
      this.leaderOf(value);
      const isMade = value.isConstant || MADE.has(opcode) || opcode === Op.BitwiseCast;
      if (result !== "T" && result !== "Callee" && !isMade) this.pin(value);
      if (result === "T" && !typesOver(opcode).includes(narrowOf(type))) this.pin(value);
    }
    if (TAKEN.has(opcode)) this.takers.push(value);
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
      } else if (arg !== "U" && !TAKEN.has(opcode)) this.pin(operand);
    });
    if (opcode === Op.BitwiseCast && value.a !== null) this.join(value, value.a);
    if (opcode === Op.Upsilon && value.a !== null) this.join(value.a, value.phi);
    if (isReturn(opcode) && value.a !== null) this.join(value.a, proc);
    if (isReturn(opcode)) for (const result of returnedBy(value).slice(1)) this.pin(result);
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

  /** What snapshots of one exit hold at one place has one type, which the continuation takes. */
  private joinExits({ procedures, continuations }: Module): void {
    const places = new Map<string, Node>();
    for (const { snapshots } of procedures) {
      for (const { exit, frames } of snapshots) {
        frames.forEach(({ slots }, f) => {
          const parameters = continuations.get(exit)?.[f]?.parameters ?? [];
          const given = slots.filter((slot) => givenType(slot) !== 0);
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

const nodeOf = (slot: Slot): Node | null => (slot.kind === "value" ? slot.value : null);

function narrowNode(node: Node, candidate: Candidate): void {
  const { module } = candidate;
  const type = narrowOf(typeOf(node));
  if (node instanceof Procedure) {
    changeResult(module, node, type);
    return;
  }
  const { opcode, a, b, lo, hi } = node;
  const made = MADE.get(opcode);
  const bits = narrowBits(node.type, lo, hi);
  node.type = type;
  if (node.isConstant) node.becomesConstant(bits, 0);
  else if (made === "operand" && a !== null) replaceBy(node, a);
  else if (made === "low half" && b !== null) replaceBy(node, b);
  else if (typeof made === "number") node.opcode = made;
  else if (opcode === Op.Parameter && module.entry.parameters[lo] === node) {
    candidate.inputs = candidate.inputs.map((input) => withNarrow(input, lo, type));
  }
}

/** The bits of the narrow type that come nearest. */
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

function take(user: Value): void {
  if (TAKEN.get(user.opcode) === "zero") user.becomesConstant(0, 0);
  else if (user.a !== null) replaceBy(user, user.a);
}

// Uses the facts that a branch, a Switch or a guard establishes in the blocks that only its outcome
// reaches.
//
// Assumes a valid program, in any form of Phi. It finds most without critical edges: a fact of an
// edge holds in all blocks that its target dominates if the target has no other edge. The facts
// are:
//
// - Branch(x): x is not 0 on one edge, and 0 on the other; a comparison that is not 0 is 1.
// - Switch(x): x is the key, if only one key leads to the block.
// - Check(x): x is 0 after it. A division of integers: the divisor is not 0 after it.
// - Equal(x, c) that is known to hold, or NotEqual that is known not to hold: x is c. Also for
//   floats, except for a zero, which equals a zero with other bits, and a NaN, which equals
//   nothing.
//
// Uses of known values become constants, and conditions that are only known not to be 0 become 1.
// Snapshots are unchanged, because other guards may share them. A value is defined above the edge
// that decides it. It is recomputed only after control has left all blocks that the edge dominates.
// So it is constant within them.

import { EFFECTS, OPCODE_COUNT, Op, type Opcode, PARTIAL } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { isFloating, isInteger, isWide } from "../../../src/ir/types.js";
import { DominatorTree } from "../analysis/dominator-tree.js";
import type { OptimizeContext } from "../edit/context.js";

const NAME = "fold-path-constants";

export function foldPathConstants(proc: Procedure, context: OptimizeContext): boolean {
  const before = context.applications;
  new DominatorTree(context.flow(proc), context).walk(new PathFacts(proc, context));
  return context.applications !== before;
}

/** A kind of fact: the value is not 0. The next kind: the value is a known constant. */
const NOT_ZERO = 0;
const EXACT = 1;

class PathFacts {
  private readonly proc: Procedure;
  private readonly context: OptimizeContext;
  /** By id: index plus 1 of the newest fact about the value; 0 if there is none. */
  private readonly known: Int32Array;
  /** The facts of all blocks that have been entered and not left. */
  private readonly values: Value[] = [];
  private readonly kinds: number[] = [];
  private readonly los: number[] = [];
  private readonly his: number[] = [];
  /** The previous fact about the same value. */
  private readonly older: number[] = [];
  /** For each entered block: the number of facts at its start. */
  private readonly marks: number[] = [];
  /** Constants created for the current block. */
  private made: Value[] = [];

  constructor(proc: Procedure, context: OptimizeContext) {
    this.proc = proc;
    this.context = context;
    this.known = context.table(proc.valueIdEnd);
  }

  enter(block: BasicBlock): boolean {
    this.marks.push(this.values.length);
    this.addFactOfEdge(block);
    const goesOn = this.visit(block);
    if (this.made.length > 0) this.placeConstants(block);
    return goesOn;
  }

  leave(): void {
    const count = this.marks.pop() ?? 0;
    while (this.values.length > count) {
      const value = this.values.pop();
      const older = this.older.pop() ?? 0;
      if (value !== undefined) this.known[value.id] = older;
      this.kinds.pop();
      this.los.pop();
      this.his.pop();
    }
  }

  private addFactOfEdge(block: BasicBlock): void {
    if (block.predecessors.length !== 1) return;
    const [{ last, successors }] = block.predecessors;
    const { opcode, a } = last;
    if (a === null) return;
    if (opcode === Op.Branch) {
      if (successors[0] === block) this.addNonZero(a);
      else this.addExact(a, 0, 0);
    } else if (opcode === Op.Switch) {
      const { lo, hi, count } = last.cases;
      const k = successors.indexOf(block);
      if (k < count) this.addExact(a, lo[k], hi[k]);
    }
  }

  private addNonZero(value: Value): void {
    if (IS_FLAG[value.opcode] === 1) this.addExact(value, 1, 0);
    else this.addFact(value, NOT_ZERO, 0, 0);
  }

  private addExact(value: Value, lo: number, hi: number): void {
    this.addFact(value, EXACT, lo, hi);
    const { opcode, a, b } = value;
    const isEqual = (opcode === Op.Equal && lo !== 0) || (opcode === Op.NotEqual && lo === 0);
    if (!isEqual || a === null || b === null || !b.isConstant || !hasOneForm(b)) return;
    this.addExact(a, b.constantLow, b.constantHigh);
  }

  private addFact(value: Value, kind: number, lo: number, hi: number): void {
    if (value.isConstant || value.id >= this.known.length) return;
    this.older.push(this.known[value.id]);
    this.values.push(value);
    this.kinds.push(kind);
    this.los.push(lo);
    this.his.push(hi);
    this.known[value.id] = this.values.length;
  }

  private visit(block: BasicBlock): boolean {
    const { values } = block;
    const { known } = this;
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      const { a, b, c, rest } = value;
      if (a !== null && known[a.id] !== 0) {
        const folded = this.fold(value, a, testsZero(value.opcode));
        if (folded === null) return false;
        value.a = folded;
      }
      if (b !== null && known[b.id] !== 0) {
        const folded = this.fold(value, b, false);
        if (folded === null) return false;
        value.b = folded;
      }
      if (c !== null && known[c.id] !== 0) {
        const folded = this.fold(value, c, false);
        if (folded === null) return false;
        value.c = folded;
      }
      for (let r = 0; rest !== null && r < rest.length; r++) {
        if (known[rest[r].id] === 0) continue;
        const folded = this.fold(value, rest[r], false);
        if (folded === null) return false;
        rest[r] = folded;
      }
      if (value.opcode === Op.Check && a !== null) this.addExact(a, 0, 0);
      else if ((EFFECTS[value.opcode] & PARTIAL) !== 0 && b !== null && isInteger(b.type)) {
        this.addNonZero(b);
      }
    }
    return true;
  }

  /**
   * Returns the replacement of the operand, or the operand itself; null if the limit is reached.
   */
  private fold(user: Value, operand: Value, isTruth: boolean): Value | null {
    const f = this.known[operand.id] - 1;
    const isExact = this.kinds[f] === EXACT;
    if (!isExact && !isTruth) return operand;
    if (!this.context.claim(NAME, user)) return null;
    const lo = isExact ? this.los[f] : 1;
    const hi = isExact ? this.his[f] : 0;
    return this.constant(operand, lo, hi, user.block);
  }

  private constant(like: Value, lo: number, hi: number, block: BasicBlock | null): Value {
    const { made } = this;
    for (let i = 0; i < made.length; i++) {
      if (made[i].type === like.type && made[i].constantLow === lo && made[i].constantHigh === hi)
        return made[i];
    }
    const constant = this.proc.newConstant(like.type, lo, hi);
    constant.block = block;
    made.push(constant);
    return constant;
  }

  // Inserts the created constants after the Phis of the block, which keeps edge form.
  private placeConstants(block: BasicBlock): void {
    let at = 0;
    while (block.values[at].opcode === Op.Phi) at++;
    block.values.splice(at, 0, ...this.made);
    this.made = [];
  }
}

const testsZero = (opcode: Opcode): boolean =>
  opcode === Op.Branch || opcode === Op.Check || opcode === Op.Select;

/** By opcode: 1 if the result is 0 or 1. */
const IS_FLAG = new Uint8Array(OPCODE_COUNT);
for (const opcode of [
  ...[Op.Equal, Op.NotEqual, Op.LessThan, Op.GreaterThan, Op.LessEqual, Op.GreaterEqual],
  ...[Op.Above, Op.Below, Op.AboveEqual, Op.BelowEqual, Op.EqualOrUnordered],
  ...[Op.AddOverflows, Op.SubOverflows, Op.MulOverflows, Op.AddCarries],
]) {
  IS_FLAG[opcode] = 1;
}

/**
 * True if a comparison with the constant determines the bits: false for zeroes of floats, which
 * have two forms.
 */
function hasOneForm(c: Value): boolean {
  if (!isFloating(c.type)) return true;
  const high = isWide(c.type) ? c.constantHigh : c.constantLow;
  const low = isWide(c.type) ? c.constantLow : 0;
  const magnitude = high & 0x7fff_ffff;
  if ((magnitude | low) === 0) return false;
  const infinity = isWide(c.type) ? 0x7ff0_0000 : 0x7f80_0000;
  return magnitude < infinity || (magnitude === infinity && low === 0);
}

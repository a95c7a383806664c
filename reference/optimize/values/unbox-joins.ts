// Splits joins of boxes into joins of the parts of the boxes.
//
//   @b = Phi() of Stitch(tag, x), Stitch(tag, y)  ->  @t = Phi() of tag, tag; @p = Phi() of x, y; @b = Stitch(@t, @p)
//   @b = Phi() of BitwiseCast(x), BitwiseCast(y)  ->  @p = Phi() of x, y; @b = BitwiseCast(@p)
//
// A *box* is a 64-bit value that consists of a 32-bit tag and a 32-bit payload, or is the bits of a
// Double. A Phi or a Select of boxes hides both. If its parts are extracted somewhere, the phase
// replaces it by one join for each part, and rebuilds the box after them. Rules then forward the
// parts to the extractions. Often only exits need the rebuilt box, and sink-values.ts moves it
// there. Equal tags form a Phi of equal constants, which fix-ssa folds, together with the guard on
// the tag.
//
// A join is split if a value extracts its parts, or if another split join uses it, and if one of
// these holds:
//
// - In halves: at least one input was built from halves, or is such a join. For the other inputs
//   the halves are extracted before the Select, or before the Upsilons at the end of the block.
// - As a Double: all inputs are bits of Doubles, constants, or such joins. The analysis first
//   assumes that every join qualifies, and then drops those with another input until nothing
//   changes. So cycles can qualify.
//
// The phase moves bits and never interprets them, so an open NaN stays open.
//
// Assumes a valid program, in any form of Phi, and keeps the form: a part is written and read where
// the box was. One application is one join.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import { EFFECTS, Op, type Opcode, WRITES_VARIABLE } from "../../../src/ir/opcodes.js";
import type { Procedure, Value } from "../../../src/ir/procedure.js";
import { Double, Int32, Int64, type Type } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { sweep } from "../edit/sweep.js";
import { newUpsilon, UpsilonsByPhi } from "../edit/upsilons.js";

const NAME = "unbox-joins";

export function unboxJoins(proc: Procedure, context: OptimizeContext): boolean {
  const unboxing = new JoinUnboxer(proc, context, context.flow(proc));
  if (!unboxing.hasJoins) return false;
  unboxing.findInputs();
  unboxing.findForms();
  unboxing.markUsed();
  if (!unboxing.rewrite()) return false;
  sweep(proc);
  return true;
}

// The facts about a join, as bits: some input was built from halves; all inputs are bits of Doubles;
// a half, or a Double, is extracted from it.
const IN_HALVES = 1;
const OF_DOUBLE = 2;
const HALF_USED = 4;
const DOUBLE_USED = 8;

const isJoin = ({ opcode, type }: Value): boolean =>
  type === Int64 && (opcode === Op.Phi || opcode === Op.Select);

class JoinUnboxer {
  private readonly proc: Procedure;
  private readonly context: OptimizeContext;
  private readonly upsilons: UpsilonsByPhi;
  private readonly joins: Value[] = [];
  /** Values that extract a part of their operand. */
  private readonly extractions: Value[] = [];
  /** By id of a join: its facts. */
  private readonly facts: Int32Array;

  constructor(proc: Procedure, context: OptimizeContext, flow: ControlFlow) {
    this.proc = proc;
    this.context = context;
    this.upsilons = new UpsilonsByPhi(proc, context);
    this.facts = context.table(proc.valueIdEnd);
    for (const block of flow.order) {
      for (const value of block.values) {
        value.block = block;
        if (isJoin(value)) this.joins.push(value);
        else if (partExtracted(value) !== 0) this.extractions.push(value);
      }
    }
  }

  get hasJoins(): boolean {
    return this.joins.length > 0 && this.extractions.length > 0;
  }

  private inputs(join: Value): Value[] {
    if (join.opcode === Op.Select) return [join.b, join.c].filter((value) => value !== null);
    const inputs: Value[] = [];
    const { upsilons } = this;
    for (let u = upsilons.newestTo(join); u !== 0; u = upsilons.olderThan(u)) {
      const { a } = upsilons.at(u);
      if (a !== null) inputs.push(a);
    }
    return inputs;
  }

  findInputs(): void {
    for (const { values } of this.proc.blocks) {
      for (const value of values) {
        if ((EFFECTS[value.opcode] & WRITES_VARIABLE) !== 0) this.upsilons.add(value);
      }
    }
  }

  /** Computes the forms in which each join could be split. */
  findForms(): void {
    const { joins, facts } = this;
    for (const join of joins) facts[join.id] = OF_DOUBLE;
    for (let changed = true; changed; ) {
      changed = false;
      for (const join of joins) {
        let form = facts[join.id];
        const inputs = this.inputs(join);
        if (inputs.some((input) => this.isOfHalves(input))) form |= IN_HALVES;
        if (!inputs.every((input) => this.mayBeDouble(input))) form &= ~OF_DOUBLE;
        changed ||= form !== facts[join.id];
        facts[join.id] = form;
      }
    }
  }

  private isOfHalves(value: Value): boolean {
    if (value.opcode === Op.Stitch || isTagged(value)) return true;
    return (this.facts[value.id] & IN_HALVES) !== 0;
  }

  private mayBeDouble({ id, opcode, isConstant }: Value): boolean {
    return isConstant || opcode === Op.BitwiseCast || (this.facts[id] & OF_DOUBLE) !== 0;
  }

  /** Marks the joins whose parts are extracted, directly or through another join. */
  markUsed(): void {
    const { joins, facts } = this;
    for (const value of this.extractions) {
      if (value.a !== null && isJoin(value.a)) facts[value.a.id] |= partExtracted(value);
    }
    for (let changed = true; changed; ) {
      changed = false;
      for (const join of joins) {
        const used = facts[join.id] & (HALF_USED | DOUBLE_USED);
        if (used === 0) continue;
        for (const input of this.inputs(join)) {
          if (!isJoin(input) || (facts[input.id] & used) === used) continue;
          facts[input.id] |= used;
          changed = true;
        }
      }
    }
  }

  rewrite(): boolean {
    const before = this.context.applications;
    for (const join of this.joins) {
      const form = this.facts[join.id];
      const isDouble = (form & OF_DOUBLE) !== 0 && (form & DOUBLE_USED) !== 0;
      const isInHalves = (form & IN_HALVES) !== 0 && (form & HALF_USED) !== 0;
      if (!isDouble && !isInHalves) continue;
      if (!this.context.claim(NAME, join)) break;
      if (isDouble) this.split(join, Op.BitwiseCast, [this.newPart(join, Double)]);
      else this.split(join, Op.Stitch, [this.newPart(join, Int32), this.newPart(join, Int32)]);
    }
    return this.context.applications !== before;
  }

  private newPart({ opcode, a }: Value, type: Type): Value {
    const part = this.proc.newValue(opcode, type);
    if (opcode === Op.Select) part.a = a;
    return part;
  }

  /** Replaces the join by a box of its parts, and makes each part a join of the same part of the inputs. */
  private split(join: Value, box: Opcode, parts: readonly Value[]): void {
    const { block } = join;
    if (block === null) return;
    for (const part of parts) part.block = block;
    const at = block.values.indexOf(join);
    block.values.splice(at, 1, ...parts);
    if (join.opcode === Op.Phi) {
      let after = at;
      while (block.values[after].opcode === Op.Phi) after++;
      block.values.splice(after, 0, join);
      this.writeParts(join, parts);
    } else {
      block.values.splice(at + parts.length, 0, join);
      parts.forEach((part, p) => {
        part.b = this.partOf(join.b, join, parts, p, parts[0]);
        part.c = this.partOf(join.c, join, parts, p, parts[0]);
      });
    }
    join.opcode = box;
    join.a = parts[0];
    join.b = parts[1] ?? null;
    join.c = null;
  }

  private writeParts(phi: Value, parts: readonly Value[]): void {
    const { upsilons } = this;
    for (let u = upsilons.newestTo(phi); u !== 0; u = upsilons.olderThan(u)) {
      const upsilon = upsilons.at(u);
      const { a, block } = upsilon;
      // Skip Upsilons in unreachable blocks, which are removed with their Phis.
      if (block === null) continue;
      const writes = parts.map((part, p) => {
        const value = this.partOf(a, phi, parts, p, upsilon);
        return value === null ? null : newUpsilon(this.proc, block, value, part);
      });
      const at = block.values.indexOf(upsilon);
      block.values.splice(at, 1, ...writes.filter((write) => write !== null));
    }
  }

  /** Returns a part of an input. A new extraction is inserted before `user`. */
  private partOf(
    input: Value | null,
    join: Value,
    parts: readonly Value[],
    p: number,
    user: Value,
  ): Value | null {
    if (input === null || input === join) return parts[p];
    const isDouble = parts.length === 1;
    if (input.opcode === Op.Stitch && !isDouble) return p === 0 ? input.a : input.b;
    if (input.opcode === Op.BitwiseCast && isDouble) return input.a;
    if (input.isConstant) {
      const { constantLow: lo, constantHigh: hi } = input;
      const [low, high] = isDouble ? [lo, hi] : [p === 0 ? hi : lo, 0];
      return this.insertBefore(this.proc.newConstant(parts[p].type, low, high), user);
    }
    if (isTagged(input) && !isDouble) {
      if (p === 1) return input.a?.a ?? null;
      return this.insertBefore(this.proc.newConstant(Int32, input.b?.constantHigh ?? 0, 0), user);
    }
    const opcode = isDouble ? Op.BitwiseCast : p === 0 ? Op.TruncHigh : Op.Trunc;
    const part = this.proc.newValue(opcode, parts[p].type, input);
    return this.insertBefore(part, user);
  }

  // Inserts a value before `user`, or before the Upsilons at the end of the block, which stay
  // adjacent.
  private insertBefore(value: Value, user: Value): Value {
    const { block } = user;
    value.block = block;
    if (block === null) return value;
    const { values } = block;
    let at = values.indexOf(user);
    while (at > 0 && (EFFECTS[values[at - 1].opcode] & WRITES_VARIABLE) !== 0) at--;
    values.splice(at, 0, value);
    return value;
  }
}

/** True for the sum of a zero-extended payload and a tag in the upper half. */
function isTagged({ opcode, a, b }: Value): boolean {
  const isSum = opcode === Op.BitOr || opcode === Op.BitXor || opcode === Op.Add;
  return isSum && a?.opcode === Op.ZExt32 && b?.isConstant === true && b.constantLow === 0;
}

/** Returns the part of its operand that the value extracts: HALF_USED, DOUBLE_USED or 0. */
function partExtracted({ opcode, type }: Value): number {
  if (opcode === Op.Trunc || opcode === Op.TruncHigh) return HALF_USED;
  return opcode === Op.BitwiseCast && type === Double ? DOUBLE_USED : 0;
}

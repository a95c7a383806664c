// Plans which values are on the operand stack from one block to the next: Phis that jumps pass as
// results of blocks and parameters of loops, and values that stay below the results of a block.
//
// A variable of a Phi has the value of the last executed Upsilon. A jump passes this variable. If
// each predecessor of the Phi's block has an Upsilon, and no other block has one, the jump passes
// the Upsilon's operand, and there is no variable.

import { dominates } from "../../ir/control-flow.js";
import { CONSTANT, EFFECTS, Op } from "../../ir/opcodes.js";
import { type BasicBlock, forEachOperand, type Value } from "../../ir/procedure.js";
import type { SourceForm } from "../forms.js";
import type { NestingPlan } from "../structure.js";

/** The greatest number of Phis of a block that jumps pass; engines limit results. */
const PASSED_MAX = 50;
const NO_VALUES: readonly Value[] = [];

export class StackPlan {
  /** By block: the Phis whose values a jump to it passes, in order. */
  private readonly passedPhis = new Map<BasicBlock, readonly Value[]>();
  /** By passed Phi without a variable: by predecessor, the Upsilon. */
  private readonly passedUpsilons = new Map<Value, ReadonlyMap<BasicBlock, Value>>();
  private readonly plan: NestingPlan;
  private readonly upsilons = new Map<Value, Value[]>();

  constructor(plan: NestingPlan, form: SourceForm) {
    this.plan = plan;
    const isMany = form.has("block-params");
    if (!isMany && !form.has("block-results")) return;
    for (const { values } of plan.flow.order) for (const value of values) this.addUpsilon(value);
    for (let at = 1; at < plan.flow.order.length; at++) {
      const block = plan.flow.order[at];
      if (plan.isHeader[at] === 1 ? !isMany : plan.isLabelled[at] === 0) continue;
      // A table of jumps would pass the same values to all its targets.
      if (block.predecessors.some(({ last }) => last.opcode === Op.Switch)) continue;
      const phis = leadingPhis(block).slice(0, isMany ? PASSED_MAX : 1);
      if (phis.length === 0) continue;
      this.passedPhis.set(block, phis);
      for (const phi of phis) this.passUpsilons(phi, block);
    }
  }

  passed(block: BasicBlock | null): readonly Value[] {
    return (block === null ? undefined : this.passedPhis.get(block)) ?? NO_VALUES;
  }

  isPassed(phi: Value): boolean {
    return this.passed(phi.block).includes(phi);
  }

  /** Returns whether the Upsilon writes no variable, since jumps pass its operand. */
  isOperandPassed({ phi }: Value): boolean {
    return this.passedUpsilons.has(phi);
  }

  /** Returns the operand that the jump from this block passes; null: the Phi's variable. */
  operandFrom(from: BasicBlock, phi: Value): Value | null {
    return this.passedUpsilons.get(phi)?.get(from)?.a ?? null;
  }

  /**
   * Returns a value that the block uses and that exists where its label begins; null if there is
   * none.
   * @param isHeld whether a value has a local
   */
  keptFor(block: BasicBlock, isHeld: (value: Value) => boolean): Value | null {
    const { flow, isHeader, inside } = this.plan;
    const at = flow.position[block.index];
    const around = flow.dominator[at];
    if (isHeader[at] === 1 || around < 0 || !inside[around].includes(at)) return null;
    let kept: Value | null = null;
    for (const value of block.values) {
      forEachOperand(value, (operand) => {
        if (kept === null && isHeld(operand) && this.isBefore(operand, around)) kept = operand;
      });
    }
    return kept;
  }

  /** Returns whether the value is computed before the block at this position starts. */
  private isBefore({ opcode, block }: Value, at: number): boolean {
    const { position } = this.plan.flow;
    if (opcode === Op.Parameter) return true;
    if (block === null) return false;
    const from = position[block.index];
    return from !== at && dominates(this.plan.flow, from, at);
  }

  private addUpsilon(value: Value): void {
    if (value.opcode !== Op.Upsilon) return;
    const known = this.upsilons.get(value.phi);
    if (known === undefined) this.upsilons.set(value.phi, [value]);
    else known.push(value);
  }

  private passUpsilons(phi: Value, { predecessors }: BasicBlock): void {
    const last = new Map<BasicBlock, Value>();
    for (const upsilon of this.upsilons.get(phi) ?? []) {
      if (upsilon.block !== null) last.set(upsilon.block, upsilon);
    }
    const isDirect =
      predecessors.every((block) => last.has(block)) &&
      [...last.keys()].every((block) => predecessors.includes(block));
    if (isDirect) this.passedUpsilons.set(phi, last);
  }
}

/** Returns the Phis at the start of a block: no Upsilon of the block precedes them. */
function leadingPhis({ values }: BasicBlock): Value[] {
  const phis: Value[] = [];
  for (const value of values) {
    if (value.opcode === Op.Phi) phis.push(value);
    else if ((EFFECTS[value.opcode] & CONSTANT) === 0) break;
  }
  return phis;
}

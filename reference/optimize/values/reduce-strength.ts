// Applies the rewrite rules until none matches.
//
// Assumes a valid program, in any form of Phi. The result has no copies, no unreachable blocks, and
// no snapshots without a guard.
//
// One visit of each value, definitions before uses, reaches the fixpoint. A rule inspects only
// operands, which were visited before, and values that a rule creates are visited when they are
// created. (In irreducible regions a removed edge may leave a block unvisited; the next run visits
// it.) At one value the process terminates because rules reduce. A pair of rules that undo each
// other is an internal error with the rule's name, not a hang.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import {
  ALL_OPCODES,
  hasAttribute,
  isTotal,
  isValueOperand,
  Op,
  type Opcode,
  type OperandSpec,
  specOf,
  typeOfName,
} from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Float, isWide, otherBank, type Type, typeNamed, Void } from "../../../src/ir/types.js";
import { assert, InternalError } from "../../../src/support/assert.js";
import type { OptimizeContext } from "../edit/context.js";
import {
  removeUnreachableBlocks,
  removeUnusedSnapshots,
  resolveOperands,
  sweep,
} from "../edit/sweep.js";
import type { ReplacementPlan } from "../rules/compile-rules.js";
import { type ConstantWords, foldValue } from "../rules/fold.js";
import type { Rule } from "../rules/patterns.js";

const APPLICATIONS_PER_VALUE_MAX = 64;

export function reduceStrength(proc: Procedure, context: OptimizeContext): boolean {
  const before = context.applications;
  let changed = dropUnreachable(proc, context);
  if (changed) removeUnusedSnapshots(proc);
  const reducer = new StrengthReducer(proc, context);
  if (reducer.reduceBlocks(context.flow(proc))) {
    context.blocksChanged();
    dropUnreachable(proc, context);
  }
  if (context.applications !== before) removeUnusedSnapshots(proc);
  reducer.reduceExitBlocks();
  changed ||= context.applications !== before;
  if (changed) sweep(proc);
  return changed;
}

function dropUnreachable(proc: Procedure, context: OptimizeContext): boolean {
  const isCut = removeUnreachableBlocks(proc, context.flow(proc));
  if (isCut) context.blocksChanged();
  return isCut;
}

class StrengthReducer {
  private readonly proc: Procedure;
  private readonly context: OptimizeContext;
  private readonly words: ConstantWords = { lo: 0, hi: 0 };
  /** Values that the current application has created, definitions first. */
  private made: Value[] = [];
  /** The current list including created values; null while nothing was created. */
  private out: Value[] | null = null;
  private block: BasicBlock | null = null;

  constructor(proc: Procedure, context: OptimizeContext) {
    this.proc = proc;
    this.context = context;
  }

  /** Returns true if edges were removed or exchanged. */
  reduceBlocks({ order }: ControlFlow): boolean {
    const isReached = new Uint8Array(this.proc.blocks.length);
    let isCut = false;
    isReached[order[0].index] = 1;
    for (let b = 0; b < order.length; b++) {
      const block = order[b];
      if (isReached[block.index] === 0) continue; // a branch on a constant no longer leads here
      const { successors: before } = block;
      this.block = block;
      block.values = this.reduceList(block.values);
      const { successors } = block;
      if (successors !== before) isCut = true;
      for (let s = 0; s < successors.length; s++) isReached[successors[s].index] = 1;
    }
    return isCut;
  }

  reduceExitBlocks(): void {
    this.block = null;
    const { snapshots } = this.proc;
    for (let s = 0; s < snapshots.length; s++) {
      const { values } = snapshots[s];
      const reduced = this.reduceList(values);
      for (let i = 0; i < reduced.length; i++) values[i] = reduced[i]; // the list never becomes shorter
    }
  }

  // Returns the list itself, or a new one if values were inserted.
  private reduceList(values: Value[]): Value[] {
    this.startList();
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      const endsBlock = this.applyRules(value, values, i);
      this.out?.push(value);
      if (endsBlock) {
        this.endBlock(values, i + 1);
        break;
      }
    }
    return this.out ?? values;
  }

  private startList(): void {
    this.out = null;
  }

  // Removes the values after a guard that always fails, and the edges to the successors.
  private endBlock(values: Value[], from: number): void {
    const { block, proc } = this;
    assert(block !== null, () => "a rule ends an exit block, which has no guard");
    for (let i = from; i < values.length; i++) values[i].becomesNop();
    values.length = from;
    const oops = proc.newValue(Op.Oops, Void);
    oops.block = block;
    (this.out ?? values).push(oops);
    block.successors = [];
  }

  // Applies rules to one value until none matches; returns true if a rule ends the block.
  private applyRules(value: Value, values: readonly Value[], position: number): boolean {
    const { matcher, disabledRules } = this.context;
    resolveOperands(value);
    let variant = matcher.find(value, disabledRules);
    for (let left = APPLICATIONS_PER_VALUE_MAX; variant >= 0; left--) {
      const rule = matcher.rules[matcher.ruleOf(variant)];
      if (left === 0) failUndone(rule, value);
      if (!this.apply(rule, variant, value)) return false;
      if (rule.endsBlock === true) return true;
      if (this.made.length > 0) this.insertMade(values, position);
      resolveOperands(value);
      variant = matcher.find(value, disabledRules);
    }
    return false;
  }

  // Applies a rule; returns false if it must not be applied.
  private apply(rule: Rule, variant: number, value: Value): boolean {
    const { context } = this;
    const { matcher } = context;
    const plan = matcher.planOf(variant);
    if (this.block === null && givesPartial(plan, value)) return false;
    if (!context.claim(rule.name, value)) return false;
    context.fired[matcher.ruleOf(variant)]++;
    if (plan === null) rule.apply?.(value, matcher.bound("x"), matcher.bound("c"));
    else this.replace(value, plan);
    return true;
  }

  // Inserts the created values before the current one, and applies rules to each.
  private insertMade(values: readonly Value[], position: number): void {
    const { made } = this;
    this.made = [];
    this.out ??= values.slice(0, position);
    for (let i = 0; i < made.length; i++) {
      this.applyRules(made[i], values, position);
      this.out.push(made[i]);
    }
  }

  private replace(root: Value, plan: ReplacementPlan): void {
    if (plan.kind === "nothing") {
      root.becomesNop();
    } else if (plan.kind === "register") {
      const other = this.context.matcher.registers[plan.register];
      assert(other.type === root.type, () => `the types of @${other.id} and @${root.id} differ`);
      root.becomes(other);
    } else if (plan.kind === "node") {
      this.turnInto(root, plan.opcode, plan.operands);
    } else {
      this.computeWords(plan, root.type);
      root.becomesConstant(this.words.lo, this.words.hi);
    }
  }

  // Gives `value` another opcode and operands, and folds it if they are constants. A memory access
  // keeps its offset, a guard its snapshot.
  private turnInto(value: Value, opcode: Opcode, plans: readonly ReplacementPlan[]): void {
    const { made } = this;
    const madeBefore = made.length;
    const kinds = OPERAND_KINDS[opcode];
    const t = this.typeOfT(opcode, value.type, plans);
    const a = this.make(plans[0], this.typeOfOperand(kinds[0], t, plans[0]));
    const b =
      plans.length > 1 ? this.make(plans[1], this.typeOfOperand(kinds[1], t, plans[1])) : null;
    const c =
      plans.length > 2 ? this.make(plans[2], this.typeOfOperand(kinds[2], t, plans[2])) : null;
    if (!hasAttribute(opcode, "Offset")) value.clearImmediates();
    if (!hasAttribute(opcode, "Snapshot")) value.extra = null;
    value.opcode = opcode;
    value.a = a;
    value.b = b;
    value.c = c;
    if (!a.isConstant || b?.isConstant === false || c?.isConstant === false) return;
    if (!foldValue(value, this.words)) return;
    value.becomesConstant(this.words.lo, this.words.hi);
    made.length = madeBefore; // constants without other uses
  }

  // Creates the values of a replacement, operands first. Values that the match has bound are
  // reused.
  private make(plan: ReplacementPlan, type: Type): Value {
    if (plan.kind === "register") return this.context.matcher.registers[plan.register];
    let value: Value;
    if (plan.kind === "node") {
      value = this.proc.newValue(plan.opcode, type);
      this.turnInto(value, plan.opcode, plan.operands);
    } else {
      this.computeWords(plan, type);
      value = this.proc.newConstant(type, this.words.lo, this.words.hi);
    }
    value.block = this.block;
    this.made.push(value);
    return value;
  }

  // Computes the bits of a constant in a replacement.
  private computeWords(plan: ReplacementPlan, type: Type): void {
    const { words } = this;
    const { registers } = this.context.matcher;
    if (plan.kind === "integer") {
      words.lo = plan.integer | 0;
      words.hi = plan.integer < 0 && isWide(type) ? -1 : 0;
    } else if (plan.kind === "float") {
      words.lo = type === Float ? plan.float.float : plan.float.double[0];
      words.hi = type === Float ? 0 : plan.float.double[1];
    } else {
      assert(
        plan.kind === "computed",
        () => `a replacement of kind ${plan.kind} is not a constant`,
      );
      plan.computed.compute(registers[0].type, registers[plan.register], words);
    }
  }

  // Returns the type T of a node: from its result, or from an operand whose type is known.
  private typeOfT(opcode: Opcode, result: Type, plans: readonly ReplacementPlan[]): Type {
    const spec = specOf(opcode);
    if (spec.result === "T") return result;
    if (spec.result === "Bits") return otherBank(result);
    const kinds = OPERAND_KINDS[opcode];
    for (let i = 0; i < kinds.length; i++) {
      const type = kinds[i] === "T" ? this.typeOfPlan(plans[i]) : Void;
      if (type !== Void) return type;
    }
    return Void;
  }

  // Returns the type of the value that a plan creates; Void if only the context determines it.
  private typeOfPlan(plan: ReplacementPlan): Type {
    if (plan.kind === "register") return this.context.matcher.registers[plan.register].type;
    if (plan.kind !== "node") return Void;
    const { result } = specOf(plan.opcode);
    if (result === "T") return this.typeOfFirstKnown(plan.operands);
    if (result === "Bits") return otherBank(this.typeOfFirstKnown(plan.operands));
    return typeNamed(result) ?? Void;
  }

  private typeOfFirstKnown(plans: readonly ReplacementPlan[]): Type {
    for (let i = 0; i < plans.length; i++) {
      const type = this.typeOfPlan(plans[i]);
      if (type !== Void) return type;
    }
    return Void;
  }

  private typeOfOperand(kind: OperandSpec, t: Type, plan: ReplacementPlan): Type {
    if (kind === "T") return t;
    if (kind === "U") return this.typeOfPlan(plan);
    return typeOfName(isValueOperand(kind) ? kind : "Void");
  }
}

// Throws the error for a rule that another rule undoes. It is a function of its own, because a
// closure in the caller would allocate at each call.
function failUndone({ name }: Rule, { id }: Value): never {
  throw new InternalError(`another rule undoes ${name} at @${id}`);
}

const OPERAND_KINDS: readonly (readonly OperandSpec[])[] = ALL_OPCODES.map((opcode) =>
  specOf(opcode).args.filter(isValueOperand),
);

// Returns whether the replacement creates a partial value, which an exit block must not contain.
const givesPartial = (plan: ReplacementPlan | null, { type }: Value): boolean =>
  plan !== null && plan.kind === "node" && !isTotal(plan.opcode, type);

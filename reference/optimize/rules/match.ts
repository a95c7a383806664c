// Matches values against rules, which are compiled once into flat tables.
//
// Each row gives one variant for each position of its lists and each order of the operands of its
// commutative opcodes. The opcodes of a value and of its operands select the variants
// (candidates.ts). Each variant then runs a short program over registers. A match allocates
// nothing.

import { ALL_OPCODES, Op } from "../../../src/ir/opcodes.js";
import { CONSTANT_OPCODES, Value } from "../../../src/ir/procedure.js";
import { Float, isFloating, isInteger, isWide, Void } from "../../../src/ir/types.js";
import { RuleCandidates } from "./candidates.js";
import {
  BIND,
  CONSTANT,
  compileRule,
  INTEGER,
  NODE,
  REGISTER_COUNT,
  type ReplacementPlan,
  ROOT_REGISTER,
  type RuleVariant,
  registerOf,
  SAME,
  SAME_CONSTANT,
  STEP,
} from "./compile-rules.js";
import type { PatternVariable, Rule, SideCondition } from "./patterns.js";

const IS_CONSTANT = Uint8Array.from(ALL_OPCODES, (opcode) =>
  opcode !== Op.Nop && CONSTANT_OPCODES.includes(opcode) ? 1 : 0,
);
const NO_VALUE = new Value(0, Op.Nop, Void);

export class RuleMatcher {
  readonly rules: readonly Rule[];
  /** A table in which no rule is disabled: 0 for each rule. */
  readonly noRules: Readonly<Uint8Array>;
  /** The values that the last match bound; the first is the matched value. */
  readonly registers: Value[] = new Array(REGISTER_COUNT).fill(NO_VALUE);
  private readonly variants: readonly RuleVariant[];
  private readonly code: Int32Array;
  private readonly codeStart: Int32Array;
  private readonly ruleIndex: Int32Array;
  private readonly candidates: RuleCandidates;
  /** By rule: its conditions with the registers of their variables. */
  private readonly conditions: readonly (readonly BoundCondition[])[];

  constructor(rules: readonly Rule[]) {
    this.rules = rules;
    this.noRules = new Uint8Array(rules.length);
    this.variants = rules.flatMap(compileRule);
    const { variants } = this;
    this.code = Int32Array.from(variants.flatMap((variant) => variant.code));
    this.codeStart = new Int32Array(variants.length + 1);
    variants.forEach((variant, v) => {
      this.codeStart[v + 1] = this.codeStart[v] + variant.code.length;
    });
    this.ruleIndex = Int32Array.from(variants, (variant) => variant.rule);
    this.candidates = new RuleCandidates(variants);
    this.conditions = rules.map(({ where = [] }) => where.map(bind));
  }

  /**
   * Returns the first variant that matches `value` and whose rule is not disabled, with its
   * bindings in `registers`; -1 if there is none.
   */
  find(value: Value, disabled: Readonly<Uint8Array>): number {
    const start = this.candidates.of(value);
    const { lists } = this.candidates;
    const end = start + lists[start];
    for (let i = start + 1; i <= end; i++) {
      const v = lists[i];
      if (disabled[this.ruleIndex[v]] === 0 && this.matches(v, value)) return v;
    }
    return -1;
  }

  ruleOf(variant: number): number {
    return this.ruleIndex[variant];
  }

  /** Returns the replacement of a variant; null if a function applies its rule. */
  planOf(variant: number): ReplacementPlan | null {
    return this.variants[variant].plan;
  }

  /** Returns the value that the last match bound to the variable. */
  bound(variable: PatternVariable): Value {
    return this.registers[registerOf(variable)];
  }

  private matches(variant: number, root: Value): boolean {
    const { code, registers } = this;
    registers[ROOT_REGISTER] = root;
    const end = this.codeStart[variant + 1];
    for (let pc = this.codeStart[variant]; pc < end; pc += STEP) {
      const parent = registers[code[pc + 1]];
      const operand = code[pc + 2] === 0 ? parent.a : code[pc + 2] === 1 ? parent.b : parent.c;
      if (operand === null || !this.step(pc, operand)) return false;
    }
    return this.conditionsHold(this.conditions[this.ruleIndex[variant]]);
  }

  private step(pc: number, operand: Value): boolean {
    const { code, registers } = this;
    const first = code[pc + 3];
    const second = code[pc + 4];
    switch (code[pc]) {
      case NODE:
        if (operand.opcode !== first) return false;
        registers[second] = operand;
        return true;
      case BIND:
        registers[first] = operand;
        return true;
      case SAME:
        return registers[first] === operand;
      case CONSTANT:
        registers[first] = operand;
        return IS_CONSTANT[operand.opcode] === 1;
      case SAME_CONSTANT: {
        const constant = registers[first];
        return operand.opcode === constant.opcode && operand.hasImmediatesOf(constant);
      }
      case INTEGER:
        if (IS_CONSTANT[operand.opcode] === 0 || !isInteger(operand.type)) return false;
        return (
          operand.constantLow === first &&
          (!isWide(operand.type) || operand.constantHigh === second)
        );
      default:
        if (IS_CONSTANT[operand.opcode] === 0 || !isFloating(operand.type)) return false;
        if (operand.type === Float) return operand.constantLow === first;
        return operand.constantLow === second && operand.constantHigh === code[pc + 5];
    }
  }

  private conditionsHold(conditions: readonly BoundCondition[]): boolean {
    const { registers } = this;
    for (let c = 0; c < conditions.length; c++) {
      const { holds, first, second, third } = conditions[c];
      const x = first === ROOT_REGISTER ? NO_VALUE : registers[first];
      const y = second === ROOT_REGISTER ? NO_VALUE : registers[second];
      const z = third === ROOT_REGISTER ? NO_VALUE : registers[third];
      if (!holds(registers[ROOT_REGISTER], x, y, z)) return false;
    }
    return true;
  }
}

/** A condition with the registers of its variables; ROOT_REGISTER for missing ones. */
interface BoundCondition {
  readonly holds: SideCondition["holds"];
  readonly first: number;
  readonly second: number;
  readonly third: number;
}

const bind = ({ holds, on }: SideCondition): BoundCondition => ({
  holds,
  first: on.length > 0 ? registerOf(on[0]) : ROOT_REGISTER,
  second: on.length > 1 ? registerOf(on[1]) : ROOT_REGISTER,
  third: on.length > 2 ? registerOf(on[2]) : ROOT_REGISTER,
});

// Translates a rewrite rule at one choice of types to an SMT query: is there an operand for which
// the replacement gives a result that the pattern does not allow?
//
// If the query is unsatisfiable, the rule is right for all operands, and for all constants that
// satisfy its conditions. Undefined executions allow everything (docs/language.md, 9). So do
// executions that observe an open NaN, because they cannot be judged. An access is undefined unless
// each byte exists.

import {
  literalWords,
  type TypedRule,
  type TypedTerm,
} from "../../reference/optimize/rules/instantiate.js";
import {
  bindsConstant,
  type ComputedConstant,
  type FloatLiteral,
  givenOperandsOf,
  isGivenPattern,
  isPattern,
  isVariable,
  NOTHING,
  opcodeAt,
  type PatternVariable,
  type Replacement,
  type SideCondition,
  VARIABLES,
} from "../../reference/optimize/rules/patterns.js";
import {
  isValueOperand,
  nameOfOpcode,
  Op,
  type Opcode,
  opcodeNamed,
  specOf,
  typeOfName,
} from "../ir/opcodes.js";
import { Float, Int32, Int64, isInteger, otherBank, type Type, Void } from "../ir/types.js";
import { assert } from "../support/assert.js";
import {
  all,
  any,
  apply,
  bitsOf,
  equal,
  extract,
  not,
  SmtQuery,
  type SmtTerm,
  signExtend,
  zeroExtend,
} from "./smt.js";
import {
  type ConditionContext,
  SYMBOLIC_COMPUTED,
  SYMBOLIC_CONDITIONS,
} from "./symbolic-conditions.js";
import {
  bytesAt,
  bytesOf,
  guardOf,
  isTrue,
  LOADS,
  loaded,
  STORES,
  wordOf,
} from "./symbolic-effects.js";
import { operation, type QueryWording, UnknownToSolver } from "./symbolic-meanings.js";
import {
  anyConstant,
  anyValue,
  integer,
  integerOf,
  isAllowed,
  literal,
  type SymbolicValue,
} from "./symbolic-value.js";

/** The effects and the value of one side of a rule: its pattern, or its replacement. */
interface RuleSide {
  /** Conditions under which this side is undefined, or observes an open NaN. */
  readonly forbidden: SmtTerm[];
  /** The condition under which a guard of this side exits. */
  exits: SmtTerm;
  /** The value of this side; null if it has none. */
  value: SymbolicValue | null;
  /** The address and the written bytes of a store. */
  written: { readonly address: SmtTerm; readonly bytes: SmtTerm } | null;
  /**
   * The condition under which control goes to the first successor; null if the root is no control
   * value.
   */
  taken: SmtTerm | null;
}

/**
 * An error that a rule cannot be a query: its replacement is a function, or the solver lacks an
 * operation.
 */
export class NotExpressible extends Error {
  override readonly name = "NotExpressible";
}

/** A modification that makes a query easier. Each modification is sufficient for a proof. */
export interface QueryVariation {
  readonly wording: QueryWording;
  /** An assumption about constants: one of several cases that cover everything. */
  readonly assumed: ReadonlyMap<
    PatternVariable,
    (value: SymbolicValue, place: ConditionContext) => SmtTerm
  >;
}

const PLAIN: QueryWording = { hasUnknownFunctions: false };
export const NO_HELP: QueryVariation = { wording: PLAIN, assumed: new Map() };

/** An error that a condition of the rule never holds at this choice of types. */
export class NotApplicable extends Error {
  override readonly name = "NotApplicable";
}

/**
 * Returns the text of the query. It is satisfiable exactly if the rule is wrong for some operands.
 */
export function queryOfRule(shape: TypedRule, help: QueryVariation = NO_HELP): string {
  return new RuleQuery(shape, help).refutation();
}

/** Returns a query that is satisfiable exactly if the conditions of the rule can hold. */
export function queryOfConditions(shape: TypedRule): string {
  return new RuleQuery(shape, NO_HELP).applicability();
}

class RuleQuery {
  private readonly query = new SmtQuery();
  private readonly bound = new Map<PatternVariable, SymbolicValue>();
  private readonly shape: TypedRule;
  private readonly place: ConditionContext;

  private readonly help: QueryVariation;

  constructor(shape: TypedRule, help: QueryVariation) {
    const { rule, root } = shape;
    this.help = help;
    if (rule.give === undefined) throw new NotExpressible("the replacement is a function");
    this.shape = shape;
    assert(root.opcode !== null, () => `${rule.name} matches no value`);
    const offset = this.query.declare("offset", bitsOf(32));
    this.place = {
      query: this.query,
      opcode: root.opcode,
      type: root.type === Void ? root.operands[0].type : root.type,
      offset: signExtend(32, offset),
    };
    for (const variable of VARIABLES) {
      const type = shape.types[variable];
      if (type === Void) continue;
      const declare = bindsConstant(variable) ? anyConstant : anyValue;
      this.bound.set(variable, declare(this.query, variable, type));
    }
    for (const condition of rule.where ?? []) {
      const claim = this.holds(condition);
      if (claim === "false")
        throw new NotApplicable(`${condition.name} never holds at these types`);
      this.query.assert(claim);
    }
    for (const [variable, assumed] of help.assumed) {
      this.query.assert(assumed(this.variable(variable), this.place));
    }
  }

  applicability(): string {
    return this.query.text;
  }

  refutation(): string {
    const { rule, root } = this.shape;
    const before = this.newSide();
    this.make(root, before, true);
    const after = this.newSide();
    if (rule.give !== undefined && rule.give !== NOTHING) {
      const isVoid = root.type === Void;
      after.value = this.give(rule.give, isVoid ? null : root.type, after, true);
    }
    const isWrong = [any(after.forbidden), not(equal(before.exits, after.exits))];
    const isValued = before.value !== null && after.value !== null;
    const differences: SmtTerm[] = [];
    if (isValued && before.value !== null && after.value !== null) {
      differences.push(not(isAllowed(before.value, after.value)));
    }
    assert(
      before.value?.type === after.value?.type || rule.give === NOTHING,
      () => `the type that ${rule.name} gives differs from the type that it matches`,
    );
    if (before.written !== null && after.written !== null) {
      differences.push(not(equal(before.written.address, after.written.address)));
      differences.push(not(equal(before.written.bytes, after.written.bytes)));
    }
    if (before.taken !== null && after.taken !== null) {
      differences.push(not(equal(before.taken, after.taken)));
    }
    this.query.assert(not(any(before.forbidden)));
    this.query.assert(any([...isWrong, all([not(before.exits), any(differences)])]));
    return this.query.text;
  }

  private newSide(): RuleSide {
    return { forbidden: [], exits: "false", value: null, written: null, taken: null };
  }

  private holds({ name, on }: SideCondition): SmtTerm {
    const base = name.slice(0, name.indexOf("("));
    const make = SYMBOLIC_CONDITIONS[base];
    if (make === undefined)
      throw new NotExpressible(`the condition ${base} belongs to division by multiplication`);
    const [first, second, third] = on.map((variable) => this.variable(variable));
    return make(this.place, first, second, third);
  }

  private variable(variable: PatternVariable): SymbolicValue {
    const value = this.bound.get(variable);
    assert(value !== undefined, () => `${this.shape.rule.name}: ${variable} is not bound`);
    return value;
  }

  /** Makes the value of the pattern, at its types. */
  private make(typed: TypedTerm, side: RuleSide, isRoot: boolean): SymbolicValue | null {
    const { term, type, opcode, operands } = typed;
    if (isVariable(term)) return this.variable(term);
    if (opcode === null) {
      assert(!isPattern(term), () => "the pattern has no opcode");
      return this.literal(term, type);
    }
    const made = operands.map((operand) => this.value(this.make(operand, side, false)));
    return this.operate(opcode, type, made, side, isRoot);
  }

  private value(value: SymbolicValue | null): SymbolicValue {
    assert(value !== null, () => `${this.shape.rule.name}: an operand has no value`);
    return value;
  }

  private literal(term: number | FloatLiteral, type: Type): SymbolicValue {
    const [lo, hi] = literalWords(term, type);
    return literal(this.query, type, lo, hi);
  }

  /**
   * Makes the value of the replacement: of that type, or of the type that its operands determine.
   */
  private give(
    given: Replacement,
    type: Type | null,
    side: RuleSide,
    isRoot: boolean,
  ): SymbolicValue | null {
    if (isVariable(given)) return this.variable(given);
    if (isGivenPattern(given)) return this.giveNode(given, type, side, isRoot);
    if (typeof given !== "number" && "compute" in given) return this.compute(given, type);
    assert(type !== null, () => `${this.shape.rule.name}: a literal without a type`);
    return this.literal(given, type);
  }

  private compute({ name, from }: ComputedConstant, type: Type | null): SymbolicValue {
    const make = SYMBOLIC_COMPUTED[name];
    if (make === undefined)
      throw new NotExpressible(`the constant ${name} belongs to division by multiplication`);
    const value = make(this.place, from === null ? null : this.variable(from));
    if (type === null || type === value.type) return value;
    return integer(type, zeroExtend(32, integerOf(value)));
  }

  private giveNode(
    given: Extract<Replacement, readonly unknown[]>,
    type: Type | null,
    side: RuleSide,
    isRoot: boolean,
  ): SymbolicValue | null {
    const name = opcodeAt(given[0], this.shape.option);
    const opcode = opcodeNamed(name);
    assert(opcode !== null, () => `no opcode is named ${name}`);
    const kinds = specOf(opcode).args.filter(isValueOperand);
    const terms = givenOperandsOf(given);
    const t = this.typeT(opcode, kinds, terms, type);
    const made = terms.map((term, i) => {
      const kind = kinds[i];
      const wanted = kind === "T" ? t : kind === "U" ? this.typeOf(term) : typeOfName(kind);
      return this.value(this.give(term, wanted, side, false));
    });
    const { result } = specOf(opcode);
    const resultType =
      result === "T"
        ? t
        : result === "Bits"
          ? otherBank(t)
          : result === "Void"
            ? Void
            : typeOfResult(result);
    return this.operate(opcode, resultType, made, side, isRoot);
  }

  /**
   * Returns the type parameter T of a node in the replacement: from an operand of known type,
   * otherwise from its result.
   */
  private typeT(
    opcode: Opcode,
    kinds: readonly string[],
    terms: readonly Replacement[],
    wanted: Type | null,
  ): Type {
    for (const [i, term] of terms.entries()) {
      if (kinds[i] !== "T") continue;
      const type = this.typeOf(term);
      if (type !== null) return type;
    }
    const { result } = specOf(opcode);
    if (result === "T" && wanted !== null) return wanted;
    // A load has its own type; remaining nodes contain only literals, which have the type of the
    // matched value.
    return wanted ?? this.place.type;
  }

  /** Returns the type of a term; null if its context determines the type. */
  private typeOf(term: Replacement): Type | null {
    if (isVariable(term)) return this.variable(term).type;
    if (!isGivenPattern(term)) return null;
    const opcode = opcodeNamed(opcodeAt(term[0], this.shape.option));
    assert(opcode !== null, () => "no opcode has this name");
    const { result, args } = specOf(opcode);
    if (result !== "T" && result !== "Bits") return result === "Void" ? null : typeOfResult(result);
    const kinds = args.filter(isValueOperand);
    for (const [i, operand] of givenOperandsOf(term).entries()) {
      const type = kinds[i] === "T" ? this.typeOf(operand) : null;
      if (type !== null) return result === "T" ? type : otherBank(type);
    }
    return null;
  }

  /** Makes one operation; at the root, also its effects. */
  private operate(
    opcode: Opcode,
    type: Type,
    operands: readonly SymbolicValue[],
    side: RuleSide,
    isRoot: boolean,
  ): SymbolicValue | null {
    const value =
      this.effectOf(opcode, type, operands, side, isRoot) ??
      this.pure(opcode, type, operands, side);
    if (isRoot) side.value = value;
    return value;
  }

  private pure(
    opcode: Opcode,
    type: Type,
    operands: readonly SymbolicValue[],
    side: RuleSide,
  ): SymbolicValue | null {
    if (type === Void) return null;
    return operation(opcode, {
      query: this.query,
      result: type,
      operands,
      wording: this.help.wording,
      forbid: (claim) => side.forbidden.push(claim),
    });
  }

  /** Makes loads, stores, guards and branches; returns null for a pure operation. */
  private effectOf(
    opcode: Opcode,
    type: Type,
    operands: readonly SymbolicValue[],
    side: RuleSide,
    isRoot: boolean,
  ): SymbolicValue | null {
    const name = nameOfOpcode(opcode);
    const forbid = (claim: SmtTerm): void => void side.forbidden.push(claim);
    if (name in LOADS) {
      if (LOADS[name].bytes === null && !isInteger(type))
        throw new UnknownToSolver("loads of floats");
      const address = this.addressOf(operands[0]);
      return loaded(LOADS[name], type, (count) =>
        wordOf(bytesAt(this.query, address, count, forbid)),
      );
    }
    if (name in STORES) {
      const [value, base] = operands;
      const address = this.addressOf(base);
      const count = bytesOf(STORES[name], value.type);
      bytesAt(this.query, address, count, forbid);
      side.written = { address, bytes: extract(8 * count - 1, 0, integerOf(value)) };
      return null;
    }
    const guard = guardOf(this.query, name, type, operands);
    if (guard !== null) {
      assert(isRoot, () => "a guard is matched at the root only");
      side.exits = guard.exits;
      return guard.value;
    }
    if (opcode === Op.Branch) side.taken = isTrue(operands[0]);
    return null;
  }

  private addressOf(base: SymbolicValue): SmtTerm {
    return this.query.name(bitsOf(64), apply("bvadd", integerOf(base), this.place.offset));
  }
}

const RESULT_TYPES: { readonly [name: string]: Type } = { Int32, Int64, Float };
const typeOfResult = (name: string): Type => RESULT_TYPES[name] ?? typeOfName("Double");

// Builds programs from the patterns of rules: one for each option of a row and each typing, with
// chosen constants.
//
// It does not check the rule's conditions. So the same function builds programs on which the rule
// fires and programs that it just misses. Tests run both; the generator may draw them.

import { Builder } from "../../../src/ir/builder.js";
import {
  isValueOperand,
  Op,
  type Opcode,
  opcodeNamed,
  specOf,
  typeOfName,
  typesAlso,
  typesOver,
} from "../../../src/ir/opcodes.js";
import {
  Module,
  Procedure,
  type Snapshot,
  SwitchCases,
  type Value,
} from "../../../src/ir/procedure.js";
import {
  Float,
  Int32,
  isWide,
  otherBank,
  type Type,
  typeNamed,
  Void,
} from "../../../src/ir/types.js";
import type { WordPair } from "../../../src/ir/words.js";
import { assert } from "../../../src/support/assert.js";
import {
  bindsConstant,
  type FloatLiteral,
  isPattern,
  isVariable,
  opcodeAt,
  operandsOf,
  optionCount,
  type Pattern,
  type PatternTerm,
  type PatternVariable,
  type Rule,
  VARIABLES,
} from "./patterns.js";

/** A term with its type in one instance of a row. */
export interface TypedTerm {
  readonly term: PatternTerm;
  readonly type: Type;
  /** The opcode of a pattern; null for other terms. */
  readonly opcode: Opcode | null;
  readonly operands: readonly TypedTerm[];
}

/** One option of a row with one choice of types. */
export interface TypedRule {
  readonly rule: Rule;
  readonly option: number;
  readonly root: TypedTerm;
  /** The type of each variable; Void if it does not occur. */
  readonly types: Readonly<Record<PatternVariable, Type>>;
}

/** Chooses each constant: variables by name, literals by their position in preorder. */
export type ConstantChoice = (
  place: PatternVariable | number,
  type: Type,
  literal: WordPair | null,
) => WordPair;

interface RuleInstance {
  readonly module: Module;
  /** The value that corresponds to the pattern's root. */
  readonly root: Value;
}

/** Returns all typed instances of a row. */
export function typedRulesOf(rule: Rule): TypedRule[] {
  const shapes: TypedRule[] = [];
  const count = optionCount(rule.match);
  for (let option = 0; option < count; option++) {
    for (const { typed, types } of typings(rule.match, null, NO_TYPES, option)) {
      if (isAllowed(rule, typed)) shapes.push({ rule, option, root: typed, types });
    }
  }
  return shapes;
}

type VariableTypes = Readonly<Record<PatternVariable, Type>>;
interface TermTyping {
  readonly typed: TypedTerm;
  readonly types: VariableTypes;
}
const NO_TYPES: VariableTypes = { x: Void, y: Void, z: Void, c: Void, d: Void, e: Void };

function typings(
  term: PatternTerm,
  wanted: Type | null,
  types: VariableTypes,
  option: number,
): TermTyping[] {
  if (isPattern(term)) return patternTypings(term, wanted, types, option);
  assert(wanted !== null, () => "a leaf of a pattern has no type");
  const typed = { term, type: wanted, opcode: null, operands: [] };
  if (isVariable(term)) {
    const known = types[term];
    if (known !== Void && known !== wanted) return [];
    return [{ typed, types: { ...types, [term]: wanted } }];
  }
  const isFloatLiteral = typeof term !== "number";
  return isFloatLiteral === wanted >= Float ? [{ typed, types }] : [];
}

function patternTypings(
  pattern: Pattern,
  wanted: Type | null,
  types: VariableTypes,
  option: number,
): TermTyping[] {
  const opcode = opcodeNamed(opcodeAt(pattern[0], option));
  assert(opcode !== null, () => `no opcode is named ${opcodeAt(pattern[0], option)}`);
  const { result } = specOf(opcode);
  const found: TermTyping[] = [];
  for (const t of orVoid(typesOver(opcode))) {
    const type =
      result === "T" ? t : result === "Bits" ? otherBank(t) : (typeNamed(result) ?? Void);
    if (wanted !== null && wanted !== type) continue;
    for (const u of orVoid(typesAlso(opcode))) {
      for (const { operands, types: after } of operandTypings(
        pattern,
        opcode,
        t,
        u,
        types,
        option,
      )) {
        found.push({ typed: { term: pattern, type, opcode, operands }, types: after });
      }
    }
  }
  return found;
}

const orVoid = (types: readonly Type[]): readonly Type[] => (types.length === 0 ? [Void] : types);

function operandTypings(
  pattern: Pattern,
  opcode: Opcode,
  t: Type,
  u: Type,
  types: VariableTypes,
  option: number,
): { operands: TypedTerm[]; types: VariableTypes }[] {
  const kinds = specOf(opcode).args.filter(isValueOperand);
  let rows: { operands: TypedTerm[]; types: VariableTypes }[] = [{ operands: [], types }];
  operandsOf(pattern).forEach((term, i) => {
    const kind = kinds[i];
    const wanted = kind === "T" ? t : kind === "U" ? u : typeOfName(kind);
    rows = rows.flatMap((row) =>
      typings(term, wanted, row.types, option).map(({ typed, types: after }) => ({
        operands: [...row.operands, typed],
        types: after,
      })),
    );
  });
  return rows;
}

function isAllowed({ over }: Rule, { opcode, type, operands }: TypedTerm): boolean {
  if (over === undefined || opcode === null) return true;
  const t = specOf(opcode).args[0] === "T" ? operands[0].type : type;
  return over.some((name) => typeOfName(name) === t);
}

/** Returns the bits of a literal of the pattern at a type. */
export function literalWords(literal: number | FloatLiteral, type: Type): WordPair {
  if (typeof literal === "number") return [literal | 0, isWide(type) && literal < 0 ? -1 : 0];
  return type === Float ? [literal.float, 0] : literal.double;
}

export interface InstanceOptions {
  /** True to make all successors of a branch or Switch one block. */
  readonly hasOneTarget?: boolean;
  /**
   * The position, in preorder from 1, at which a repeated variable becomes a different value, so
   * that the rule must not match.
   */
  readonly apartAt?: number;
}

/**
 * Builds a program around one typed instance. Its parameters are the x, y, z that occur, in that
 * order, and those that `apartAt` adds. It returns the value, or makes the effect observable: a
 * store by the heap, a guard by its exit, a branch by the constant that it returns.
 */
export function instantiate(
  shape: TypedRule,
  choose: ConstantChoice,
  options: InstanceOptions = {},
): RuleInstance {
  const proc = new Procedure("f", resultOf(shape));
  const module = new Module();
  module.procedures.push(proc);
  const bound = new Map<PatternVariable, Value>();
  for (const variable of valueVariablesOf(shape)) {
    bound.set(variable, proc.newParameter(shape.types[variable]));
  }
  const maker = new InstanceMaker(proc, bound, choose, options.apartAt ?? 0);
  const root = maker.make(shape.root);
  maker.finish(root, options.hasOneTarget === true);
  return { module, root };
}

/** Returns those of x, y, z that occur. */
export const valueVariablesOf = ({ types }: TypedRule): PatternVariable[] =>
  VARIABLES.filter((variable) => types[variable] !== Void && !bindsConstant(variable));

const resultOf = ({ root }: TypedRule): Type => (root.type === Void ? Int32 : root.type);

class InstanceMaker {
  private readonly builder: Builder;
  private readonly proc: Procedure;
  private readonly bound: Map<PatternVariable, Value>;
  private readonly choose: ConstantChoice;
  private readonly apartAt: number;
  private place = 0;

  constructor(
    proc: Procedure,
    bound: Map<PatternVariable, Value>,
    choose: ConstantChoice,
    apartAt: number,
  ) {
    this.apartAt = apartAt;
    this.builder = new Builder(proc);
    this.proc = proc;
    this.bound = bound;
    this.choose = choose;
  }

  make({ term, type, opcode, operands }: TypedTerm): Value {
    this.place++;
    if (isVariable(term)) return this.makeVariable(term, type);
    if (opcode === null) {
      assert(!isPattern(term), () => "a pattern has no opcode");
      return this.constant(type, this.choose(this.place, type, literalWords(term, type)));
    }
    const made = operands.map((operand) => this.make(operand));
    const value = this.proc.newValue(
      opcode,
      type,
      made[0] ?? null,
      made[1] ?? null,
      made[2] ?? null,
    );
    if (specOf(opcode).args.includes("Snapshot")) value.extra = this.snapshot();
    return this.append(value);
  }

  private makeVariable(variable: PatternVariable, type: Type): Value {
    const isApart = this.place === this.apartAt;
    const value = this.bound.get(variable);
    if (value !== undefined && !isApart) return value;
    if (!bindsConstant(variable)) return this.proc.newParameter(type);
    const [lo, hi] = this.choose(variable, type, null);
    const constant = this.constant(type, isApart ? [lo ^ 1, hi] : [lo, hi]);
    if (!isApart) this.bound.set(variable, constant);
    return constant;
  }

  finish(root: Value, isOnePlace: boolean): void {
    const { emit } = this.builder;
    if (root.opcode === Op.Switch) {
      this.addCases(root, isOnePlace);
      return;
    }
    if (root.opcode !== Op.Branch) {
      this.returnValue(root.type === Void ? this.constant(Int32, [7, 0]) : root);
      return;
    }
    const { block } = this.builder;
    const taken = this.builder.startBlock();
    emit.Return(emit.Const32([1, 0]));
    block.successors.push(taken);
    if (!isOnePlace) {
      block.successors.push(this.builder.startBlock());
      emit.Return(emit.Const32([2, 0]));
    } else {
      block.successors.push(taken);
    }
  }

  // Adds the cases 0, 1 and -1; the case -1 has the target of the default.
  private addCases(root: Value, isOnePlace: boolean): void {
    const { emit, block } = this.builder;
    root.extra = new SwitchCases([0, 1, -1], [0, 0, root.a?.type === Int32 ? 0 : -1]);
    const targets = [1, 2, 3].map((result) => {
      const target = this.builder.startBlock();
      emit.Return(emit.Const32([result, 0]));
      return target;
    });
    const [first, second, otherwise] = isOnePlace ? [targets[0], targets[0], targets[0]] : targets;
    block.successors.push(first, second, otherwise, otherwise);
  }

  private returnValue(value: Value): void {
    this.append(this.proc.newValue(Op.Return, Void, value));
  }

  private snapshot(): Snapshot {
    const snapshot = this.proc.newSnapshot(1);
    const slots = this.proc.parameters.map((value) => ({ kind: "value" as const, value }));
    snapshot.frames.push({ name: "f", point: 1, slots });
    return snapshot;
  }

  private constant(type: Type, [lo, hi]: WordPair): Value {
    return this.append(this.proc.newConstant(type, lo, hi));
  }

  private append(value: Value): Value {
    return this.builder.block.append(value);
  }
}

// Rewrites a program so that it is within a subset of the language. The generator's makers do not
// support subsets, so unsupported parts are replaced: types by supported types, and operations by
// supported ones on the same operands. Unsupported effects are dropped. The program remains valid.
// Its meaning and its termination may change, so it must be run to decide whether it is usable.

import { drawConstant } from "../generate/maker/constants.js";
import { INSTANCES, type OpcodeInstance } from "../generate/maker/swarm.js";
import { analyzeControlFlow } from "../ir/control-flow.js";
import {
  CALLS,
  CALLS_ADDRESS,
  CONTROL,
  EFFECTS,
  isReturn,
  isValueOperand,
  Op,
  RESULT_OF_CALL,
  specOf,
  typesAlso,
  typesOver,
} from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import {
  type BasicBlock,
  compiledProcedures,
  type FrameSlot,
  forEachOperand,
  type Module,
  type Procedure,
  reachedProcedures,
  type Snapshot,
  type Value,
} from "../ir/procedure.js";
import type { SubsetRules } from "../ir/subset.js";
import { tidy } from "../ir/tidy.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  isWide,
  otherBank,
  type Type,
  typeNamed,
  Void,
} from "../ir/types.js";
import type { ChoiceSource } from "../support/source.js";
import type { DonorProgram } from "./mutant.js";

/** By type: replacements for an unsupported type, of which the first supported one is used. */
const INSTEAD: readonly (readonly Type[])[] = [
  [Void],
  [Int32],
  [Int64, Int32],
  [Float, Double, Int32],
  [Double, Float, Int32],
];
/** Percentage of ordinary numbers among new constants. */
const TAME = 60;
const HEAP_LEAST = 4096;
const MEMORY_SLOTS: ReadonlySet<FrameSlot["kind"]> = new Set(["contents", "deadHeap", "deadBytes"]);

/**
 * Replaces all that a subset of the language lacks.
 * @param module changed in place
 */
export function restrict(
  { module, inputs }: DonorProgram,
  rules: SubsetRules,
  source: ChoiceSource,
): DonorProgram {
  const typeFor = INSTEAD.map(
    (types) => types.find((type) => type === Void || rules.hasType[type]) ?? Int32,
  );
  const types = module.entry.parameters.map(({ type }) => typeFor[type]);
  new SubsetRestriction(module, rules, typeFor, source).apply();
  return { module, inputs: inputs.map((input) => withTypes(input, types)) };
}

function withTypes({ words, heapSeed }: Input, types: readonly Type[]): Input {
  const copy = words.slice();
  types.forEach((type, p) => {
    if (!isWide(type)) copy[2 * p + 1] = 0;
  });
  return { words: copy, heapSeed };
}

class SubsetRestriction {
  private readonly module: Module;
  private readonly rules: SubsetRules;
  private readonly typeFor: readonly Type[];
  private readonly source: ChoiceSource;
  /** Values whose type, or an operand's type, has changed. */
  private readonly changed = new Set<Value>();
  private readonly callable: ReadonlySet<Procedure>;
  /** By result type: the total operations of the subset. */
  private readonly total: readonly (readonly OpcodeInstance[])[];

  constructor(module: Module, rules: SubsetRules, typeFor: readonly Type[], source: ChoiceSource) {
    this.module = module;
    this.rules = rules;
    this.typeFor = typeFor;
    this.source = source;
    this.callable = new Set(compiledProcedures(module).slice(0, rules.limit("procedures")));
    this.total = typeFor.map((_, type) =>
      INSTANCES.filter(
        ({ kind, result, opcode, operands }) =>
          kind === "pure" &&
          result === type &&
          operands.length > 0 &&
          rules.hasOpcode[opcode] &&
          operands.every((operand) => rules.hasType[operand]),
      ),
    );
  }

  apply(): void {
    const { module, rules } = this;
    for (const proc of module.procedures) this.markChanged(proc);
    for (const proc of module.procedures) this.retype(proc);
    for (const proc of module.procedures) {
      for (const block of analyzeControlFlow(proc).order) this.restrictBlock(proc, block);
      for (const snapshot of proc.snapshots) this.restrictExit(snapshot);
    }
    if (!rules.hasGroup("memory")) module.heapSize = HEAP_LEAST;
    tidy(module, true);
    for (const proc of module.procedures) this.returnUnused(proc);
    tidy(module, false);
  }

  /**
   * Adds unused values to the result of the procedure, because their uses may have been dropped.
   */
  private returnUnused(proc: Procedure): void {
    const { result } = proc;
    const [sum] = this.total[result].filter(
      ({ operands }) => operands.length === 2 && operands.every((type) => type === result),
    );
    if (sum === undefined) return;
    proc.countUses();
    const { order, position, dominator } = analyzeControlFlow(proc);
    for (const block of order) {
      const { last } = block;
      if (last.opcode !== Op.Return || last.a === null) continue;
      block.values.pop();
      for (let at = position[block.index], isEnd = false; !isEnd; at = dominator[at]) {
        isEnd = at === dominator[at];
        for (const value of order[at].values.slice()) {
          if (value.type !== result || value.uses > 0) continue;
          const mixed = proc.newValue(sum.opcode, result);
          [mixed.a, mixed.b, mixed.block] = [last.a, value, block];
          mixed.uses = 1;
          block.values.push(mixed);
          last.a = mixed;
        }
      }
      block.values.push(last);
    }
  }

  private markChanged(proc: Procedure): void {
    const isChanged = ({ type }: Value): boolean => this.typeFor[type] !== type;
    proc.forEachValue((value) => {
      let changes = isChanged(value);
      forEachOperand(value, (operand) => {
        changes ||= isChanged(operand);
      });
      if (changes) this.changed.add(value);
    });
  }

  private retype(proc: Procedure): void {
    const { typeFor } = this;
    const change = (value: Value): void => {
      const type = typeFor[value.type];
      if (type === value.type) return;
      value.type = type;
      if (value.isConstant)
        value.becomesConstant(value.constantLow, isWide(type) ? value.constantLow : 0);
    };
    proc.parameters.forEach(change);
    proc.forEachValue(change);
    Object.assign(proc, {
      result: typeFor[proc.result],
      further: proc.further.map((type) => typeFor[type]),
    });
    for (const { frames } of proc.snapshots) {
      for (const { slots } of frames) {
        slots.forEach((slot, s) => {
          const isOfMemory = MEMORY_SLOTS.has(slot.kind) && !this.rules.hasGroup("memory");
          if (isOfMemory) slots[s] = { kind: "dead" };
          else if (slot.kind === "constant" && typeFor[slot.type] !== slot.type) {
            slots[s] = { ...slot, type: typeFor[slot.type], hi: 0 };
          }
        });
      }
    }
  }

  private restrictBlock(proc: Procedure, block: BasicBlock): void {
    const { values } = block;
    block.values = [];
    const place = (value: Value): Value => block.append(value);
    for (const value of values) {
      if (!this.isSupported(value)) {
        if ((EFFECTS[value.opcode] & CONTROL) !== 0) this.replaceControl(proc, block, value, place);
        else if (value.type === Void) value.becomesNop();
        else this.replace(proc, value, place);
      }
      place(value);
    }
  }

  private restrictExit(snapshot: Snapshot): void {
    for (const value of snapshot.values) {
      if (this.isSupported(value)) continue;
      if (value.type === Void) value.becomesNop();
      else value.becomesConstant(1, 0);
    }
  }

  private isSupported(value: Value): boolean {
    const { opcode, procedure, host } = value;
    if (!this.rules.hasOpcode[opcode]) return false;
    if (procedure !== null && !this.callable.has(procedure)) return false;
    if (CALLS_ADDRESS[opcode] === 1 && reachedProcedures(value).length === 0) return false;
    const effects = EFFECTS[opcode];
    if ((effects & RESULT_OF_CALL) !== 0)
      return value.a !== null && (EFFECTS[value.a.opcode] & CALLS) !== 0;
    if (!this.changed.has(value) || isReturn(opcode)) return true;
    // Calls of procedures match their row: caller and callee have changed in the same way.
    if (procedure !== null && host === null && opcode !== Op.FunctionAddress) return true;
    return opcode !== Op.Switch && hasRowTypes(value);
  }

  private replaceControl(
    proc: Procedure,
    block: BasicBlock,
    value: Value,
    place: (value: Value) => Value,
  ): void {
    const { successors } = block;
    const { a } = value;
    if (successors.length === 0) {
      value.becomesNop();
      value.opcode = Op.Return;
      const operands = [proc.result, ...proc.further].filter((type) => type !== Void);
      [value.a = null, value.b = null, value.c = null] = operands.map((type) =>
        place(this.constant(proc, type)),
      );
      return;
    }
    const isBranch = this.rules.hasOpcode[Op.Branch] && a !== null && successors.length > 1;
    value.becomesNop();
    value.opcode = isBranch ? Op.Branch : Op.Jump;
    value.a = isBranch ? a : null;
    const first = successors[this.source.below(successors.length)];
    const last = successors[successors.length - 1];
    block.successors = isBranch ? [successors[0], last] : [first];
  }

  /** Replaces the value by a supported operation on the same operands, or on constants. */
  private replace(proc: Procedure, value: Value, place: (value: Value) => Value): void {
    const given: Value[] = [];
    forEachOperand(value, (operand) => {
      given.push(operand);
    });
    const choices = this.total[value.type];
    if (choices.length === 0) {
      const [lo, hi] = drawConstant(this.source, value.type, TAME);
      value.becomesConstant(lo, hi);
      return;
    }
    const { opcode, operands } = choices[this.source.below(choices.length)];
    const taken = operands.map((type, k) => {
      const found = given.filter((operand) => operand.type === type);
      return found[k] ?? found[0] ?? place(this.constant(proc, type));
    });
    const { type } = value;
    value.becomesNop(); // which has no type
    value.type = type;
    value.opcode = opcode;
    [value.a = null, value.b = null, value.c = null] = taken;
  }

  private constant(proc: Procedure, type: Type): Value {
    const [lo, hi] = drawConstant(this.source, type, TAME);
    return proc.newConstant(type, lo, hi);
  }
}

/** Whether the types of the value and of its operands are those of its row. */
function hasRowTypes(value: Value): boolean {
  const { opcode, a, b, c, type } = value;
  const { args, result } = specOf(opcode);
  const operands = [a, b, c];
  let over: Type | null = null;
  const isOf = (arg: string, operand: Type): boolean => {
    if (arg === "U") return typesAlso(opcode).includes(operand);
    if (arg !== "T") return typeNamed(arg) === operand;
    const isFirst = over === null;
    over ??= operand;
    return (isFirst || over === operand) && typesOver(opcode).includes(operand);
  };
  const given = args.filter(isValueOperand);
  if (!given.every((arg, k) => operands[k] === null || isOf(arg, operands[k].type))) return false;
  if (result === "T") return isOf("T", type);
  if (result === "Bits") return over !== null && otherBank(over) === type;
  return typeNamed(result) === type;
}

// Turns patchpoints into LIR rows, for any target: the operands of a kind become operands with
// policies. Also defines the interface for the code of a kind.
//
// Operands of a row: the result; the registers that are destroyed late; then the operands, a reused
// one first; then scratch registers, those of copied operands, and those that are destroyed early.
// If the result is written early, every operand is a late use.

import type { RegisterName } from "../../src/ir/patchpoint-row.js";
import {
  PATCHPOINTS,
  type PatchpointKind,
  type PatchpointParameter,
} from "../../src/ir/patchpoints.js";
import { isFloating, type Type, Void } from "../../src/ir/types.js";
import type { UserPatchpoint } from "../../src/ir/user-patchpoints.js";
import { assert } from "../../src/support/assert.js";
import type { EmitContext } from "../emit/emit-context.js";
import { VECTOR } from "../lir/lir.js";
import { STACK_ARGUMENT_SIZE } from "./arguments.js";
import type { LirRow, OperandForm, Target } from "./target.js";

/** Numbers of named registers, unified numbering. */
export type PatchpointRegisters = Pick<
  Target,
  "integerArguments" | "floatArguments" | "integerResult" | "floatResult" | "asked" | "otherGeneral"
>;

export interface PatchpointShape {
  readonly kind: PatchpointKind;
  readonly operands: readonly OperandForm[];
  /** By use: the parameter. */
  readonly uses: readonly number[];
  /** By parameter: the number of its operand; -1 if it has none. */
  readonly operandOf: readonly number[];
  readonly firstScratch: number;
  /** Registers that are destroyed, unified numbering. */
  readonly early: readonly number[];
  readonly late: readonly number[];
}

export const rowNameOf = ({ name }: PatchpointKind): string => `patchpoint.${name}`;

export function shapeOf(kind: PatchpointKind, registers: PatchpointRegisters): PatchpointShape {
  const { parameters, resultPlace, effect } = kind;
  const find = (name: RegisterName, type: Type): number => registerNamed(name, type, registers);
  const early = kind.early.map((name) => find(name, kind.result));
  const late = kind.late.map((name) => find(name, kind.result));
  const hasOperand = ({ place }: PatchpointParameter): boolean =>
    place !== "constant" && place !== "argument";
  const all = parameters.map((_, k) => k).filter((k) => hasOperand(parameters[k]));
  const copied = all.filter((k) => parameters[k].place === "copied");
  const uses = resultPlace === "same" ? [0, ...all.filter((k) => k !== 0)] : all;
  const isEarly = resultPlace === "early";
  const result: OperandForm[] = [];
  if (effect !== "terminal" && kind.result !== Void) {
    if (resultPlace === "same") result.push("def=0");
    else if (resultPlace === "stack") result.push("def:stack");
    else if (kind.resultRegister === null) result.push("def");
    else result.push({ def: find(kind.resultRegister, kind.result) });
  }
  const definitions: OperandForm[] = [...result, ...late.map((def): OperandForm => ({ def }))];
  const useOf = (k: number): OperandForm => useForm(parameters[k], isEarly, find);
  const scratch = kind.scratch.map((bank) => (bank === "general" ? "temp" : "temp:vector"));
  const operands = [
    ...definitions,
    ...uses.map(useOf),
    ...scratch,
    ...copied.map((): OperandForm => "temp:copy"),
    ...early.map((temp): OperandForm => ({ temp })),
  ];
  checkForms(kind, operands);
  return {
    kind,
    operands,
    uses,
    operandOf: parameters.map((_, k) =>
      uses.includes(k) ? definitions.length + uses.indexOf(k) : -1,
    ),
    firstScratch: definitions.length + uses.length,
    early,
    late,
  };
}

function useForm(
  { place, register, type, isLate }: PatchpointParameter,
  isEarly: boolean,
  find: (name: RegisterName, type: Type) => number,
): OperandForm {
  const isKept = isLate || isEarly;
  if (register !== null) {
    const use = find(register, type);
    return isKept ? { lateUse: use } : { use };
  }
  if (place === "stack") return "use:stack";
  if (place === "copied") return "use:copy";
  if (place === "warm" || place === "cold" || place === "late-cold" || place === "keepAlive") {
    return isKept ? "use:any:late" : "use:any";
  }
  return isKept ? "use:late" : "use";
}

function registerNamed(name: RegisterName, type: Type, registers: PatchpointRegisters): number {
  const { integerArguments, floatArguments, integerResult, floatResult, otherGeneral } = registers;
  if (name === "%result") return isFloating(type) ? floatResult : integerResult;
  const list = name[1] === "a" ? integerArguments : name[1] === "f" ? floatArguments : otherGeneral;
  const register: number | undefined = list[Number(name[2])];
  assert(register !== undefined, () => `no register is named ${name}`);
  return register;
}

/**
 * The maximum numbers of a kind's operands in registers of one bank, and of registers that it
 * destroys: a row must fit.
 */
const REGISTERS_MAX = 6;
const DESTROYED_MAX = 12;

// Checks that no register is named twice within one half of an instruction, with the registers of
// this target, and that a row fits the register file.
function checkForms(kind: PatchpointKind, operands: readonly OperandForm[]): void {
  const { name, parameters, scratch } = kind;
  const owned = { input: new Set<number>(), output: new Set<number>() };
  const claim = (half: Set<number>, register: number): void => {
    assert(!half.has(register), () => `${name} names the register ${register} twice`);
    half.add(register);
  };
  for (const form of operands) {
    if (typeof form === "string") continue;
    if ("def" in form) claim(owned.output, form.def);
    else if ("use" in form) claim(owned.input, form.use);
    else {
      const register = "temp" in form ? form.temp : form.lateUse;
      claim(owned.input, register);
      claim(owned.output, register);
    }
  }
  for (const isFloat of [false, true]) {
    const inRegisters = parameters.filter(
      ({ type, place }) => isFloating(type) === isFloat && IN_REGISTER.has(place),
    );
    const own = scratch.filter((bank) => (bank === "vector") === isFloat);
    const isResult =
      kind.result !== Void && kind.resultPlace !== "stack" && isFloating(kind.result) === isFloat;
    const count = inRegisters.length + own.length + (isResult ? 1 : 0);
    assert(count <= REGISTERS_MAX, () => `${name} takes too many registers`);
  }
  const destroyed = kind.early.length + kind.late.length;
  assert(destroyed <= DESTROYED_MAX, () => `${name} destroys too many registers`);
}

const IN_REGISTER: ReadonlySet<PatchpointParameter["place"]> = new Set<
  PatchpointParameter["place"]
>(["register", "late", "copied", "named"]);

/** The interface for the code of a kind: the operands of one patchpoint. */
export class PatchpointOperands {
  readonly context: EmitContext;
  private readonly instruction: number;
  private readonly shape: PatchpointShape;

  constructor(context: EmitContext, instruction: number, shape: PatchpointShape) {
    this.context = context;
    this.instruction = instruction;
    this.shape = shape;
  }

  /** Returns the location of a result in the frame. */
  get resultSlot(): number {
    return this.context.location(this.instruction, 0);
  }

  /** Returns the number of the result's register within its bank. */
  get result(): number {
    return this.context.register(this.instruction, 0);
  }

  /** Returns the location of operand k: a register or a spill slot. */
  location(k: number): number {
    return this.context.location(this.instruction, this.shape.operandOf[k]);
  }

  register(k: number): number {
    return this.location(k) & (VECTOR - 1);
  }

  scratch(n: number): number {
    return this.context.register(this.instruction, this.shape.firstScratch + n);
  }

  /** Returns the two words of operand k, a constant. */
  constant(k: number): readonly [lo: number, hi: number] {
    const { lir } = this.context;
    const operand = lir.patchpoints[lir.immLo[this.instruction]].rest?.[k];
    assert(operand?.isConstant === true, () => `operand ${k} is not a constant`);
    return [operand.constantLow, operand.constantHigh];
  }

  /** Returns the offset of operand k from the stack pointer, among outgoing arguments. */
  outgoing(k: number): number {
    return outgoingOffset(this.shape.kind, k);
  }

  get exit(): number {
    return this.context.stubLabel(this.instruction);
  }

  /**
   * Returns the registers that the kind may overwrite, unified numbering; none has a defined value
   * afterwards.
   */
  destroyed(): number[] {
    const { kind, firstScratch, late } = this.shape;
    const own = kind.scratch.map((_, n) =>
      this.context.location(this.instruction, firstScratch + n),
    );
    const copied = kind.parameters.flatMap(({ place }, k) =>
      place === "copied" ? [this.location(k)] : [],
    );
    return [...own, ...copied, ...late];
  }
}

export function outgoingOffset({ parameters }: PatchpointKind, k: number): number {
  const before = parameters.slice(0, k).filter(({ place }) => place === "argument");
  return STACK_ARGUMENT_SIZE * before.length;
}

/** Writes the code of a kind. */
export type EmitPatchpoint<Asm> = (asm: Asm, p: PatchpointOperands) => void;
/** The code of each kind, by name. */
export type PatchpointCode<Asm> = { readonly [N in PatchpointKind["name"]]: EmitPatchpoint<Asm> };

/** Bits that are no address, no small number and, as floats, a NaN. */
const JUNK_LO = 0x5aa5_c33c;
const JUNK_HI = -0x1234_5678;

/**
 * Returns the rows of a target. Every register that a kind may destroy is destroyed, so that code
 * which relies on it fails.
 *
 * @param load puts two words into a register, of the unified numbering
 * @param userCode returns the code of a user's kind for the target
 */
export function patchpointRows<Asm>(
  registers: PatchpointRegisters,
  code: PatchpointCode<Asm>,
  load: (asm: Asm, register: number, lo: number, hi: number) => void,
  userCode: (kind: UserPatchpoint) => EmitPatchpoint<Asm>,
): LirRow<Asm>[] {
  const destroy = (asm: Asm, register: number) => load(asm, register, JUNK_LO, JUNK_HI);
  return PATCHPOINTS.map((kind) => {
    const shape = shapeOf(kind, registers);
    const isTerminator = kind.effect === "terminal";
    const emit = kind.user === null ? code[kind.name] : userCode(kind.user);
    return {
      name: rowNameOf(kind),
      operands: shape.operands,
      immediate: null,
      isCall: false,
      isTerminator,
      rematerializable: false,
      derivable: false,
      keepsFlags: false,
      needsFrame: true,
      zeroExtends: false,
      emit(asm, context, instruction) {
        const places = new PatchpointOperands(context, instruction, shape);
        for (const register of shape.early) destroy(asm, register);
        emit(asm, places);
        if (isTerminator) {
          load(asm, registers.asked, 0, 0); // a caller may test the deoptimization flag
          context.epilogue();
        } else for (const register of places.destroyed()) destroy(asm, register);
      },
    };
  });
}

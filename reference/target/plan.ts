// Resolves every name in a target's tables, once per target, so that lowering works on small
// integers.

import { FENCES } from "../../src/ir/fences.js";
import { type Opcode, opcodeNamed } from "../../src/ir/opcodes.js";
import { PATCHPOINTS } from "../../src/ir/patchpoints.js";
import { nameOfType, type Type, typeNamed, VALUE_TYPES } from "../../src/ir/types.js";
import { assert } from "../../src/support/assert.js";
import { OperandPolicy, OperandRole, packOperand, VECTOR } from "../lir/lir.js";
import { type EmittedNames, emittedNames } from "./emitted.js";
import { RowForms } from "./forms.js";
import { type PatchpointShape, rowNameOf, shapeOf } from "./patchpoint-rows.js";
import type { LirRow, OperandForm, Target } from "./target.js";

/** Rows that use a comparison's result in one way, by the operands of the comparison. */
export interface ComparisonConsumer {
  /**
   * By type: compare with an immediate, compare with a register, and (integers) test against zero,
   * or for a bit in common with an immediate or a register.
   */
  readonly immediate: readonly number[];
  readonly register: readonly number[];
  readonly test: readonly number[];
  readonly bitsImmediate: readonly number[];
  readonly bits: readonly number[];
}

export interface LoweringPlan {
  readonly target: Target;
  readonly rows: readonly LirRow<unknown>[];
  /** By row: the packed role, policy and register of each operand; OR a virtual register in. */
  readonly operands: readonly Int32Array[];
  /** By opcode * 8 + type: rows in the order of preference. */
  readonly candidates: readonly (Int32Array | undefined)[];
  readonly constants: readonly number[];
  readonly slotAddress: number;
  readonly forms: RowForms;
  /** By opcode * 8 + type: 1 if every row clears the bits of its definition above 31. */
  readonly clearsUpper: Uint8Array;
  /** Whether all rows that turn a comparison into 0 or 1 clear these bits. */
  readonly setClearsUpper: boolean;
  /** Rows that add to an address, in the order of preference. */
  readonly addAddress: readonly number[];
  /** A bit for each index form of a sum that is computed itself. */
  readonly sumForms: number;
  /** Reuses a register whose upper half is zero already. */
  readonly zeroExtended: number;
  /** Renames a register in full width whose upper half is zero already. */
  readonly zeroExtendedName: number;
  readonly branch: ComparisonConsumer;
  readonly check: ComparisonConsumer;
  readonly set: ComparisonConsumer;
  /** Exits by its snapshot, unconditionally. */
  readonly exit: number;
  /** By type: negates, and exits if the result would overflow. */
  readonly checkNegation: readonly number[];
  /** The rows of a Select, by type of the result. */
  readonly select: readonly ComparisonConsumer[];
  readonly entry: number;
  readonly jump: number;
  /** The row of a Switch, by type of the operand. */
  readonly switch: readonly number[];
  readonly return: number;
  readonly oops: number;
  /** The rows of fences, by the accesses that a Fence orders. */
  readonly fences: readonly number[];
  readonly callHost: number;
  /** immLo is the index of the procedure in the module. */
  readonly call: number;
  readonly functionAddress: number;
  /** immLo is the number of the operand with the address. */
  readonly callIndirect: number;
  /** By type: writes an outgoing stack argument; immLo is its offset. */
  readonly storeArgument: readonly number[];
  readonly framePointer: number;
  /** Extract the low and the high half of a register of 64 bits. */
  readonly halves: readonly [number, number];
  /** Joins halves: the high one is its first operand. */
  readonly join: number;
  readonly copy: number;
  /** The names of the counters of rows and forms. */
  readonly emittedNames: EmittedNames;
  /** By index of the kind: its row and its operands. */
  readonly patchpoints: readonly { readonly row: number; readonly shape: PatchpointShape }[];
}

export function makePlan(target: Target): LoweringPlan {
  const byName = new Map(target.rows.map((row, index) => [row.name, index]));
  assert(
    byName.size === target.rows.length,
    () => `${target.name}: two LIR rows have the same name`,
  );
  const find = (name: string): number => {
    const index = byName.get(name);
    assert(index !== undefined, () => `${target.name}: no LIR row is named ${name}`);
    return index;
  };
  const candidates = resolveCandidates(target, find);
  const operands = target.rows.map((row) => Int32Array.from(row.operands, packForm));
  const forms = new RowForms(target.rows);
  return {
    target,
    rows: target.rows,
    operands,
    emittedNames: emittedNames(target.name, target.rows, operands),
    candidates,
    constants: perType(["constl", "constq", "constss", "constsd"], find),
    slotAddress: find("slotAddress"),
    forms,
    clearsUpper: Uint8Array.from(candidates, (rows) =>
      rows?.every((row) => target.rows[row].zeroExtends) ? 1 : 0,
    ),
    setClearsUpper: target.rows.every(({ name, zeroExtends }) =>
      name.startsWith("set.") ? zeroExtends : true,
    ),
    addAddress: ["addqImm", "addq"].map(find),
    sumForms: forms.sumMask(find("addq")),
    zeroExtended: find("zextlDone"),
    zeroExtendedName: find("zextlName"),
    branch: consumer("branch", find),
    check: consumer("check", find),
    set: consumer("set", find),
    exit: find("check.always"),
    checkNegation: perType(["check.negl", "check.negq"], find),
    select: [consumer("selectInt32", find)].concat(
      VALUE_TYPES.map((type) => consumer(`select${nameOfType(type)}`, find)),
    ),
    entry: find("entry"),
    jump: find("jump"),
    switch: perType(["switchl", "switchq"], find),
    return: find("return"),
    oops: find("oops"),
    fences: FENCES.map(({ name }) => find(`fence.${name}`)),
    callHost: find("callHost"),
    call: find("call"),
    functionAddress: find("functionAddress"),
    callIndirect: find("callIndirect"),
    storeArgument: perType(
      ["l", "q", "ss", "sd"].map((suffix) => `storeArgument.${suffix}`),
      find,
    ),
    framePointer: find("framePointer"),
    halves: [find("truncq"), find("highl")],
    join: find("stitch"),
    copy: find("opaque"),
    patchpoints: PATCHPOINTS.map((kind) => ({
      row: find(rowNameOf(kind)),
      shape: shapeOf(kind, target),
    })),
  };
}

type RowFinder = (name: string) => number;

function consumer(prefix: string, find: RowFinder): ComparisonConsumer {
  const rowsOf = (names: readonly string[]) => perType(names, (name) => find(`${prefix}.${name}`));
  return {
    immediate: rowsOf(["cmplImm", "cmpqImm"]),
    register: rowsOf(["cmpl", "cmpq", "ucomiss", "ucomisd"]),
    test: rowsOf(["testl", "testq"]),
    bitsImmediate: rowsOf(["bitslImm", "bitsqImm"]),
    bits: rowsOf(["bitsl", "bitsq"]),
  };
}

/**
 * Returns an array indexed by Type: -1 for Void, then the rows of Int32, Int64, Float, Double as
 * far as named.
 */
function perType(names: readonly string[], find: RowFinder): number[] {
  return [-1].concat(names.map(find));
}

function resolveCandidates(target: Target, find: RowFinder): (Int32Array | undefined)[] {
  const table: (Int32Array | undefined)[] = [];
  for (const [name, byType] of Object.entries(target.lowering)) {
    const opcode = opcodeNamed(name);
    assert(
      opcode !== null,
      () => `${target.name}: the lowering table names the unknown opcode ${name}`,
    );
    for (const [typeName, names] of Object.entries(byType)) {
      const type = typeNamed(typeName);
      assert(
        type !== null,
        () => `${target.name}: the lowering table has ${name} at the unknown type ${typeName}`,
      );
      table[candidateIndex(opcode, type)] = Int32Array.from(names, find);
    }
  }
  return table;
}

export const candidateIndex = (opcode: Opcode, type: Type): number => opcode * 8 + type;

function packForm(form: OperandForm): number {
  if (typeof form === "object") {
    if ("use" in form) return packOperand(0, OperandRole.UseAtStart, OperandPolicy.Fixed, form.use);
    if ("lateUse" in form)
      return packOperand(0, OperandRole.Use, OperandPolicy.Fixed, form.lateUse);
    if ("temp" in form) return packOperand(0, OperandRole.Temp, OperandPolicy.Fixed, form.temp);
    return packOperand(0, OperandRole.Definition, OperandPolicy.Fixed, form.def);
  }
  return FORMS[form];
}

const FORMS: { readonly [F in Extract<OperandForm, string>]: number } = {
  def: packOperand(0, OperandRole.Definition, OperandPolicy.Register),
  "def=0": packOperand(0, OperandRole.Definition, OperandPolicy.MustReuseInput),
  "def:stack": packOperand(0, OperandRole.Definition, OperandPolicy.Stack),
  redef: packOperand(0, OperandRole.Definition, OperandPolicy.Redefined),
  use: packOperand(0, OperandRole.UseAtStart, OperandPolicy.Register),
  "use:any": packOperand(0, OperandRole.UseAtStart, OperandPolicy.Any),
  "use:late": packOperand(0, OperandRole.Use, OperandPolicy.Register),
  "use:any:late": packOperand(0, OperandRole.Use, OperandPolicy.Any),
  "use:stack": packOperand(0, OperandRole.UseAtStart, OperandPolicy.Stack),
  "use:copy": packOperand(0, OperandRole.UseAtStart, OperandPolicy.Copy),
  "temp:copy": packOperand(0, OperandRole.Temp, OperandPolicy.Copy),
  // The register field of a free temp contains its bank.
  temp: packOperand(0, OperandRole.Temp, OperandPolicy.Register),
  "temp:vector": packOperand(0, OperandRole.Temp, OperandPolicy.Register, VECTOR),
};

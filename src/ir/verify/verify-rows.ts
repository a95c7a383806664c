// Checks one value against its row of OPCODES: rules 9 to 12 of verify.ts. The columns are converted to small integers
// once, because this check runs for every value of every generated program.

import { FENCES } from "../fences.js";
import { HOST_FUNCTIONS, hostFunctionNamed } from "../host-functions.js";
import {
  ALL_OPCODES,
  type AttributeSpec,
  CALLS_ADDRESS,
  hasAttribute,
  isReturn,
  isValueOperand,
  NAMES_KIND,
  Op,
  type OperandSpec,
  specOf,
  typesAlso,
  typesOver,
} from "../opcodes.js";
import {
  CLASS_MAX,
  furtherOf,
  Procedure,
  reachedProcedures,
  type SwitchCases,
  type Value,
} from "../procedure.js";
import { isWide, nameOfType, otherBank, TYPE_NAMES, type Type, typeNamed, Void } from "../types.js";
import type { FaultReporter } from "./reporter.js";
import { checkPatchpoint } from "./verify-patchpoints.js";

/** The greatest number of cases of one Switch, so that its line can be read back. */
export const SWITCH_CASES_MAX = 16_384;

// Kinds of operands and results: types as they are, and these.
const NONE = 0;
const T = 5;
const U = 6;
const BITS = 7;
const CALLEE = 8;

const kindOf = (arg: OperandSpec | "Bits" | "Callee" | "Kind" | "Further" | "Void"): number =>
  arg === "T" ? T : arg === "U" ? U : arg === "Bits" ? BITS : (typeNamed(arg) ?? CALLEE);
/** Three kinds per opcode. */
const OPERAND_KINDS = Uint8Array.from(
  ALL_OPCODES.flatMap((opcode) => {
    const kinds = specOf(opcode)
      .args.filter((arg) => isValueOperand(arg))
      .map(kindOf);
    return [...kinds, NONE, NONE, NONE].slice(0, 3);
  }),
);
const RESULT_KINDS = Uint8Array.from(ALL_OPCODES, (opcode) => kindOf(specOf(opcode).result));
const maskOf = (types: readonly Type[]): number =>
  types.reduce((mask, type) => mask | (1 << type), 0);
const OVER = Uint8Array.from(ALL_OPCODES, (opcode) => maskOf(typesOver(opcode)));
const ALSO = Uint8Array.from(ALL_OPCODES, (opcode) => maskOf(typesAlso(opcode)));

// The contents of lo and hi.
const NOTHING = 0;
const CONSTANT_WORDS = 1;
const OFFSET = 2;
const INDEX = 3;
const ORDER = 4;
const WORDS = Uint8Array.from(ALL_OPCODES, (opcode) => {
  if (opcode === Op.Parameter || hasAttribute(opcode, "Register")) return INDEX;
  if (hasAttribute(opcode, "Kind") || hasAttribute(opcode, "DeoptHost")) return INDEX;
  if (hasAttribute(opcode, "Number")) return INDEX;
  if (hasAttribute(opcode, "Const")) return CONSTANT_WORDS;
  if (hasAttribute(opcode, "Order")) return ORDER;
  return hasAttribute(opcode, "Offset") ? OFFSET : NOTHING;
});
const EXTRAS: readonly AttributeSpec[] = ["Slot", "Phi", "Callee", "Function", "Snapshot", "Cases"];
const HAS_EXTRA = ALL_OPCODES.map((opcode) => EXTRAS.some((extra) => hasAttribute(opcode, extra)));
const HAS_REST = ALL_OPCODES.map((opcode) => hasAttribute(opcode, "Rest"));

/**
 * Reports the faults of the value against its row.
 * @param byId the values of the procedure
 * @returns true if every operand is a value of the procedure, so that other checks may use the operands
 */
export function checkRow(
  value: Value,
  byId: readonly (Value | undefined)[],
  reporter: FaultReporter,
): boolean {
  const { opcode, a, b, c } = value;
  checkWords(value, reporter);
  if (!HAS_EXTRA[opcode] && value.extra !== null)
    reporter.fault(value, "has a reference that its row does not permit");
  if (!HAS_REST[opcode] && value.rest !== null)
    reporter.fault(value, "has operands of a call, which its row does not permit");
  const at = 3 * opcode;
  if (!checkOperand(value, a, OPERAND_KINDS[at], 1, byId, reporter)) return false;
  if (!checkOperand(value, b, OPERAND_KINDS[at + 1], 2, byId, reporter)) return false;
  if (!checkOperand(value, c, OPERAND_KINDS[at + 2], 3, byId, reporter)) return false;
  if (HAS_REST[opcode]) return checkCall(value, byId, reporter);
  // The first operand that is a T decides T, else the result.
  let t = value.type;
  if (OPERAND_KINDS[at] === T) t = a === null ? Void : a.type;
  else if (OPERAND_KINDS[at + 1] === T && b !== null) t = b.type;
  const isReturnOfNothing = isReturn(opcode) && a === null;
  if (OVER[opcode] !== 0 && !isReturnOfNothing && ((OVER[opcode] >> t) & 1) === 0) {
    reporter.fault(value, `T is ${nameOfType(t)}, expected one of ${namesIn(OVER[opcode])}`);
  }
  if (isReturn(opcode)) return true; // checkReturn checks the operands
  if (a !== null) checkType(value, a.type, OPERAND_KINDS[at], t, 1, reporter);
  if (b !== null) checkType(value, b.type, OPERAND_KINDS[at + 1], t, 2, reporter);
  if (c !== null) checkType(value, c.type, OPERAND_KINDS[at + 2], t, 3, reporter);
  if (opcode === Op.Extract) return true; // checkExtract checks the result
  const kind = RESULT_KINDS[opcode];
  const result = kind === T ? t : kind === BITS ? otherBank(t) : kind;
  if (value.type !== result) {
    reporter.fault(value, `has type ${nameOfType(value.type)}, expected ${TYPE_NAMES[result]}`);
  }
  return true;
}

function checkOperand(
  value: Value,
  operand: Value | null,
  kind: number,
  ordinal: number,
  byId: readonly (Value | undefined)[],
  reporter: FaultReporter,
): boolean {
  if (operand === null) {
    if (kind === NONE || isReturn(value.opcode)) return true;
    reporter.fault(value, `operand ${ordinal} is missing`);
    return false;
  }
  if (kind === NONE && !isReturn(value.opcode)) {
    reporter.fault(value, `has an operand ${ordinal}, expected none`);
    return false;
  }
  if (byId[operand.id] === operand) return true;
  reporter.fault(value, `operand ${ordinal}, @${operand.id}, is not in the procedure`);
  return false;
}

function checkType(
  value: Value,
  type: Type,
  kind: number,
  t: Type,
  ordinal: number,
  reporter: FaultReporter,
): void {
  const fits =
    kind === U ? ((ALSO[value.opcode] >> type) & 1) === 1 : type === (kind === T ? t : kind);
  if (fits) return;
  const expected =
    kind === U ? `one of ${namesIn(ALSO[value.opcode])}` : TYPE_NAMES[kind === T ? t : kind];
  reporter.fault(value, `operand ${ordinal} has type ${nameOfType(type)}, expected ${expected}`);
}

const namesIn = (mask: number): string =>
  TYPE_NAMES.filter((_, type) => ((mask >> type) & 1) === 1).join(", ");

function checkCall(
  value: Value,
  byId: readonly (Value | undefined)[],
  reporter: FaultReporter,
): boolean {
  const { rest } = value;
  if (rest === null) {
    reporter.fault(value, "has no list of arguments");
    return false;
  }
  for (let i = 0; i < rest.length; i++) {
    if (byId[rest[i].id] === rest[i]) continue;
    reporter.fault(value, `argument ${i + 1}, @${rest[i].id}, is not in the procedure`);
    return false;
  }
  if (NAMES_KIND[value.opcode] === 1) {
    checkPatchpoint(value, rest, reporter);
    return true;
  }
  const signatures = signaturesOf(value);
  if (signatures.length === 0) reporter.fault(value, describeMissingCallee(value));
  const isTail = value.opcode === Op.TailCall;
  for (const signature of signatures) {
    checkSignature(value, rest, isTail ? { ...signature, result: Void } : signature, reporter);
    checkFurther(value, signature, signatures[0], reporter);
  }
  return true;
}

interface CallSignature {
  readonly name: string;
  readonly parameters: readonly Type[];
  readonly result: Type;
  readonly further?: readonly Type[];
}

/** Returns the signatures of the possible callees; none if they are unknown or must not be called. */
function signaturesOf(value: Value): CallSignature[] {
  const { opcode, extra } = value;
  if (opcode === Op.CCallCheck)
    return HOST_FUNCTIONS.filter((known) => known === value.host && known.asks);
  if (CALLS_ADDRESS[opcode] === 1) return reachedProcedures(value).map(signatureOf);
  if (extra instanceof Procedure) {
    // The text form would call the host function of that name.
    return hostFunctionNamed(extra.name) === null ? [signatureOf(extra)] : [];
  }
  return HOST_FUNCTIONS.filter((known) => known === extra);
}

const signatureOf = ({ name, parameters, result, further }: Procedure): CallSignature => ({
  name,
  parameters: parameters.map(({ type }) => type),
  result,
  further,
});

function describeMissingCallee({ opcode, extra }: Value): string {
  if (opcode === Op.CCallCheck) return "calls no host function that may request an exit";
  if (CALLS_ADDRESS[opcode] === 1) return "calls an address that comes from no FunctionAddress";
  if (extra instanceof Procedure) return "calls a procedure that has the name of a host function";
  return "calls a function that is not in the registry of host functions";
}

function checkSignature(
  value: Value,
  rest: readonly Value[],
  { name, parameters, result }: CallSignature,
  reporter: FaultReporter,
): void {
  if (rest.length !== parameters.length) {
    reporter.fault(value, `has ${rest.length} arguments, ${name} takes ${parameters.length}`);
  }
  if (value.type !== result) {
    const expected = `${name} gives ${nameOfType(result)}`;
    reporter.fault(value, `has type ${nameOfType(value.type)}, ${expected}`);
  }
  for (let i = 0; i < Math.min(rest.length, parameters.length); i++) {
    if (rest[i].type === parameters[i]) continue;
    const expected = `expected ${nameOfType(parameters[i])}`;
    reporter.fault(value, `argument ${i + 1} has type ${nameOfType(rest[i].type)}, ${expected}`);
  }
}

function checkFurther(
  value: Value,
  { name, further = [] }: CallSignature,
  first: CallSignature,
  reporter: FaultReporter,
): void {
  const { further: expected = [] } = first;
  if (further.length === expected.length && further.every((type, i) => type === expected[i]))
    return;
  reporter.fault(value, `${name} and ${first.name} have different further results`);
}

/**
 * Reports an Extract that is in another block than its call, or whose number or type is not that of a further result.
 */
export function checkExtract(value: Value, reporter: FaultReporter): void {
  const { a, resultIndex: lo, type, block } = value;
  if (a === null) return;
  if (a.block !== block) reporter.fault(value, `is in another block than @${a.id}`);
  const further = furtherOf(a);
  if (further.length === 0) reporter.fault(value, `@${a.id} has no further results`);
  else if (lo < 1 || lo > further.length) {
    reporter.fault(value, `@${a.id} has no result ${lo}, but ${further.length} further ones`);
  } else if (type !== further[lo - 1]) {
    const expected = `result ${lo} is ${nameOfType(further[lo - 1])}`;
    reporter.fault(value, `has type ${nameOfType(type)}, ${expected}`);
  }
}

function checkWords(value: Value, reporter: FaultReporter): void {
  const { immediate0: lo, immediate1: hi } = value;
  const words = WORDS[value.opcode];
  if (words === INDEX) return;
  if (words === NOTHING) {
    if (lo !== 0 || hi !== 0) reporter.fault(value, "has bits that its row does not permit");
  } else if (words === OFFSET) {
    if ((lo | 0) !== lo) reporter.fault(value, `offset ${lo} is not a signed 32-bit integer`);
    if (!Number.isInteger(hi) || hi < 0 || hi > CLASS_MAX) {
      reporter.fault(value, `class ${hi} is not in 0 to ${CLASS_MAX}`);
    }
  } else if (words === ORDER) {
    if (FENCES[lo] === undefined || hi !== 0) reporter.fault(value, "has no valid kind of fence");
  } else {
    checkBits(value, value.type, lo, hi, reporter);
  }
}

/** Reports keys that are not integers of the operand's type, or that occur twice. */
export function checkCases(value: Value, { lo, hi }: SwitchCases, reporter: FaultReporter): void {
  const type = value.a === null ? Void : value.a.type;
  if (lo.length !== hi.length) reporter.fault(value, "has keys without a high word");
  if (lo.length > SWITCH_CASES_MAX) {
    reporter.fault(value, `has ${lo.length} cases, at most ${SWITCH_CASES_MAX} are allowed`);
  }
  const known = new Set<string>();
  for (let k = 0; k < lo.length; k++) {
    checkBits(value, type, lo[k], hi[k], reporter);
    const key = `${lo[k]} ${hi[k]}`;
    if (known.has(key)) reporter.fault(value, `case ${k + 1} has the key of an earlier one`);
    known.add(key);
  }
}

/** Reports words that are not the bits of the type; `value` is null for a slot of a snapshot. */
export function checkBits(
  value: Value | null,
  type: Type,
  lo: number,
  hi: number,
  reporter: FaultReporter,
): void {
  if ((lo | 0) !== lo || (hi | 0) !== hi) {
    reporter.fault(value, `the words ${lo} and ${hi} of a constant are not 32-bit integers`);
  } else if (hi !== 0 && !isWide(type)) {
    reporter.fault(value, `the high word of a 32-bit constant is ${hi}, expected 0`);
  }
}

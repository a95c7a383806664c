// Declares the kinds of patchpoints: values with handwritten code, whose operands have constraints on their locations.
// Compiler and oracle share this registry of signatures, as they share the opcode table. The semantics of a kind is
// implemented twice: in src/oracle/patchpoints.ts, and for each target in reference.
//
// A kind uses all bits of its operands, including floats, except those that it only keeps alive. All bits of its result
// are specified. Operands of 32 bits may have junk above them in any location.

import type {
  OperandLocation,
  OperandTypeName,
  PatchpointEffect,
  PatchpointRow,
  RegisterName,
  ResultLocation,
} from "./patchpoint-row.js";
import { Double, Float, Int32, Int64, type Type, Void } from "./types.js";
import { type UserPatchpoint, userPatchpoints } from "./user-patchpoints.js";

// biome-ignore format: a table
export const PATCHPOINT_ROWS = {
  addPair:         { takes: ["Int32 register", "Int32 register"],                            gives: "Int32 register",  effect: "pure", total: true, says: "x + y." },
  mixAnywhere:     { takes: ["Int64 warm", "Int32 cold", "Int64 late-cold"],                 gives: "Int64 early",     early: ["%g0"], effect: "pure", total: true, says: "(x + y, zero-extended) ^ z." },
  foldAnywhere:    { takes: ["Int32 late-cold", "Int64 warm", "Int32 cold"],                 gives: "Int32 register",  scratch: ["general"], effect: "pure", total: true, says: "(the low half of y + z) ^ x." },
  subtractNamed:   { takes: ["Int64 %g0", "Int64 %g1"],                                      gives: "Int64 %g2",       late: ["%g0", "%a3", "%f2"], effect: "pure", total: true, says: "x - y." },
  ownConvention:   { takes: ["Int64 %a0", "Int32 %a1", "Int32 argument", "Double argument"], gives: "Int64 %result",   early: ["%g1"], late: ["%a1", "%a2", "%f0", "%f1"], effect: "pure", total: true, says: "((x + y, sign-extended) ^ the bits of w) + z, sign-extended." },
  rotateByConstant:{ takes: ["Int32 register", "Int32 constant"],                            gives: "Int32 same",      effect: "pure", total: true, says: "x, rotated left by the low 5 bits of y, ^ y." },
  fromConstant:    { takes: ["Int64 copied", "Int64 constant"],                              gives: "Int64 register",  effect: "pure", total: true, says: "y - x." },
  copiesApart:     { takes: ["Int32 copied", "Double copied", "Int32 late"],                 gives: "Int32 register",  effect: "pure", total: true, says: "2 x + the low half of y's bits - z." },
  lateRegisters:   { takes: ["Double late", "Float late", "Int32 register"],                 gives: "Double register", scratch: ["general", "general"], effect: "pure", total: true, says: "The Double of the bits (x's + z, sign-extended) ^ y's, zero-extended." },
  lateNamed:       { takes: ["Int64 late %g3", "Double late %f1", "Int32 %a2"],              gives: "Int64 %g4",       early: ["%f2", "%g5"], effect: "pure", total: true, says: "(x - the bits of y) + z, zero-extended." },
  fromStack:       { takes: ["Int64 stack", "Float stack", "Int32 register"],                gives: "Int64 register",  scratch: ["general", "vector"], effect: "pure", total: true, says: "(x ^ the bits of y, zero-extended) + z, sign-extended." },
  ontoStack:       { takes: ["Int64 warm", "Int32 register"],                                gives: "Int64 stack",     late: ["%g4"], effect: "pure", total: true, says: "x ^ (y, sign-extended)." },
  floatOntoStack:  { takes: ["Int32 late-cold", "Int32 late"],                               gives: "Float stack",     effect: "pure", total: true, says: "The Float of the bits x + y." },
  signFromNamed:   { takes: ["Float %f0", "Float %f1"],                                      gives: "Float %result",   late: ["%f1", "%a0"], scratch: ["general", "vector"], effect: "pure", total: true, says: "x with the sign bit of y." },
  fromNothing:     { takes: [],                                                              gives: "Int32 %g2",       early: ["%g0", "%f3"], late: ["%a1", "%f1"], effect: "pure", total: true, says: "0x12345678." },
  heapFetch:       { takes: ["Int64 register"],                                              gives: "Int64 register",  effect: "read", bytes: 8, says: "The 8 bytes of the heap at x." },
  heapExchange:    { takes: ["Int64 late", "Int32 register"],                                gives: "Int32 early",     effect: "write", bytes: 4, says: "The 4 bytes of the heap at x, which become y." },
  slotFetch:       { takes: ["slot register"],                                               gives: "Int64 register",  effect: "read", bytes: 8, says: "The 8 bytes of the slot at x." },
  slotExchange:    { takes: ["slot late", "Int64 register"],                                 gives: "Int64 early",     effect: "write", bytes: 8, says: "The 8 bytes of the slot at x, which become y." },
  makeReference:   { takes: ["Int64 register", "Int32 late"],                                gives: "Int64 register",  effect: "pure", total: true, reference: true, says: "x ^ (y, sign-extended): a reference." },
  frameDistance:   { takes: ["frame register"],                                              gives: "Int64 register",  effect: "pure", total: true, says: "The distance of x from FramePointer." },
  frameParity:     { takes: ["frame warm", "Int32 cold"],                                    gives: "Int32 register",  effect: "pure", total: true, says: "The low 4 bits of the distance of x from FramePointer, + y." },
  heapAdd:         { takes: ["Int64 register", "Int32 warm"],                                gives: "Void",            effect: "write", bytes: 4, says: "y is added to the 4 bytes of the heap at x." },
  slotNegate:      { takes: ["slot late"],                                                   gives: "Void",            late: ["%g5"], effect: "write", bytes: 8, says: "The 8 bytes of the slot at x become their negation." },
  destroyOnly:     { takes: [],                                                              gives: "Void",            early: ["%g1"], late: ["%g0", "%a0", "%f0", "%f3"], effect: "kept", says: "Nothing." },
  keepThrough:     { takes: ["Double keepAlive", "Int64 keepAlive", "Int32 keepAlive"],      gives: "Void",            early: ["%g0"], late: ["%a1", "%f1"], effect: "kept", says: "Nothing." },
  negateBeside:    { takes: ["Int64 keepAlive", "Int32 register"],                           gives: "Int32 register",  late: ["%a2"], effect: "pure", total: true, says: "-y." },
  exitIfOdd:       { takes: ["Int32 late %g3", "Int64 keepAlive", "Float keepAlive"],        gives: "Void",            early: ["%g2", "%f1"], effect: "exit", says: "Exits if x is odd." },
  addOrExit:       { takes: ["Int32 late", "Int32 late-cold"],                               gives: "Int32 register",  effect: "exit", says: "x + y; exits if it overflows as an unsigned integer." },
  exitIfNegative:  { takes: ["Int64 register", "Double late %f0", "Int64 copied"],           gives: "Int64 same",      early: ["%f3"], effect: "exit", says: "(x ^ the bits of y) + z; exits if y has its sign bit set." },
  addPassed:       { takes: ["Int64 argument", "Int32 late %a1", "Float argument"],          gives: "Int64 %result",   early: ["%g1"], late: ["%g0"], effect: "exit", says: "x + y, sign-extended; exits if z has its sign bit set." },
  returnSum:       { takes: ["Int32 %result", "Int32 late"],                                 gives: "Int32 %result",   effect: "terminal", says: "Returns x + y." },
  returnMixed:     { takes: ["Double register", "Double %f1", "Int64 constant"],             gives: "Double %result",  effect: "terminal", says: "Returns the Double of the bits (x's ^ y's) + z." },
} as const satisfies Record<string, PatchpointRow>;

export type PatchpointName = keyof typeof PATCHPOINT_ROWS;

export interface PatchpointParameter {
  readonly type: Type;
  /** The base from which an address is derived; null for a number. */
  readonly address: "slot" | "frame" | null;
  readonly place: Exclude<OperandLocation, RegisterName | `late ${RegisterName}`> | "named";
  /** The register of a named location. */
  readonly register: RegisterName | null;
  /** True if the location holds it until the patchpoint ends. */
  readonly isLate: boolean;
}

export interface PatchpointKind {
  /** The key of the tables of kinds, unless a user defines the kind. */
  readonly name: PatchpointName;
  /** The definition by a user; null for a row of PATCHPOINT_ROWS. */
  readonly user: UserPatchpoint | null;
  /** Position in PATCHPOINTS. */
  readonly index: number;
  readonly parameters: readonly PatchpointParameter[];
  /** Void if it has no result. */
  readonly result: Type;
  readonly resultPlace: Exclude<ResultLocation, RegisterName> | "named";
  readonly resultRegister: RegisterName | null;
  readonly early: readonly RegisterName[];
  readonly late: readonly RegisterName[];
  readonly scratch: readonly ("general" | "vector")[];
  readonly effect: PatchpointEffect;
  readonly isTotal: boolean;
  /** True if its result is a reference. */
  readonly isReference: boolean;
  /** The number of bytes that it accesses at its first operand; 0 if none. */
  readonly bytes: number;
  readonly says: string;
}

const TYPES: { readonly [T in OperandTypeName]: Type } = {
  Int32,
  Int64,
  Float,
  Double,
  slot: Int64,
  frame: Int64,
};

// The casts make the table typed: the type of a row guarantees the form of its words.
function parameterOf(text: `${OperandTypeName} ${OperandLocation}`): PatchpointParameter {
  const [taken, ...words] = text.split(" ");
  const place = words[words.length - 1];
  const isNamed = place.startsWith("%");
  return {
    type: TYPES[taken as OperandTypeName],
    address: taken === "slot" || taken === "frame" ? taken : null,
    place: isNamed ? "named" : (place as PatchpointParameter["place"]),
    register: isNamed ? (place as RegisterName) : null,
    isLate: words[0].startsWith("late") || place === "keepAlive" || place === "argument",
  };
}

function kindOf(
  name: PatchpointName,
  row: PatchpointRow,
  user: UserPatchpoint | null,
  index: number,
): PatchpointKind {
  const [type, place = "register"] = row.gives.split(" ");
  const isNamed = place.startsWith("%");
  return {
    name,
    user,
    index,
    parameters: row.takes.map(parameterOf),
    result: type === "Void" ? Void : TYPES[type as OperandTypeName],
    resultPlace: isNamed ? "named" : (place as PatchpointKind["resultPlace"]),
    resultRegister: isNamed ? (place as RegisterName) : null,
    early: row.early ?? [],
    late: row.late ?? [],
    scratch: row.scratch ?? [],
    effect: row.effect,
    isTotal: row.total === true,
    isReference: row.reference === true,
    bytes: row.bytes ?? 0,
    says: row.says,
  };
}

const OWN_NAMES = Object.keys(PATCHPOINT_ROWS) as PatchpointName[]; // keys of the table, by construction
const USERS = userPatchpoints();

/** The kinds of the table, and then those of the user. */
export const PATCHPOINTS: readonly PatchpointKind[] = [
  ...OWN_NAMES.map((name, index) => kindOf(name, PATCHPOINT_ROWS[name], null, index)),
  ...USERS.map((row, u) =>
    // Tables of kinds are not read for a kind of a user.
    kindOf(row.name as PatchpointName, row, row, OWN_NAMES.length + u),
  ),
];

for (const { name } of USERS) {
  const isTaken = Object.hasOwn(PATCHPOINT_ROWS, name);
  if (isTaken || USERS.filter((other) => other.name === name).length > 1) {
    throw new TypeError(`definePatchpoint: another kind has the name '${name}'`);
  }
}

const BY_NAME = new Map<string, PatchpointKind>(PATCHPOINTS.map((kind) => [kind.name, kind]));
export const patchpointNamed = (name: string): PatchpointKind | null => BY_NAME.get(name) ?? null;

/** The opcode of the kinds of an effect. */
type PatchpointOpcodeName = "Patchpoint" | "PatchpointCheck" | "PatchpointReturn";
export const opcodeNameOf = ({ effect }: PatchpointKind): PatchpointOpcodeName =>
  effect === "exit" ? "PatchpointCheck" : effect === "terminal" ? "PatchpointReturn" : "Patchpoint";

// Names that the printer and the parser of LIR share: types, policies, conditions and locations.
// print.ts describes the lines.

import { registerName as arm64Name } from "../../arm64/registers.js";
import type { LoweringPlan } from "../../target/plan.js";
import type { TargetName } from "../../target/target.js";
import { REGISTER_NAMES } from "../../x64/registers.js";
import { isRemat, isSlot, NOWHERE, OperandPolicy, REMAT, SLOT, VECTOR } from "../lir.js";

/** The letter of each type in LIR text. */
export const TYPE_LETTERS = ["", "i", "l", "f", "d"] as const;
/** The letter of an Int64 that is a reference. */
export const REFERENCE_LETTER = "r";

/** A Fixed operand has the name of its register instead. */
export const POLICY_LETTERS: { readonly [P in OperandPolicy]: string } = {
  [OperandPolicy.Any]: "A",
  [OperandPolicy.Register]: "R",
  [OperandPolicy.Fixed]: "",
  [OperandPolicy.KeepAlive]: "K",
  [OperandPolicy.MustReuseInput]: "=",
  [OperandPolicy.Stack]: "S",
  [OperandPolicy.Copy]: "C",
  [OperandPolicy.Redefined]: "~",
};

/** The groups of moves in a gap, by MoveOrder. */
export const MOVE_ORDERS: readonly string[] = ["after", "join", "before"];

export function locationName(target: TargetName, location: number): string {
  if (location === NOWHERE) return "nowhere";
  if (isSlot(location)) return `[${location - SLOT}]`;
  if (isRemat(location)) return `*${location - REMAT}`;
  const number = location & (VECTOR - 1);
  const isGeneral = location < VECTOR;
  if (target === "arm64") return arm64Name(isGeneral ? "X" : "V", number);
  return REGISTER_NAMES[isGeneral ? "r64" : "x"][number] ?? `${isGeneral ? "r" : "xmm"}${number}`;
}

/** Returns whether immHi of the row is a condition code (target/conditions.ts). */
export const takesCondition = (rowName: string): boolean =>
  /^(branch|check|set|select[A-Z]\w*)\.(cmp|test|ucomi)/.test(rowName);

/**
 * Returns whether immLo of the row is an index of Lir.switches; isPatchpoint: of Lir.patchpoints.
 */
export const isSwitch = (plan: LoweringPlan, row: number): boolean => plan.switch.includes(row);
export const isPatchpoint = (plan: LoweringPlan, row: number): boolean =>
  plan.patchpoints.some((patchpoint) => patchpoint.row === row);

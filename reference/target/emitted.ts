// Counts the rows of a target and the forms of operands that lowering emits, in every compile, so
// that a campaign can name those that never occur. A form is a role with a policy.

import { zeroedBytes, zeroedWords } from "../../src/support/program-arrays.js";
import {
  type Lir,
  type LirFacts,
  OperandPolicy,
  OperandRole,
  policyOf,
  roleOf,
} from "../lir/lir.js";
import type { TargetName } from "./target.js";

/** The rows and forms in the procedures of one image. */
export class EmissionCounts {
  /** By row: 1 if an instruction has it. */
  readonly rows: Uint8Array;
  /** By role: a bit for each policy. */
  readonly forms = zeroedWords(FORM_ROLES.length);

  constructor(rowCount: number) {
    this.rows = zeroedBytes(rowCount);
  }

  add(lir: Lir): void {
    const { rows, forms } = this;
    for (let i = 0; i < lir.instructionCount; i++) rows[lir.opcode[i]] = 1;
    for (let o = 0; o < lir.operandCount; o++) {
      const word = lir.operand[o];
      forms[roleOf(word)] |= 1 << policyOf(word);
    }
  }
}

/** The names of operand roles, by role. */
const FORM_ROLES = ["use at start", "late use", "definition", "temp"] as const;
const POLICY_NAMES = Object.keys(OperandPolicy);
const formIndex = (role: number, policy: number): number => role * POLICY_NAMES.length + policy;

/** The names of a target's counters, as campaigns use them. */
export interface EmittedNames {
  /** The name of the counter of each LIR row. */
  readonly rows: readonly string[];
  /** By role and policy; empty if no row has the form. */
  readonly forms: readonly string[];
}

export function emittedNames(
  target: TargetName,
  rows: readonly LirFacts[],
  operands: readonly Int32Array[],
): EmittedNames {
  const has = new Set<number>();
  for (const words of operands) {
    for (const word of words) has.add(formIndex(roleOf(word), policyOf(word)));
  }
  // Forms that lowering adds: parameters, arguments, results, the addresses of calls, and exits.
  has.add(formIndex(OperandRole.Definition, OperandPolicy.Fixed));
  has.add(formIndex(OperandRole.UseAtStart, OperandPolicy.Fixed));
  has.add(formIndex(OperandRole.UseAtStart, OperandPolicy.Register));
  has.add(formIndex(OperandRole.Use, OperandPolicy.KeepAlive));
  return {
    rows: rows.map(({ name }) => `${target} row: ${name}`),
    forms: FORM_ROLES.flatMap((role, r) =>
      POLICY_NAMES.map((policy, p) =>
        has.has(formIndex(r, p)) ? `${target} operand: ${role}, ${policy}` : "",
      ),
    ),
  };
}

export function emittedOf({ rows, forms }: EmissionCounts, names: EmittedNames): string[] {
  const list: string[] = [];
  for (let row = 0; row < rows.length; row++) if (rows[row] === 1) list.push(names.rows[row]);
  for (let role = 0; role < forms.length; role++) {
    for (let policy = 0; policy < POLICY_NAMES.length; policy++) {
      if (((forms[role] >> policy) & 1) === 1) list.push(names.forms[formIndex(role, policy)]);
    }
  }
  return list;
}

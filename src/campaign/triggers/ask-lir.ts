// Questions about LIR and its allocation that many detectors share. An instruction is counted as
// often as the value that it comes from was executed.

import type { Level } from "../../../reference/levels.js";
import { type Lir, Policy, policyOf, Role, roleOf } from "../../../reference/lir/lir.js";
import { TARGET_NAMES, type TargetName } from "../../../reference/target/target.js";
import type { Value } from "../../ir/procedure.js";
import type { Detector, Lowered } from "./study.js";

/** Sums over the instructions of the procedures that are compiled, for each of the targets. */
export const instructions =
  (
    count: (lowered: Lowered, i: number) => number | boolean,
    targets: readonly TargetName[] = TARGET_NAMES,
    level: Level = "O2",
  ): Detector =>
  (study) => {
    let total = 0;
    for (const target of targets) {
      for (const lowered of study.lowered(target, level)) {
        for (let i = 0; i < lowered.lir.instructionCount; i++) {
          const found = count(lowered, i);
          total += found === true ? executions(lowered, i) : Number(found);
        }
      }
    }
    return total;
  };

export const nameOf = ({ plan, lir }: Lowered, i: number): string => plan.rows[lir.opcode[i]].name;

export const originOf = ({ view, lir }: Lowered, i: number): Value | null =>
  lir.origin[i] < 0 ? null : (view.valueOf(lir.origin[i]) ?? null);

/** Executions of the value that an instruction comes from. */
export function executions(lowered: Lowered, i: number): number {
  const origin = originOf(lowered, i);
  return origin === null ? 0 : lowered.view.times(origin);
}

export function exitsAt(lowered: Lowered, i: number): number {
  const origin = originOf(lowered, i);
  return origin === null ? 0 : lowered.view.exits(origin);
}

/** Indices of the operands of an instruction. */
export function operandsOf({ operandStart }: Lir, i: number): number[] {
  const operands: number[] = [];
  for (let o = operandStart[i]; o < operandStart[i + 1]; o++) operands.push(o);
  return operands;
}

export const isUse = (word: number): boolean =>
  roleOf(word) <= Role.Use && policyOf(word) !== Policy.KeepAlive;
export const isKept = (word: number): boolean =>
  roleOf(word) <= Role.Use && policyOf(word) === Policy.KeepAlive;

export function blockOf({ blockStart, blockCount }: Lir, i: number): number {
  let b = 0;
  while (b + 1 < blockCount && blockStart[b + 1] <= i) b++;
  return b;
}
export const successorsOf = ({ successorStart, successors }: Lir, b: number): number[] => [
  ...successors.subarray(successorStart[b], successorStart[b + 1]),
];

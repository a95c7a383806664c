// What was located behind the optimizer, in words for reports.

import type { Behind } from "./behind-optimizer.js";
import type { WrongValue } from "./first-wrong-value.js";

/** What it is about, without what differs: `allocation by linear-scan, in a continuation as x64-O1`. */
export function describeStage({ stage, allocator, resumedBy }: Behind): string {
  const by = allocator === null ? "" : ` by ${allocator}`;
  const where = resumedBy === null ? "" : `, in code of a continuation as ${resumedBy}`;
  return `${stage}${by}${where}`;
}

/** One line. */
export function describeWrongValue(wrong: WrongValue): string {
  const { kind, procedure, text, instruction, row, location, expected, got } = wrong;
  const at = `instruction ${instruction}, ${row}, in ${procedure}`;
  switch (kind) {
    case "value":
      return `${at} makes ${text} in ${location}: expected ${expected}, got ${got}`;
    case "operand":
      return `${at} reads ${text} in ${location}: expected ${expected}, got ${got}`;
    case "control":
      return `after ${at}, of ${text}, execution goes elsewhere`;
  }
}

// Opcodes without a cell in the lowering tables of the targets: lower.ts has a case for each, for
// every target alike. Comparisons are found by their conditions, and need no name here; nor does
// what is a constant, a call, control, or a variable.

import type { OpcodeName } from "../../src/ir/opcodes.js";

export const LOWERED_BY_SHAPE: readonly OpcodeName[] = [
  "Nop",
  "Identity",
  "Select",
  "Check",
  "ArgumentReg",
  "PatchpointCheck",
];

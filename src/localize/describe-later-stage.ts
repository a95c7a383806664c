// Describes a cause after the optimizer, for reports.

import type { WrongInstruction } from "./first-wrong-instruction.js";
import type { WrongValue } from "./first-wrong-value.js";
import type { LaterStageCause } from "./later-stages.js";

/** Describes the stage, without the difference: `allocation by linear-scan, in code of a continuation as x64-O1`. */
export function describeStage({ stage, allocator, resumedBy }: LaterStageCause): string {
  const by = allocator === null ? "" : ` by ${allocator}`;
  const where = resumedBy === null ? "" : `, in code of a continuation as ${resumedBy}`;
  return `${stage}${by}${where}`;
}

/** Stages whose report states which implementations agree. */
const STAGES_WITH_DETAIL: readonly LaterStageCause["stage"][] = ["oracle", "emulator"];

/**
 * Describes which implementations agree with the oracle, and so why earlier stages are not the
 * cause.
 */
export const describeWhy = ({ stage, detail }: LaterStageCause): string =>
  STAGES_WITH_DETAIL.includes(stage) ? detail : "the optimized program is right in the oracle";

/** Describes the instruction that is written wrong, or the first wrong value, in one line; null if none was found. */
export function describeFirstWrong({ instruction, wrong }: LaterStageCause): string | null {
  if (instruction !== null) return describeWrongInstruction(instruction);
  return wrong === null ? null : describeWrongValue(wrong);
}

export function describeWrongValue(wrong: WrongValue): string {
  const { kind, procedure, text, instruction, row, location, expected, got, agreesWith } = wrong;
  const agrees =
    agreesWith === null ? "" : `; the third implementation agrees with the ${agreesWith}`;
  const at = `instruction ${instruction}, ${row}, in ${procedure}`;
  switch (kind) {
    case "value":
      return `${at} makes ${text} in ${location}: expected ${expected}, got ${got}${agrees}`;
    case "operand":
      return `${at} reads ${text} in ${location}: expected ${expected}, got ${got}`;
    case "control":
      return got === ""
        ? `after ${at}, of ${text}, execution continues elsewhere`
        : `${at}, of ${text}, ends in a fault: ${got}`;
  }
}

/**
 * Describes a wrong instruction in one line, without the code: `x64 addq.free, instruction 3 of main, leaves ... in
 * rax: expected 7, got 3`.
 */
export function describeWrongInstruction(wrong: WrongInstruction): string {
  const { target, row, procedure, instruction, kind, text, location, expected, got } = wrong;
  const at = row === "exit stub" ? row : `${row}, instruction ${instruction} of ${procedure},`;
  const where = `${target} ${at}`;
  const what = text === "" ? "" : `${text} in `;
  switch (kind) {
    case "value":
      return `${where} leaves ${what}${location}: expected ${expected}, got ${got}`;
    case "memory":
      return `${where} writes at ${location}: expected ${expected}, got ${got}`;
    case "control":
      return `after ${where} execution continues at a wrong place: expected ${expected}, got ${got}`;
  }
}

/**
 * Describes the code, one line for each instruction of the processor: offset, bytes, the intended instruction, the
 * instruction that objdump decodes.
 */
export function describeCode({ code }: WrongInstruction): string[] {
  const [size, length] = [
    Math.max(...code.map(({ bytes }) => bytes.length)),
    Math.max(...code.map(({ meant }) => meant.length)),
  ];
  return code.map(({ offset, bytes, meant, read }) => {
    const line = `${offset.toString(16).padStart(4, "0")}  ${bytes.padEnd(size)}  ${meant}`;
    if (read === null) return line;
    const isIn = read === "" ? "(within the one before)" : read;
    return `${line.padEnd(8 + size + length)}  ; reads ${isIn}`;
  });
}

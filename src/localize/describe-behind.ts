// What was located behind the optimizer, in words for reports.

import type { Behind } from "./behind-optimizer.js";
import type { WrongInstruction } from "./first-wrong-instruction.js";
import type { WrongValue } from "./first-wrong-value.js";
import { describeMoves } from "./wrong-moves.js";

/** What it is about, without what differs: `allocation by linear-scan, in a continuation as x64-O1`. */
export function describeStage({ stage, allocator, resumedBy }: Behind): string {
  const by = allocator === null ? "" : ` by ${allocator}`;
  const where = resumedBy === null ? "" : `, in code of a continuation as ${resumedBy}`;
  return `${stage}${by}${where}`;
}

/** Stages for which a report says which witness agrees with which. */
const WITNESSED: readonly Behind["stage"][] = ["oracle", "emulator"];

/** Why it is none of the stages before. */
export const describeWhy = ({ stage, detail }: Behind): string =>
  WITNESSED.includes(stage) ? detail : "the optimized program is right in the oracle";

/** What is written wrong, or the moves or the first value that are, in one line; null where none was found. */
export function describeFirstWrong({ instruction, moves, wrong }: Behind): string | null {
  if (moves !== null) return describeMoves(moves);
  if (instruction !== null) return describeWrongInstruction(instruction);
  return wrong === null ? null : describeWrongValue(wrong);
}

/** One line. */
export function describeWrongValue(wrong: WrongValue): string {
  const { kind, procedure, text, instruction, row, location, expected, got, witness } = wrong;
  const agrees = witness === null ? "" : `; the third witness agrees with the ${witness}`;
  const at = `instruction ${instruction}, ${row}, in ${procedure}`;
  switch (kind) {
    case "value":
      return `${at} makes ${text} in ${location}: expected ${expected}, got ${got}${agrees}`;
    case "operand":
      return `${at} reads ${text} in ${location}: expected ${expected}, got ${got}`;
    case "control":
      return got === ""
        ? `after ${at}, of ${text}, execution goes elsewhere`
        : `${at}, of ${text}, ends in a fault: ${got}`;
  }
}

/** One line, without the code: `x64 addq.free, instruction 3 of main, leaves ... in rax: expected 7, got 3`. */
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
      return `after ${where} execution goes astray: expected ${expected}, got ${got}`;
  }
}

/** One line for each instruction of the processor: offset, bytes, what was meant, what objdump reads. */
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

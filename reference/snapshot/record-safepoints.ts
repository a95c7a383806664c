// Safepoints: where references are while a call runs. After allocation each late use of a reference at
// a call has a location that the call leaves alone.

import type { Frame } from "../lir/frame.js";
import { isSlot, type Lir, type LirFacts, Role, roleOf, vregOf } from "../lir/lir.js";
import type { TargetName } from "../lower/target.js";

/** What one call tells whoever walks the stack while it runs. */
export interface Safepoint {
  /** Index in the module. */
  readonly procedure: number;
  /** In bytes from the start of the image: behind the instructions of the call. */
  readonly offset: number;
  /** General registers that hold references, callee-saved all of them; rising. */
  readonly registers: readonly number[];
  /** Offsets from the frame pointer, in bytes, of eight bytes each that hold references; rising. */
  readonly frameOffsets: readonly number[];
}

/** Whether the instruction is a call that has references to tell of. */
export function isSafepoint(lir: Lir, rows: readonly LirFacts[], i: number): boolean {
  if (lir.referenceCount === 0 || !rows[lir.opcode[i]].isCall) return false;
  for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
    if (tellsReference(lir, o)) return true;
  }
  return false;
}

/** Whether an operand of a call is there to tell where a reference is. */
export const tellsReference = (lir: Lir, o: number): boolean =>
  roleOf(lir.operand[o]) === Role.Use && lir.vregIsReference[vregOf(lir.operand[o])] === 1;

/** @param i a safepoint @param offset what is behind it: a label, until code has its place */
export function recordSafepoint(
  procedure: number,
  lir: Lir,
  frame: Frame,
  i: number,
  offset: number,
): Safepoint {
  const registers = new Set<number>();
  const frameOffsets = new Set<number>();
  for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
    if (!tellsReference(lir, o)) continue;
    const location = lir.location[o];
    if (isSlot(location)) frameOffsets.add(frame.offsetOfSpill(location));
    else registers.add(location);
  }
  const rising = (numbers: ReadonlySet<number>) => [...numbers].sort((x, y) => x - y);
  return { procedure, offset, registers: rising(registers), frameOffsets: rising(frameOffsets) };
}

const FORMS = ["a reference in a register", "a reference in the frame"] as const;

/** What campaigns must see of a target, as they name it. */
export const safepointNames = (target: TargetName): readonly string[] =>
  FORMS.map((form) => `${target} safepoint: ${form}`);

/** Names of what the safepoints of an image have. */
export function safepointsOf(safepoints: readonly Safepoint[], target: TargetName): string[] {
  const [inRegister, inFrame] = safepointNames(target);
  const names: string[] = [];
  if (safepoints.some(({ registers }) => registers.length > 0)) names.push(inRegister);
  if (safepoints.some(({ frameOffsets }) => frameOffsets.length > 0)) names.push(inFrame);
  return names;
}

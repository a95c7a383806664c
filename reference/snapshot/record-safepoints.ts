// Records safepoints: the locations of references while a call runs. After allocation each late use
// of a reference at a call has a location that the call preserves.

import type { ProcedureFrame } from "../emit/frame.js";
import { isSlot, type Lir } from "../lir/lir.js";
import { namesReference } from "../lir/name-references.js";
import type { TargetName } from "../target/target.js";

/** The data that a stack walk needs during one call. */
export interface Safepoint {
  /** Index in the module. */
  readonly procedure: number;
  /** In bytes from the start of the image: after the instructions of the call. */
  readonly offset: number;
  /** General registers that hold references, all of them callee-saved; ascending. */
  readonly registers: readonly number[];
  /**
   * Offsets from the frame pointer, in bytes, of eight bytes each that hold references; ascending.
   */
  readonly frameOffsets: readonly number[];
}

/**
 * Returns the safepoint of a call.
 *
 * @param i an instruction with a safepoint
 * @param offset the position after it: a label, until the code is resolved
 */
export function recordSafepoint(
  procedure: number,
  lir: Lir,
  frame: ProcedureFrame,
  i: number,
  offset: number,
): Safepoint {
  const registers = new Set<number>();
  const frameOffsets = new Set<number>();
  for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
    if (!namesReference(lir, o)) continue;
    const location = lir.location[o];
    if (isSlot(location)) frameOffsets.add(frame.offsetOfSpill(location));
    else registers.add(location);
  }
  const rising = (numbers: ReadonlySet<number>) => [...numbers].sort((x, y) => x - y);
  return { procedure, offset, registers: rising(registers), frameOffsets: rising(frameOffsets) };
}

const FORMS = ["a reference in a register", "a reference in the frame"] as const;

/** Returns the names of the forms of safepoints that campaigns must reach on a target. */
export const safepointNames = (target: TargetName): readonly string[] =>
  FORMS.map((form) => `${target} safepoint: ${form}`);

/** Returns the names of the forms that occur in the safepoints of an image. */
export function safepointsOf(safepoints: readonly Safepoint[], target: TargetName): string[] {
  const [inRegister, inFrame] = safepointNames(target);
  const names: string[] = [];
  if (safepoints.some(({ registers }) => registers.length > 0)) names.push(inRegister);
  if (safepoints.some(({ frameOffsets }) => frameOffsets.length > 0)) names.push(inFrame);
  return names;
}

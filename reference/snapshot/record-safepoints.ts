// Safepoints: where references are while a call runs. After allocation each late use of a reference at
// a call has a location that the call leaves alone.

import type { Frame } from "../emit/frame.js";
import { isSlot, type Lir } from "../lir/lir.js";
import { tellsReference } from "../lir/name-references.js";
import type { TargetName } from "../target/target.js";

/** What a stack walk during one call needs. */
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

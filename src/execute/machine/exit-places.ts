// Checks the locations that the exit of a patchpoint shows. A late operand of the patchpoint that the
// snapshot contains must be shown at a location that the operand accepts. The check reads the kind
// and the convention, and nothing of the compiler's tables.

import type { RegisterName } from "../../ir/patchpoint-row.js";
import type { PatchpointParameter } from "../../ir/patchpoints.js";
import type { Value } from "../../ir/procedure.js";
import { isFloating } from "../../ir/types.js";
import type { CallingConvention } from "./conventions.js";
import { DECODED_PLACE, type DecodedExit, type DecodedLocation } from "./decode-exits.js";
import type { LoadedImage } from "./loaded-image.js";

/** Returns a message about the first operand at a wrong location; null if there is none. */
export function misplacedOperand(
  { module }: Pick<LoadedImage, "module">,
  exit: DecodedExit,
  convention: CallingConvention,
): string | null {
  const guard = patchpointOf(module.procedures[exit.procedure]?.blocks ?? [], exit.patchpoint - 1);
  const parameters = guard?.patchpoint?.parameters;
  if (guard === null || parameters === undefined || guard.snapshot.id !== exit.snapshot)
    return `exit ${exit.exit} names @${exit.patchpoint - 1}, which is no patchpoint with its snapshot`;
  for (let f = 0; f < exit.frames.length; f++) {
    const { slots } = guard.snapshot.frames[f];
    for (let s = 0; s < slots.length; s++) {
      const slot = slots[s];
      if (slot.kind !== "value") continue;
      const at = exit.frames[f].slots[s];
      const late = parameters.filter(({ isLate }, k) => isLate && guard.rest?.[k] === slot.value);
      const isRight = (parameter: PatchpointParameter): boolean =>
        parameter.place === "argument"
          ? isIn(at, exit.frameSize - outgoingOffset(parameters, parameter))
          : accepts(parameter, at, convention);
      if (late.length === 0 || late.some(isRight)) continue;
      const expected = late.map(({ place, register }) => register ?? place).join(" or ");
      return `exit ${exit.exit} shows @${slot.value.id} outside of its place (${expected})`;
    }
  }
  return null;
}

function patchpointOf(blocks: Iterable<{ readonly values: Value[] }>, id: number): Value | null {
  for (const { values } of blocks) {
    const found = values.find((value) => value.id === id);
    if (found !== undefined) return found;
  }
  return null;
}

/** Returns whether the location is in the frame, that far below the frame pointer, or a constant. */
const isIn = ({ place, index }: DecodedLocation, distance: number): boolean =>
  place === DECODED_PLACE.constant || (place === DECODED_PLACE.frame && index === distance);

/** Returns the offset of a stack argument from the stack pointer: eight bytes each, in order. */
const outgoingOffset = (
  parameters: readonly PatchpointParameter[],
  parameter: PatchpointParameter,
): number => 8 * parameters.filter(({ place }) => place === "argument").indexOf(parameter);

function accepts(
  { place, register, type }: PatchpointParameter,
  at: DecodedLocation,
  convention: CallingConvention,
): boolean {
  // The comparison of slots reads the bits of a constant. A value in halves is in KEEPALIVEs, not in the operand.
  if (at.place === DECODED_PLACE.constant || at.place === DECODED_PLACE.halves) return true;
  const bank = isFloating(type) ? DECODED_PLACE.vector : DECODED_PLACE.general;
  if (register !== null) {
    return at.place === bank && at.index === numberOf(register, isFloating(type), convention);
  }
  return at.place === bank || (place !== "late" && at.place === DECODED_PLACE.frame);
}

function numberOf(name: RegisterName, isFloat: boolean, convention: CallingConvention): number {
  const { integerArguments, floatArguments, otherGeneral } = convention;
  if (name === "%result") return (isFloat ? convention.floatResults : convention.integerResults)[0];
  const list = name[1] === "a" ? integerArguments : name[1] === "f" ? floatArguments : otherGeneral;
  return list[Number(name[2])];
}

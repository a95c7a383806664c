// Counts the instructions that a run executes. The emulator's limit is exact, so the count is the
// smallest limit under which the run ends.

import type { LoadedImage } from "../../../src/execute/machine/loaded-image.js";
import type { MachineRunner } from "../../../src/execute/machine/machine.js";
import type { Input } from "../../../src/ir/outcome.js";

const FIRST_LIMIT = 256;
const LIMIT_MAX = 2 ** 30;
const CONTINUATION_FUEL = 1000;

/** @throws RangeError if the run does not end */
export function executedInstructions(
  runner: MachineRunner,
  image: LoadedImage,
  input: Input,
): number {
  const ends = (instructionsMax: number): boolean => {
    const limits = { poison: 0, instructionsMax, fuelMax: CONTINUATION_FUEL } as const;
    return runner.run(image, input, limits).ending.kind !== "runaway";
  };
  let enough = FIRST_LIMIT;
  while (!ends(enough)) {
    enough *= 2;
    if (enough > LIMIT_MAX)
      throw new RangeError(`the program does not end within ${LIMIT_MAX} instructions`);
  }
  let tooFew = enough === FIRST_LIMIT ? 0 : enough / 2;
  while (enough - tooFew > 1) {
    const limit = Math.floor((enough + tooFew) / 2);
    if (ends(limit)) enough = limit;
    else tooFew = limit;
  }
  return enough;
}

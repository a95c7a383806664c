// Parses and prints the pressure on allocation as a word of the command line:
// `registers=3,ghosts=8,places=4,reorders,seed=7`.

import type { PressureSettings } from "../../reference/regalloc/pressure.js";

const NO_PRESSURE: PressureSettings = {
  registers: null,
  ghosts: 0,
  places: 0,
  reorders: false,
  seed: 0n,
};

/** Prints the form that `parsePressure` reads. */
export function printPressure({
  registers,
  ghosts,
  places,
  reorders,
  seed,
}: PressureSettings): string {
  const parts = [
    registers === null ? "" : `registers=${registers}`,
    ghosts === 0 ? "" : `ghosts=${ghosts}`,
    places === 0 ? "" : `places=${places}`,
    reorders ? "reorders" : "",
    seed === 0n ? "" : `seed=${seed}`,
  ];
  return parts.filter((part) => part !== "").join(",");
}

/** @returns an error message if the text is malformed */
export function parsePressure(text: string): PressureSettings | string {
  let plan = NO_PRESSURE;
  for (const part of text.split(",")) {
    const [, name = "", digits] = /^([a-z]+)(?:=(\d{1,20}))?$/.exec(part) ?? [];
    const number = Number(digits ?? Number.NaN);
    if (name === "reorders" && digits === undefined) plan = { ...plan, reorders: true };
    else if (name === "registers" && number >= 1 && number <= 32) {
      plan = { ...plan, registers: number };
    } else if (name === "ghosts" && number < 2 ** 31) plan = { ...plan, ghosts: number };
    else if (name === "places" && number < 2 ** 31) plan = { ...plan, places: number };
    else if (name === "seed" && digits !== undefined) {
      plan = { ...plan, seed: BigInt.asUintN(64, BigInt(digits)) };
    } else return `expected registers=1..32, ghosts=N, places=N, reorders or seed=N, not '${part}'`;
  }
  return plan;
}

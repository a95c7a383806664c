// The loop that runs one activation, and the loop that records it too.

import type { Ending } from "../ir/outcome.js";
import { assert } from "../support/assert.js";
import type { Machine } from "./machine.js";
import { CALL, COST, END, STEP, STRIDE } from "./program.js";
import { STEPS } from "./steps.js";
import type { Recorder } from "./trace.js";

/** Runs from `start` to the end of the activation. */
export function run(m: Machine, start: number, fuelMax: number): Ending {
  const { code } = m;
  let fuel = fuelMax;
  let pc = start;
  for (;;) {
    while (pc >= 0) {
      fuel -= code[pc + COST];
      if (fuel < 0) return outOfFuel(m, fuelMax);
      pc = STEPS[code[pc + STEP]](m, pc);
    }
    if (pc === END) return ended(m, fuelMax - fuel);
    pc = m.callProcedure(fuel);
    fuel -= m.fuelUsed;
  }
}

/** As `run`, and the recorder sees each instruction before and after. */
export function runRecorded(
  m: Machine,
  start: number,
  fuelMax: number,
  recorder: Recorder,
): Ending {
  const { code } = m;
  let fuel = fuelMax;
  let pc = start;
  while (pc !== END) {
    fuel -= code[pc + COST];
    if (fuel < 0) return outOfFuel(m, fuelMax);
    recorder.record(m, pc);
    let next = STEPS[code[pc + STEP]](m, pc);
    if (next === CALL) {
      next = m.callProcedure(fuel);
      fuel -= m.fuelUsed;
    }
    if (next === pc + STRIDE) recorder.recordResult(m, pc);
    pc = next;
  }
  return ended(m, fuelMax - fuel);
}

function outOfFuel(m: Machine, fuelMax: number): Ending {
  m.fuelUsed = fuelMax;
  return { kind: "out-of-fuel" };
}

function ended(m: Machine, fuelUsed: number): Ending {
  m.fuelUsed = fuelUsed;
  const { ending } = m;
  assert(ending !== null, () => "the activation ended without an ending");
  return ending;
}

// Runs one activation: plain, tracking addresses, recorded, or watched.

import { guardsResult, Op } from "../../ir/opcodes.js";
import type { Ending } from "../../ir/outcome.js";
import { assert } from "../../support/assert.js";
import { followAddresses } from "./follow-addresses.js";
import type { OracleMachine } from "./machine.js";
import type { ObjectTable } from "./objects.js";
import { CALL, COST, END, STEP, STRIDE, Y } from "./program.js";
import { STEPS } from "./steps.js";
import type { TraceWriter } from "./trace.js";

/** Runs from `start` to the end of the activation. */
export function run(m: OracleMachine, start: number, fuelMax: number): Ending {
  if (m.objects !== null) return runTracked(m, start, fuelMax, m.objects);
  const { code } = m;
  let fuel = fuelMax;
  let pc = start;
  for (;;) {
    while (pc >= 0) {
      fuel -= code[pc + COST];
      if (fuel < 0) return outOfFuel(m, fuelMax);
      pc = STEPS[code[pc + STEP]](m, pc);
    }
    if (pc === END) return finishActivation(m, fuelMax - fuel);
    pc = m.runWithFuel(fuel);
    fuel -= m.fuelUsed;
  }
}

/** Runs like `run`, and tracks which values are addresses of objects. */
function runTracked(
  m: OracleMachine,
  start: number,
  fuelMax: number,
  objects: ObjectTable,
): Ending {
  const { code } = m;
  let fuel = fuelMax;
  let pc = start;
  while (pc !== END) {
    fuel -= code[pc + COST];
    if (fuel < 0) return outOfFuel(m, fuelMax);
    const next = STEPS[code[pc + STEP]](m, pc);
    if (next >= 0) followAddresses(m, objects, pc);
    pc = next === CALL ? m.runWithFuel(fuel) : next;
    if (next === CALL) fuel -= m.fuelUsed;
  }
  return finishActivation(m, fuelMax - fuel);
}

/** Runs like `run`, and calls the recorder before and after each instruction. */
export function runRecorded(
  m: OracleMachine,
  start: number,
  fuelMax: number,
  recorder: TraceWriter,
): Ending {
  const { code } = m;
  let fuel = fuelMax;
  let pc = start;
  while (pc !== END) {
    fuel -= code[pc + COST];
    if (fuel < 0) return outOfFuel(m, fuelMax);
    recorder.record(m, pc);
    let next = STEPS[code[pc + STEP]](m, pc);
    if (next >= 0 && m.objects !== null) followAddresses(m, m.objects, pc);
    if (next === CALL) {
      next = m.runWithFuel(fuel);
      fuel -= m.fuelUsed;
    }
    // An instruction may write its result and then exit.
    const exitsWithResult = next >= 0 && guardsResult(m.opcodeAt(pc));
    if (next === pc + STRIDE || exitsWithResult) recorder.recordResult(m, pc);
    else if (m.opcodeAt(pc) === Op.TailCall)
      recorder.enterAgain(m, m.procedure.calls[code[pc + Y]].argCells);
    pc = next;
  }
  return finishActivation(m, fuelMax - fuel);
}

/** An observer that may execute a part of the program: it reads and writes the state between instructions. */
export interface ExecutionObserver {
  /** True if `executed` is to be called. */
  readonly isRecording: boolean;
  /**
   * Called when the activation begins or continues at `pc`, or reaches it by a backward jump. Clears `isReplaced`.
   * Returns the program counter at which it continues, or END with the ending set. Sets `fuelUsed` to the part of
   * `fuel` that it consumed.
   */
  arrive(m: OracleMachine, pc: number, fuel: number): number;
  /** Called after the instruction at `pc` was executed: its step returned `next`. */
  executed(m: OracleMachine, pc: number, next: number): void;
}

/** Runs like `run`, and calls the watcher where loops and activations begin. */
export function runWatched(
  m: OracleMachine,
  start: number,
  fuelMax: number,
  watcher: ExecutionObserver,
): Ending {
  const { code } = m;
  let fuel = fuelMax;
  m.fuelUsed = 0;
  let pc = watcher.arrive(m, start, fuel);
  fuel -= m.fuelUsed;
  while (pc !== END) {
    fuel -= code[pc + COST];
    if (fuel < 0) return outOfFuel(m, fuelMax);
    let next = STEPS[code[pc + STEP]](m, pc);
    if (watcher.isRecording) watcher.executed(m, pc, next);
    const isCall = next === CALL;
    if (isCall) {
      next = m.runWithFuel(fuel);
      fuel -= m.fuelUsed;
    }
    if (isCall ? m.isReplaced : next >= 0 && next <= pc) {
      m.fuelUsed = 0;
      next = watcher.arrive(m, next, fuel);
      fuel -= m.fuelUsed;
    }
    pc = next;
  }
  return finishActivation(m, fuelMax - fuel);
}

function outOfFuel(m: OracleMachine, fuelMax: number): Ending {
  m.fuelUsed = fuelMax;
  return { kind: "out-of-fuel" };
}

function finishActivation(m: OracleMachine, fuelUsed: number): Ending {
  m.fuelUsed = fuelUsed;
  const { ending } = m;
  assert(ending !== null, () => "the activation ended without an ending");
  return ending;
}

// Computes the cost of a program for a reader. Every step must lower it, so that reducers cannot undo one another's
// work endlessly.

import { CONTROL, EFFECTS, ENTRY, EXITS, Op } from "../ir/opcodes.js";
import { type Module, SwitchCases, type Value } from "../ir/procedure.js";
import { Float, isFloating, isWide, type Type, Void } from "../ir/types.js";
import type { Candidate } from "./candidate.js";

const VALUE = 400;
const CONSTANT_VALUE = 150;
const PARAMETER = 300;
const WIDE = 20; // in addition to the cost of the value
const CONTROL_VALUE = 200; // and the same amount for each successor
const CASE = 10; // in addition to the cost of the successor
const GUARD = 100; // in addition to the cost of the value
const BLOCK = 100;
const PROCEDURE = 1000;
const FRAME = 200;
const SLOT = 100; // a value or memory; half of that for a constant or a dead slot
const INPUT = 500;

/** Returns the cost of a program, its exits and its inputs. */
export function costOf({ module, inputs }: Candidate): number {
  let cost = module.heapSize > 4096 ? 10 : 0;
  for (const proc of module.procedures) {
    cost += PROCEDURE + (proc.result === Void ? 0 : 10) + 10 * proc.further.length;
    for (const { type } of proc.parameters) cost += PARAMETER + costOfType(type);
    proc.forEachValue((value) => {
      cost += costOfValue(value) + costOfType(value.type);
    });
    for (const { successors, frequency } of proc.blocks) {
      cost += BLOCK + CONTROL_VALUE * successors.length + (frequency === 1 ? 0 : 1);
    }
  }
  return cost + costOfExits(module) + costOfInputs(module, inputs);
}

const costOfType = (type: Type): number => (isWide(type) ? WIDE : 0);

function costOfValue(value: Value): number {
  const { opcode, type } = value;
  const effects = EFFECTS[opcode];
  if ((effects & ENTRY) !== 0) return PARAMETER;
  if (value.isConstant)
    return CONSTANT_VALUE + costOfBits(type, value.constantLow, value.constantHigh);
  if ((effects & CONTROL) !== 0) return costOfControl(value);
  return VALUE + ((effects & EXITS) !== 0 ? GUARD : 0) + (value.hasZeroImmediate ? 0 : 5);
}

function costOfControl({ opcode, a, extra }: Value): number {
  if (opcode === Op.Oops) return 2 * VALUE;
  if (opcode === Op.PatchpointReturn) return VALUE;
  if (opcode === Op.ReturnDeopt) return CONTROL_VALUE + 1;
  if (!(extra instanceof SwitchCases)) return CONTROL_VALUE;
  let cost = CONTROL_VALUE + CASE;
  for (let k = 0; k < extra.count; k++) {
    cost += CASE + costOfBits(a?.type ?? Void, extra.lo[k], extra.hi[k]);
  }
  return cost;
}

function costOfExits({ procedures, continuations }: Module): number {
  let cost = PROCEDURE * continuations.size;
  for (const { snapshots } of procedures) {
    for (const { frames } of snapshots) {
      cost += FRAME * frames.length;
      for (const { slots } of frames) {
        for (const { kind } of slots) {
          cost += kind === "constant" || kind === "dead" ? SLOT / 2 : SLOT;
        }
      }
    }
  }
  return cost;
}

function costOfInputs({ entry }: Module, inputs: Candidate["inputs"]): number {
  let cost = INPUT * inputs.length;
  for (const { words, heapSeed } of inputs) {
    if (heapSeed !== 0) cost += 20;
    entry.parameters.forEach(({ type }, p) => {
      cost += costOfBits(type, words[2 * p], words[2 * p + 1]);
    });
  }
  return cost;
}

/** Returns 0 for zero, 1 for one; otherwise 2 or more, at most 66. */
function costOfBits(type: Type, lo: number, hi: number): number {
  if (lo === 0 && hi === 0) return 0;
  if (isFloating(type)) {
    const isOne = type === Float ? lo === 0x3f80_0000 : lo === 0 && hi === 0x3ff0_0000;
    return isOne ? 1 : 2 + bitCount(lo) + bitCount(hi);
  }
  if (hi === 0 && lo > 0) return lo === 1 ? 1 : 1 + significantBits(lo);
  if (hi === lo >> 31) return 2 + significantBits(lo);
  return hi === 0 ? 3 + significantBits(lo) : 34 + significantBits(hi);
}

const significantBits = (word: number): number => 32 - Math.clz32(word < 0 ? ~word : word);

function bitCount(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count;
}

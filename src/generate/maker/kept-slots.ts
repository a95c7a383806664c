// Emits locked slots whose addresses a host function keeps. Later host calls read and write through
// these addresses.
//
// Use of an address is undefined once its activation has ended. The entry's activation ends last,
// unless a tail call replaces it. So the entry keeps addresses permanently, and any procedure may
// use them. A callee drops its kept addresses before any exit can occur. Continuations cannot reach
// addresses kept before, and addresses that they keep or drop are unreachable after them. So they
// call no procedure that may use kept addresses, and callees have kept-address numbers of their
// own.

import { type HostFunction, hostFunctionNamed, KEPT_BYTES } from "../../ir/host-functions.js";
import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, Void } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { callProcedure } from "./calls.js";
import type { ProcedureMaker } from "./maker.js";
import { lockedAddress } from "./memory.js";
import { emitCall } from "./observe.js";
import { repeat } from "./rows.js";

/**
 * Appends calls that keep the address of a slot and use it; returns false if the program lacks the
 * types.
 */
export function emitKept(maker: ProcedureMaker): boolean {
  const { swarm, context } = maker;
  if (!swarm.hasType[Int64] || !swarm.hasType[Int32]) return false;
  if (!maker.isCompiled) return false;
  const isEntry = maker.proc === context.module.entry && maker.tailCounter === null;
  if (!isEntry && maker.chance(60)) {
    if (maker.rank > 0 && context.keepsSlots) useKeptAddress(maker);
    return true;
  }
  const address = lockedAddress(maker, KEPT_BYTES);
  const place = drawKeptNumber(maker, isEntry ? OF_ENTRY : OF_CALLEES);
  emitCall(maker, KEEP, [place, address]);
  if (isEntry) context.keepsSlots = true;
  if (maker.chance(30)) useAnother(maker, place);
  // The host reads earlier stores to the slot, and later loads read the host's writes.
  repeat(maker, 1 + maker.below(3), () => {
    if (maker.chance(40)) maker.append(Op.Store, Void, maker.pick(Int64), address);
    if (isEntry && maker.chance(35)) callProcedure(maker);
    else
      callThroughKept(
        maker,
        !isEntry || maker.chance(80) ? place : drawKeptNumber(maker, OF_ENTRY),
      );
    if (maker.chance(60)) maker.emit(Op.Load, Int64, address);
  });
  if (!isEntry || maker.chance(10)) emitCall(maker, DROP, [place]);
  return true;
}

/** Uses an address that the entry keeps, in a callee. */
export function useKeptAddress(maker: ProcedureMaker): void {
  callThroughKept(maker, drawKeptNumber(maker, OF_ENTRY));
}

/** Emits host accesses to the kept slot while the code uses another slot at an unknown offset. */
function useAnother(maker: ProcedureMaker, place: Value): void {
  const other = lockedAddress(maker, KEPT_BYTES, true);
  const mask = maker.integer(Int32, KEPT_BYTES - 1);
  const index = maker.append(Op.BitAnd, Int32, maker.pickValue(Int32), mask);
  const address = maker.append(Op.Add, Int64, other, maker.append(Op.ZExt32, Int64, index));
  callThroughKept(maker, place);
  maker.emit(Op.Load8Z, Int32, address);
}

function callThroughKept(maker: ProcedureMaker, place: Value): void {
  if (maker.chance(50)) emitCall(maker, READ, [place]);
  else emitCall(maker, WRITE, [place, maker.pick(Int64)]);
}

/** The first of two kept-address numbers. */
const OF_ENTRY = 0;
const OF_CALLEES = 2;

/** Returns one of two kept-address numbers, mostly as a constant. */
function drawKeptNumber(maker: ProcedureMaker, first: number): Value {
  if (maker.chance(85)) return maker.integer(Int32, first + maker.below(2));
  const one = maker.append(Op.BitAnd, Int32, maker.pickValue(Int32), maker.integer(Int32, 1));
  return maker.append(Op.BitOr, Int32, one, maker.integer(Int32, first));
}

const [KEEP, READ, WRITE, DROP] = ["keepSlot", "readKept", "writeKept", "dropSlot"].map(
  (name): HostFunction => {
    const host = hostFunctionNamed(name);
    assert(host !== null, () => `there is no host function ${name}`);
    return host;
  },
);

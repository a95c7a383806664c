// Locked slots whose addresses a host function keeps, and reads and writes through them in later calls.
//
// Use of an address is undefined once its activation is over. The entry's is so at the end only, unless it calls itself
// in its place: so the entry keeps addresses for good, and any procedure may go through them. A callee
// drops what it has kept, before anything can leave. Continuations are out of reach of what was kept before.

import { type HostFunction, hostFunctionNamed, KEPT_BYTES } from "../../ir/host-functions.js";
import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, Void } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { callProcedure } from "./calls.js";
import type { Maker } from "./maker.js";
import { lockedAddress } from "./memory.js";
import { emitCall } from "./observe.js";
import { repeat } from "./rows.js";

/** Appends calls that keep the address of a slot and go through it; false if the program has not their types. */
export function emitKept(maker: Maker): boolean {
  const { swarm, context } = maker;
  if (!swarm.hasType[Int64] || !swarm.hasType[Int32]) return false;
  if (!maker.isCompiled) return false;
  const isEntry = maker.proc === context.module.entry && maker.tailCounter === null;
  if (!isEntry && maker.chance(60)) {
    if (maker.rank > 0 && context.keepsSlots) goThrough(maker, drawPlace(maker));
    return true;
  }
  const address = lockedAddress(maker, KEPT_BYTES);
  const place = drawPlace(maker);
  emitCall(maker, KEEP, [place, address]);
  if (isEntry) context.keepsSlots = true;
  // What is stored before is what the host finds, and what it leaves is what is loaded behind.
  repeat(maker, 1 + maker.below(3), () => {
    if (maker.chance(40)) maker.append(Op.Store, Void, maker.pick(Int64), address);
    if (isEntry && maker.chance(25)) callProcedure(maker);
    else goThrough(maker, maker.chance(80) ? place : drawPlace(maker));
    if (maker.chance(60)) maker.emit(Op.Load, Int64, address);
  });
  if (!isEntry || maker.chance(10)) emitCall(maker, DROP, [place]);
  return true;
}

function goThrough(maker: Maker, place: Value): void {
  if (maker.chance(50)) emitCall(maker, READ, [place]);
  else emitCall(maker, WRITE, [place, maker.pick(Int64)]);
}

/** Which place it is a compiler knows, most of the time. */
function drawPlace(maker: Maker): Value {
  return maker.chance(85) ? maker.integer(Int32, maker.below(4)) : maker.pickValue(Int32);
}

const [KEEP, READ, WRITE, DROP] = ["keepSlot", "readKept", "writeKept", "dropSlot"].map(
  (name): HostFunction => {
    const host = hostFunctionNamed(name);
    assert(host !== null, () => `there is no host function ${name}`);
    return host;
  },
);

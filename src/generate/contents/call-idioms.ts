// Emits calls whose arguments are permuted, narrowed, or computed just before the call; and calls
// with live references across them.

import { HOST_FUNCTIONS, type HostFunction } from "../../ir/host-functions.js";
import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type } from "../../ir/types.js";
import { callAlike } from "../maker/calls.js";
import { drawBoundary } from "../maker/constants.js";
import { emitKept } from "../maker/kept-slots.js";
import type { MakerRow, ProcedureMaker } from "../maker/maker.js";
import { canCall, emitCall } from "../maker/observe.js";
import { emitReference } from "../maker/patchpoints.js";

// biome-ignore format: a table
export const CALL_IDIOMS: readonly MakerRow[] = [
  { name: "permuted arguments",  weight: 2, make: permutedCall },
  { name: "call with permuted parameters",      weight: 1, make: (maker) => callAlike(maker) },
  { name: "references over a call",     weight: 2, make: referencesOverCall },
  { name: "slot address kept by the host",   weight: 8, make: keptSlot },
];

/** Functions with enough parameters for a permutation. */
const CROWDED: readonly HostFunction[] = HOST_FUNCTIONS.filter(
  (host) => host.parameters.length > 2,
);

// Passes the procedure's parameters from any starting point; some are narrowed or computed just
// before.
function permutedCall(maker: ProcedureMaker): void {
  const hosts = CROWDED.filter((host) => canCall(maker, host));
  if (hosts.length === 0) {
    callAlike(maker);
    return;
  }
  const host = hosts[maker.below(hosts.length)];
  const { parameters } = maker.proc;
  let next = maker.below(Math.max(1, parameters.length));
  const args = host.parameters.map((type) => {
    for (let tries = 0; tries < parameters.length; tries++) {
      const parameter = parameters[next++ % parameters.length];
      if (parameter.type === type && maker.chance(75)) return parameter;
    }
    return argument(maker, type);
  });
  emitCall(maker, host, args);
}

function keptSlot(maker: ProcedureMaker): void {
  if (!emitKept(maker)) permutedCall(maker);
}

const REFERENCES_MAX = 4;

// Some references are loaded from before the call, and all are used after it.
function referencesOverCall(maker: ProcedureMaker): void {
  if (!maker.swarm.hasType[Int64]) {
    permutedCall(maker);
    return;
  }
  const references: Value[] = [];
  for (let left = 1 + maker.below(REFERENCES_MAX); left > 0; left--) {
    references.push(emitReference(maker));
  }
  if (maker.chance(50)) maker.append(Op.Sub, Int64, references[0], maker.pickValue(Int64));
  permutedCall(maker);
  let seen = references[0];
  for (let k = 1; k < references.length; k++) {
    seen = maker.append(Op.BitXor, Int64, seen, references[k]);
  }
  maker.append(Op.Add, Int64, seen, maker.pickValue(Int64));
}

/** Returns a value that needs one or more instructions before the call. */
function argument(maker: ProcedureMaker, type: Type): Value {
  const { hasType } = maker.swarm;
  const roll = maker.below(4);
  if (roll === 0) {
    const [lo, hi] = drawBoundary(maker.source, type);
    return maker.constantOf(type, lo, hi);
  }
  if (roll === 1) return maker.pick(type);
  if (type === Int32 && hasType[Int64]) return maker.append(Op.Trunc, type, maker.pickValue(Int64));
  if (type === Int64) return maker.append(Op.SExt32, type, maker.pickValue(Int32));
  if (type === Double)
    return maker.append(Op.UToD, type, maker.pickValue(hasType[Int64] ? Int64 : Int32));
  if (type === Float) return maker.append(Op.IToF, type, maker.pickValue(Int32));
  return maker.pick(type);
}

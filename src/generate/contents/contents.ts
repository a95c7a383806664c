// Emits the contents of a block: selects an instruction by its weight, and then its operands.

import { HOST_FUNCTIONS, readsHeap } from "../../ir/host-functions.js";
import { isTotal, Op } from "../../ir/opcodes.js";
import { Int32, isFloating, type Type } from "../../ir/types.js";
import { emitAtomic } from "../maker/atomics.js";
import { emitBulk } from "../maker/bulk.js";
import { callProcedure } from "../maker/calls.js";
import { drawBoundary } from "../maker/constants.js";
import { emitGuard, guardAgainst } from "../maker/exits.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { emitAccess } from "../maker/memory.js";
import { emitObjects } from "../maker/objects.js";
import { canCall, emitCall } from "../maker/observe.js";
import { emitArgument, emitPatchpoint } from "../maker/patchpoints.js";
import { drawInstance, drawType, type OpcodeInstance } from "../maker/swarm.js";
import { emitPartial } from "./division.js";
import { emitFence } from "./fences.js";
import { emitFolded } from "./folded-operands.js";
import { emitIdiom } from "./idioms.js";
import { emitPattern } from "./pattern-makers.js";
import { emitPure } from "./pure-operations.js";
import { emitRelation } from "./relations.js";

/** Appends one instruction with its prerequisites, or a pattern of several instructions. */
export function emitStep(maker: ProcedureMaker): void {
  maker.source.begin("step");
  emitOne(maker);
  maker.source.end();
}

/**
 * Appends an instruction with the same effect in each activation: a computation or a call of the
 * host.
 */
export function emitPlain(maker: ProcedureMaker): void {
  maker.source.begin("step");
  const instance = drawInstance(maker.source, maker.swarm);
  if (instance?.kind === "pure") emitPure(maker, instance);
  else if (instance?.kind === "call") callSomething(maker);
  else maker.emit(Op.Add, Int32, maker.pickValue(Int32), maker.constant(Int32));
  maker.source.end();
}

function emitOne(maker: ProcedureMaker): void {
  const { dials } = maker;
  if (emitObjects(maker)) return;
  // Continuations are not compiled, so idioms would have no effect there.
  if (maker.isCompiled && maker.chance(dials.rule) && emitPattern(maker)) return;
  if (maker.isCompiled && maker.chance(dials.idiom)) emitIdiom(maker);
  else if (maker.chance(dials.repeat)) repeatExpression(maker);
  else if (maker.isCompiled && maker.chance(dials.relation)) emitRelation(maker);
  else if (maker.chance(dials.variable)) emitVariable(maker);
  else if (maker.chance(dials.argument) && emitArgument(maker)) return;
  else if (maker.chance(dials.procedures) && callProcedure(maker)) return;
  else if (maker.isCompiled && maker.chance(dials.forms)) emitFolded(maker);
  else emitInstance(maker);
}

function emitInstance(maker: ProcedureMaker): void {
  const instance = drawInstance(maker.source, maker.swarm);
  switch (instance?.kind) {
    case "pure":
      if (maker.chance(TESTED / instance.weight)) emitTested(maker, instance);
      else emitPure(maker, instance);
      break;
    case "partial":
      emitPartial(maker, instance);
      break;
    case "load":
    case "store":
      emitAccess(maker, instance);
      break;
    case "bulk":
      emitBulk(maker, instance.opcode);
      break;
    case "fence":
      emitFence(maker);
      break;
    case "atomic":
      emitAtomic(maker, instance);
      break;
    case "call":
      callSomething(maker);
      break;
    case "guard":
      emitGuard(maker, instance);
      break;
    case "patchpoint":
      emitPatchpoint(maker, instance.opcode);
      break;
    default: // everything is switched off
      maker.emit(Op.Add, Int32, maker.pickValue(Int32), maker.constant(Int32));
  }
}

/** Percentage, for an instance of weight one. */
const TESTED = 3400;

/** Appends a pure instruction whose result only a guard or a later condition uses. */
function emitTested(maker: ProcedureMaker, instance: OpcodeInstance): void {
  const scope = maker.mark();
  const result = emitPure(maker, instance);
  maker.release(scope);
  const boundary = maker.constantOf(result.type, ...drawBoundary(maker.source, result.type));
  const flag = maker.markFree(maker.append(Op.Equal, Int32, result, boundary));
  if (maker.chance(50) && maker.dials.guards > 0) guardAgainst(maker, flag);
  else maker.flags.push(flag);
}

// Repeats an opcode on the same operands, or with one operand swapped or replaced: a common
// subexpression, or nearly one. Or applies another opcode to the same operands, since facts that a
// compiler derives from one must hold for the other.
function repeatExpression(maker: ProcedureMaker): void {
  const list = maker.live[drawType(maker.source, maker.swarm)];
  for (let tries = 0; tries < 4 && list.length > 0; tries++) {
    const old = list[maker.below(list.length)];
    if (old.a === null || !isTotal(old.opcode, old.a.type)) continue;
    let { a, b } = old;
    if (b !== null && a.type === b.type && maker.chance(20)) [a, b] = [b, a];
    const other = maker.chance(30) ? anotherOn(maker, a.type, b?.type ?? null) : null;
    if (other === null && b !== null && maker.chance(25)) b = maker.pick(b.type);
    const { opcode, result } = other ?? { opcode: old.opcode, result: old.type };
    // The operands dominate the old value, and the old value dominates the current point.
    maker.emitClosing(opcode, result, a, b, other === null ? old.c : null);
    return;
  }
  emitInstance(maker);
}

/**
 * Returns an operation on operands of these types with equal probability; null if there is none.
 */
function anotherOn(maker: ProcedureMaker, first: Type, second: Type | null): OpcodeInstance | null {
  const { instances } = maker.swarm;
  const count = second === null ? 1 : 2;
  const start = maker.below(Math.max(1, instances.length));
  for (let i = 0; i < instances.length; i++) {
    const instance = instances[(start + i) % instances.length];
    const { kind, operands } = instance;
    if (kind !== "pure" || operands.length !== count || operands[0] !== first) continue;
    if (second === null || operands[1] === second) return instance;
  }
  return null;
}

// Emits Upsilon and Phi out of edge form: an Upsilon anywhere, and the Phi in a later block, at
// times in a loop.
function emitVariable(maker: ProcedureMaker): void {
  const { variables } = maker;
  const roll = maker.below(4);
  const variable = variables.length === 0 ? null : variables[maker.below(variables.length)];
  if (variable === null || roll === 0) {
    const phi = maker.proc.newValue(Op.Phi, drawType(maker.source, maker.swarm));
    maker.upsilon(maker.pick(phi.type), phi);
    variables.push({ phi, isPlaced: false });
    return;
  }
  if (roll === 3 && !variable.isPlaced) {
    variable.isPlaced = true;
    maker.place(variable.phi, isFloating(variable.phi.type));
    return;
  }
  maker.upsilon(maker.pick(variable.phi.type), variable.phi);
}

function callSomething(maker: ProcedureMaker): void {
  // Half of the calls are to one of the few functions that read the heap. Some calls are to
  // functions that other makers do not call.
  const rare = maker.chance(12) ? PURE_FUNCTIONS : ANYWHERE;
  const hosts = maker.chance(50) ? HEAP_READERS : rare;
  const first = maker.below(hosts.length);
  for (let i = 0; i < hosts.length; i++) {
    const host = hosts[(first + i) % hosts.length];
    if (!canCall(maker, host)) continue;
    emitCall(
      maker,
      host,
      host.parameters.map((type) => maker.pick(type)),
    );
    return;
  }
}
const ANYWHERE = HOST_FUNCTIONS.filter((host) => host.kept === null);
const HEAP_READERS = HOST_FUNCTIONS.filter(readsHeap);
const PURE_FUNCTIONS = HOST_FUNCTIONS.filter((host) => host.class === "pure");

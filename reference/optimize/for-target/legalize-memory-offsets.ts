// Turns offsets that no load or store of the target can encode into additions, which several
// accesses can share.
//
//   Load(p, offset = 0x12345)    ->    q = Add(p, 0x12000); Load(q, offset = 0x345)
//
// The addition takes a multiple of 4096 and leaves the rest as offset, if the access can encode
// that; else it takes the whole offset. Addresses are modulo 2^64, so nothing overflows. Accesses
// to stack slots are excluded, because their positions in the frame are not known yet.
//
// Assumes a valid program, in any form of Phi. Later phases of a target must not restore offsets. A
// sum is shared within a block. Each access is one application.

import { EFFECTS, Op, WRITES_MEMORY } from "../../../src/ir/opcodes.js";
import {
  type BasicBlock,
  isMemoryAccess,
  type Procedure,
  type Value,
} from "../../../src/ir/procedure.js";
import { Int64, type Type } from "../../../src/ir/types.js";
import type { TargetName } from "../../target/target.js";
import { AliasAnalysis, HEAP } from "../analysis/alias.js";
import type { OptimizeContext } from "../edit/context.js";
import { takesImmediate } from "./machine-facts.js";

const NAME = "legalize-memory-offsets";
/**
 * The offset up to which every access of every target can encode it; most offsets are that small.
 */
const SMALL_MAX = 255;
const PAGE = 4096;

export function legalizeMemoryOffsets(proc: Procedure, context: OptimizeContext): boolean {
  const { target } = context;
  if (target === null || !hasFarOffset(proc, target)) return false;
  const { order } = context.flow(proc);
  const aliases = new AliasAnalysis(proc, { order }, context);
  const before = context.applications;
  for (let b = 0; b < order.length; b++) {
    const block = order[b];
    const { values } = block;
    const sums: Value[] = [];
    for (let i = 0; i < values.length; i++) {
      const access = values[i];
      if (!isFar(access, target) || aliases.space[access.id] !== HEAP) continue;
      if (!context.claim(NAME, access)) return context.applications !== before;
      i += legalize(proc, block, i, target, sums);
    }
  }
  return context.applications !== before;
}

function hasFarOffset({ blocks }: Procedure, target: TargetName): boolean {
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) if (isFar(values[i], target)) return true;
  }
  return false;
}

function isFar(value: Value, target: TargetName): boolean {
  if (!isMemoryAccess(value)) return false;
  const { offset: lo } = value;
  if (lo >= 0 && lo <= SMALL_MAX) return false;
  return !takesOffset(value, target, lo);
}

function takesOffset(access: Value, target: TargetName, offset: number): boolean {
  return takesImmediate(target, access.opcode, typeOf(access), offset, offset >> 31);
}

function typeOf({ opcode, type, a }: Value): Type {
  return (EFFECTS[opcode] & WRITES_MEMORY) !== 0 && a !== null ? a.type : type;
}

/** Legalizes an access; returns the number of values inserted before it. */
function legalize(
  proc: Procedure,
  block: BasicBlock,
  at: number,
  target: TargetName,
  sums: Value[],
): number {
  const access = block.values[at];
  const { address, offset: lo } = access;
  const rest = lo & (PAGE - 1);
  const moved = takesOffset(access, target, rest) ? lo - rest : lo;
  const known = sums.find(({ a, b }) => a === address && b?.constantLow === moved);
  let sum = known;
  if (sum === undefined) {
    const distance = proc.newConstant(Int64, moved, moved >> 31);
    sum = proc.newValue(Op.Add, Int64, address, distance);
    distance.block = block;
    sum.block = block;
    sums.push(sum);
    block.values.splice(at, 0, distance, sum);
  }
  if ((EFFECTS[access.opcode] & WRITES_MEMORY) !== 0) access.b = sum;
  else access.a = sum;
  access.offset = lo - moved;
  return known === undefined ? 2 : 0;
}

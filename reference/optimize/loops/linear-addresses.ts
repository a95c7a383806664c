// Rewrites addresses in a copy of a counted loop, in which each index equals its exact number. If
// an index is a loop-invariant start plus the counter, the address of the start is computed
// outside. Any other address whose index is linear in the counter becomes a variable of the loop.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64 } from "../../../src/ir/types.js";
import type { Loop } from "../analysis/loops.js";
import type { DuplicateBlocks } from "../edit/duplicate-blocks.js";
import { newUpsilon } from "../edit/upsilons.js";
import { isNatural, type LoopCounter } from "./counted-loops.js";
import { type ExactNumberBuilder, insertBeforeEnd, isLong } from "./exact-numbers.js";

export interface CountedLoop {
  readonly loop: Loop;
  readonly preheader: BasicBlock;
  readonly counter: LoopCounter;
}

/**
 * Rewrites addresses of a loop copy to use exact 64-bit indices.
 * @param indices indices of the original loop whose exact numbers are known
 * @param extension the opcode by which addresses extend them
 */
export function rewriteAddresses(
  proc: Procedure,
  { loop, preheader, counter }: CountedLoop,
  exact: ExactNumberBuilder,
  copies: DuplicateBlocks,
  indices: readonly Value[],
  extension: Opcode,
): void {
  const copyOf = (block: BasicBlock): BasicBlock => copies.blocks.get(block) ?? block;
  const copied = new Set(loop.blocks.map(copyOf));
  const [header, latch] = [copyOf(loop.header), copyOf(loop.latches[0])];
  const start = exact.extended(counter.start);
  for (const block of copied) {
    if (block === header) continue;
    for (const address of block.values.slice()) {
      const parts = partsOf(address, extension);
      if (parts === null || (parts.base.block !== null && copied.has(parts.base.block))) continue;
      const index = indices.find((one) => copies.values.get(one) === parts.index);
      if (index === undefined || index === counter.phi || isInFrame(parts.base)) continue;
      const above = (from: Value): Value =>
        exact.make(Op.Add, Int64, parts.base, exact.shifted(from, parts.shift));
      const growth = exact.growth(index);
      const k = copies.values.get(counter.phi);
      if (isLong(growth, 1) && isNatural(counter.start) && k !== undefined) {
        address.a = above(exact.of(index, exact.long(0)));
        address.b = scaled(proc, k, parts.shift, address);
      } else if (!isLong(growth, 1) || extension !== Op.ZExt32) {
        const phi = proc.newValue(Op.Phi, Int64);
        phi.block = header;
        header.values.unshift(phi);
        const first = above(exact.of(index, start));
        insertBeforeEnd(preheader, newUpsilon(proc, preheader, first, phi));
        const step = exact.product(growth, exact.extended(counter.step));
        const next = proc.newValue(Op.Add, Int64, phi);
        next.b = exact.shifted(step, parts.shift);
        insertBeforeEnd(latch, next);
        insertBeforeEnd(latch, newUpsilon(proc, latch, next, phi));
        address.becomes(phi);
      }
    }
  }
}

interface AddressParts {
  readonly base: Value;
  readonly index: Value;
  readonly shift: number;
}

/**
 * Returns the parts of an address: a base, and an index extended by that opcode and possibly
 * shifted.
 */
export function partsOf({ opcode, type, a, b }: Value, extension: Opcode): AddressParts | null {
  if (opcode !== Op.Add || type !== Int64 || a === null || b === null) return null;
  return partsWith(a, b, extension) ?? partsWith(b, a, extension);
}

function partsWith(base: Value, offset: Value, extension: Opcode): AddressParts | null {
  const { opcode, a, b } = offset;
  const isShifted = opcode === Op.Shl && b !== null && b.isConstant;
  const extended = isShifted ? a : offset;
  if (extended?.opcode !== extension || extended.a === null) return null;
  return { base, index: extended.a, shift: isShifted ? b.constantLow & 63 : 0 };
}

/** True for an address in the frame, which no Phi may contain. */
export function isInFrame({ opcode, a, b }: Value): boolean {
  if (opcode === Op.SlotBase || opcode === Op.FramePointer) return true;
  if (opcode !== Op.Add && opcode !== Op.Identity && opcode !== Op.Opaque) return false;
  return (a !== null && isInFrame(a)) || (b !== null && isInFrame(b));
}

/** Creates the extended and shifted index before its user. */
function scaled(proc: Procedure, index: Value, shift: number, user: Value): Value {
  const { block } = user;
  const place = (value: Value): Value => {
    value.block = block;
    block?.values.splice(block.values.indexOf(user), 0, value);
    return value;
  };
  const wide = proc.newValue(Op.ZExt32, Int64, index);
  place(wide);
  if (shift === 0) return wide;
  const value = proc.newValue(Op.Shl, Int64, wide);
  value.b = place(proc.newConstant(Int32, shift, 0));
  return place(value);
}

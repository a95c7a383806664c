// Rewrites a program to an equivalent one: it replaces operations by identities, and changes the
// structure.

import { nameOfOpcode, OPCODE_COUNT } from "../ir/opcodes.js";
import type { BasicBlock, Module, Procedure, Value } from "../ir/procedure.js";
import { wordsOf } from "../ir/words.js";
import { SeedSource } from "../support/source.js";
import { addressesOf } from "./addresses.js";
import { identityOf } from "./identities.js";
import { CHANGES } from "./shape.js";

/** The percentage of opcodes that a seed rewrites. */
const REWRITTEN = 70;

/** The percentage of programs to which each structural change applies. */
const RESHAPED = 40;

/**
 * Rewrites the module in place. The seed selects opcodes and structural changes, so a reduced
 * program is rewritten in the same way.
 */
export function rewrite(module: Module, seed: bigint): void {
  const source = new SeedSource(seed, "equivalence");
  const chosen = Uint8Array.from({ length: OPCODE_COUNT }, () =>
    source.below(100) < REWRITTEN ? 1 : 0,
  );
  const changes = CHANGES.filter(() => source.below(100) < RESHAPED);
  for (const proc of module.procedures) {
    for (const { make } of changes) make(proc, addressesOf(proc));
    const addresses = addressesOf(proc);
    for (const block of proc.blocks) rewriteBlock(proc, block, chosen, addresses);
  }
}

function rewriteBlock(
  proc: Procedure,
  block: BasicBlock,
  chosen: Uint8Array,
  addresses: ReadonlySet<Value>,
): void {
  const { values } = block;
  block.values = [];
  for (const value of values) {
    if (chosen[value.opcode] === 1 && !addresses.has(value)) rewriteValue(proc, block, value);
    block.values.push(value);
  }
}

function rewriteValue(proc: Procedure, block: BasicBlock, value: Value): void {
  const { a: x } = value;
  if (x === null) return;
  const identity = identityOf(nameOfOpcode(value.opcode), x.type);
  if (identity === null) return;
  const { opcode, operands } = identity({
    type: x.type,
    x,
    y: value.b ?? x,
    z: value.c ?? x,
    emit: (opcode, type, a, b, c) => block.append(proc.newValue(opcode, type, a, b, c)),
    integer: (type, number) => block.append(proc.newConstant(type, ...wordsOf(type, number))),
  });
  value.opcode = opcode;
  [value.a = null, value.b = null, value.c = null] = operands;
}

// Tests that earlier compiles do not change the code of later ones. Arenas grow and are reused. An
// arena that is too short loses writes silently, but only for certain sizes after certain other
// sizes.

import test from "ava";
import { ENVIRONMENT } from "../src/execute/machine/environment.js";
import type { Module } from "../src/ir/procedure.js";
import { parseModule } from "../src/ir/text/parse.js";
import { trials } from "../src/support/trials.js";
import { Compiler } from "./compile.js";
import { ALLOCATOR_NAMES, type AllocatorName } from "./regalloc/allocator-names.js";
import { TARGET_NAMES, type TargetName } from "./target/target.js";

/**
 * Returns a procedure of `blocks` blocks, most of them in diamonds. The last block uses the values
 * that the first block defines.
 */
function rowOf(blocks: number): Module {
  const lines = ["touchstone 1", "proc f(Int32 @0, Int32 @1) -> Int32", "#0:"];
  let id = 2;
  const made: number[] = [];
  for (let k = 0; k < blocks / 8; k++) {
    made.push(id);
    lines.push(`Int32 @${id} = Add(@${id - 1}, @0)`);
    id++;
  }
  const end = (text: string): void => void lines.push(`Void @${id++} = ${text}`);
  let b = 0;
  for (; b + 3 < blocks; b += 3) {
    if (b > 0) lines.push(`#${b}:`);
    end(`Branch(@0, #${b + 1}, #${b + 2})`);
    for (const arm of [b + 1, b + 2]) {
      lines.push(`#${arm}:`);
      end(`Jump(#${b + 3})`);
    }
  }
  for (; b < blocks - 1; b++) {
    if (b > 0) lines.push(`#${b}:`);
    end(`Jump(#${b + 1})`);
  }
  lines.push(`#${b}:`);
  let sum = 1;
  for (const value of made) {
    lines.push(`Int32 @${id} = BitXor(@${sum}, @${value})`);
    sum = id++;
  }
  end(`Return(@${sum})`);
  return parseModule(lines.join("\n"));
}

function codeOf(
  compiler: Compiler,
  module: Module,
  target: TargetName,
  allocator: AllocatorName,
): string {
  const { code } = compiler.generate(module, target, {
    environment: ENVIRONMENT,
    level: "O0",
    allocator,
    checkAllocation: true,
    listing: false,
  });
  return Buffer.from(code).toString("hex");
}

/** Sizes to which arenas grow. The test then compiles all sizes around the double of each. */
const JUMPS = [130, 188, 46, 70, 95].slice(0, trials(1, 5));
const ABOUT = 12;

for (const target of TARGET_NAMES) {
  for (const allocator of ALLOCATOR_NAMES) {
    test(`${target}, ${allocator}: code does not depend on earlier compiles`, (t) => {
      for (const jump of JUMPS) {
        const used = new Compiler();
        const sizes = Array.from({ length: 2 * ABOUT }, (_, k) => 2 * jump - ABOUT + k);
        for (const size of [4, jump, jump + 2, ...sizes]) {
          const module = rowOf(size);
          const expected = codeOf(new Compiler(), module, target, allocator);
          t.is(codeOf(used, module, target, allocator), expected, `${size} blocks, after ${jump}`);
        }
      }
    });
  }
}

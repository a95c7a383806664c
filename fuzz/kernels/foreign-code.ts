// C compiled by compilers of others, as an image of code like ours: it takes the heap and a size, and runs on
// the same processors, emulated and native, so that both are counted and timed in one way.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert } from "../../src/support/assert.js";

export const FOREIGN = ["clang-19 -O2", "gcc -O1", "gcc -O2"] as const;
export type Foreign = (typeof FOREIGN)[number];

/** Position-independent, without calls of libraries, and float operations one by one as ours. */
const FLAGS = "-c -fPIC -ffp-contract=off -fcf-protection=none -fno-stack-protector".split(" ");
const MORE_FLAGS = "-ffreestanding -fno-asynchronous-unwind-tables -ffunction-sections".split(" ");

/** The entry first; constants behind the code, which reads them relative to itself. */
const SCRIPT = `SECTIONS {
  . = 0;
  .all : { *(.text.kernel) *(.text*) *(.rodata*) *(.data*) }
  /DISCARD/ : { *(*) }
}
`;

const COMPILE_MILLISECONDS = 60_000;

/** The code of a file in C, its function `kernel` first; null where the compiler or linker is not here. */
export function foreignCode(by: Foreign, path: string): Uint8Array | null {
  const [compiler, level] = by.split(" ");
  if (![compiler, "ld"].every((tool) => spawnSync(tool, ["--version"]).status === 0)) return null;
  const folder = mkdtempSync(join(tmpdir(), "touchstone-foreign-"));
  const [script, object, image] = ["script", "kernel.o", "kernel"].map((n) => join(folder, n));
  try {
    writeFileSync(script, SCRIPT);
    call(compiler, [level, ...FLAGS, ...MORE_FLAGS, path, "-o", object]);
    call("ld", ["-T", script, "--oformat", "binary", "-e", "kernel", "-o", image, object]);
    return new Uint8Array(readFileSync(image));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function call(tool: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(tool, args, {
    encoding: "utf8",
    timeout: COMPILE_MILLISECONDS,
  });
  assert(status === 0, () => `${tool} ${args.join(" ")}: ${stderr}`);
}

// C compiled by compilers of others, as an image of code like ours: it takes the heap and a size, and runs on
// the same processors, emulated and native, so that both are counted and timed in one way.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TargetName } from "../../reference/target/target.js";
import { askProgram } from "../../src/support/ask-program.js";
import { assert } from "../../src/support/assert.js";

/** Ours has no vectors, so one of them is asked to do without. */
const LEVEL_FLAGS = {
  "clang-19 -O2": ["-O2"],
  "clang-19 -O2, no vectors": ["-O2", "-fno-vectorize", "-fno-slp-vectorize"],
  "gcc -O1": ["-O1"],
  "gcc -O2": ["-O2"],
} as const;
export type Foreign = keyof typeof LEVEL_FLAGS;
export const FOREIGN = Object.keys(LEVEL_FLAGS) as readonly Foreign[];

/** Position-independent, without calls of libraries, and float operations one by one as ours. */
const FLAGS = "-c -fPIC -ffp-contract=off -fno-stack-protector".split(" ");
const MORE_FLAGS = "-ffreestanding -fno-asynchronous-unwind-tables -ffunction-sections".split(" ");

interface Tools {
  /** By the first word of what it is called above: the command, and what it needs for this target. */
  readonly compilers: Readonly<Record<string, readonly string[]>>;
  /** What the names of the linker and of objcopy start with. */
  readonly binutils: string;
}

// biome-ignore format: a table
const TOOLS: { readonly [N in TargetName]: Tools } = {
  x64: {
    compilers: {
      "clang-19": ["clang-19", "-fcf-protection=none"],
      gcc:        ["gcc", "-fcf-protection=none"],
    },
    binutils: "",
  },
  arm64: {
    compilers: {
      "clang-19": ["clang-19", "--target=aarch64-linux-gnu"],
      gcc:        ["aarch64-linux-gnu-gcc"],
    },
    binutils: "aarch64-linux-gnu-",
  },
};

/** The entry first; constants behind the code, which reads them relative to itself. */
const SCRIPT = `SECTIONS {
  . = 0;
  .all : { *(.text.kernel) *(.text*) *(.rodata*) *(.data*) }
  /DISCARD/ : { *(*) }
}
`;

const COMPILE_MILLISECONDS = 60_000;

/** The code of a file in C, its function `kernel` first; null where the compiler or linker is not here. */
export function foreignCode(by: Foreign, target: TargetName, path: string): Uint8Array | null {
  const [name] = by.split(" ");
  const { compilers, binutils } = TOOLS[target];
  const [compiler, ...own] = compilers[name];
  const [linker, copier] = ["ld", "objcopy"].map((tool) => binutils + tool);
  if (![compiler, linker, copier].every((tool) => askProgram(tool, ["--version"]).status === 0))
    return null;
  const folder = mkdtempSync(join(tmpdir(), "touchstone-foreign-"));
  const [script, object, linked, image] = ["script", "object", "linked", "image"].map((n) =>
    join(folder, n),
  );
  try {
    writeFileSync(script, SCRIPT);
    call(compiler, [...LEVEL_FLAGS[by], ...own, ...FLAGS, ...MORE_FLAGS, path, "-o", object]);
    call(linker, ["-T", script, "-e", "kernel", "-o", linked, object]);
    call(copier, ["-O", "binary", linked, image]);
    return new Uint8Array(readFileSync(image));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function call(tool: string, args: readonly string[]): void {
  const { status, stderr } = askProgram(tool, args, { timeMs: COMPILE_MILLISECONDS });
  assert(status === 0, () => `${tool} ${args.join(" ")}: ${stderr}`);
}

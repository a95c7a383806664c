// Compiles C by other compilers to an image with the interface of the project's code: it takes the
// heap and a size. It runs on the same emulated and native processors, so both kinds of code are
// counted and timed in the same way.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TargetName } from "../../../reference/target/target.js";
import { askProgram } from "../../../src/support/ask-program.js";
import { assert } from "../../../src/support/assert.js";

/** The project's code has no vectors, so one variant of clang is compiled without them. */
const LEVEL_FLAGS = {
  "clang-19 -O2": ["-O2"],
  "clang-19 -O2, no vectors": ["-O2", "-fno-vectorize", "-fno-slp-vectorize"],
  "gcc -O1": ["-O1"],
  "gcc -O2": ["-O2"],
} as const;
export type ForeignCompiler = keyof typeof LEVEL_FLAGS;
export const FOREIGN = Object.keys(LEVEL_FLAGS) as readonly ForeignCompiler[];

/**
 * Position-independent code without library calls, and with the same float operations as the
 * project's code.
 */
const FLAGS = "-c -fPIC -ffp-contract=off -fno-stack-protector".split(" ");
const MORE_FLAGS = "-ffreestanding -fno-asynchronous-unwind-tables -ffunction-sections".split(" ");

interface ForeignToolchain {
  /** By the first word of the names above: the command and its arguments for this target. */
  readonly compilers: Readonly<Record<string, readonly string[]>>;
  /** The prefix of the names of the linker and of objcopy. */
  readonly binutils: string;
}

// biome-ignore format: a table
const TOOLS: { readonly [N in TargetName]: ForeignToolchain } = {
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

/** Places the entry first, and constants after the code, which reads them relative to itself. */
const SCRIPT = `SECTIONS {
  . = 0;
  .all : { *(.text.kernel) *(.text*) *(.rodata*) *(.data*) }
  /DISCARD/ : { *(*) }
}
`;

const COMPILE_MILLISECONDS = 60_000;

/**
 * Returns the code of a C file, with its function `kernel` first; null if the compiler or the
 * linker is missing.
 */
export function foreignCode(
  by: ForeignCompiler,
  target: TargetName,
  path: string,
): Uint8Array | null {
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

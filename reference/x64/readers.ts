// Two independent readers of x86-64 code, for tests: the Capstone disassembler, and GNU `as` if it
// is installed.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Disassembler {
  disasm(
    bytes: Uint8Array,
    options: { address: number; count: number },
  ): { mnemonic: string; opStr: string; size: number }[];
}
interface CapstoneModule {
  loadCapstone(): Promise<void>;
  readonly Capstone: new (architecture: number, mode: number) => Disassembler;
  readonly Const: { readonly CS_ARCH_X86: number; readonly CS_MODE_64: number };
}
// Required, not imported: module resolution does not find the types that the package declares.
const capstone: CapstoneModule = createRequire(import.meta.url)("capstone-wasm");
await capstone.loadCapstone();

export const disassembler = new capstone.Capstone(
  capstone.Const.CS_ARCH_X86,
  capstone.Const.CS_MODE_64,
);

/** The command of GNU `as`; null if there is none. */
export const gnuAssembler: string | null =
  ["x86_64-linux-gnu-as", "as"].find(
    (name) => spawnSync(name, ["--64", "--version"]).status === 0,
  ) ?? null;

/** Returns the `.text` section assembled from lines in Intel syntax. */
export function assemble(command: string, lines: readonly string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-as-"));
  try {
    const [source, object, image] = ["in.s", "out.o", "out.bin"].map((file) => join(folder, file));
    writeFileSync(source, [".intel_syntax noprefix", ...lines, ""].join("\n"));
    execFileSync(command, ["--64", "-o", object, source], { stdio: "pipe" });
    const objcopy = command.replace(/as$/, "objcopy");
    execFileSync(objcopy, ["-O", "binary", "-j", ".text", object, image], { stdio: "pipe" });
    return readFileSync(image);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// Decodes bytes of code with an independent disassembler: GNU objdump, if it is installed and supports the target. A
// comparison with the assembler's listing shows a wrong encoding.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TargetName } from "../../reference/target/target.js";
import { askProgram } from "../support/ask-program.js";

/** The disassembler of each target: a command and its options. */
const DISASSEMBLERS: { readonly [T in TargetName]: readonly [string, ...string[]] } = {
  x64: ["objdump", "-m", "i386:x86-64", "-M", "intel"],
  arm64: ["aarch64-linux-gnu-objdump", "-m", "aarch64"],
};
/** The size of the longest instruction, in bytes. */
const INSTRUCTION_BYTES_MAX = 15;
const TIME_LIMIT_MS = 5000;

/** Returns the offsets and the intended instructions of a listing. */
export function listedInstructions(
  listing: readonly string[],
): { readonly offset: number; readonly meant: string }[] {
  return listing.flatMap((line) => {
    const [, offset, meant] = /^([0-9a-f]{4,}) {2}(.*)$/.exec(line) ?? [];
    return offset === undefined ? [] : [{ offset: Number.parseInt(offset, 16), meant }];
  });
}

/**
 * Returns, by offset, the instructions that a processor decodes from `start`. The last may extend beyond `end` if an
 * instruction was decoded as a longer one. Empty without a disassembler.
 */
export function disassemble(
  target: TargetName,
  code: Uint8Array,
  start: number,
  end: number,
): ReadonlyMap<number, string> {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-code-"));
  const file = join(folder, "code");
  try {
    writeFileSync(file, code.subarray(start, end + INSTRUCTION_BYTES_MAX));
    const [command, ...machine] = DISASSEMBLERS[target];
    const options = ["-D", "-b", "binary", ...machine, "--no-show-raw-insn", file];
    const { status, stdout } = askProgram(command, options, { timeMs: TIME_LIMIT_MS });
    return status === 0 ? linesOf(stdout, start, end) : new Map();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function linesOf(text: string, start: number, end: number): Map<number, string> {
  const lines = new Map<number, string>();
  for (const [, offset, line] of text.matchAll(/^ *([0-9a-f]+):\t(.*)$/gm)) {
    const at = start + Number.parseInt(offset, 16);
    if (at < end) lines.set(at, line.replace(/\s+/g, " ").trim());
  }
  return lines;
}

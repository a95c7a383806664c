// Checks that the bytes of code encode the intended instructions: objdump decodes them, and both texts are normalized.
// If the processor and the emulator disagree, this distinguishes a wrong encoding, which they decode differently, from
// a wrong emulator.

import type { TargetName } from "../../reference/target/target.js";
import { disassemble, listedInstructions } from "./disassemble.js";

/**
 * The greatest number of differences that are decoded again: after data in the code, objdump may have started at a
 * wrong byte.
 */
const DIFFERENCES_MAX = 20;

/**
 * Returns the first instruction that is decoded differently than intended, in a sentence; null if there is none, or if
 * no disassembler is available.
 */
export function wrongEncodingIn(
  target: TargetName,
  code: Uint8Array,
  listing: readonly string[],
): string | null {
  if (target !== "x64") return null; // code runs on the processor only for that target
  const decoded = disassemble(target, code, 0, code.length);
  if (decoded.size === 0) return null;
  const written = listedInstructions(listing);
  let differences = 0;
  for (const [k, { offset, meant }] of written.entries()) {
    // Skip data, which is no instruction, and branches to labels, whose distances the linker sets.
    if (/^\.|\bL\d+/.test(meant) || isSameText(meant, decoded.get(offset) ?? "")) continue;
    if (differences++ === DIFFERENCES_MAX) return null;
    const end = written[k + 1]?.offset ?? code.length;
    const again = disassemble(target, code, offset, end).get(offset) ?? "";
    if (isSameText(meant, again)) continue;
    const bytes = Buffer.from(code.subarray(offset, end)).toString("hex");
    return `${meant} is written as ${bytes}, which reads ${again}`;
  }
  return null;
}

/** Compares two texts. The listing has signs and decimals; objdump prints widths, a factor of 1 and a distance of 0. */
function isSameText(meant: string, read: string): boolean {
  const [ours, theirs] = [meant, read].map(normalized);
  if (ours === theirs) return true;
  const [x, y] = [immediateOf(ours), immediateOf(theirs)];
  if (x === null || y === null || x.before !== y.before) return false;
  return BigInt.asUintN(x.width, x.value) === BigInt.asUintN(x.width, y.value);
}

const normalized = (text: string): string =>
  text
    .toLowerCase()
    .replace(/#.*$/, "")
    .replace(/\b(0x[0-9a-f]+|\d+)\b/g, (number) => `0x${BigInt(number).toString(16)}`)
    .replace(/\*0x1\b/g, "")
    .replace(/\s+/g, "")
    .replace("+0x0]", "]");

function immediateOf(text: string) {
  const [, before, sign, digits] = /^(.*,)(-?)(0x[0-9a-f]+)$/.exec(text) ?? [];
  if (before === undefined) return null;
  const width = /byteptr/.test(before) ? 8 : /[^dq]wordptr/.test(before) ? 16 : 32;
  const value = BigInt(digits);
  return {
    before,
    width: before.startsWith("movabs") ? 64 : width,
    value: sign === "" ? value : -value,
  };
}

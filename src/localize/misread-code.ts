// Whether the bytes of code are what the assembler was told to write: objdump reads them, and both texts
// are normalized. Where the processor and the emulator disagree, this tells a wrong encoding, which they
// read differently, from a wrong emulator.

import type { TargetName } from "../../reference/target/target.js";
import { readBytes } from "./read-bytes.js";

/** So many differences are read again: behind data in the code objdump may have started at a wrong byte. */
const SUSPICIONS_MAX = 20;

/**
 * The first instruction that is read as another than was meant, in a sentence; null where there is
 * none, or where nothing can read the code.
 */
export function misreadIn(
  target: TargetName,
  code: Uint8Array,
  listing: readonly string[],
): string | null {
  if (target !== "x64") return null; // only there does code run on the processor
  const readings = readBytes(target, code, 0, code.length);
  if (readings.size === 0) return null;
  const written = listing.flatMap((line) => {
    const [, offset, meant] = /^([0-9a-f]{4,}) {2}(.*)$/.exec(line) ?? [];
    return offset === undefined ? [] : [{ offset: Number.parseInt(offset, 16), meant }];
  });
  let suspicions = 0;
  for (const [k, { offset, meant }] of written.entries()) {
    // Distances to labels are the linker's, and data is none of it.
    if (/^\.|\bL\d+/.test(meant) || isSame(meant, readings.get(offset) ?? "")) continue;
    if (suspicions++ === SUSPICIONS_MAX) return null;
    const end = written[k + 1]?.offset ?? code.length;
    const read = readBytes(target, code, offset, end).get(offset) ?? "";
    if (isSame(meant, read)) continue;
    const bytes = Buffer.from(code.subarray(offset, end)).toString("hex");
    return `${meant} is written as ${bytes}, which reads ${read}`;
  }
  return null;
}

/** Ours writes signs and decimals, objdump widths, a factor of 1 and a distance of 0. */
function isSame(meant: string, read: string): boolean {
  const [ours, theirs] = [meant, read].map(plain);
  if (ours === theirs) return true;
  const [x, y] = [immediateOf(ours), immediateOf(theirs)];
  if (x === null || y === null || x.before !== y.before) return false;
  return BigInt.asUintN(x.width, x.value) === BigInt.asUintN(x.width, y.value);
}

const plain = (text: string): string =>
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

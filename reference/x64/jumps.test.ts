// Tests jumps of both forms against two independent readers: the Capstone disassembler, and GNU
// `as` if it is installed, which chooses between the forms by itself.

import test from "ava";
import { SeedSource } from "../../src/support/source.js";
import { CodeBuffer } from "../emit/code-buffer.js";
import { X64Assembler } from "./assembler.js";
import { DEFAULT_ROWS, EncodingForm, X64 } from "./encodings.js";
import { assemble, disassembler, gnuAssembler } from "./readers.js";

const ROWS = DEFAULT_ROWS.names.flatMap((_, row) =>
  (DEFAULT_ROWS.shapes[row] & EncodingForm.Label) !== 0 ? [row] : [],
);

/** The position of a jump, and its target label. */
interface Jump {
  readonly row: number;
  readonly start: number;
  readonly target: number;
}

/** Returns each jump to near and far labels, before and after it, between others of its kind. */
function jumps(seed: bigint): { code: CodeBuffer; placed: readonly Jump[] } {
  const source = new SeedSource(seed);
  const code = new CodeBuffer();
  code.listing = [];
  const asm = new X64Assembler(code);
  const labels = Array.from({ length: 8 * ROWS.length }, () => code.newLabel());
  const unbound = [...labels];
  const placed: Jump[] = [];
  for (const _ of labels) {
    for (const row of ROWS) {
      const start = code.newLabel();
      code.bind(start);
      const near = Math.max(0, labels.length - unbound.length - 4 + source.below(8));
      const target =
        labels[source.below(4) === 0 ? source.below(labels.length) : near % labels.length];
      asm.jump(row, target);
      placed.push({ row, start, target });
      if (source.below(8) === 0 && unbound.length > 0) code.bind(unbound.shift() ?? 0);
      for (let n = source.below(6); n > 0; n--) asm.op(X64.cdq);
    }
  }
  for (const label of unbound) code.bind(label);
  asm.op(X64.ret);
  code.resolve();
  return { code, placed };
}

test("a disassembler reads each jump as the intended one, to its label", (t) => {
  const { code, placed } = jumps(1n);
  const sizes = new Map<string, number>();
  for (const { row, start, target } of placed) {
    const at = code.offsetOf(start);
    const bytes = code.bytes.subarray(at, at + 16);
    const [read] = disassembler.disasm(bytes, { address: at, count: 1 });
    const mnemonic = DEFAULT_ROWS.mnemonics[row];
    t.is(`${read.mnemonic} ${read.opStr}`, `${mnemonic} 0x${code.offsetOf(target).toString(16)}`);
    const form = `${mnemonic} ${read.size}`;
    sizes.set(form, (sizes.get(form) ?? 0) + 1);
  }
  // Two forms of each, and one of the call.
  t.is(sizes.size, 2 * ROWS.length - 1);
  t.true(Math.min(...sizes.values()) >= 10, JSON.stringify([...sizes]));
});

(gnuAssembler === null ? test.skip : test)("GNU as chooses the same forms", (t) => {
  for (let seed = 0n; seed < 4n; seed++) {
    const { code } = jumps(seed);
    const lines = (code.listing ?? []).map((line) => line.replace(/^[0-9a-f]{4,} {2}/, ""));
    const theirs = assemble(gnuAssembler ?? "as", lines);
    const ours = Buffer.from(code.bytes.buffer, 0, code.size);
    t.is(theirs.length, ours.length, `seed ${seed}`);
    t.is(theirs.compare(ours), 0, `seed ${seed}`);
  }
});

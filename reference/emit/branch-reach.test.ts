// Tests long forms of branches: every branch reaches its label, and no branch is long that could be
// short. Also tests short loops: a loop that fits a line lies in one.

import test from "ava";
import { type ChoiceSource, SeedSource } from "../../src/support/source.js";
import { Arm64Assembler } from "../arm64/assembler.js";
import { A64, Cond } from "../arm64/encodings.js";
import { X64Assembler } from "../x64/assembler.js";
import { X64 } from "../x64/encodings.js";
import { CodeBuffer } from "./code-buffer.js";

const PROGRAMS = 300;
const LABELS = 6;
const SITES = 60;
/** The number of the first label's mark; marks identify the target of a branch. */
const MARK_FIRST = 1000;

/** Writes the instructions that the test reads back. */
interface Writer {
  mark(number: number): void;
  nop(): void;
  /** Writes a branch, and after it an instruction that is no `b` or `jmp` of the program. */
  branch(source: ChoiceSource, label: number): void;
}

/** An instruction as it is read back. */
type ReadInstruction =
  | { readonly kind: "mark"; readonly size: number; readonly number: number }
  | { readonly kind: "other"; readonly size: number }
  | {
      readonly kind: "branch";
      readonly size: number;
      readonly to: number;
      readonly isLong: boolean;
    };

interface Machine {
  readonly name: string;
  readonly reachStep: number;
  readonly reachMax: number;
  /**
   * From the branch to the position at which distances are counted; and the additional bytes of the
   * long form.
   */
  readonly origin: number;
  readonly longer: (read: ReadInstruction) => number;
  readonly splits: boolean;
  readonly writer: (code: CodeBuffer) => Writer;
  readonly read: (view: DataView, at: number) => ReadInstruction;
}

const signed = (word: number, shift: number, bits: number): number =>
  (word << (32 - bits - shift)) >> (32 - bits);

const ARM64: Machine = {
  name: "arm64",
  reachStep: 4,
  reachMax: 1 << 20,
  origin: 0,
  longer: () => 4,
  splits: true,
  writer: (code) => {
    const asm = new Arm64Assembler(code);
    return {
      mark: (number) => asm.dij(A64.movzx, 0, number, 0),
      nop: () => asm.op(A64.nop),
      branch: (source, label) => {
        const kind = source.below(3);
        if (kind === 0) asm.branchReg(A64.cbzw, 5, label);
        else if (kind === 1) asm.branchCond(A64.bcond, Cond.gt, label);
        else asm.branchReg(A64.adr, 7, label);
        asm.i(A64.brk, 0);
      },
    };
  },
  read: (view, at) => {
    const word = view.getInt32(at, true);
    const next = at + 4 < view.byteLength ? view.getInt32(at + 4, true) : 0;
    if (word === NOP || word === BRK) return { kind: "other", size: 4 };
    if ((word & 0xffe0_001f) === MARK)
      return { kind: "mark", size: 4, number: (word >> 5) & 0xffff };
    if ((word & 0x9f00_0000) === (0x9000_0000 | 0)) {
      const pages = (signed(word, 5, 19) << 2) | ((word >>> 29) & 3);
      const to = (((at >> 12) + pages) << 12) + ((next >>> 10) & 0xfff);
      return { kind: "branch", size: 8, to, isLong: true };
    }
    if ((word & 0x1f00_0000) === 0x1000_0000) {
      const to = at + ((signed(word, 5, 19) << 2) | ((word >>> 29) & 3));
      return { kind: "branch", size: 4, to, isLong: false };
    }
    const words = signed(word, 5, 19);
    if (words === 2 && (next & 0xfc00_0000) === 0x1400_0000) {
      return { kind: "branch", size: 8, to: at + 4 + 4 * signed(next, 0, 26), isLong: true };
    }
    return { kind: "branch", size: 4, to: at + 4 * words, isLong: false };
  },
};
const NOP = 0xd503_201f | 0;
const BRK = 0xd420_0000 | 0;
/** `movz x0, #n` without its number. */
const MARK = 0xd280_0000 | 0;

const JUMP_ROWS = [X64.jmp, X64.jo, X64.je, X64.jg] as const;

const AMD64: Machine = {
  name: "x64",
  reachStep: 1,
  reachMax: 128,
  origin: 2,
  longer: ({ size }) => size - 2,
  splits: false,
  writer: (code) => {
    const asm = new X64Assembler(code);
    return {
      mark: (number) => asm.ri(X64.movlImm, 0, number),
      nop: () => asm.op(X64.cdq),
      branch: (source, label) => asm.jump(JUMP_ROWS[source.below(JUMP_ROWS.length)], label),
    };
  },
  read: (view, at) => {
    const byte = view.getUint8(at);
    if (byte === 0x99) return { kind: "other", size: 1 };
    if (byte === 0xb8) return { kind: "mark", size: 5, number: view.getInt32(at + 1, true) };
    if (byte === 0xeb || byte >> 4 === 7) {
      return { kind: "branch", size: 2, to: at + 2 + view.getInt8(at + 1), isLong: false };
    }
    const size = byte === 0xe9 ? 5 : 6;
    const to = at + size + view.getInt32(at + size - 4, true);
    return { kind: "branch", size, to, isLong: true };
  },
};

for (const machine of [ARM64, AMD64]) {
  test(`every branch of ${machine.name} reaches its label by the form that it needs`, (t) => {
    const { reachStep, reachMax, origin, longer, splits } = machine;
    const forms = { short: 0, long: 0 };
    for (let seed = 0; seed < PROGRAMS; seed++) {
      const source = new SeedSource(BigInt(seed));
      const asked = reachStep * (8 / reachStep + source.below(200));
      const reach = Math.min(asked, reachMax);
      const code = new CodeBuffer();
      const writer = machine.writer(code);
      const labels = Array.from({ length: LABELS }, () => code.newLabel());
      const places = labels.map(() => source.below(SITES)).sort((a, b) => a - b);
      const targets: number[] = [];
      for (let site = 0; site < SITES; site++) {
        labels.forEach((label, l) => {
          if (places[l] !== site) return;
          code.bind(label);
          writer.mark(MARK_FIRST + l);
        });
        for (let n = source.below(8); n > 0; n--) writer.nop();
        const target = source.below(LABELS);
        targets.push(target);
        writer.branch(source, labels[target]);
      }
      const split = code.resolve(asked);
      const view = new DataView(code.bytes.buffer, 0, code.size);
      let long = 0;
      for (let at = 0, site = 0; at < code.size; ) {
        const read = machine.read(view, at);
        if (read.kind === "branch") {
          const where = `seed ${seed}, site ${site}`;
          const found = machine.read(view, read.to);
          t.is(found.kind === "mark" ? found.number : -1, MARK_FIRST + targets[site++], where);
          const distance = read.to - (at + origin);
          const isFar = distance < -reach || distance >= reach;
          // Without the extra bytes of the long form, a forward label is nearer.
          const shorter = distance < 0 ? distance : distance - longer(read);
          if (!read.isLong) t.false(isFar, `${where}: ${distance} is out of reach`);
          else
            t.true(
              shorter < -reach || shorter >= reach,
              `${where}: is long, but the short form reaches`,
            );
          forms[read.isLong ? "long" : "short"]++;
          if (read.isLong) long++;
        }
        at += read.size;
      }
      t.is(split, splits ? long : 0);
    }
    t.true(forms.short > 1000 && forms.long > 1000, JSON.stringify(forms));
  });
}

test("a loop that fits a line lies in one, with any long branches", (t) => {
  const lines = { size: 64, filler: 0xcc };
  const sizes = { fits: 0, large: 0 };
  for (let seed = 0; seed < PROGRAMS; seed++) {
    const source = new SeedSource(BigInt(seed));
    const code = new CodeBuffer();
    const writer = AMD64.writer(code);
    const far = code.newLabel();
    const loops: { head: number; end: number }[] = [];
    for (let loop = 0; loop < 10; loop++) {
      for (let n = source.below(60); n > 0; n--) writer.nop();
      writer.branch(source, far); // a jump, so that no code falls through into the loop
      const [head, end] = [code.newLabel(), code.newLabel()];
      code.beginLoop(end, lines);
      code.bind(head);
      for (let n = 1 + source.below(70); n > 0; n--) writer.nop();
      writer.branch(source, source.below(2) === 0 ? far : head);
      code.bind(end);
      loops.push({ head, end });
    }
    code.bind(far);
    writer.mark(MARK_FIRST);
    code.resolve();
    for (const { head, end } of loops) {
      const [first, last] = [code.offsetOf(head), code.offsetOf(end) - 1];
      const fits = last - first < lines.size;
      sizes[fits ? "fits" : "large"]++;
      if (fits) t.is(first >> 6, last >> 6, `seed ${seed}: from ${first} to ${last}`);
    }
  }
  t.true(sizes.fits > 1000 && sizes.large > 100, JSON.stringify(sizes));
});

// The law of long forms: whatever becomes long, every branch still goes to its label, and no branch is
// long that could be short.

import test from "ava";
import { SeedSource } from "../../src/support/source.js";
import { Arm64Assembler } from "../arm64/assembler.js";
import { A64, Cond } from "../arm64/encodings.js";
import { CodeBuffer } from "./code-buffer.js";

const PROGRAMS = 300;
const LABELS = 6;
const SITES = 60;
/** What each label is marked with, so that a destination can be told: `movz x0, #n`. */
const MARK = 0xd280_0000 | 0;
const MARK_FIRST = 1000;

const signed = (word: number, shift: number, bits: number): number =>
  (word << (32 - bits - shift)) >> (32 - bits);

/** Where the branch or address at `at` leads, and its size. */
function destinationOf(words: Int32Array, at: number): { label: number; isLong: boolean } {
  const [word, next] = [words[at], words[at + 1]];
  const isPage = (word & 0x9f00_0000) === (0x9000_0000 | 0);
  if (isPage) {
    const pages = (signed(word, 5, 19) << 2) | ((word >>> 29) & 3);
    const page = ((4 * at) >> 12) + pages;
    return { label: (page << 12) + ((next >>> 10) & 0xfff), isLong: true };
  }
  if ((word & 0x1f00_0000) === 0x1000_0000) {
    return { label: 4 * at + ((signed(word, 5, 19) << 2) | ((word >>> 29) & 3)), isLong: false };
  }
  const words19 = signed(word, 5, 19);
  const isLong = words19 === 2 && (next & 0xfc00_0000) === 0x1400_0000;
  return isLong
    ? { label: 4 * (at + 1 + signed(next, 0, 26)), isLong }
    : { label: 4 * (at + words19), isLong };
}

test("every branch reaches its label by the form that it needs", (t) => {
  const forms = { short: 0, long: 0 };
  for (let seed = 0; seed < PROGRAMS; seed++) {
    const source = new SeedSource(BigInt(seed));
    const reach = 4 * (2 + source.below(200));
    const code = new CodeBuffer();
    const asm = new Arm64Assembler(code);
    const labels = Array.from({ length: LABELS }, () => code.newLabel());
    const places = labels.map(() => source.below(SITES)).sort((a, b) => a - b);
    const targets: number[] = [];
    for (let site = 0; site < SITES; site++) {
      labels.forEach((label, l) => {
        if (places[l] !== site) return;
        code.bind(label);
        asm.dij(A64.movzx, 0, MARK_FIRST + l, 0);
      });
      for (let n = source.below(8); n > 0; n--) asm.op(A64.nop);
      const target = source.below(LABELS);
      targets.push(target);
      const kind = source.below(3);
      if (kind === 0) asm.branchReg(A64.cbzw, 5, labels[target]);
      else if (kind === 1) asm.branchCond(A64.bcond, Cond.gt, labels[target]);
      else asm.branchReg(A64.adr, 7, labels[target]);
      asm.i(A64.brk, 0); // so that no long form looks like a branch and a `b` of the program
    }
    const long = code.resolve(reach);
    const words = new Int32Array(code.bytes.buffer, 0, code.size >> 2);
    let seen = 0;
    for (let at = 0, site = 0; at < words.length; at++) {
      if (words[at] === NOP || words[at] === BRK || (words[at] & MARK_MASK) === MARK) continue;
      const { label, isLong } = destinationOf(words, at);
      const where = `seed ${seed}, site ${site}`;
      t.is(words[label >> 2], MARK | ((MARK_FIRST + targets[site]) << 5), where);
      const distance = label - 4 * at;
      const isFar = distance < -reach || distance >= reach;
      if (!isLong) t.false(isFar, `${where}: ${distance} is out of reach`);
      else if (distance < 0 || distance - 4 >= reach) t.true(isFar, `${where}: need not be long`);
      forms[isLong ? "long" : "short"]++;
      if (isLong) {
        seen++;
        at++;
      }
      site++;
    }
    t.is(seen, long);
  }
  t.true(forms.short > 1000 && forms.long > 1000, JSON.stringify(forms));
});

const NOP = 0xd503_201f | 0;
const BRK = 0xd420_0000 | 0;
const MARK_MASK = 0xffe0_001f | 0;

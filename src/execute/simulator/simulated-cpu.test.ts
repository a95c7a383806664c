// Compares every form of instruction that the compiler has, with random fields and operands,
// between simulator and emulator: all visible state afterwards is equal. Also tests the
// instructions that the simulator must leave to the emulator.

import ava, { type ExecutionContext } from "ava";
import { ENCODINGS } from "../../../reference/arm64/encodings.js";
import { SeedSource } from "../../support/source.js";
import { EmulatedCpu } from "../emulator/emulated-cpu.js";
import type { Cpu, MachineEnding } from "../machine/cpu.js";
import { LAYOUT, PAGE_SIZE, REGISTERS, setAddress } from "../machine/guest.js";
import { emulatorTest } from "../unicorn-available.js";
import { SimulatedCpu } from "./simulated-cpu.js";

const test = emulatorTest(ava);
const { wordCount, vectors, flags, pc, control } = REGISTERS.arm64;

const CASES = 24;
const LIMIT = 100;
const HEAP_SIZE = 16 * PAGE_SIZE;
/** An address with room for accesses on both sides. */
const BASE = LAYOUT.heap + 8 * PAGE_SIZE;
const HEAP = Uint8Array.from({ length: HEAP_SIZE }, (_, i) => 37 * i + (i >> 8));
/** Holds the return address, so that a link does not change the ending of a case. */
const HOME = 28;
const BRANCH_HOME = 0xd61f_0000 + (HOME << 5);
const INCREMENT_X9 = 0x9100_0529;

/**
 * Instructions that compiled code does not contain, those that end it, and fused sums, which the
 * emulator runs.
 */
const LEFT_OUT = new Set([
  "fmadds",
  "fmaddd",
  "brk",
  "udf",
  "mrsFpcr",
  "msrFpcr",
  "mrsFpsr",
  "msrFpsr",
  "mrsNzcv",
  "msrNzcv",
]);

const NUMBERS = [
  0,
  1,
  -1,
  2,
  31,
  32,
  63,
  64,
  0x7fff_ffff,
  0x8000_0000 | 0,
  0x7ff8_0000,
  0xfff8_0000 | 0,
];
/** Words with a meaning as floats: infinities, NaNs of both kinds, halves, large ones. */
const FLOATS = [
  0x7f80_0000,
  0xff80_0000 | 0,
  0x7fc0_0001,
  0x7f80_0001,
  0xffc1_2345 | 0,
  0x3f00_0000,
  0xbf00_0000 | 0,
  0x3fc0_0000,
  0x4020_0000,
  0xc020_0000 | 0,
  0x4f00_0000,
  0xcf00_0000 | 0,
  0x4f80_0000,
  0x5f00_0000,
  0x0000_0001,
  0x0080_0000,
  0x8000_0000 | 0,
  0x4b00_0001,
  0x7ff0_0000,
  0xfff0_0000 | 0,
  0x7ff0_0001,
  0x7ff8_0001,
  0xfff4_0000 | 0,
  0x3fe0_0000,
  0xbfe0_0000 | 0,
  0x4004_0000,
  0x41e0_0000,
  0xc1e0_0000 | 0,
  0x43e0_0000,
  0x43f0_0000,
  0xc3e0_0000 | 0,
  0x36a0_0000,
  0x3690_0000,
  0x47ef_ffff,
];

function drawWord(draw: SeedSource): number {
  switch (draw.below(4)) {
    case 0:
      return NUMBERS[draw.below(NUMBERS.length)];
    case 1:
      return FLOATS[draw.below(FLOATS.length)];
    case 2:
      return draw.below(400) - 200;
    default:
      return draw.bits();
  }
}

/** Fills the letters of a form with random bits; registers are below 28, or 31. */
function drawInstruction(
  bits: string,
  draw: SeedSource,
): { word: number; fields: Map<string, number> } {
  const plain = bits.replace(/ /g, "");
  const fields = new Map<string, number>();
  let word = 0;
  for (const letter of new Set(plain.replace(/[01]/g, ""))) {
    const width = plain.split(letter).length - 1;
    let value = draw.below(2 ** Math.min(width, 24));
    if ("dnma".includes(letter) && width === 5 && value >= HOME && value < 31)
      value = draw.below(HOME);
    if (letter === "l") value = 2; // skips one instruction
    fields.set(letter, value);
  }
  const left = new Map<string, number>();
  for (let place = 0; place < 32; place++) {
    const symbol = plain[31 - place];
    const value = fields.get(symbol);
    if (value === undefined) {
      if (symbol === "1") word |= 1 << place;
      continue;
    }
    const index = left.get(symbol) ?? 0;
    left.set(symbol, index + 1);
    if ((value >>> index) & 1) word |= 1 << place;
  }
  return { word, fields };
}

interface Case {
  readonly code: Uint8Array;
  readonly registers: Int32Array;
}

function caseOf(
  name: string,
  [bits, text]: readonly [string, string],
  draw: SeedSource,
): Case | null {
  const { word, fields } = drawInstruction(bits, draw);
  const [d, n, m, a] = ["d", "n", "m", "a"].map((letter) => fields.get(letter) ?? -1);
  const isAccess = text.includes("[<Xn|SP>");
  if (name.startsWith("ldp") && d === a) return null;
  if (isAccess && text.includes("!") && (n === d || n === a)) return null;
  if (name === "ldpxPost" && (n === d || n === a)) return null;
  const code = new Uint8Array(
    new Uint32Array([word, INCREMENT_X9, BRANCH_HOME, 0, 0x1234_5678, 0xfff8_4321]).buffer,
  );
  const registers = new Int32Array(wordCount);
  for (let w = 0; w < wordCount; w++) registers[w] = drawWord(draw);
  if (draw.below(3) === 0) for (let v = 0; v < 32; v++) registers[vectors + 4 * v] = 0;
  registers[pc] = 0;
  registers[pc + 1] = 0;
  registers[control] = 0;
  registers[control + 1] = 0;
  registers[flags] = draw.below(16) << 28;
  registers[flags + 1] = 0;
  setAddress(registers, 62, LAYOUT.stack + 4096);
  setAddress(registers, 2 * HOME, LAYOUT.host);
  if (isAccess) {
    if (m >= 0 && m < 31) setOffset(registers, m, text, draw);
    if (n === m) return null;
    setAddress(registers, 2 * n, BASE);
  } else if (["br", "blr", "ret"].includes(name)) {
    if (n === 31) return null;
    setAddress(registers, 2 * n, LAYOUT.code + 4 * draw.below(3) + 4);
  }
  return { code, registers };
}

/** Sets a small offset; the upper half stays as it is if only the lower one counts. */
function setOffset(registers: Int32Array, m: number, text: string, draw: SeedSource): void {
  const isUnsigned = text.includes("uxtw");
  registers[2 * m] = draw.below(512) - (isUnsigned ? 0 : 256);
  if (!text.includes("xtw")) registers[2 * m + 1] = registers[2 * m] >> 31;
}

interface FinalState {
  readonly kind: MachineEnding["kind"];
  readonly registers: Int32Array;
  readonly heap: Uint8Array;
}

function finalStateOf(cpu: Cpu, { code, registers }: Case): FinalState {
  cpu.load(code, HEAP_SIZE);
  cpu.heap.set(HEAP);
  cpu.registers.set(registers);
  const { kind } = cpu.run(0, LIMIT);
  const after = cpu.registers.slice();
  after[pc] = 0;
  after[pc + 1] = 0;
  return { kind, registers: after, heap: cpu.heap };
}

test("every form that the compiler has agrees with the emulator", (t) => {
  const simulated = new SimulatedCpu();
  const emulated = new EmulatedCpu("arm64");
  const returned = new Map<string, number>();
  for (const [name, form] of Object.entries(ENCODINGS)) {
    if (LEFT_OUT.has(name)) continue;
    const draw = new SeedSource(1n, name);
    for (let k = 0; k < CASES; k++) {
      const one = caseOf(name, form, draw);
      if (one === null) continue;
      const expected = finalStateOf(emulated, one);
      const actual = finalStateOf(simulated, one);
      if (expected.kind !== "return") {
        t.is(actual.kind, "runaway", name);
        continue;
      }
      returned.set(name, (returned.get(name) ?? 0) + 1);
      if (!isEqual(t, name, one, expected, actual)) return;
    }
    t.true((returned.get(name) ?? 0) >= 1, `no case of ${name} has returned`);
  }
  emulated.close();
});

function isEqual(
  t: ExecutionContext,
  name: string,
  one: Case,
  expected: FinalState,
  actual: FinalState,
): boolean {
  const word = new DataView(one.code.buffer).getUint32(0, true).toString(16);
  const differing = [...expected.registers].flatMap((theirs, w) => {
    const ours = actual.registers[w];
    if (theirs === ours) return [];
    return [`word ${w}: ${one.registers[w]}, emulated ${theirs}, simulated ${ours}`];
  });
  if (Buffer.compare(expected.heap, actual.heap) !== 0) differing.push("memory");
  if (expected.kind !== actual.kind) differing.push(`${expected.kind} and ${actual.kind}`);
  return t.is(differing.join("; "), "", `${name} ${word}`);
}

test("an exclusive store succeeds once after a load of the address, as in the emulator", (t) => {
  const simulated = new SimulatedCpu();
  const emulated = new EmulatedCpu("arm64");
  // ldaxr x0, [x2]; add x4, x0, #1; stlxr w1, x4, [x2]; stlxr w3, x0, [x2]
  const words = [0xc85f_fc40, 0x9100_0404, 0xc801_fc44, 0xc803_fc40, BRANCH_HOME];
  const registers = new Int32Array(wordCount);
  setAddress(registers, 62, LAYOUT.stack + 4096);
  setAddress(registers, 2 * HOME, LAYOUT.host);
  setAddress(registers, 4, LAYOUT.heap + 64);
  const one = { code: new Uint8Array(new Uint32Array(words).buffer), registers };
  const [expected, actual] = [finalStateOf(emulated, one), finalStateOf(simulated, one)];
  t.deepEqual([actual.registers[2], actual.registers[6]], [0, 1]);
  t.true(isEqual(t, "exclusive accesses", one, expected, actual));
  emulated.close();
});

/** Words of code whose runs the simulator must not complete. */
const ABNORMAL_CODE: { readonly [what: string]: readonly number[] } = {
  "an endless loop": [0x1400_0000], // b .
  "a jump out of the image": [0x1400_4000], // b .+65536
  "a jump to nothing": [0xd61f_0020], // br x1
  "no instruction": [0x0000_0000],
  "a breakpoint": [0xd420_0000],
  "the end of the code": [0xd503_201f], // nop
  "a load from nothing": [0xf940_0020, BRANCH_HOME], // ldr x0, [x1]
  "a store to code": [0x1000_0001, 0xf900_0020, BRANCH_HOME], // adr x1, .; str x0, [x1]
  "a load from after the heap": [0xf97f_fc40, BRANCH_HOME], // ldr x0, [x2, #32760]
};

test("an abnormal run ends as a runaway, and abnormally in the emulator", (t) => {
  const simulated = new SimulatedCpu();
  const emulated = new EmulatedCpu("arm64");
  for (const [what, words] of Object.entries(ABNORMAL_CODE)) {
    const registers = new Int32Array(wordCount);
    setAddress(registers, 62, LAYOUT.stack + 4096);
    setAddress(registers, 2 * HOME, LAYOUT.host);
    setAddress(registers, 4, LAYOUT.heap + HEAP_SIZE - PAGE_SIZE);
    registers[2] = 0x1234;
    const one = { code: new Uint8Array(new Uint32Array(words).buffer), registers };
    t.is(finalStateOf(simulated, one).kind, "runaway", what);
    t.not(finalStateOf(emulated, one).kind, "return", what);
  }
  emulated.close();
});

// Imports a trace that is written by hand, and malformed events.

import test from "ava";
import { HEAP_BASE, type SlotBits } from "../../ir/outcome.js";
import { wideWords } from "../../ir/words.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { SeedSource } from "../../support/source.js";
import { ImportError } from "../import-error.js";
import { importTrace, programOf } from "./import-luajit.js";
import { readEvents } from "./recorded-trace.js";
import { CutError, LIMIT } from "./trace-writer.js";

// local x = 1.2 for i = 1, 1e3 do x = x * -3 end
const BIAS = 0x8000;
const slotIs = (slot: number, ref: number): number => slot * 0x100_0000 + BIAS + ref;
const snapshot = (ref: number, entries: readonly number[]): object => ({
  ...{ ref, slots: 3, entries, pc: "1000", base: 0 },
});
const TRACE = {
  ...{ event: "trace", trace: 1, parent: null, exit: null, at: "x.lua:1", link: 1 },
  ...{ linkType: "loop", path: 2 },
  instructions: [
    ["SLOAD", 19, 3, 0x28, 197],
    ["SLOAD", 142, 2, 4, 197],
    ["MUL", 78, 2, -1, 144],
    ["ADD", 83, 1, -2, 144],
    ["LE", 147, 4, -3, 128],
    ["LOOP", 128, 0, 0, 239],
    ["MUL", 78, 3, -1, 144],
    ["ADD", 83, 4, -2, 144],
    ["LE", 147, 8, -3, 128],
    ["PHI", 19, 4, 8, 224],
    ["PHI", 14, 3, 7, 224],
  ],
  constants: [
    { type: 14, bits: "c008000000000000", slot: null, text: "number" },
    { type: 19, bits: "1", slot: null, text: "number" },
    { type: 19, bits: "3e8", slot: null, text: "number" },
  ],
  snapshots: [
    snapshot(1, []),
    snapshot(5, [slotIs(2, 3)]),
    snapshot(6, [slotIs(2, 3), slotIs(3, 4)]),
    snapshot(9, [slotIs(2, 7)]),
  ],
};
const START = { event: "start", nil: "10", memmove: "20", fields: [], calls: [], bytecodes: [] };
const END = { event: "end", failed: 0, error: "" };
const textOf = (...events: readonly object[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join("");

const numberOf = (value: number): bigint => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigInt64(0);
};

function run(
  x: bigint,
  i: number,
  iterations: number,
): { exit: number; slots: readonly SlotBits[] } {
  const recorded = readEvents(textOf(START, TRACE, END));
  const imported = importTrace(recorded, recorded.traces[0]);
  const args = [HEAP_BASE, BigInt(iterations), 0n, x, numberOf(i)];
  const words = Int32Array.from(args.flatMap((bits) => wideWords(bits)));
  const program = decodeModule(programOf(imported, []));
  const { ending } = new Oracle().run(program, { words, heapSeed: 0 }, 100_000);
  if (ending.kind !== "exit") return { exit: -1, slots: [] };
  return { exit: ending.exit, slots: ending.frames[0].slots };
}

const shown = (slot: SlotBits | undefined): number => {
  if (slot === undefined || slot === null || !("lo" in slot)) return Number.NaN;
  const view = new DataView(new ArrayBuffer(8));
  view.setInt32(0, slot.hi);
  view.setInt32(4, slot.lo);
  return view.getFloat64(0);
};

test("a loop runs to the guard that fails, and shows the slots of its snapshot", (t) => {
  const { exit, slots } = run(numberOf(1.5), 997, 100);
  t.is(exit, 3);
  t.is(shown(slots[2]), 1.5 * (-3) ** 4);
  const [iteration] = slots;
  t.true(iteration !== null && "lo" in iteration && iteration.lo === 3);
});

test("the guard before the loop leaves by its own snapshot", (t) => {
  const { exit, slots } = run(numberOf(1.5), 1000, 100);
  t.is(exit, 1);
  t.is(shown(slots[2]), -4.5);
});

test("a slot of another type leaves at once", (t) => {
  t.is(run(-1n, 5, 100).exit, 0);
});

test("the limit of iterations shows the state at the start of the next one", (t) => {
  const { exit, slots } = run(numberOf(1), 1, 2);
  t.is(exit, LIMIT + 2);
  t.deepEqual(slots.slice(2).map(shown), [-27, 4]);
});

test("an instruction that is not modelled ends the program with the last snapshot", (t) => {
  const instructions = TRACE.instructions.map((each, i) =>
    i === 6 ? ["TOSTR", 4, 3, 1, 144] : each,
  );
  const recorded = readEvents(textOf(START, { ...TRACE, instructions }, END));
  t.is(importTrace(recorded, recorded.traces[0]).cut, "TOSTR");
});

test("operands of other types are refused", (t) => {
  const instructions = TRACE.instructions.map((each, i) =>
    i === 2 ? ["MUL", 14, 1, -1, 144] : each,
  );
  const recorded = readEvents(textOf(START, { ...TRACE, instructions }, END));
  t.throws(() => importTrace(recorded, recorded.traces[0]), {
    instanceOf: CutError,
    message: /type/,
  });
});

const MUTATIONS = 500;

test("malformed events are an error with a line, or a refused trace", (t) => {
  const text = textOf(START, TRACE, END);
  const source = new SeedSource(1n);
  const counts = { read: 0, malformed: 0, refused: 0 };
  for (let m = 0; m < MUTATIONS; m++) {
    const at = source.below(text.length);
    const strange = ["", "9", "-", '"', "]", "{", "null", "\n", "1e9"][source.below(9)];
    const mutated = text.slice(0, at) + strange + text.slice(at + source.below(7));
    try {
      const recorded = readEvents(mutated);
      for (const trace of recorded.traces) programOf(importTrace(recorded, trace), []);
      counts.read++;
    } catch (error) {
      if (error instanceof CutError) counts.refused++;
      else {
        t.true(error instanceof ImportError, `${error}: ${mutated}`);
        counts.malformed++;
      }
    }
  }
  t.true(counts.malformed > counts.read && counts.refused > 0, JSON.stringify(counts));
});

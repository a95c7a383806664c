// Tests the record of stack slots that accompanies the code. The bytes that the code stores to a
// slot are at the recorded location, and the record lists the slots that share bytes.

import test, { type ExecutionContext } from "ava";
import { type CodeImage, Compiler } from "../../reference/compile.js";
import { LEVELS, type Level } from "../../reference/levels.js";
import type { SlotLocation } from "../../reference/snapshot/record-slots.js";
import { TARGET_NAMES, type TargetName } from "../../reference/target/target.js";
import { parseModule } from "../ir/text/parse.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { EmulatedCpu } from "./emulator/emulated-cpu.js";
import { CONVENTIONS } from "./machine/conventions.js";
import { ENVIRONMENT } from "./machine/environment.js";
import { JUNK_WORDS } from "./machine/junk.js";
import { MachineRunner } from "./machine/machine.js";
import { emulatorTest } from "./unicorn-available.js";

// Each slot holds its own number when the procedure returns, except stack1, whose bytes stack2
// reuses.
const PROGRAM = `touchstone 1

proc f(Int64 @0) -> Int64
slot stack0 = locked 16
slot stack1 = locked 8
slot stack2 = locked 8
slot stack3 = anonymous 8
#0:
  Int64 @1 = SlotBase(stack0)
  Int64 @2 = SlotBase(stack1)
  Int64 @3 = SlotBase(stack2)
  Int64 @4 = SlotBase(stack3)
  Int64 @5 = Add(@0, @0)
  Int64 @6 = Add(@5, @0)
  Void @7 = Store(@0, @1)
  Void @8 = Store(@6, @1, offset=8)
  Void @9 = Store(@5, @4)
  Void @10 = Store(@0, @2)
  Int64 @11 = Patchpoint(slotExchange, @2, @5)
  Void @12 = Store(@6, @3)
  Int64 @13 = Patchpoint(slotExchange, @3, @6)
  Int64 @14 = Patchpoint(slotFetch, @1)
  Int64 @15 = Load(@4)
  Int64 @16 = Add(@11, @13)
  Int64 @17 = Add(@14, @15)
  Int64 @18 = Add(@16, @17)
  Void @19 = Return(@18)
`;
const NUMBER = 0x1234_5678_9abc;

function compile(target: TargetName, level: Level): CodeImage {
  const options = { environment: ENVIRONMENT, level, checkAllocation: true, listing: true };
  return new Compiler().generate(parseModule(PROGRAM), target, options);
}

for (const target of TARGET_NAMES) {
  test(`${target}: each slot has a line, also in the listing, with the slots that share its bytes`, (t) => {
    for (const level of LEVELS) {
      const { slotPlaces, listing } = compile(target, level);
      const slots = slotPlaces();
      const register = target === "x64" ? "rbp" : "x29";
      t.deepEqual(
        slots.map((place) => [place.procedure, place.slot, place.size, place.isLocked]),
        [0, 1, 2, 3].map((slot) => [0, slot, slot === 0 ? 16 : 8, slot !== 3]),
      );
      t.true(slots.every((place) => place.register === register && place.frameOffset < 0));
      const overlaps = slots.map((x) =>
        slots.filter((y) => x !== y && overlap(x, y)).map(({ slot }) => slot),
      );
      t.deepEqual(
        slots.map(({ sharesWith }) => sharesWith),
        overlaps,
      );
      t.deepEqual(overlaps, level === "O0" ? [[], [], [], []] : [[], [2], [1], []]);
      t.is(listing.filter((line) => /^ +stack\d: (locked|anonymous), /.test(line)).length, 4);
    }
  });
}

const overlap = (x: SlotLocation, y: SlotLocation): boolean =>
  x.frameOffset < y.frameOffset + y.size && y.frameOffset < x.frameOffset + x.size;

emulatorTest(test)("the code stores to a slot at the recorded location", (t) => {
  for (const target of TARGET_NAMES) {
    const cpu = new EmulatedCpu(target);
    const runner = new MachineRunner(cpu, new Oracle());
    const module = parseModule(PROGRAM);
    for (const level of LEVELS) {
      const image = compile(target, level);
      const program = decodeModule(module);
      const words = new Int32Array(BigInt64Array.of(BigInt(NUMBER)).buffer);
      const limits = { poison: 0, instructionsMax: 1000, fuelMax: 1000 } as const;
      const loaded = { ...image, module, program: () => program };
      const { ending } = runner.run(loaded, { words, heapSeed: 0 }, limits);
      t.is(ending.kind, "return");
      const frame = frameOfEntry(t, cpu, target);
      const wordAt = (offset: number): number =>
        Number(
          new DataView(cpu.stack.buffer, cpu.stack.byteOffset).getBigInt64(frame + offset, true),
        );
      const [first, taken, last, anonymous] = image
        .slotPlaces()
        .map(({ frameOffset }) => frameOffset);
      t.deepEqual([wordAt(first), wordAt(first + 8)], [NUMBER, 3 * NUMBER]);
      t.is(wordAt(last), 3 * NUMBER);
      t.is(wordAt(anonymous), 2 * NUMBER);
      t.is(wordAt(taken), (level === "O0" ? 2 : 3) * NUMBER);
    }
    runner.close();
  }
});

/**
 * Returns the index into the stack of the entry's frame pointer, at which the caller's frame
 * pointer is saved.
 */
function frameOfEntry(t: ExecutionContext, { stack }: EmulatedCpu, target: TargetName): number {
  const { poppedByReturn, entryToFramePointer, framePointer } = CONVENTIONS[target];
  const guardZone = 256;
  const frame = stack.length - guardZone - poppedByReturn - entryToFramePointer;
  const saved = new Int32Array(
    stack.buffer.slice(stack.byteOffset + frame, stack.byteOffset + frame + 8),
  );
  const [junk] = JUNK_WORDS;
  t.deepEqual([...saved], [junk[2 * framePointer], junk[2 * framePointer + 1]]);
  return frame;
}

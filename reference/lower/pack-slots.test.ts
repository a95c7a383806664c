// Tests the layout of stack slots: slots that are needed at the same time are disjoint, and the
// others share bytes.

import test from "ava";
import { analyzeControlFlow } from "../../src/ir/control-flow.js";
import { parseModule } from "../../src/ir/text/parse.js";
import type { SlotLayout } from "../lir/lir.js";
import { packSlots } from "./pack-slots.js";

function packed(slots: readonly string[], body: string, snapshot = ""): SlotLayout {
  const lines = slots.map((slot, s) => `slot stack${s} = ${slot}`);
  const head = ["touchstone 1", "proc f(Int64 @0, Int32 @1) -> Int64", ...lines, snapshot, "#0:"];
  const bases = slots.map((_, s) => `Int64 @${10 + s} = SlotBase(stack${s})`);
  const { entry } = parseModule([...head, ...bases, body].join("\n"));
  return packSlots(entry, analyzeControlFlow(entry).order, true);
}

const TWO = ["anonymous 8", "anonymous 8"];

test("slots that are needed one after the other share bytes", (t) => {
  const { depths, size, isShared } = packed(
    TWO,
    `Void @2 = Store(@0, @10)
     Int64 @3 = Load(@10)
     Void @4 = Store(@3, @11)
     Int64 @5 = Load(@11)
     Void @6 = Return(@5)`,
  );
  t.deepEqual([...depths.values()], [8, 8]);
  t.is(size, 8);
  t.true(isShared);
});

test("a slot that is written while another is needed has bytes of its own, even if it is never read", (t) => {
  const { depths } = packed(
    TWO,
    `Void @2 = Store(@0, @10)
     Void @4 = Store(@0, @11)
     Int64 @5 = Load(@10)
     Void @6 = Return(@5)`,
  );
  t.deepEqual([...depths.values()], [8, 16]);
});

test("an exit that shows its contents needs a slot", (t) => {
  const { isShared } = packed(
    TWO,
    `Void @2 = Store(@0, @10)
     Void @3 = Store(@0, @11)
     Int64 @4 = Load(@11)
     Void @5 = Check(@1) s0
     Void @6 = Return(@4)`,
    "snapshot s0 = exit 0 frames [f@0: @1 | f@0: contents(stack0)]",
  );
  t.false(isShared);
});

// In a loop, the store to the second slot comes after the last use of the first in the text, but
// before it in the next iteration.
test("a slot that the next iteration reads is needed in this one", (t) => {
  const { isShared } = packed(
    TWO,
    `Void @2 = Store(@0, @10)
     Void @3 = Jump(#1)
     #1:
     Int64 @4 = Load(@10)
     Void @5 = Store(@4, @11)
     Int64 @6 = Load(@11)
     Void @7 = Branch(@1, #1, #2)
     #2:
     Void @8 = Return(@6)`,
  );
  t.false(isShared);
});

test("a store to a part ends the contents of an anonymous slot, but not those of a locked one", (t) => {
  const body = `Void @2 = Store(@0, @11)
     Int64 @3 = Load(@11)
     Void @4 = Store(@1, @10)
     Int32 @5 = Load(@10)
     Void @6 = Return(@3)`;
  t.true(packed(["anonymous 8", "anonymous 8"], body).isShared);
  t.false(packed(["locked 8", "anonymous 8"], body).isShared);
  t.true(packed(["locked 4", "anonymous 8"], body).isShared);
});

// The procedure does not show when the host uses the address.
test("a slot whose address a host keeps shares bytes with none, also one by an address in its middle", (t) => {
  const body = (address: string): string =>
    `Void @2 = Store(@0, @10)
     Int64 @3 = Load(@10)
     Int64 @7 = Add(@10, @0)
     ${address}
     Void @4 = Store(@3, @11)
     Int64 @5 = Load(@11)
     Void @6 = Return(@5)`;
  const slots = ["locked 16", "locked 8"];
  t.true(packed(slots, body("")).isShared);
  for (const address of ["@10", "@7"]) {
    const { isShared, size } = packed(slots, body(`Void @8 = CCall(keepSlot, @1, ${address})`));
    t.false(isShared);
    t.is(size, 24);
  }
});

test("a gap is filled; if there are very many slots, each has bytes of its own", (t) => {
  const { size } = packed(
    ["anonymous 24", "anonymous 8", "anonymous 16"],
    `Void @2 = Store(@0, @10)
     Void @3 = Store(@0, @11)
     Int64 @4 = Load(@10)
     Void @5 = Store(@0, @12)
     Int64 @6 = Load(@12)
     Int64 @7 = Load(@11)
     Void @8 = Return(@7)`,
  );
  t.is(size, 32);
  const many = Array.from({ length: 513 }, () => "anonymous 8");
  t.is(packed(many, "Void @2 = Return(@0)").size, 8 * 513);
  t.is(packed(many.slice(1), "Void @2 = Return(@0)").size, 8);
});

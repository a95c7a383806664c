// Tests that the verifier reports each violation, accepts all that the language permits, and agrees with naive
// definitions of dominance and of unwritten Phis.

import test from "ava";
import fc from "fast-check";
import { HOST_FUNCTIONS } from "../host-functions.js";
import { Op } from "../opcodes.js";
import { type Module, Procedure, SwitchCases, type Value } from "../procedure.js";
import { programAround } from "../program-around.js";
import { ParseError } from "../text/lexer.js";
import { parseModule, parseText } from "../text/parse.js";
import { printModule } from "../text/print.js";
import { Float, Int32, Void } from "../types.js";
import { verify } from "./verify.js";
import {
  analyzeFlow,
  dominatesBlock,
  findUnwrittenPhis,
  type NeighborLists,
} from "./verify-flow.js";

const SNAPSHOT = "snapshot s0 = exit 1 frames [f@0: @0]";
const SLOT = "slot stack0 = locked 8";
const control = (blocks: string, head = ""): string =>
  `touchstone 1\nproc f(Int32 @0, Int64 @1) -> Int32\n${head}\n${blocks}\n`;
const resuming = (frames: string, parameters: string, result = "Int32"): string =>
  `touchstone 1\nexit 1 resumes g\nproc f(Int32 @0, Double @1) -> Int32
snapshot s0 = exit 1 frames [${frames}]
#0:\nVoid @2 = Check(@0) s0\nVoid @3 = Return(@0)
proc g(${parameters}) -> ${result}\n#0:\nVoid @99 = Oops()\n`;
const many = (type: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `${type} @${i}`).join(", ");
const giving = (values: string, further = ", Double, Int32"): string =>
  `touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n${values}\nVoid @9 = Return(@0)
proc g(Int32 @0) -> Int32${further}\n#0:\nDouble @1 = IToD(@0)\nVoid @2 = Return(@0, @1, @0)\n`;
const CALL = "Int32 @1 = CCall(g, @0)";
const LONG_CALL = "  Int32 @3 = CCall(mix32, @0)";

// Each rule of verify.ts that text can break, broken once: the rule, the fault, the text.
// biome-ignore format: a table
const BROKEN: readonly (readonly [rule: number, fault: string, text: string])[] = [
  [4, "f: has 513 parameters, at most 512", `touchstone 1\nproc f(${many("Int32", 513)}) -> Void\n#0:\nVoid @999 = Return()`],
  [4, "f: @0: a parameter has type Void", "touchstone 1\nproc f(Void @0) -> Void\n#0:\nVoid @9 = Return()"],
  [5, "f: stack0 has 0 bytes, expected 1 or more", programAround([], "slot stack0 = locked 0")],
  [5, "f: the slots have 1048584 bytes, at most 1048576 together", programAround([], `slot stack1 = anonymous 1048576\n${SLOT}`)],
  [6, "f: #0: the frequency is 0, expected a positive number", programAround([]).replace("#0:", "#0 frequency 0:")],
  [6, "f: #0: the frequency is Infinity, expected a positive number", programAround([]).replace("#0:", "#0 frequency 1e999:")],
  [8, "f: #0: @3: the block does not end in a control value", control("#0:\nInt32 @3 = Const32(0)")],
  [8, "f: #1: the block does not end in a control value", control("#0:\nVoid @3 = Return(@0)\n#1:")],
  [8, "f: #0: @3: is a control value, but not the last of its block", control("#0:\nVoid @3 = Return(@0)\nVoid @4 = Oops()")],
  [8, "f: #0: @4: the block has 2 successors, expected 1", control("#0:\nVoid @3 = Jump(#1)\nVoid @4 = Jump(#1)\n#1:\nVoid @5 = Oops()")],
  [8, "f: #1: @4: #0 is the entry, which may not be a successor", control("#0:\nVoid @3 = Jump(#1)\n#1:\nVoid @4 = Jump(#0)")],
  [9, "f: #0: @3: operand 2 has type Int64, expected Int32", programAround(["  Int32 @3 = Add(@0, @1)"])],
  [9, "f: #0: @3: operand 1 has type Int64, expected Int32", programAround(["  Int32 @3 = SExt8(@1)"])],
  [9, "f: #0: @3: operand 1 has type Double, expected one of Int32, Int64", programAround(["  Int32 @3 = Select(@2, @0, @0)"])],
  [9, "f: #0: @3: T is Double, expected one of Int32, Int64", programAround(["  Double @3 = BitAnd(@2, @2)"])],
  [9, "f: #0: @3: T is Void, expected one of Int32, Int64, Float, Double", programAround(["  Void @3 = Load(@1)"])],
  [9, "f: #0: @3: has type Int64, expected Int32", programAround(["  Int64 @3 = Add(@0, @0)"])],
  [9, "f: #0: @3: has type Double, expected Int32", programAround(["  Double @3 = Load8Z(@1)"])],
  [9, "f: #0: @3: has type Float, expected Double", programAround(["  Float @3 = BitwiseCast(@1)"])],
  [9, "f: #0: @3: has type Int32, expected Void", programAround(["  Int32 @3 = Store(@0, @1)"])],
  [9, "f: #0: @4: operand 1 has type Void, expected Int32", programAround(["  Void @3 = Nop()", "  Int32 @4 = SExt8(@3)"])],
  [9, "f: #0: @3: operand 1 has type Double, expected one of Int32, Int64", control("#0:\nDouble @2 = ConstDouble(1.0)\nVoid @3 = Switch(@2, 5: #1, default: #1)\n#1:\nVoid @4 = Oops()")],
  [11, "f: #0: @3: case 3 has the key of an earlier one", control("#0:\nVoid @3 = Switch(@0, -1: #1, 1: #1, 0xffffffff: #1, default: #1)\n#1:\nVoid @4 = Oops()")],
  [12, "f: #0: @3: has 1 arguments, mix32 takes 2", programAround([LONG_CALL])],
  [12, "f: #0: @3: argument 2 has type Int64, expected Int32", programAround(["  Int32 @3 = CCall(mix32, @0, @1)"])],
  [12, "f: #0: @3: has type Void, mix32 gives Int32", programAround(["  Void @3 = CCall(mix32, @0, @0)"])],
  [13, "f: #0: @3: returns Int64, the procedure gives Int32", control("#0:\nVoid @3 = Return(@1)")],
  [13, "f: #0: @3: returns Void, the procedure gives Int32", control("#0:\nVoid @3 = Return()")],
  [13, "f: #0: @3: returns Int32, Int64, the procedure gives Int32", control("#0:\nVoid @3 = Return(@0, @1)")],
  [13, "g: #0: @2: returns Int32, Double, Int32, the procedure gives Int32, Double", giving(CALL, ", Double")],
  [13, "g: #0: @2: returns Int32, Double, Int32, the procedure gives Int32, Double, Int64", giving(CALL, ", Double, Int64")],
  [13, "g: has further results, and one is Void", giving(CALL, ", Double, Void")],
  [13, "f: is the entry, and has further results", control("#0:\nVoid @3 = Oops()").replace("-> Int32", "-> Int32, Int32")],
  [13, "f: #0: @2: has type Int32, result 1 is Double", giving(`${CALL}\nInt32 @2 = Extract(@1, 1)`)],
  [13, "f: #0: @2: @1 has no result 0, but 2 further ones", giving(`${CALL}\nInt32 @2 = Extract(@1, 0)`)],
  [13, "f: #0: @2: @0 has no further results", giving("Double @2 = Extract(@0, 1)")],
  [13, "f: #0: @2: @1 has no further results", giving("Int32 @1 = CCall(mix32, @0, @0)\nInt32 @2 = Extract(@1, 1)")],
  [13, "f: #1: @3: is in another block than @1", giving(`${CALL}\nVoid @2 = Jump(#1)\n#1:\nDouble @3 = Extract(@1, 1)`)],
  [13, "f: #0: @7: f and g have different further results", giving("Int64 @1 = FunctionAddress(f)\nInt64 @2 = FunctionAddress(g)\nInt64 @3 = Select(@0, @1, @2)\nInt32 @7 = CallIndirect(@3, @0)")],
  [19, "f: s0: @7: may not be in an exit block: it is neither a store nor total", giving(`${CALL}\nVoid @8 = Check(@0) s0`).replace("#0:", "snapshot s0 = exit 1 block {\nDouble @7 = Extract(@1, 1)\n} frames [f@0: @7]\n#0:")],
  [23, "f: s0: the last continuation returns Int32, Int32, the procedure gives Int32", resuming("f@0: @0", "Int32 @0", "Int32, Int32")],
  [14, "f: #0: @3: writes Int64 to a Phi of type Int32", programAround(["  Void @3 = Upsilon(@1, ^4)", "  Int32 @4 = Phi()"])],
  [14, "f: #0: @3: names no Phi of the procedure", programAround(["  Void @3 = Upsilon(@0, ^0)"])],
  [15, "f: #0: @3: @4 is used before its definition", programAround(["  Int32 @3 = SExt8(@4)", "  Int32 @4 = Const32(1)"])],
  [15, "f: #0: @3: @3 is used before its definition", programAround(["  Int32 @3 = SExt8(@3)"])],
  [15, "f: #3: @7: @5 does not dominate this use", control("#0:\nVoid @4 = Branch(@0, #1, #2)\n#1:\nInt32 @5 = Const32(1)\nVoid @6 = Jump(#3)\n#2:\nVoid @8 = Jump(#3)\n#3:\nVoid @7 = Return(@5)")],
  [15, "f: #0: @4: @5 does not dominate this use", control("#0:\nVoid @4 = Return(@5)\n#1:\nInt32 @5 = Const32(1)\nVoid @6 = Oops()")],
  [15, "f: #1: @5: @6 is used before its definition", control("#0:\nVoid @4 = Return(@0)\n#1:\nInt32 @5 = SExt8(@6)\nInt32 @6 = SExt8(@0)\nVoid @7 = Oops()")],
  [15, "f: #0: @4: @8 belongs to an exit block", programAround(["  Int32 @4 = SExt8(@8)"], "snapshot s0 = exit 1 block {\nInt32 @8 = Const32(1)\n} frames [f@0:]")],
  [16, "f: #0: @3: a path from the entry reaches the Phi before any Upsilon", programAround(["  Int32 @3 = Phi()"])],
  [16, "f: #0: @3: a path from the entry reaches the Phi before any Upsilon", programAround(["  Int32 @3 = Phi()", "  Void @4 = Upsilon(@3, ^3)"])],
  [16, "f: #3: @7: a path from the entry reaches the Phi before any Upsilon", control("#0:\nVoid @4 = Branch(@0, #1, #2)\n#1:\nVoid @5 = Upsilon(@0, ^7)\nVoid @6 = Jump(#3)\n#2:\nVoid @8 = Jump(#3)\n#3:\nInt32 @7 = Phi()\nVoid @9 = Return(@7)")],
  [12, "f: #0: @3: has 1 arguments, f takes 3", programAround(["  Void @3 = CCall(f, @0)"])],
  [12, "f: #0: @3: argument 1 has type Int64, expected Int32", programAround(["  Void @3 = CCall(f, @1, @1, @2)"])],
  [12, "f: #0: @3: has type Int32, f gives Void", programAround(["  Int32 @3 = CCall(f, @0, @1, @2)"])],
  [12, "f: #0: @4: has 0 arguments, f takes 3", programAround(["  Int64 @3 = FunctionAddress(f)", "  Void @4 = CallIndirect(@3)"])],
  [12, "f: #0: @3: calls an address that comes from no FunctionAddress", programAround(["  Void @3 = CallIndirect(@1, @0, @1, @2)"])],
  [17, "f: #0: @4: @3 is the address of a procedure; only a call may use it", programAround(["  Int64 @3 = FunctionAddress(f)", "  Int64 @4 = Add(@3, @1)"])],
  [17, "f: #0: @5: @4 is the address of a procedure; only a call may use it", programAround(["  Int64 @3 = FunctionAddress(f)", "  Int64 @4 = Select(@0, @3, @3)", "  Void @5 = Store(@4, @1)"])],
  [17, "f: s0: @3 is the address of a procedure, which a snapshot cannot use", programAround(["  Int64 @3 = FunctionAddress(f)"], SNAPSHOT.replace("@0: @0", "@0: @3"))],
  [11, "f: #0: @4: accesses a slot, which has no classes", programAround(["  Int64 @3 = SlotBase(stack0)", "  Void @4 = Store(@1, @3, class = 1)"], SLOT)],
  [17, "f: #0: @4: @3 is the address of a slot; only an address operand may be", programAround(["  Int64 @3 = SlotBase(stack0)", "  Void @4 = Store(@3, @1)"], SLOT)],
  [17, "f: #0: @5: @4 is the address of a slot; only an address operand may be", programAround(["  Int64 @3 = SlotBase(stack0)", "  Int64 @4 = Add(@1, @3)", "  Int32 @5 = Trunc(@4)"], SLOT)],
  [17, "f: #0: @4: @3 and @3 are both addresses of slots", programAround(["  Int64 @3 = SlotBase(stack0)", "  Int64 @4 = Add(@3, @3)"], SLOT)],
  [17, "f: #0: @4: @3 is the address of a slot; only an address operand may be", programAround(["  Int64 @3 = SlotBase(stack0)", "  Int64 @4 = CCall(ask, @3)"], SLOT)],
  [17, "f: #0: @5: @4 is the address of a slot; only an address operand may be", programAround(["  Int64 @3 = SlotBase(stack0)", "  Int64 @4 = Identity(@3)", "  Void @5 = Upsilon(@4, ^6)", "  Int64 @6 = Phi()"], SLOT)],
  [17, "f: s0: @3 is the address of a slot, which a snapshot cannot use", programAround(["  Int64 @3 = SlotBase(stack0)"], `${SLOT}\n${SNAPSHOT.replace("@0: @0", "@0: @3")}`)],
  [19, "f: s0: @9: may not be in an exit block: it is neither a store nor total", programAround([], "snapshot s0 = exit 1 block {\nInt32 @9 = Load(@1)\n} frames [f@0:]")],
  [19, "f: s0: @9: may not be in an exit block: it is neither a store nor total", programAround([], "snapshot s0 = exit 1 block {\nInt32 @9 = Mod(@0, @0)\n} frames [f@0:]")],
  [19, "f: s0: @9: may not be in an exit block: it is neither a store nor total", programAround([], `${SLOT}\nsnapshot s0 = exit 1 block {\nInt64 @9 = SlotBase(stack0)\n} frames [f@0:]`)],
  [19, "f: s0: @9: may not be in an exit block: it is neither a store nor total", programAround([], "snapshot s0 = exit 1 block {\nInt32 @9 = CCall(mix32, @0, @0)\n} frames [f@0:]")],
  [19, "f: s0: @9: comes after a store of its exit block", programAround([], "snapshot s0 = exit 1 block {\nVoid @8 = Store(@0, @1)\nInt32 @9 = Const32(1)\n} frames [f@0:]")],
  [20, "f: s0: @3 does not dominate every guard that uses the snapshot", programAround(["  Void @4 = Check(@0) s0", "  Int32 @3 = Const32(1)"], SNAPSHOT.replace("@0: @0", "@0: @3"))],
  [20, "f: s0: @3 does not dominate every guard that uses the snapshot", programAround(["  Int32 @3 = CheckAdd(@0, @0) s0"], SNAPSHOT.replace("@0: @0", "@0: @3"))],
  [20, "f: s0: @9: @3 does not dominate every guard that uses the snapshot", programAround(["  Void @4 = Check(@0) s0", "  Int32 @3 = Const32(1)"], "snapshot s0 = exit 1 block {\nInt32 @9 = SExt8(@3)\n} frames [f@0:]")],
  [20, "f: s0: @5 does not dominate every guard that uses the snapshot", control("#0:\nVoid @4 = Branch(@0, #1, #2)\n#1:\nInt32 @5 = Const32(1)\nVoid @6 = Check(@0) s0\nVoid @7 = Return(@0)\n#2:\nVoid @8 = Check(@0) s0\nVoid @9 = Return(@0)", SNAPSHOT.replace("@0: @0", "@0: @5"))],
  [20, "f: s0: @8: @9 is used before its definition", programAround([], "snapshot s0 = exit 1 block {\nInt32 @8 = SExt8(@9)\nInt32 @9 = Const32(1)\n} frames [f@0:]")],
  [20, "f: s1: @9 belongs to the exit block of another snapshot", programAround([], "snapshot s0 = exit 1 block {\nInt32 @9 = Const32(1)\n} frames [f@0:]\nsnapshot s1 = exit 2 frames [f@0: @9]")],
  [21, "f: s0: @3 of a slot has type Void", programAround(["  Void @3 = Nop()"], SNAPSHOT.replace("@0: @0", "@0: @3"))],
  [21, "f: s0: shows the contents of stack0, which is locked", programAround([], `${SLOT}\n${SNAPSHOT.replace("@0: @0", "@0: contents(stack0)")}`)],
  [21, "f: s0: shows contents of 1048578 bytes, at most 1048576 together", programAround([], `slot stack0 = anonymous 524289\n${SNAPSHOT.replace("@0: @0", "@0: contents(stack0) | g@0: contents(stack0)")}`)],
  [21, "f: s0: deadHeap(4095, 2) is no part of a heap of 4096 bytes", programAround([], SNAPSHOT.replace("@0: @0", "@0: deadHeap(4095, 2)"))],
  [21, "f: s0: fields end at 5, beyond their 4 bytes", programAround([], SNAPSHOT.replace("@0: @0", "@0: fields(4) {1: @0}"))],
  [21, "f: s0: the field at 3 does not begin after byte 4", programAround([], SNAPSHOT.replace("@0: @0", "@0: fields(8) {0: @0, 3: @0}"))],
  [20, "f: s0: @4 does not dominate every guard that uses the snapshot", programAround(["  Void @3 = Check(@0) s0", "  Int32 @4 = Neg(@0)"], SNAPSHOT.replace("@0: @0", "@0: fields(8) {0: @4}"))],
  [21, "f: s0: deadHeap(0, 0) is no part of a heap of 4096 bytes", programAround([], SNAPSHOT.replace("@0: @0", "@0: deadHeap(0, 0)"))],
  [21, "f: s0: deadBytes(Int64 @1, 0, 0) does not name 1 to 4096 bytes from an address", programAround([], SNAPSHOT.replace("@0: @0", "@0: deadBytes(@1, 0, 0)"))],
  [21, "f: s0: deadBytes(Int64 @1, -8, 4097) does not name 1 to 4096 bytes from an address", programAround([], SNAPSHOT.replace("@0: @0", "@0: deadBytes(@1, -8, 4097)"))],
  [21, "f: s0: deadBytes(Int32 @0, 0, 4) does not name 1 to 4096 bytes from an address", programAround([], SNAPSHOT.replace("@0: @0", "@0: deadBytes(@0, 0, 4)"))],
  [20, "f: s0: @4 does not dominate every guard that uses the snapshot", programAround(["  Void @3 = Check(@0) s0", "  Int64 @4 = Neg(@1)"], SNAPSHOT.replace("@0: @0", "@0: deadBytes(@4, 0, 4)"))],
  [22, "f: s1: exit 1 has other frames than in snapshot s0", programAround([], `${SNAPSHOT}\nsnapshot s1 = exit 1 frames [f@1: @0]`)],
  [22, "f: s1: exit 1 has other frames than in snapshot s0", programAround([], `${SNAPSHOT}\nsnapshot s1 = exit 1 frames [f@0: @0, dead]`)],
  [23, "f: s0: g takes (Int32), frame 1 gives (Int32, Double)", resuming("f@0: @0, dead, @1", "Int32 @0")],
  [23, "f: s0: g takes (Double), frame 1 gives (Int32)", resuming("f@0: Const32(1)", "Double @0")],
  [23, "f: s0: exit 1 has 2 frames, but 1 continuations", resuming("f@0: @0 | h@0: @0", "Int32 @0")],
  [23, "f: s0: the last continuation returns Double, the procedure gives Int32", resuming("f@0: @0", "Int32 @0", "Double")],
  [24, "f: #0: @3: has 1 operands, addPair takes 2", programAround(["  Int32 @3 = Patchpoint(addPair, @0)"])],
  [24, "f: #0: @3: operand 2 has type Int64, expected Int32", programAround(["  Int32 @3 = Patchpoint(addPair, @0, @1)"])],
  [24, "f: #0: @3: has type Int64, addPair gives Int32", programAround(["  Int64 @3 = Patchpoint(addPair, @0, @0)"])],
  [24, "f: #0: @3: addPair belongs to Patchpoint, not to PatchpointCheck", programAround(["  Int32 @3 = PatchpointCheck(addPair, @0, @0) s0"], SNAPSHOT)],
  [24, "f: #0: @3: operand 2, @0, is no constant", programAround(["  Int32 @3 = Patchpoint(rotateByConstant, @0, @0)"])],
  [24, "f: #0: @3: returns Int32, the procedure gives Int64", control("#0:\nVoid @3 = PatchpointReturn(returnSum, @0, @0)").replace("-> Int32", "-> Int64")],
  [24, "f: #0: @3: names no parameter that is passed in a register", programAround(["  Int64 @3 = ArgumentReg(%a2)"])],
  [24, "f: #0: @3: names a parameter of type Int32, expected Int64", programAround(["  Int64 @3 = ArgumentReg(%a0)"])],
  [24, "f: #0: @50: names no parameter that is passed in a register", programAround(["  Int64 @50 = ArgumentReg(%a6)"]).replace("Double @2", many("Int64", 12).slice(20))],
  [17, "f: #0: @4: @3 is not the address of a locked slot", programAround(["  Int64 @3 = SlotBase(stack0)", "  Int64 @4 = Patchpoint(slotFetch, @3)"], "slot stack0 = anonymous 8")],
  [17, "f: #0: @5: @3 is not the address of a locked slot", programAround(["  Int64 @3 = SlotBase(stack0)", "  Int32 @4 = Const32(1)", "  Void @5 = CCall(keepSlot, @4, @3)"], "slot stack0 = anonymous 8")],
  [17, "f: #0: @5: @3 is not the address of a locked slot", programAround(["  Int64 @3 = Const64(8)", "  Int32 @4 = Const32(1)", "  Void @5 = CCall(keepSlot, @4, @3)"])],
  [17, "f: #0: @5: @3 is the address of a slot; only an address operand may be", programAround(["  Int64 @3 = SlotBase(stack0)", "  Int32 @4 = Const32(1)", "  Void @5 = CCall(writeKept, @4, @3)"], "slot stack0 = locked 8")],
  [17, "f: #0: @4: @3 is not the address of a locked slot", programAround(["  Int64 @3 = FramePointer()", "  Int64 @4 = Patchpoint(slotFetch, @3)"])],
  [17, "f: #0: @4: @1 does not come from FramePointer", programAround(["  Int64 @4 = Patchpoint(frameDistance, @1)"])],
  [17, "f: #0: @4: @3 is the address of a slot, which may not be used here", programAround(["  Int64 @3 = SlotBase(stack0)", "  Int64 @4 = Patchpoint(heapFetch, @3)"], SLOT)],
  [17, "f: #0: @4: @3 is an address in the frame; only a patchpoint may use it", programAround(["  Int64 @3 = FramePointer()", "  Int32 @4 = Load(@3)"])],
  [19, "f: s0: @9: may not be in an exit block: it is neither a store nor total", programAround([], "snapshot s0 = exit 1 block {\nInt64 @9 = ArgumentReg(%a1)\n} frames [f@0:]")],
];

test("the verifier reports each rule that text can break", (t) => {
  for (const [rule, fault, text] of BROKEN) {
    const { module } = parseText(text);
    const faults = verify(module).map(describe);
    t.true(faults.includes(fault), `rule ${rule}: expected ${fault}, found ${faults.join("; ")}`);
    t.throws(() => parseModule(text), { instanceOf: ParseError });
  }
});

const describe = ({
  procedure,
  block,
  snapshot,
  value,
  message,
}: ReturnType<typeof verify>[0]): string =>
  [
    procedure === "" ? "" : `${procedure}: `,
    block === undefined ? "" : `#${block}: `,
    snapshot === undefined ? "" : `s${snapshot}: `,
    value === undefined ? "" : `@${value}: `,
    message,
  ].join("");

function toSwitch(module: Module, cases: SwitchCases | null): void {
  const { last } = module.entry.blocks[0];
  last.opcode = Op.Switch;
  [last.a] = module.entry.parameters;
  last.extra = cases;
}

interface Breakage {
  readonly rule: number;
  readonly fault: string;
  readonly break: (module: Module, value: Value) => void;
}

// Violations that a phase may cause and no text can express. `value` is `@3`, an Add of constants in the entry.
// biome-ignore format: a table
const DAMAGE: readonly Breakage[] = [
  { rule: 1, fault: "the module has no procedure", break: (module) => { module.procedures.length = 0; } },
  { rule: 1, fault: "f: another procedure has the same name", break: (module) => { module.procedures.push(new Procedure("f", Void)); } },
  { rule: 2, fault: "the heap has 4097 bytes, expected a multiple of 4096 up to 16 MB", break: (module) => { module.heapSize = 4097; } },
  { rule: 3, fault: "a continuation of exit 1 is not a procedure of the module", break: (module) => { module.continuations.set(1, [new Procedure("g", Void)]); } },
  { rule: 4, fault: "f: @1: is not parameter 1", break: (module) => { module.entry.parameters[1].parameterIndex = 0; } },
  { rule: 5, fault: "f: stack0 is declared twice", break: (module) => { module.entry.slots.push(module.entry.slots[0]); } },
  { rule: 6, fault: "f: has no block", break: (module) => { module.entry.blocks = []; } },
  { rule: 6, fault: "f: two have the id #0", break: (module) => { module.entry.newBlock(0); } },
  { rule: 6, fault: "f: the id #0 is not below 0", break: (module) => { module.entry.blockIdEnd = 0; } },
  { rule: 7, fault: "f: #0: @3: another value has the same id", break: (module, value) => { module.entry.blocks[0].values.unshift(value); } },
  { rule: 7, fault: "f: #0: @3: the id is not below 3", break: (module) => { module.entry.valueIdEnd = 3; } },
  { rule: 7, fault: "f: #0: @3: does not refer to the block that contains it", break: (_, value) => { value.block = null; } },
  { rule: 7, fault: "f: #0: @100: is a parameter, but is in a block", break: (module) => { const value = module.entry.newValue(Op.Parameter, Int32); module.entry.blocks[0].values.unshift(value); } },
  { rule: 7, fault: "f: s0: @3: refers to a block, but is in an exit block", break: (module, value) => { module.entry.blocks[0].values.shift(); module.entry.snapshots[0].values.push(value); } },
  { rule: 8, fault: "f: #0: @99: #0 is not a block of the procedure", break: (module) => { module.entry.blocks[0].successors.push(new Procedure("g", Void).newBlock()); } },
  { rule: 9, fault: "f: #0: @3: operand 2 is missing", break: (_, value) => { value.b = null; } },
  { rule: 9, fault: "f: #0: @3: has an operand 3, expected none", break: (_, value) => { value.c = value.a; } },
  { rule: 9, fault: "f: #0: @3: operand 1, @100, is not in the procedure", break: (module, value) => { value.a = module.entry.newConstant(Int32, 1, 0); } },
  { rule: 10, fault: "f: #0: @3: has a reference that its row does not permit", break: (module, value) => { value.extra = module.entry.snapshots[0]; } },
  { rule: 10, fault: "f: #0: @3: has operands of a call, which its row does not permit", break: (_, value) => { value.rest = []; } },
  { rule: 10, fault: "f: #0: @3: has bits that its row does not permit", break: (_, value) => { value.immediate1 = 1; } },
  { rule: 11, fault: "f: #0: @3: the high word of a 32-bit constant is -1, expected 0", break: (_, value) => value.becomesConstant(-1, -1) },
  { rule: 11, fault: "f: #0: @3: the words 4294967295 and 0 of a constant are not 32-bit integers", break: (_, value) => value.becomesConstant(0xffffffff, 0) },
  { rule: 11, fault: "f: #0: @4: class 256 is not in 0 to 255", break: (module) => { module.entry.blocks[0].values[1].memoryClass = 256; } },
  { rule: 11, fault: "f: #0: @4: offset 2147483648 is not a signed 32-bit integer", break: (module) => { module.entry.blocks[0].values[1].offset = 2 ** 31; } },
  { rule: 12, fault: "f: #0: @5: calls a function that is not in the registry of host functions", break: (module) => { module.entry.blocks[0].values[2].extra = { ...HOST_FUNCTIONS[0] }; } },
  { rule: 14, fault: "f: #0: @6: names no snapshot of the procedure", break: (module) => { module.entry.snapshots.pop(); } },
  { rule: 8, fault: "f: #0: @99: the block has 0 successors, expected 2", break: (module) => toSwitch(module, new SwitchCases([5], [0])) },
  { rule: 11, fault: "f: #0: @99: the high word of a 32-bit constant is 1, expected 0", break: (module) => toSwitch(module, new SwitchCases([5], [1])) },
  { rule: 11, fault: "f: #0: @99: has 16385 cases, at most 16384 are allowed", break: (module) => { const keys = Array.from({ length: 16_385 }, (_, key) => key); toSwitch(module, new SwitchCases(keys, keys.map(() => 0))); } },
  { rule: 14, fault: "f: #0: @99: has no cases", break: (module) => toSwitch(module, null) },
  { rule: 14, fault: "f: #0: @7: names no slot of the procedure", break: (module) => { module.entry.slots.pop(); } },
  { rule: 18, fault: "f: s0: has no frame", break: (module) => { module.entry.snapshots[0].frames.pop(); } },
  { rule: 18, fault: "f: s1: the number of the exit is -1, expected 0 to 2^31 - 1", break: (module) => { module.entry.newSnapshot(-1); } },
  { rule: 18, fault: "f: s0: the point of a frame is 0.5, expected 0 to 2^31 - 1", break: (module) => { module.entry.snapshots[0].frames.push({ name: "f", point: 0.5, slots: [] }); } },
  { rule: 18, fault: "f: two have the id s0", break: (module) => { module.entry.newSnapshot(1, 0); } },
  { rule: 21, fault: "f: s0: the high word of a 32-bit constant is 1, expected 0", break: (module) => { module.entry.snapshots[0].frames[0].slots.push({ kind: "constant", type: Float, lo: 0, hi: 1 }); } },
  { rule: 21, fault: "f: s0: a constant of a slot has type Void", break: (module) => { module.entry.snapshots[0].frames[0].slots.push({ kind: "constant", type: Void, lo: 0, hi: 0 }); } },
  { rule: 21, fault: "f: s0: @100 of a slot is not in the procedure", break: (module) => { module.entry.snapshots[0].frames[0].slots.push({ kind: "value", value: module.entry.newValue(Op.Const32, Int32) }); } },
];

test("the verifier reports each rule that a phase can break", (t) => {
  const whole = programAround(
    [
      "Int32 @3 = Add(@0, @0)",
      "Int32 @4 = Load(@1)",
      "Int32 @5 = CCall(mix32, @0, @0)",
      "Void @6 = Check(@0) s0",
      "Int64 @7 = SlotBase(stack0)",
    ],
    `${SLOT}\n${SNAPSHOT}`,
  );
  for (const { rule, fault, break: damage } of DAMAGE) {
    const module = parseModule(whole);
    damage(module, module.entry.blocks[0].values[0]);
    const faults = verify(module).map(describe);
    t.true(faults.includes(fault), `rule ${rule}: expected ${fault}, found ${faults.join("; ")}`);
    t.notThrows(() => printModule(module));
  }
});

test("the verifier accepts what the language permits", (t) => {
  const allowed = [
    // Uses in unreachable blocks, and a definition there.
    control(
      "#0:\nVoid @4 = Return(@0)\n#1:\nInt32 @5 = SExt8(@6)\nVoid @8 = Oops()\n#2:\nInt32 @6 = Const32(1)\nVoid @7 = Jump(#1)",
    ),
    // A Phi written in the block above the branch, and again in one successor.
    control(
      "#0:\nVoid @3 = Upsilon(@0, ^7)\nVoid @4 = Branch(@0, #1, #3)\n#1:\nVoid @5 = Upsilon(@0, ^7)\nVoid @6 = Jump(#3)\n#3:\nInt32 @7 = Phi()\nVoid @9 = Return(@7)",
    ),
    // A loop: the Phi writes itself.
    control(
      "#0:\nVoid @3 = Upsilon(@0, ^7)\nVoid @6 = Jump(#3)\n#3:\nInt32 @7 = Phi()\nVoid @5 = Upsilon(@7, ^7)\nVoid @9 = Branch(@7, #3, #4)\n#4:\nVoid @10 = Return(@7)",
    ),
    // Addresses of slots in all their forms.
    programAround(
      [
        "Int64 @3 = SlotBase(stack0)",
        "Int64 @4 = Add(@3, @1)",
        "Int64 @5 = Add(@1, @4)",
        "Int64 @6 = Identity(@5)",
        "Void @7 = Store(@1, @6, offset = 4)",
        "Int32 @8 = Load8S(@3)",
      ],
      SLOT,
    ),
    // A value in the block of one guard that dominates the other guard; an operand of the guard.
    control(
      "#0:\nInt32 @5 = Const32(1)\nVoid @6 = Check(@5) s0\nVoid @4 = Branch(@0, #1, #2)\n#1:\nVoid @7 = Return(@0)\n#2:\nVoid @8 = Check(@0) s0\nVoid @9 = Return(@0)",
      SNAPSHOT.replace("@0: @0", "@0: @5"),
    ),
    // A guard in an unreachable block has no requirements of its snapshot.
    control(
      "#0:\nVoid @4 = Return(@0)\n#1:\nInt32 @3 = CheckAdd(@0, @0) s0\nVoid @5 = Oops()",
      SNAPSHOT.replace("@0: @0", "@0: @3"),
    ),
    // A continuation receives neither contents nor dead slots.
    resuming("f@0: contents(stack0), @1, deadHeap(0, 4096)", "Double @0").replace(
      "\nsnapshot",
      "\nslot stack0 = anonymous 4\nsnapshot",
    ),
    // A continuation with the result Void passes nothing on; the next one returns the result.
    [
      resuming("f@0: @1, @0 | h@0: Const32(1)", "Double @0, Int32 @1", "Void"),
      "proc k(Int32 @0) -> Int32\n#0:\nVoid @1 = Return(@0)\n",
    ]
      .join("")
      .replace("resumes g", "resumes g, k"),
  ];
  for (const text of allowed) t.deepEqual(verify(parseText(text).module), [], text);
});

/** Returns a graph of up to 8 blocks with up to 3 successors each, as edges. */
const graphs = fc
  .array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 8, maxLength: 8 })
  .map((successors): NeighborLists => {
    const start = [0];
    for (const list of successors) start.push(start[start.length - 1] + list.length);
    return { start: Int32Array.from(start), target: Int32Array.from(successors.flat()) };
  });

/** Returns the blocks that the entry reaches on paths that continue only after blocks for which `passes` is true. */
function reachedBlocks(
  { start, target }: NeighborLists,
  passes: (block: number) => boolean,
): Set<number> {
  const reached = new Set([0]);
  for (const block of reached) {
    if (!passes(block)) continue;
    for (const successor of target.slice(start[block], start[block + 1])) reached.add(successor);
  }
  return reached;
}

test("a block dominates the blocks that become unreachable without it", (t) => {
  fc.assert(
    fc.property(graphs, (edges) => {
      const flow = analyzeFlow(edges);
      const reached = reachedBlocks(edges, () => true);
      t.deepEqual([...flow.order].sort(), [...reached].sort());
      for (const a of reached) {
        const without = reachedBlocks(edges, (block) => block !== a);
        for (const b of reached) t.is(dominatesBlock(flow, a, b), a === b || !without.has(b));
      }
    }),
    { seed: 5, numRuns: 500 },
  );
});

test("a Phi is unwritten if a path avoids its Upsilons", (t) => {
  const phi = fc.record({
    block: fc.nat(7),
    position: fc.integer({ min: 1, max: 2 }),
    writers: fc.array(fc.record({ block: fc.nat(7), position: fc.constantFrom(0, 3) }), {
      maxLength: 4,
    }),
  });
  const phis = fc.array(phi, { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(graphs, phis, (edges, list) => {
      const flow = analyzeFlow(edges);
      const readers = list
        .map((reader, id) => ({ ...reader, id }))
        .filter(({ block }) => flow.first[block] >= 0);
      const expected = readers.filter(({ block, position, writers }) => {
        const reached = reachedBlocks(edges, (at) =>
          writers.every((writer) => writer.block !== at),
        );
        const above = writers.some(
          (writer) => writer.block === block && writer.position < position,
        );
        return reached.has(block) && !above;
      });
      t.deepEqual(
        findUnwrittenPhis(flow, readers)?.sort((x, y) => x - y),
        expected.map(({ id }) => id),
      );
    }),
    { seed: 6, numRuns: 300 },
  );
});

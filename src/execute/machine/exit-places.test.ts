// Tests the check of the locations that an exit of a patchpoint shows: right and wrong locations of
// each kind of operand.

import test from "ava";
import { parseModule } from "../../ir/text/parse.js";
import { Int32 } from "../../ir/types.js";
import { CONVENTIONS } from "./conventions.js";
import { DECODED_PLACE, type DecodedExit, type DecodedLocation } from "./decode-exits.js";
import { misplacedOperand } from "./exit-places.js";
import type { Architecture } from "./guest.js";

const module = parseModule(`touchstone 1

proc f(Int32 @0, Int32 @1, Double @2, Int64 @3, Float @4) -> Int32
snapshot s5 = exit 5 frames [f@1: @0, @3, @4, @2]
snapshot s6 = exit 6 frames [f@1: @0 | f@2: @1]
snapshot s7 = exit 7 frames [f@1: @2, Const32(7), @3]
snapshot s8 = exit 8 frames [f@1: @0]
snapshot s11 = exit 11 frames [f@1: @3, @0, @4]
#0:
  Void @5 = PatchpointCheck(exitIfOdd, @0, @3, @4) s5
  Int32 @6 = PatchpointCheck(addOrExit, @0, @1) s6
  Int64 @7 = PatchpointCheck(exitIfNegative, @3, @2, @3) s7
  Int32 @8 = PatchpointCheck(addOrExit, @0, @0) s8
  Void @9 = Check(@0) s8
  Int64 @11 = PatchpointCheck(addPassed, @3, @0, @4) s11
  Void @10 = Return(@0)
`);

/** The exit of @8 and its locations, with a bar between frames: `general 12 | frame 8`. */
function exitOf(id: number, places: string): DecodedExit {
  const location = (text: string): DecodedLocation => {
    const [name, index = "0"] = text.split(" ");
    // The cast is checked by the table of locations: an unknown name has no number.
    const place = DECODED_PLACE[name as keyof typeof DECODED_PLACE];
    return { place, type: Int32, index: Number(index), lo: 0, hi: 0, halves: null };
  };
  return {
    exit: id,
    procedure: 0,
    snapshot: id,
    patchpoint: id + 1,
    frameSize: 64,
    saved: [],
    blockSize: 0,
    leaves: [],
    frames: places
      .split(" | ")
      .map((slots) => ({ name: "f", point: 1, slots: slots.split(", ").map(location) })),
  };
}

const check = (exit: DecodedExit, target: Architecture) =>
  misplacedOperand({ module }, exit, CONVENTIONS[target]);

// %g3 is r13 and x20; %f0 is xmm0 and v0.
// biome-ignore format: a table
const CASES: readonly (readonly [target: Architecture, id: number, places: string, fault: string | null])[] = [
  // A named general register, and operands that are kept alive anywhere.
  ["x64",   5, "general 13, general 1, vector 3, frame 16",   null],
  ["x64",   5, "general 13, frame 8, frame 24, vector 1",     null],
  ["arm64", 5, "general 20, general 1, vector 3, frame 16",   null],
  ["arm64", 5, "general 13, general 1, vector 3, frame 16",   "exit 5 shows @0 outside of its place (%g3)"],
  ["x64",   5, "general 20, general 1, vector 3, frame 16",   "exit 5 shows @0 outside of its place (%g3)"],
  ["x64",   5, "vector 13, general 1, vector 3, frame 16",    "exit 5 shows @0 outside of its place (%g3)"],
  ["x64",   5, "frame 13, general 1, vector 3, frame 16",     "exit 5 shows @0 outside of its place (%g3)"],
  ["x64",   5, "dead, general 1, vector 3, frame 16",         "exit 5 shows @0 outside of its place (%g3)"],
  ["x64",   5, "general 13, vector 1, vector 3, frame 16",    "exit 5 shows @3 outside of its place (keepAlive)"],
  ["x64",   5, "general 13, general 1, general 3, frame 16",  "exit 5 shows @4 outside of its place (keepAlive)"],
  ["x64",   5, "general 13, dead, vector 3, frame 16",        "exit 5 shows @3 outside of its place (keepAlive)"],
  // An operand in any register, and one anywhere, in the second frame.
  ["x64",   6, "general 0 | general 3",                       null],
  ["arm64", 6, "general 28 | frame -16",                      null],
  ["x64",   6, "frame 8 | general 3",                         "exit 6 shows @0 outside of its place (late)"],
  ["x64",   6, "vector 0 | general 3",                        "exit 6 shows @0 outside of its place (late)"],
  ["x64",   6, "general 0 | vector 3",                        "exit 6 shows @1 outside of its place (late-cold)"],
  // A named vector register. Operands that are not late are anywhere.
  ["x64",   7, "vector 0, constant, vector 9",                null],
  ["arm64", 7, "vector 0, frame 8, dead",                     null],
  ["x64",   7, "vector 1, constant, general 9",               "exit 7 shows @2 outside of its place (%f0)"],
  ["arm64", 7, "general 0, constant, general 9",              "exit 7 shows @2 outside of its place (%f0)"],
  // Stack arguments are at the stack pointer, 64 bytes below the frame pointer, and eight bytes above it.
  ["x64",   11, "frame 64, general 6, frame 56",              null],
  ["arm64", 11, "frame 64, general 1, frame 56",              null],
  ["x64",   11, "constant, general 6, frame 56",              null],
  ["x64",   11, "frame 64, general 1, frame 56",              "exit 11 shows @0 outside of its place (%a1)"],
  ["x64",   11, "frame 56, general 6, frame 56",              "exit 11 shows @3 outside of its place (argument)"],
  ["x64",   11, "general 64, general 6, frame 56",            "exit 11 shows @3 outside of its place (argument)"],
  ["x64",   11, "halves, general 6, frame 56",                "exit 11 shows @3 outside of its place (argument)"],
  ["x64",   11, "frame 64, general 6, frame 48",              "exit 11 shows @4 outside of its place (argument)"],
  ["arm64", 11, "frame 64, general 1, vector 0",              "exit 11 shows @4 outside of its place (argument)"],
  // One value in two late operands is at the location of one of them.
  ["x64",   8, "frame 8",                                     null],
  ["x64",   8, "general 2",                                   null],
  ["x64",   8, "vector 2",                                    "exit 8 shows @0 outside of its place (late or late-cold)"],
  // The bits of a constant are compared elsewhere, and halves are not in the operand.
  ["x64",   5, "constant, halves, constant, frame 16",        null],
];

for (const [target, id, places, fault] of CASES)
  test(`${target}, @${id}: ${places}`, (t) => t.is(check(exitOf(id, places), target), fault));

// biome-ignore format: a table
const STRANGERS: readonly (readonly [title: string, change: Partial<DecodedExit>, id: number])[] = [
  ["no value of the procedure",          { patchpoint: 78 },               77],
  ["a guard that is no patchpoint",      { patchpoint: 10 },               9],
  ["a patchpoint with another snapshot", { patchpoint: 7 },                6],
  ["a value of no procedure",            { procedure: 1 },                 8],
];

for (const [title, change, id] of STRANGERS) {
  test(`an exit names ${title}`, (t) => {
    const fault = `exit 8 names @${id}, which is no patchpoint with its snapshot`;
    t.is(check({ ...exitOf(8, "general 0"), ...change }, "x64"), fault);
  });
}

// Tests exits as large as the language allows: exceeding a limit is a compile error, and an exit
// within the limits compiles quickly.

import test from "ava";
import { decodeExits } from "../../src/execute/machine/decode-exits.js";
import { ENVIRONMENT } from "../../src/execute/machine/environment.js";
import { parseModule } from "../../src/ir/text/parse.js";
import { type CodeImage, Compiler } from "../compile.js";
import { CompileError } from "../emit/compile-error.js";
import { optimize } from "../optimize.js";

const SLOTS = 65_535;

/**
 * Compiles guards that share a snapshot of this many different constants, in a frame of that name.
 */
function compiled(guards: number, slots: number, name: string): CodeImage {
  const state = Array.from({ length: slots }, (_, i) => `Const64(${7919 * i})`).join(",\n");
  const module = parseModule(
    [
      "touchstone 1",
      "proc f(Int32 @0) -> Void",
      `snapshot s0 = exit 0 frames ["${name}"@1: ${state}]`,
      "#0:",
      ...Array.from({ length: guards }, (_, i) => `  Void @${i + 1} = Check(@0) s0`),
      `  Void @${guards + 1} = Return()`,
    ].join("\n"),
  );
  optimize(module, { level: "O0" });
  return new Compiler().generate(module, "x64", {
    environment: ENVIRONMENT,
    level: "O0",
    checkAllocation: true,
    listing: false,
  });
}

test("a snapshot of 65,535 different constants is encoded and decoded", (t) => {
  const [exit, ...others] = decodeExits(compiled(1, SLOTS, "f").exits);
  t.is(others.length, 0);
  t.is(exit.frames[0].slots.length, SLOTS);
  t.is(exit.frames[0].slots[SLOTS - 1].lo, 7919 * (SLOTS - 1));
});

test("guards with four million slots in total are a compile error", (t) => {
  t.throws(() => compiled(65, SLOTS, "f"), {
    instanceOf: CompileError,
    message: /more than \d+ slots/,
  });
});

test("more exits, and a longer name, than a call takes arguments", (t) => {
  const name = "n".repeat(200_000);
  const exits = decodeExits(compiled(130_000, 1, name).exits);
  t.is(exits.length, 130_000);
  t.is(exits[0].frames[0].name.length, name.length);
});

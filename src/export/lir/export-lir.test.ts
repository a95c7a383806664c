// Exports programs as text of Nanojit's assembler, imports the text again, and compares what it prints.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { importLir } from "../../import/lir/import-lir.js";
import { lirInput } from "../../import/lir/inputs.js";
import type { Outcome } from "../../ir/outcome.js";
import { parseModule } from "../../ir/text/parse.js";
import { runLines } from "../../ir/text/run-line.js";
import { parseLir } from "../../lir/parse.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { projectRoot } from "../../support/project-root.js";
import { SeedSource } from "../../support/source.js";
import { ExportRefusal } from "../refusal.js";
import { exportLir, lirLines } from "./export-lir.js";

const FUEL = 100_000;
const oracle = new Oracle();

/** Returns what the assembler prints for an imported program. */
function printed({ events, ending }: Outcome): readonly string[] {
  const result =
    ending.kind === "return" && ending.result !== null ? ending.result.lo : ending.kind;
  return [...events.map(({ args: [{ lo }] }) => `${lo}`), `Output is: ${result}`];
}

/**
 * Exports and imports a program for each of its run lines. Returns the number of those that print the same, the
 * differences, and the refusals.
 */
function roundTrip(text: string): { same: number; different: string[]; refused: string[] } {
  const module = parseModule(text);
  const program = decodeModule(module);
  const count = { same: 0, different: [] as string[], refused: [] as string[] };
  for (const { input } of runLines(text, module)) {
    try {
      const exported = exportLir(module, input);
      const lines = lirLines(oracle.run(program, input, FUEL), exported.printsHeap);
      if (lines === null) continue;
      const again = importLir(parseLir(exported.text, null));
      const nothing = lirInput(again, new SeedSource(1n));
      const found = printed(oracle.run(decodeModule(again.module), nothing, FUEL));
      if (found.join() === lines.join()) count.same++;
      else count.different.push(`${found.join()} for ${lines.join()}`);
    } catch (error) {
      if (!(error instanceof ExportRefusal)) throw error;
      count.refused.push(error.message);
    }
  }
  return count;
}

test("programs that are exported and imported print the same", (t) => {
  let same = 0;
  for (const folder of ["corpus/golden/opcodes", "corpus/golden/run"]) {
    for (const file of readdirSync(join(projectRoot(), folder))) {
      if (!file.endsWith(".ir")) continue;
      const text = readFileSync(join(projectRoot(), folder, file), "utf8");
      const count = roundTrip(text);
      t.deepEqual(count.different, [], `${folder}/${file}`);
      same += count.same;
    }
  }
  t.true(same > 200, `${same}`);
});

const entry = (lines: string, result = "Int32"): string =>
  `touchstone 1\n\nproc f(Int32 @0, Int64 @1, Double @2) -> ${result}\n#0:\n${lines}\n\n; run: f(7, -2, 1.5)\n`;

test("a guard prints its number and its frame", (t) => {
  const text = `touchstone 1

proc f(Int32 @0, Int64 @1, Double @2) -> Int32
snapshot s0 = exit 3 frames [f@1: @1, dead, @2, Const32(9)]
#0:
  Int32 @3 = CheckMul(@0, @0) s0
  Int32 @4 = CheckAdd(@3, @0) s0
  Void @5 = Return(@4)

; run: f(7, -2, 1.5)
; run: f(65536, -2, 1.5)
; run: f(46340, -2, 1.5)
`;
  t.deepEqual(roundTrip(text), { same: 3, different: [], refused: [] });
  const module = parseModule(text);
  const [, { input }] = runLines(text, module);
  const lines = lirLines(oracle.run(decodeModule(module), input, FUEL), false);
  t.deepEqual(lines, ["2", "-1", "-2", `${0x3ff8_0000}`, "0", "9", "Output is: 3"]);
});

/** Each row: the body of a procedure, and the reason. */
const REFUSED: readonly (readonly [body: string, reason: string])[] = [
  ["  Float @3 = DoubleToFloat(@2)\n  Void @4 = Return(@0)", "Float"],
  ["  Int64 @3 = Mul(@1, @1)\n  Void @4 = Return(@0)", "Mul of Int64"],
  ["  Double @3 = Sqrt(@2)\n  Void @4 = Return(@0)", "Sqrt of Double"],
  ["  Int32 @3 = CCall(mix32, @0, @0)\n  Void @4 = Return(@3)", "the host function mix32"],
  ["  Int32 @3 = CCall(f, @0, @1, @2)\n  Void @4 = Return(@3)", "recursion"],
];

for (const [body, reason] of REFUSED) {
  test(`${reason} is refused`, (t) => t.deepEqual(roundTrip(entry(body)).refused, [reason]));
}

test("a heap is hashed at the end", (t) => {
  const text = entry("  Void @3 = Store(@0, @1)\n  Void @4 = Return()", "Void").replace(
    "-2,",
    "heap+8,",
  );
  const module = parseModule(text);
  const [{ input }] = runLines(text, module);
  const { printsHeap, text: exported } = exportLir(module, input);
  t.true(printsHeap);
  t.regex(exported, /= callq malloc cdecl/);
  const lines = lirLines(oracle.run(decodeModule(module), input, FUEL), printsHeap) ?? [];
  // 7 times 31 for each of the 1,021 words after it.
  const hash = Array.from({ length: 1021 }).reduce<number>((x) => Math.imul(x, 31), 7);
  t.deepEqual(lines, ["1", `${hash}`, "Output is: 0"]);
});

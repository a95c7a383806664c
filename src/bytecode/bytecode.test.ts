// Tests bytecode: its text, its plain interpreter, and the interpreter as a module.

import test from "ava";
import { HEAP_BASE_HI, HEAP_BASE_LO } from "../ir/outcome.js";
import { ParseError } from "../ir/text/lexer.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { codeOf, moduleOf } from "./interpreter-module.js";
import { plainDifference } from "./plain-difference.js";
import { listingOf, parseCode } from "./text.js";

const EXAMPLE = `bytecode 1
proc main 3 -> 0
  DROP
  DROP
again:
  DUP
  SUPER square
  LOG
  LITC 1
  ISUB
  DUP
  LOOPNZ again
  CALL deep
  HALT
proc square 1 -> 1
  DUP
  IMUL
  EXIT
proc deep 1 -> 1
  LITC 1
  IADD
  CALL deep
  EXIT
`;

test("the interpreter as a module behaves like the plain one", (t) => {
  const code = parseCode(EXAMPLE);
  const module = moduleOf(code);
  t.deepEqual(verify(module).map(describeFault), []);
  const words = Int32Array.of(HEAP_BASE_LO, HEAP_BASE_HI, 5, 0, 6, 0, 7, 0);
  const input = { words, heapSeed: 0 };
  const outcome = new Oracle().run(decodeModule(module), input, 1_000_000);
  t.deepEqual(
    outcome.events.map(({ args }) => args[0].lo),
    [25, 16, 9, 4, 1],
  );
  t.is(plainDifference(code, input, outcome), null);
  const other = parseCode(EXAMPLE.replace("IMUL", "IADD"));
  t.regex(plainDifference(other, input, outcome) ?? "", /it logs 10,8,6,4,2/);
});

const BOXES = `bytecode 1
proc main 3 -> 0
  BOXI
  DUP
  TAG
  LOG
  UNBOXI
  LOG
  BOXB
  DUP
  TAG
  LOG
  UNBOXB
  LOG
  I2D
  BOXD
  DUP
  TAG
  LOG
  DUP
  UNBOXD
  D2I
  LOG
  UNBOXI
  LOG
  HALT
`;

test("boxes: tag and payload; unboxing with a wrong tag leaves the program immediately", (t) => {
  const code = parseCode(BOXES);
  const module = moduleOf(code);
  t.deepEqual(verify(module).map(describeFault), []);
  // Payloads have 29 bits.
  const words = Int32Array.of(HEAP_BASE_LO, HEAP_BASE_HI, -3, 0, 6, 0, 0x30000001, 0);
  const input = { words, heapSeed: 0 };
  const outcome = new Oracle().run(decodeModule(module), input, 1_000_000);
  t.deepEqual(
    outcome.events.map(({ args }) => args[0].lo),
    [6, 0x30000001 - 0x40000000, 5, 1, 7, -3],
  );
  t.is(outcome.ending.kind === "exit" ? outcome.ending.exit : null, 2);
  t.is(plainDifference(code, input, outcome), null);
});

test("bytecode is recovered from its module, and from its text", (t) => {
  const code = parseCode(EXAMPLE);
  t.deepEqual(codeOf(moduleOf(code)), code);
  t.deepEqual(parseCode(listingOf(code).join("\n")), code);
});

// biome-ignore format: a table
const FAULTS: readonly (readonly [line: number, message: RegExp, words: string])[] = [
  [6, /operand stack is empty/, "DROP DROP DROP DROP HALT"],
  [3, /return stack is empty/, "RFROM HALT"],
  [4, /1 below the top/, "TOR LOCAL:1 HALT"],
  [4, /depth of a stack at EXIT/, "DROP EXIT"],
  [3, /is not a forward target/, "JUMP:main HALT"],
  [3, /not in the procedure/, "DROP"],
  [3, /is not the ENTER of a procedure/, "SUPER:main HALT"],
  [7, /expected the superinstruction after the word/, "HALT proc:a:0:->:0 EXIT proc:b:0:->:0 SUPER:a EXIT"],
  [3, /expected nothing/, "DUP:1 HALT"],
  [3, /no primitive/, "FLY HALT"],
  [2, /pushes more cells than/, `${"DUP ".repeat(60)}HALT`],
];

for (const [line, message, words] of FAULTS) {
  test(`refused: ${message.source}`, (t) => {
    const lines = words.split(" ").map((word) => word.replaceAll(":", " "));
    const error = t.throws(() =>
      parseCode(["bytecode 1", "proc main 3 -> 0", ...lines].join("\n")),
    );
    t.regex(String(error), message);
    t.is(error instanceof ParseError ? error.line : 0, line);
  });
}

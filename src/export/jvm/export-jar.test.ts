// Checks that each opcode can be exported as a class file, and the limits and encodings of class
// files. Tests in src/engine run the result where Java is installed.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { parseModule } from "../../ir/text/parse.js";
import { Double, Float, Int32, Int64 } from "../../ir/types.js";
import { projectRoot } from "../../support/project-root.js";
import { ExportRefusal } from "../refusal.js";
import { assemble } from "./assemble.js";
import { exportJar, textOf } from "./export-jar.js";
import { constantOf } from "./write-procedure.js";

const FOLDER = join(projectRoot(), "corpus", "golden", "opcodes");

for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(".ir"))) {
  test(`${name} is exported as a class`, (t) => {
    t.notThrows(() => exportJar([parseModule(readFileSync(join(FOLDER, name), "utf8"))]));
  });
}

test("a constant keeps its bits", (t) => {
  t.is(constantOf(Int32, -1, 0), "int -1");
  t.is(constantOf(Int64, 0, 1 << 31), "long -9223372036854775808");
  t.is(constantOf(Double, 0, 1 << 31), "double -9223372036854775808");
  t.is(
    constantOf(Float, 0x7fc00001, 0),
    "int 2143289345 invokestatic java/lang/Float.intBitsToFloat (I)F",
  );
});

test("a test with one use is part of the branch", (t) => {
  const text = textOf(
    parseModule(`touchstone 1
proc f(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = LessThan(@0, @1)
  Void @3 = Branch(@2, #1, #2)
#1:
  Void @4 = Return(@0)
#2:
  Void @5 = Return(@1)
`),
  );
  t.regex(text, /iload 0 iload 1 if_icmplt b1/);
});

/** Returns the code of the only method of a class. */
function codeOf(text: string): number[] {
  const bytes = [...assemble(`class A extends B\nmethod static m (I)I\n${text}`)];
  const at = bytes.length - 2 - 2; // the code's and the class's own attributes
  const start = bytes.findIndex((_, b) => b > 8 && isCode(bytes, b, at));
  return bytes.slice(start + 4, at - 2);
}
const isCode = (bytes: readonly number[], at: number, end: number): boolean =>
  bytes[at] * 2 ** 24 + bytes[at + 1] * 2 ** 16 + bytes[at + 2] * 256 + bytes[at + 3] ===
  end - 2 - at - 4;

test("instructions have the encodings of the specification", (t) => {
  t.deepEqual(codeOf("iload 0 int 5 iadd ireturn"), [21, 0, 8, 96, 172]);
  t.deepEqual(codeOf("int -129 iload 300 isub ireturn"), [17, 255, 127, 196, 21, 1, 44, 100, 172]);
  t.deepEqual(codeOf("iload 0 switch 7 a 8 a default b a: int 1 ireturn b: int 2 ireturn"), [
    21,
    0,
    170,
    0,
    ...[0, 0, 0, 24],
    ...[0, 0, 0, 7],
    ...[0, 0, 0, 8],
    ...[0, 0, 0, 22],
    ...[0, 0, 0, 22],
    4,
    172,
    5,
    172,
  ]);
});

test("a jump over more than 32,767 bytes is long", (t) => {
  const code = codeOf(`iload 0 ifeq far ${"iload 0 pop ".repeat(11_000)} far: iload 0 ireturn`);
  t.deepEqual(code.slice(0, 10), [21, 0, 154, 0, 8, 200, 0, 0, 0x80, 0xed]);
});

test("a method of more than 65,535 bytes is refused by its name", (t) => {
  const error = t.throws(() => codeOf(`${"iload 0 pop ".repeat(22_000)} iload 0 ireturn`), {
    instanceOf: ExportRefusal,
  });
  t.is(error.message, "a method of more than 65,535 bytes: m has 66003");
});

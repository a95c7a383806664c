// Functions whose results LLVM's own tests state: corpus/import/llvm.jsonl. The import computes the same, and so does
// LLVM's lli, if it is installed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { Float, isFloating } from "../../ir/types.js";
import { askProgram } from "../../support/ask-program.js";
import { projectRoot } from "../../support/project-root.js";
import { runFunction } from "./run-function.js";

interface ExpectedRow {
  /** The test of LLVM that states the result, below llvm/test/Transforms. */
  readonly from: string;
  readonly type: string;
  readonly globals?: string;
  readonly body: readonly string[];
  /** A signed integer, a number, or `poison`. */
  readonly expect: string;
}

const ROWS = readFileSync(join(projectRoot(), "corpus/import/llvm.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line): ExpectedRow => JSON.parse(line));

const definition = ({ type, body }: ExpectedRow, name: string): string =>
  `define ${type} @${name}() {\n${body.map((line) => `${line}\n`).join("")}}\n`;

/** Returns the result as a row writes it. */
function resultOf(row: ExpectedRow): string {
  const { outcome, shown } = runFunction(`${row.globals ?? ""}\n${definition(row, "f")}`, []);
  if (!row.type.startsWith("i") && shown !== "poison") {
    const number = outcome.events
      .at(-1)
      ?.args.find(({ type, lo, hi }) => isFloating(type) && (lo | hi) !== 0);
    if (number === undefined) return "0";
    const view = new DataView(new ArrayBuffer(8));
    view.setInt32(0, number.hi);
    view.setInt32(4, number.lo);
    const x = number.type === Float ? view.getFloat32(4) : view.getFloat64(0);
    return Object.is(x, -0) ? "-0" : String(x);
  }
  return /^\d+$/.test(shown)
    ? String(BigInt.asIntN(Number(row.type.slice(1)), BigInt(shown)))
    : shown;
}

test("functions have the results that LLVM's tests state", (t) => {
  t.true(ROWS.length >= 120, `${ROWS.length} rows`);
  for (const row of ROWS) t.is(resultOf(row), row.expect, `${row.from}: ${row.body.join("; ")}`);
});

const LLI = "lli-19";
const lliTest = askProgram(LLI, ["--version"]).status === 0 ? test : test.skip;

/** Prints a result as an integer of 64 bits. */
function printed(row: ExpectedRow, i: number): string {
  const { type } = row;
  const call = `  %x${i} = call ${type} @f${i}()\n`;
  const bits = type === "float" ? "i32" : type === "double" ? "i64" : type;
  const cast = bits === type ? "" : `  %b${i} = bitcast ${type} %x${i} to ${bits}\n`;
  const from = bits === type ? `%x${i}` : `%b${i}`;
  const wide =
    bits === "i64" ? `  %w${i} = add i64 ${from}, 0\n` : `  %w${i} = sext ${bits} ${from} to i64\n`;
  return `${call}${cast}${wide}  call i32 (ptr, ...) @printf(ptr @line, i64 %w${i})\n`;
}

/** Returns the result as a row writes it, of an integer that lli prints. */
function shownBits({ type }: ExpectedRow, line: string): string {
  const view = new DataView(new ArrayBuffer(8));
  if (type !== "float" && type !== "double") return line;
  view.setBigInt64(0, BigInt(line));
  const x = type === "float" ? view.getFloat32(4) : view.getFloat64(0);
  return Object.is(x, -0) ? "-0" : String(x);
}

lliTest("lli computes the same", (t) => {
  const rows = ROWS.filter(({ expect }) => expect !== "poison");
  const functions = rows.map((row, i) => {
    const text = `${row.globals ?? ""}\n${definition(row, `f${i}`)}`;
    return text.replace(/@g\b/g, `@g${i}`);
  });
  const main = `@line = private constant [5 x i8] c"%ld\\0A\\00"\ndeclare i32 @printf(ptr, ...)
define i32 @main() {\n${rows.map(printed).join("")}  ret i32 0\n}\n`;
  const ended = askProgram(LLI, ["-"], { input: functions.join("") + main });
  t.is(ended.status, 0, ended.stderr);
  const lines = ended.stdout.trim().split("\n");
  t.is(lines.length, rows.length);
  rows.forEach((row, i) => {
    t.is(shownBits(row, lines[i]), row.expect, `${row.from}: ${row.body.join("; ")}`);
  });
});

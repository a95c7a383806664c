// Writes one execution of a program as a short script that needs nothing else, to attach to a report
// of an engine's bug: only the helpers that the program uses, and a main program that prints its
// result in hexadecimal.

import type { Input } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import { PLAIN_FORM, type SourceForm } from "../forms.js";
import { ENDED } from "../status.js";
import { scriptOf } from "./export-js.js";

interface JsReport {
  readonly module: Module;
  /** The input of the first runs, in which the engine compiles the program. */
  readonly before: Input;
  /** The input of the last run, which is wrong. */
  readonly input: Input;
  readonly form?: SourceForm;
  /** The command that runs the script, with its options. */
  readonly command: string;
  /** A command of the same engine whose result is right; null: none is known. */
  readonly interpreter: string | null;
  /** The result of a correct engine, and the bits that the language leaves open. */
  readonly expected: Uint8Array;
  readonly open: Uint8Array;
  readonly status: number;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

export function jsReport(report: JsReport): string {
  const { module, before, input, form = PLAIN_FORM, command, interpreter } = report;
  const { helpers, source } = scriptOf({ module, inputs: [] }, form);
  const main = mainOf(report, dataOf(before), dataOf(input));
  const used = helpersUsedBy(helpers, source + main);
  const masked = report.expected.map((byte, at) => byte & ~report.open[at]);
  const expected = `${report.status} ${hexOf(masked)}`;
  const lines = [
    `Command: ${command} reproduce.js`,
    ...(interpreter === null ? [] : [`Without the compiler: ${interpreter} reproduce.js`]),
    `Expected output: ${shortened(expected)}`,
    "The last run must have the same result with and without the runs before it: each run starts",
    "with the same memory. The program consists of these operations of ECMA-262:",
    ...clausesOf(source).map(([text, clause]) => `  ${text}: https://tc39.es/ecma262/#${clause}`),
  ];
  const comment = lines.map((line) => `// ${line}\n`).join("");
  return `${comment}${used}\nconst make = function () {\n${source}};\n${main}`;
}

const SHOWN_MAX = 160;
const shortened = (text: string): string =>
  text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}... (EXPECTED below)`;

const dataOf = ({ words, heapSeed }: Input): string => `[${[heapSeed | 0, ...words].join(", ")}]`;

/** The number of first runs: more than any engine needs. */
const RUNS = 200;

function mainOf(report: JsReport, before: string, input: string): string {
  const { expected, open, status, command } = report;
  const optimize = command.includes("--no-turbofan")
    ? "OptimizeMaglevOnNextCall"
    : "OptimizeFunctionOnNextCall";
  const masked = hexOf(expected.map((byte, at) => byte & ~open[at]));
  const isOpen = open.some((bits) => bits !== 0);
  const mask = isOpen ? `.map((byte, i) => byte & ~parseInt(OPEN.substr(2 * i, 2), 16))` : "";
  return `const EXPECTED = "${status} ${masked}";
${isOpen ? `// The bits of NaNs, which ECMA-262 leaves open.\nconst OPEN = "${hexOf(open)}";\n` : ""}
const show = typeof print === "function" ? print : console.log;
const { run, heap, size, functions, learn, arm } = make();
function execute([seed, ...given]) {
  const input = new DataView(new ArrayBuffer(8192));
  given.forEach((word, i) => input.setInt32(4 * i, word, true));
  for (let i = 0, x = seed; i < size; i += 4) {
    x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
    heap.setInt32(i, x, true);
  }
  recorded = status = depth = 0;
  stopped = false;
  try { run(input); if (!stopped) status = ${ENDED}; } catch (error) { if (error !== ended) throw error; }
}
const BEFORE = ${before}, GIVEN = ${input};
const number = GIVEN.reduce((sum, word) => sum + word | 0);
const native = (name) => { try { return new Function("f", "return %" + name + "(f)"); } catch (_) { return () => {}; } };
functions.forEach(native("PrepareFunctionForOptimization"));
for (let i = 0; i < ${RUNS}; i++) {
  if (i === ${RUNS - 1}) functions.forEach(native("${optimize}"));
  if (learn !== undefined) learn(number);
  execute(BEFORE);
}
if (arm !== undefined) arm(number);
execute(GIVEN);
const bytes = Array.from(bytesOf(records).subarray(0, recorded))${mask};
const got = status + " " + bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
show(got === EXPECTED ? "right" : "wrong: expected " + EXPECTED + "\\n            got " + got);
`;
}

/** Returns the declarations of the helpers that the text uses, directly or by others. */
function helpersUsedBy(helpers: string, text: string): string {
  const pieces = helpers.split(/^(?=\/\/|const |let |function )/m);
  const named = pieces.map((piece) => ({ piece, names: namesOf(piece) }));
  const used = new Set<string>();
  const worklist = [text];
  for (let next = worklist.pop(); next !== undefined; next = worklist.pop()) {
    const words = new Set(next.match(/\w+/g));
    for (const { piece, names } of named) {
      if (used.has(piece) || !names.some((name) => words.has(name))) continue;
      used.add(piece);
      worklist.push(piece);
    }
  }
  return `"use strict";\n${pieces.filter((piece) => used.has(piece)).join("")}`;
}

/** Returns the names that a declaration declares. */
function namesOf(piece: string): string[] {
  const [, name] = /^function (\w+)/.exec(piece) ?? [];
  if (name !== undefined) return [name];
  const [, list] = /^(?:const|let) ([^\n]*)/.exec(piece) ?? [];
  return list === undefined ? [] : [...list.matchAll(/(?:^|, )(\w+) = /g)].map((match) => match[1]);
}

/** Operations in the text of a program, and the clauses that define them. */
// biome-ignore format: a table
const CLAUSES: readonly (readonly [text: string, pattern: RegExp, clause: string])[] = [
  ["x + y", / \+ /, "sec-numeric-types-number-add"],
  ["x - y", / - /, "sec-numeric-types-number-subtract"],
  ["x * y", / \* /, "sec-numeric-types-number-multiply"],
  ["x / y", / \/ /, "sec-numeric-types-number-divide"],
  ["x % y", / % /, "sec-numeric-types-number-remainder"],
  ["x | 0, x & y, x ^ y", / [|&^] /, "sec-numberbitwiseop"],
  ["x << y", / << /, "sec-numeric-types-number-leftShift"],
  ["x >> y", / >> /, "sec-numeric-types-number-signedRightShift"],
  ["x >>> y", / >>> /, "sec-numeric-types-number-unsignedRightShift"],
  ["x < y", / [<>]=? /, "sec-islessthan"],
  ["x === y", / [=!]== /, "sec-isstrictlyequal"],
  ["Math.imul", /Math\.imul/, "sec-math.imul"],
  ["Math.clz32", /Math\.clz32/, "sec-math.clz32"],
  ["Math.fround", /Math\.fround/, "sec-math.fround"],
  ["Math.min, Math.max", /Math\.m(?:in|ax)/, "sec-math.max"],
  ["Math.ceil, Math.floor, Math.trunc", /Math\.(?:ceil|floor|trunc)/, "sec-math.trunc"],
  ["Math.sqrt", /Math\.sqrt/, "sec-math.sqrt"],
  ["Math.abs", /Math\.abs/, "sec-math.abs"],
  ["BigInt.asIntN", /BigInt\.asIntN/, "sec-bigint.asintn"],
  ["BigInt.asUintN", /BigInt\.asUintN/, "sec-bigint.asuintn"],
  ["BigInt", /BigInt\(/, "sec-bigint-constructor-number-value"],
  ["Number", /Number\(/, "sec-number-constructor-number-value"],
  ["loads from a DataView", /\bt?load/, "sec-getviewvalue"],
  ["stores to a DataView", /\bt?store/, "sec-setviewvalue"],
  ["valueOf", /valueOf/, "sec-ordinarytoprimitive"],
  ["undefined as an operand, an absent element", /undefined|list\[/, "sec-tonumber"],
  ["delete", /delete /, "sec-delete-operator-runtime-semantics-evaluation"],
  ["accessors", /defineProperty/, "sec-ordinaryget"],
  ["try", /try \{/, "sec-try-statement-runtime-semantics-evaluation"],
  ["arguments", /arguments\[/, "sec-arguments-exotic-objects"],
  ["spread arguments", /\(\.\.\.\[/, "sec-runtime-semantics-argumentlistevaluation"],
];

const clausesOf = (source: string): [string, string][] =>
  CLAUSES.flatMap(([text, pattern, clause]) => (pattern.test(source) ? [[text, clause]] : []));

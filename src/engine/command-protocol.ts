// Reads and writes the lines between Touchstone and a command of the user's, as JSON.
// docs/subject-command.md describes their meaning, and docs/subject-command.schema.json their form.
// First the command describes itself:
//   {"touchstone": 1, "name": "mycc 0.3", "format": "wasm", "shows": ["results"], "batch": 8, "supports": {}}
// Then each question has programs, and each answer one result for each of them:
//   {"programs": [{"wasm": "AGFzbQ...", "inputs": [{"args": ["0x00000007"], "words": [7, 0], "heapSeed": 5}]}]}
//   {"answers": [{"runs": [{"result": "0x0000002a"}]}]}
// All answers of a command are untrusted.

import type { Capability } from "../execute/subject.js";
import { exportC } from "../export/c/export-c.js";
import { exportWasm } from "../export/wasm/export-wasm.js";
import type { Ending, Input, MemoryImage, ObservedBits, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { type LanguageSubset, subsetOf } from "../ir/subset.js";
import { printModule } from "../ir/text/print.js";
import { isWide, Void } from "../ir/types.js";
import { wordsOf } from "../ir/words.js";
import { failedBy, outcomeOfRun } from "./run-answer.js";

const PROTOCOL = 1;

/** The forms in which a program is sent to the command. */
const FORMATS = {
  text: (module: Module) => printModule(module),
  wasm: (module: Module) => Buffer.from(exportWasm(module).bytes).toString("base64"),
  c: (module: Module) => exportC([module]),
} as const;
type ProgramFormat = keyof typeof FORMATS;

/** The aspects that a command may list as shown; if it lists none, `results` alone. */
export const SHOWABLE: readonly Capability[] = [
  "results",
  "memory",
  "calls",
  "exits",
  "resumption",
];

/** The command's description of itself. */
export interface Hello {
  readonly name: string;
  readonly format: ProgramFormat;
  readonly shows: readonly Capability[];
  /** The number of programs that it takes in one question. */
  readonly batch: number;
  /** The part of the language that it supports; absent: all of it. */
  readonly supports?: LanguageSubset;
}

const BATCH_MAX = 1000;

/** An example of the first line, for messages. */
export const HELLO_LIKE = `{"touchstone": 1, "name": "mycc", "format": "text"}`;

/** @returns an error message if the line is malformed */
export function helloOf(line: string): Hello | string {
  const parsed = objectOf(line);
  if (parsed === null) return `expected a first line like ${HELLO_LIKE}, got ${cut(line)}`;
  const { touchstone, name, format, shows = ["results"], batch = 1, supports } = parsed;
  if (touchstone !== PROTOCOL) return `expected "touchstone": ${PROTOCOL} in the first line`;
  if (typeof name !== "string") return `expected "name": a text, in the first line`;
  if (!isFormat(format)) return `expected "format": one of ${Object.keys(FORMATS).join(", ")}`;
  const isShown = (one: unknown): one is Capability => SHOWABLE.some((known) => known === one);
  if (!Array.isArray(shows) || !shows.every(isShown)) {
    return `expected "shows": a list of ${SHOWABLE.join(", ")}`;
  }
  if (typeof batch !== "number" || !Number.isInteger(batch) || batch < 1 || batch > BATCH_MAX) {
    return `expected "batch": a number from 1 to ${BATCH_MAX}`;
  }
  if (supports === undefined) return { name, format, shows, batch };
  const subset = subsetOf(supports);
  if (typeof subset === "string") return `"supports": ${subset}`;
  return { name, format, shows, batch, supports: subset };
}

const isFormat = (value: unknown): value is ProgramFormat =>
  typeof value === "string" && Object.hasOwn(FORMATS, value);

export interface ProgramRequest {
  readonly module: Module;
  readonly inputs: readonly Input[];
}

export const questionLine = (questions: readonly ProgramRequest[], format: ProgramFormat): string =>
  JSON.stringify({
    programs: questions.map(({ module, inputs }) => ({
      [format]: FORMATS[format](module),
      inputs: inputs.map(({ words, heapSeed }) => ({
        args: argsOf(module, words),
        words: [...words],
        heapSeed,
      })),
    })),
  });

/** Returns the bits of each argument, the highest digit first. */
const argsOf = ({ entry }: Module, words: Int32Array): string[] =>
  entry.parameters.map(({ type }, p) => hexOf(isWide(type), words[2 * p], words[2 * p + 1]));

const hexOf = (wide: boolean, lo: number, hi: number): string =>
  `0x${(wide ? [hi, lo] : [lo]).map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("")}`;

/** The command's result for one program. */
export type ProgramAnswer =
  | { readonly kind: "ran"; readonly outcomes: readonly Outcome[] }
  | { readonly kind: "declined"; readonly reason: string }
  | { readonly kind: "error"; readonly message: string };

/** @returns an error message if the line is malformed */
export function answersOf(
  line: string,
  questions: readonly ProgramRequest[],
): readonly ProgramAnswer[] | string {
  const parsed = objectOf(line);
  if (parsed === null) return `expected a JSON object, got ${cut(line)}`;
  const { answers } = parsed;
  if (!Array.isArray(answers) || answers.length !== questions.length) {
    return `expected "answers": a list of ${questions.length}`;
  }
  const read: ProgramAnswer[] = [];
  for (const [q, question] of questions.entries()) {
    const answer = answerOf(answers[q], question);
    if (typeof answer === "string") return answer;
    read.push(answer);
  }
  return read;
}

function answerOf(value: unknown, { module, inputs }: ProgramRequest): ProgramAnswer | string {
  const { runs, error, declined } = recordOf(value) ?? {};
  if (typeof error === "string") return { kind: "error", message: error };
  if (typeof declined === "string") return { kind: "declined", reason: declined };
  if (!Array.isArray(runs) || runs.length !== inputs.length) {
    return `expected "runs": a list of ${inputs.length}, or "error", or "declined"`;
  }
  return { kind: "ran", outcomes: runs.map((run: unknown) => outcomeOf(run, module)) };
}

/**
 * Returns the outcome of one execution. An unreadable run is an outcome of its own, and a
 * difference.
 */
function outcomeOf(value: unknown, module: Module): Outcome {
  const run = recordOf(value);
  if (run === null) return failedBy("garbage", "expected a JSON object for each run");
  const { records, status = 1, trap = null, result, heap, crash } = run;
  if (typeof crash === "string") return failedBy("crash", crash);
  if (typeof records === "string" && isHex(records) && typeof status === "number") {
    const why = typeof trap === "string" ? trap : null;
    return outcomeOfRun(module, { status, trap: why, records: Buffer.from(records, "hex") });
  }
  const type = module.entry.result;
  const bits = type === Void ? null : bitsOf(result, module);
  if (bits === undefined)
    return failedBy(
      "garbage",
      `the result does not have the type of the entry: ${cut(String(result))}`,
    );
  const image = typeof heap === "string" && isHex(heap) ? Buffer.from(heap, "hex") : EMPTY;
  const shown: MemoryImage = { bytes: new Uint8Array(image), anyNaN: [], masked: [] };
  const ending: Ending = { kind: "return", result: bits, heap: shown };
  return { events: [], ending };
}

const EMPTY = new Uint8Array(0);
const isHex = (text: string): boolean => /^(?:[\da-f]{2})*$/i.test(text);

/** Parses bits in hexadecimal, with as many digits as the type has. */
function bitsOf(value: unknown, { entry }: Module): ObservedBits | undefined {
  const wide = isWide(entry.result);
  const text = typeof value === "string" ? value : "";
  if (!new RegExp(`^0x[\\da-f]{${wide ? 16 : 8}}$`, "i").test(text)) return undefined;
  return bitsOfInteger(BigInt(text), entry.result);
}

/** Returns the low bits of a number as a value of the type. */
export function bitsOfInteger(number: bigint, type: ObservedBits["type"]): ObservedBits {
  const [lo, hi] = wordsOf(type, number);
  return { type, lo, hi, anyNaN: false };
}

const cut = (text: string): string => (text === "" ? "nothing" : text.slice(0, 200));

/** Returns the object of a line of JSON; null if the line is none. */
export function objectOf(line: string): Readonly<Record<string, unknown>> | null {
  try {
    return recordOf(JSON.parse(line));
  } catch {
    return null; // no JSON: the caller reports it
  }
}

// The cast is the border to JSON: any object has properties of any kind.
export const recordOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;

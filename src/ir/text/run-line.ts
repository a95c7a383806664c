// Parses and prints run lines: comments that state a call of a program, and its expected outcome.
//
//     ; run: f(heap+16, 7, -0.0) fill 5 = 0
//     ; run: f(heap, 0, 1.5) = exit 3 [f@1: Const32(9), dead | g@0: ConstDouble(nan)] then 7
//     ; run: f(heap, 0, 2.5) = nan heap[8] = 01 ff
//
// docs/language.md, "Run lines", contains the grammar. The module determines the types of literals: those of the
// entry's parameters and result, and of the results of continuations.

import { nameOfOpcode } from "../opcodes.js";
import {
  type Ending,
  type FrameState,
  HEAP_BASE,
  type Input,
  isBits,
  type MemoryImage,
  type ObservedBits,
  type Outcome,
  type SlotBits,
} from "../outcome.js";
import { CONSTANT_OPCODES, type Module } from "../procedure.js";
import { Int32, Int64, isFloating, isWide, type Type, Void } from "../types.js";
import { wideBits } from "../words.js";
import { Lexer, NUMBER_MAX } from "./lexer.js";
import { isNaNBits, printLiteral, printName } from "./literals.js";
import { parseConstantType, parseWords } from "./parse-constants.js";

/** The outcome that a run line expects. */
interface ExpectedOutcome {
  readonly ending: ExpectedEnding;
  /** Bytes of the heap at the ending; at an exit, before the continuations run. */
  readonly heap: readonly ExpectedBytes[];
}

export interface ExpectedBytes {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export type ExpectedEnding =
  /** A result with `anyNaN` matches every NaN of its type; null for Void. */
  | { readonly kind: "return"; readonly result: ObservedBits | null }
  | {
      readonly kind: "exit";
      readonly exit: number;
      /** null: not stated. */
      readonly frames: readonly FrameState[] | null;
      /** One per continuation; empty: not stated. */
      readonly resumed: readonly ExpectedEnding[];
    }
  | { readonly kind: "undefined" | "out-of-fuel" | "nan-bits" };

export interface RunLine {
  /** The line in the text, from 1. */
  readonly line: number;
  readonly input: Input;
  readonly expected: ExpectedOutcome | null;
}

const HEAP_ARGUMENT = /^heap(?:([+-])(\d{1,18}))?$/;
/** Addresses within this distance of the heap are printed as `heap+n`. */
const NEAR_HEAP = 1n << 16n;
/** The greatest number of run lines in one text. */
const RUN_LINES_MAX = 100_000;
const MASK_32 = 0xffff_ffffn;

/** Returns the line number of the first comment that lacks only the colon of a run line; null if there is none. */
export function runLineWithoutColon(text: string): number | null {
  const at = text.search(/^[ \t]*;[ \t]*run[ \t]+[^\s:(]+[ \t]*\(/m);
  return at < 0 ? null : text.slice(0, at).split("\n").length;
}

/**
 * Returns the run lines of a program's text, in order.
 * @throws ParseError
 */
export function runLines(text: string, module: Module): RunLine[] {
  const found: RunLine[] = [];
  let line = 1;
  let counted = 0;
  for (const match of text.matchAll(/^[ \t]*;[ \t]*run:/gm)) {
    for (; counted < match.index; counted++) if (text[counted] === "\n") line++;
    const lexer = new Lexer(text, match.index + match[0].length, line, match.index);
    const input = parseInput(lexer, module);
    const expected = lexer.accept("=") ? parseExpectation(lexer, module) : null;
    if (found.length === RUN_LINES_MAX) lexer.fail(`more than ${RUN_LINES_MAX} run lines`);
    lexer.endLine();
    found.push({ line, input, expected });
  }
  return found;
}

function parseInput(lexer: Lexer, module: Module): Input {
  const { name, parameters } = module.entry;
  const start = lexer.tokenStart();
  if (lexer.name("the name of the entry") !== name) {
    lexer.fail(`expected the entry, ${printName(name)}`, start);
  }
  lexer.expect("(");
  const words = new Int32Array(2 * parameters.length);
  parameters.forEach(({ type }, p) => {
    if (p > 0) lexer.expect(",");
    const [lo, hi] = parseArgument(lexer, type);
    words[2 * p] = lo;
    words[2 * p + 1] = hi;
  });
  lexer.expect(")");
  const heapSeed = lexer.acceptWord("fill") ? parseWords(lexer, Int32)[0] : 0;
  return { words, heapSeed };
}

function parseArgument(lexer: Lexer, type: Type): readonly [number, number] {
  const start = lexer.tokenStart();
  const match = type === Int64 ? HEAP_ARGUMENT.exec(lexer.literal()) : null;
  if (match === null) {
    lexer.at = start;
    return parseWords(lexer, type);
  }
  const distance = BigInt(match[2] ?? 0);
  const address = BigInt.asUintN(64, HEAP_BASE + (match[1] === "-" ? -distance : distance));
  return [Number(address & MASK_32) | 0, Number(address >> 32n) | 0];
}

function parseExpectation(lexer: Lexer, module: Module): ExpectedOutcome {
  const ending = parseEnding(lexer, module, module.entry.result);
  const heap: ExpectedBytes[] = [];
  while (lexer.acceptWord("heap")) {
    lexer.expect("[");
    const offset = lexer.count(module.heapSize - 1, "an offset in the heap");
    lexer.expect("]");
    lexer.expect("=");
    heap.push({ offset, bytes: parseBytes(lexer, module.heapSize - offset) });
  }
  return { ending, heap };
}

function parseBytes(lexer: Lexer, countMax: number): Uint8Array {
  const bytes: number[] = [];
  for (;;) {
    const start = lexer.tokenStart();
    const token = lexer.literal();
    if (!/^[\da-f]{2}$/.test(token)) {
      if (bytes.length === 0) lexer.expected("bytes of two digits, 0 to f", start);
      lexer.at = start;
      return Uint8Array.from(bytes);
    }
    if (bytes.length === countMax) lexer.fail("the byte is beyond the heap", start);
    bytes.push(Number.parseInt(token, 16));
  }
}

function parseEnding(lexer: Lexer, module: Module, result: Type): ExpectedEnding {
  if (lexer.acceptWord("exit")) return parseExit(lexer, module);
  const start = lexer.tokenStart();
  const token = lexer.literal();
  if (token === "undefined" || token === "out-of-fuel" || token === "nan-bits") {
    return { kind: token };
  }
  if (result === Void) {
    if (token !== "void") lexer.expected("'void', 'exit', 'undefined'", start);
    return { kind: "return", result: null };
  }
  lexer.at = start;
  return { kind: "return", result: parseBits(lexer, result) };
}

function parseExit(lexer: Lexer, module: Module): ExpectedEnding {
  const exit = lexer.count(NUMBER_MAX, "the number of an exit");
  const frames = lexer.accept("[") ? parseFrames(lexer) : null;
  const resumed: ExpectedEnding[] = [];
  for (const { result } of module.continuations.get(exit) ?? []) {
    if (!lexer.acceptWord("then")) break;
    const isNested = lexer.accept("(");
    resumed.push(parseEnding(lexer, module, result));
    if (isNested) lexer.expect(")");
  }
  return { kind: "exit", exit, frames, resumed };
}

function parseFrames(lexer: Lexer): FrameState[] {
  const frames: FrameState[] = [];
  do {
    const name = lexer.name("the name of a frame");
    lexer.expect("@");
    const point = lexer.count(NUMBER_MAX, "the point in the source");
    lexer.expect(":");
    const slots: SlotBits[] = [];
    const next = String.fromCharCode(lexer.skipBlanks());
    if (next !== "|" && next !== "]") {
      do slots.push(parseSlot(lexer));
      while (lexer.accept(","));
    }
    frames.push({ name, point, slots });
  } while (lexer.accept("|"));
  lexer.expect("]");
  return frames;
}

function parseSlot(lexer: Lexer): SlotBits {
  if (lexer.acceptWord("dead")) return null;
  if (lexer.acceptWord("contents")) return parseContents(lexer);
  const type = parseConstantType(lexer);
  lexer.expect("(");
  const bits = parseBits(lexer, type);
  lexer.expect(")");
  return bits;
}

// Reads bytes of two digits; `--` for a byte that is unwritten, or part of any NaN.
function parseContents(lexer: Lexer): MemoryImage {
  const bytes: number[] = [];
  const masked: number[] = [];
  lexer.expect("(");
  do {
    const start = lexer.tokenStart();
    const token = lexer.literal();
    if (token === HIDDEN) masked.push(bytes.length, 1);
    else if (!/^[\da-f]{2}$/.test(token)) {
      lexer.expected("bytes of two digits, 0 to f, or --", start);
    }
    bytes.push(token === HIDDEN ? 0 : Number.parseInt(token, 16));
  } while (!lexer.accept(")"));
  return { bytes: Uint8Array.from(bytes), anyNaN: [], masked };
}
const HIDDEN = "--";

function parseBits(lexer: Lexer, type: Type): ObservedBits {
  const start = lexer.at;
  if (isFloating(type) && lexer.literal() === "nan") return { type, lo: 0, hi: 0, anyNaN: true };
  lexer.at = start;
  const [lo, hi] = parseWords(lexer, type);
  return { type, lo, hi, anyNaN: false };
}

/** Prints the call of a run line: `f(heap+16, 7) fill 5`. */
export function printInput(module: Module, { words, heapSeed }: Input): string {
  const { name, parameters } = module.entry;
  const reach = BigInt(module.heapSize) + NEAR_HEAP;
  const args = parameters.map(({ type }, p) => {
    const lo = words[2 * p];
    const hi = words[2 * p + 1];
    const distance = wideBits(lo, hi) - HEAP_BASE;
    if (type !== Int64 || distance > reach || distance < -NEAR_HEAP) {
      return printLiteral(type, lo, hi);
    }
    return distance === 0n ? "heap" : `heap${distance > 0n ? "+" : ""}${distance}`;
  });
  const fill = heapSeed === 0 ? "" : ` fill ${heapSeed}`;
  return `${printName(name)}(${args.join(", ")})${fill}`;
}

const EVENTS_SHOWN = 16;

/** Prints an outcome in one line, in the syntax of run lines as far as that can express it. It omits the heap. */
export function printOutcome({ events, calleeExits = [], ending }: Outcome): string {
  const shown: string[] = [];
  let nextExit = 0;
  for (let e = 0; e <= events.length; e++) {
    for (; nextExit < calleeExits.length && calleeExits[nextExit].after <= e; nextExit++) {
      shown.push(printEnding(calleeExits[nextExit].ending));
    }
    if (e === events.length) break;
    shown.push(`${events[e].name}(${events[e].args.map(printBits).join(", ")})`);
  }
  const text = printEnding(ending);
  if (shown.length === 0) return text;
  if (shown.length > EVENTS_SHOWN) {
    shown.splice(EVENTS_SHOWN, shown.length, `${shown.length - EVENTS_SHOWN} more`);
  }
  return `${text} after ${shown.join(", ")}`;
}

function printEnding(ending: Ending): string {
  switch (ending.kind) {
    case "return":
      return ending.result === null ? "void" : printBits(ending.result);
    case "exit": {
      const frames = ending.frames.map(printFrame).join(" | ");
      const resumed = ending.resumed.map((outcome) => ` then (${printOutcome(outcome)})`);
      return `exit ${ending.exit} [${frames}]${resumed.join("")}`;
    }
    case "undefined":
      return `undefined: ${ending.rule} at @${ending.value}`;
    case "nan-bits":
      return `nan-bits at @${ending.value}`;
    case "fault":
      return `fault: ${ending.fault} ${hex(ending.address)}, code + ${hex(ending.codeOffset)}`;
    case "escaped":
      return `escaped to ${hex(ending.pc)}`;
    case "abi":
      return `abi: ${ending.rule}: ${ending.detail}`;
    case "compile-error":
      return `compile-error: ${ending.message}`;
    case "crash":
    case "hang":
    case "garbage":
      return `${ending.kind}: ${ending.evidence}`;
    case "no-room":
      return `no-room: more than ${ending.bytes} bytes of records`;
    case "out-of-fuel":
    case "runaway":
      return ending.kind;
  }
}

const hex = (value: number | bigint): string =>
  value < 0 ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;

const printBits = ({ type, lo, hi, anyNaN }: ObservedBits): string =>
  anyNaN ? "nan" : printLiteral(type, lo, hi);

function printFrame({ name, point, slots }: FrameState): string {
  const head = `${printName(name)}@${point}:`;
  return slots.length === 0 ? head : `${head} ${slots.map(printSlot).join(", ")}`;
}

function printSlot(slot: SlotBits): string {
  if (slot === null) return "dead";
  if (!isBits(slot)) return `contents(${shownBytes(slot).join(" ")})`;
  return `${nameOfOpcode(CONSTANT_OPCODES[slot.type])}(${printBits(slot)})`;
}

function shownBytes({ bytes, anyNaN, masked }: MemoryImage): string[] {
  const shown = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  for (const pairs of [anyNaN, masked]) {
    for (let i = 0; i < pairs.length; i += 2) {
      shown.fill(HIDDEN, pairs[i], pairs[i] + pairs[i + 1]);
    }
  }
  return shown;
}

/** Returns the difference from the expectation, in one line; null if there is none. */
export function checkExpectation(expected: ExpectedOutcome, outcome: Outcome): string | null {
  const difference = checkEnding(expected.ending, outcome);
  if (difference !== null) return difference;
  const { ending } = outcome;
  if (ending.kind !== "return" && ending.kind !== "exit") return null;
  for (const { offset, bytes } of expected.heap) {
    const found = ending.heap.bytes.subarray(offset, offset + bytes.length);
    if (bytes.some((byte, i) => byte !== found[i])) {
      return `expected heap[${offset}] = ${hexBytes(bytes)}, found ${hexBytes(found)}`;
    }
  }
  return null;
}

const hexBytes = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");

function checkEnding(expected: ExpectedEnding, outcome: Outcome): string | null {
  const { ending } = outcome;
  if (expected.kind === "return" && ending.kind === "return") {
    if (fits(expected.result, ending.result)) return null;
  } else if (expected.kind === "exit" && ending.kind === "exit") {
    if (expected.exit === ending.exit && framesFit(expected.frames, ending.frames)) {
      return checkResumed(expected.resumed, ending.resumed);
    }
  } else if (expected.kind === ending.kind) {
    return null;
  }
  return `expected ${printExpectedEnding(expected)}, found ${printOutcome(outcome)}`;
}

function checkResumed(
  expected: readonly ExpectedEnding[],
  resumed: readonly Outcome[],
): string | null {
  for (let i = 0; i < expected.length; i++) {
    if (i >= resumed.length) return `continuation ${i + 1} was not called`;
    const difference = checkEnding(expected[i], resumed[i]);
    if (difference !== null) return `continuation ${i + 1}: ${difference}`;
  }
  return null;
}

function fits(expected: SlotBits, found: SlotBits): boolean {
  if (expected === null || found === null) return expected === found;
  if (!isBits(expected) || !isBits(found)) return printSlot(expected) === printSlot(found);
  if (expected.type !== found.type) return false;
  if (expected.anyNaN) return found.anyNaN || isNaNBits(found.type, found.lo, found.hi);
  const isSameHigh = !isWide(found.type) || expected.hi === found.hi;
  return !found.anyNaN && expected.lo === found.lo && isSameHigh;
}

function framesFit(expected: readonly FrameState[] | null, found: readonly FrameState[]): boolean {
  if (expected === null) return true;
  if (expected.length !== found.length) return false;
  return expected.every(({ name, point, slots }, f) => {
    const other = found[f];
    if (name !== other.name || point !== other.point) return false;
    return (
      slots.length === other.slots.length && slots.every((slot, s) => fits(slot, other.slots[s]))
    );
  });
}

/** Prints an expectation as a run line contains it, after `=`. */
export function printExpectation({ ending, heap }: ExpectedOutcome): string {
  const bytes = heap.map((part) => ` heap[${part.offset}] = ${hexBytes(part.bytes)}`);
  return printExpectedEnding(ending) + bytes.join("");
}

function printExpectedEnding(expected: ExpectedEnding): string {
  if (expected.kind === "return") {
    return expected.result === null ? "void" : printBits(expected.result);
  }
  if (expected.kind !== "exit") return expected.kind;
  const { exit, frames, resumed } = expected;
  const list = frames === null ? "" : ` [${frames.map(printFrame).join(" | ")}]`;
  const endings = resumed.map((ending) => ` then (${printExpectedEnding(ending)})`);
  return `exit ${exit}${list}${endings.join("")}`;
}

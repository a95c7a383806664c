// Feeds arbitrary bytes to the parser. It must return a program or throw a ParseError. A program
// prints to a text that parses to the same program; so do its run lines.

import { generateProgram } from "../../src/generate/generate-program.js";
import { PROFILES } from "../../src/generate/maker/odds.js";
import type { Module } from "../../src/ir/procedure.js";
import { decodeText, ParseError } from "../../src/ir/text/lexer.js";
import { parseText, readModule } from "../../src/ir/text/parse.js";
import { printModule } from "../../src/ir/text/print.js";
import { printInput, runLines } from "../../src/ir/text/run-line.js";
import { TYPE_NAMES } from "../../src/ir/types.js";
import { describeFault, verify } from "../../src/ir/verify/verify.js";
import { assert } from "../../src/support/assert.js";
import { SeedSource } from "../../src/support/source.js";
import { FEATURE, type FeatureCollector, magnitude } from "./features.js";
import { hitModule } from "./module-features.js";
import { checkRoundTrip } from "./round-trip.js";
import { type FuzzTarget, INPUT_SIZE_MAX } from "./target.js";

const SEED_COUNT = 8;

export const target: FuzzTarget = { name: "parser", run, seeds };

function seeds(): Uint8Array[] {
  return Array.from({ length: SEED_COUNT }, (_, i) => {
    const { module } = generateProgram(new SeedSource(BigInt(i), "parser"), PROFILES["small"]);
    return new TextEncoder().encode(printModule(module));
  }).filter((bytes) => bytes.length <= INPUT_SIZE_MAX);
}

function run(bytes: Uint8Array, features: FeatureCollector): void {
  const module = orParseError(() => readModule(bytes));
  if (module instanceof ParseError) {
    checkPlace(bytes, module);
    hitError(bytes, module, features);
    return;
  }
  const text = decodeText(bytes);
  hitTokens(text, features);
  hitModule(module, features);
  const faults = verify(module);
  assert(faults.length === 0, () => `the parsed program is invalid: ${describeFault(faults[0])}`);
  checkRoundTrip(module);
  const runs = orParseError(() => runLines(text, module));
  if (runs instanceof ParseError) {
    checkPlace(bytes, runs);
    features.hitMessage(FEATURE.errorMessage, runs.message);
  } else {
    for (const { input } of runs) checkInput(module, input.words, input.heapSeed);
  }
}

/** Returns the ParseError of `read`. Any other error propagates and is a finding. */
function orParseError<T>(read: () => T): T | ParseError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ParseError) return error;
    throw error;
  }
}

function checkPlace(bytes: Uint8Array, { line, column, message }: ParseError): void {
  // Invalid UTF-8 becomes replacement characters. None precedes the position of the error.
  const lines = new TextDecoder().decode(bytes).split("\n");
  const place = () => `${line}:${column}: ${message}`;
  assert(
    line >= 1 && line <= lines.length,
    () => `the error is after the end of the text: ${place()}`,
  );
  const isInLine = column >= 1 && column <= lines[line - 1].length + 1;
  assert(isInLine, () => `the error is after the end of its line: ${place()}`);
  assert(
    !/[\n\p{C}]/u.test(message),
    () => `the message has two lines or unprintable characters: ${place()}`,
  );
}

// Records how far the bytes were accepted: not text, not this language, or not a valid program. It
// runs the verifier for all faults, because readModule reports only the first.
function hitError(bytes: Uint8Array, error: ParseError, features: FeatureCollector): void {
  const text = orParseError(() => decodeText(bytes));
  if (text instanceof ParseError) {
    features.hitMessage(FEATURE.errorMessage, text.message);
    return;
  }
  const parsed = orParseError(() => parseText(text));
  if (parsed instanceof ParseError) {
    features.hitMessage(FEATURE.errorMessage, parsed.message);
    features.hit(FEATURE.linesRead, magnitude(parsed.line));
    hitTokens(readBefore(text, error), features);
    return;
  }
  hitTokens(text, features);
  hitModule(parsed.module, features);
  const faults = verify(parsed.module);
  for (const { message } of faults) features.hitMessage(FEATURE.faultMessage, message);
}

/** Returns the text before the position of the error, with the refused character. */
function readBefore(text: string, { line, column }: ParseError): string {
  const lines = text.split("\n").slice(0, line);
  lines[line - 1] = lines[line - 1].slice(0, column);
  return lines.join("\n");
}

function checkInput(module: Module, words: Int32Array, heapSeed: number): void {
  const call = printInput(module, { words, heapSeed });
  const [again] = runLines(`; run: ${call}`, module);
  const isSame = again.input.heapSeed === heapSeed && `${again.input.words}` === `${words}`;
  assert(isSame, () => `the input of '; run: ${call}' was ${words}`);
}

const TOKEN = /[A-Za-z_$][\w$.]*|[@^#]|->|[0-9]+|[^\sA-Za-z0-9_$]/g;
const WORDS = [
  ...["touchstone", "heap", "exit", "resumes", "proc", "slot", "anonymous", "locked", "snapshot"],
  ...["block", "frames", "dead", "frequency", "offset", "inf", "nan", ...TYPE_NAMES],
];
const WORD_NUMBERS = new Map(WORDS.map((word, i) => [word, i + 256]));
const OTHER_WORD = 128;
const NUMBER = 192;

// Records pairs of tokens outside comments. Tokens are split roughly: every punctuation character
// and word of the format is distinct.
function hitTokens(text: string, features: FeatureCollector): void {
  let before = 0;
  for (const [token] of text.replace(/;.*/g, "").matchAll(TOKEN)) {
    const kind = kindOfToken(token);
    features.hit(FEATURE.tokenPair, before, kind);
    before = kind;
  }
}

function kindOfToken(token: string): number {
  const char = token.charCodeAt(0);
  if (char >= 48 && char <= 57) return NUMBER + magnitude(token.length);
  const isWord = (char >= 65 && char <= 90) || char === 95 || (char >= 97 && char <= 122);
  if (!isWord) return char & 127;
  return WORD_NUMBERS.get(token) ?? OTHER_WORD + magnitude(token.length);
}

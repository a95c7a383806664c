// Parses and prints bytecode text, `.bc`: one word in each line, with names for procedures and
// labels.
//
//   bytecode 1
//   proc main 3 -> 0        ; takes three cells, gives none
//   again:
//     LITC 1
//     ISUB
//     SUPER twice
//     DUP
//     LOOPNZ again
//     HALT
//   proc twice 1 -> 1
//     DUP
//     IADD
//     EXIT
//
// `;` begins a comment. Run lines are those of the program as a module (docs/language.md).

import { ParseError } from "../ir/text/lexer.js";
import {
  type BytecodeWords,
  IMMEDIATE_MAX,
  IMMEDIATE_MIN,
  immediateOf,
  primitiveOf,
  type StackSignature,
  signatureOf,
  signatureWord,
  wordOf,
} from "./code.js";
import { type ImmediateKind, PRIMITIVES, primitiveNamed } from "./primitives.js";
import { faultOf } from "./verify-code.js";

const HEAD = "bytecode 1";
const HEAD_FIRST = /^(?:\s|;[^\n]*\n)*bytecode 1\b/;
const PROCEDURE = /^proc ([A-Za-z_]\w*) (\d{1,2}) -> (\d{1,2})$/;
const LABEL = /^([A-Za-z_]\w*):$/;
const WORD = /^([A-Z]\w*)(?: (\S+))?$/;

/** Returns whether the text is bytecode, and not a module. */
export const isBytecode = (text: string): boolean => HEAD_FIRST.test(text);

/** A word whose immediate may be a name that is defined later. */
interface ParsedWord {
  readonly line: number;
  readonly name: string;
  readonly operand: string | undefined;
}

/** @throws ParseError with the line */
export function parseCode(text: string): BytecodeWords {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/;.*$/, "").trim().replace(/\s+/g, " "));
  const first = lines.findIndex((line) => line !== "");
  if (lines[first] !== HEAD) throw new ParseError(Math.max(first, 0) + 1, 1, `expected ${HEAD}`);
  const names = new Map<string, number>();
  const read: (ParsedWord | (StackSignature & { readonly line: number }))[] = [];
  const define = (name: string, line: number): void => {
    if (names.has(name)) throw new ParseError(line, 1, `${name} is defined already`);
    names.set(name, read.length);
  };
  lines.slice(first + 1).forEach((line, i) => {
    const number = first + i + 2;
    if (line === "") return;
    const procedure = PROCEDURE.exec(line);
    if (procedure !== null) {
      define(procedure[1], number);
      read.push({ line: number, takes: Number(procedure[2]), gives: Number(procedure[3]) });
      return;
    }
    const label = LABEL.exec(line);
    const word = WORD.exec(line);
    if (label !== null) define(label[1], number);
    else if (word !== null) read.push({ line: number, name: word[1], operand: word[2] });
    else throw new ParseError(number, 1, "expected a procedure, a label or a word");
  });
  const words = read.map((word) => ("takes" in word ? signatureWord(word) : encode(word, names)));
  const code = { words };
  const fault = faultOf(code);
  if (fault !== null) throw new ParseError(read[fault.at]?.line ?? lines.length, 1, fault.message);
  return code;
}

function encode({ line, name, operand }: ParsedWord, names: ReadonlyMap<string, number>): number {
  const number = primitiveNamed(name);
  if (number === null || name === "ENTER")
    throw new ParseError(line, 1, `no primitive is named ${name}`);
  const { immediate } = PRIMITIVES[number];
  if ((immediate === "none") !== (operand === undefined)) {
    const expected = immediate === "none" ? "nothing" : immediate;
    throw new ParseError(line, 1, `expected ${expected} after ${name}`);
  }
  if (operand === undefined) return wordOf(name);
  const value = NAMED.has(immediate) ? names.get(operand) : integerOf(operand);
  if (value === undefined) throw new ParseError(line, 1, `${operand} is not a valid ${immediate}`);
  return wordOf(name, value);
}

/** Immediates that the text writes as names. */
const NAMED: ReadonlySet<ImmediateKind> = new Set(["forward", "backward", "procedure"]);

function integerOf(text: string): number | undefined {
  const value = /^-?\d{1,8}$/.test(text) ? Number(text) : Number.NaN;
  return value >= IMMEDIATE_MIN && value <= IMMEDIATE_MAX ? value : undefined;
}

/**
 * Prints lines that parse to the same words, with generated names, and with addresses in comments.
 */
export function listingOf({ words }: BytecodeWords): readonly string[] {
  const labels = new Set(words.filter(isJump).map(immediateOf));
  const lines = words.flatMap((word, at) => {
    const { name } = primitiveOf(word);
    if (name === "ENTER") {
      const { takes, gives } = signatureOf(word);
      return [`proc ${nameAt(at)} ${takes} -> ${gives}`];
    }
    return [
      ...(labels.has(at) ? [`${nameAt(at)}:`] : []),
      `  ${printWord(word).padEnd(14)} ; ${at}`,
    ];
  });
  return [HEAD, ...lines];
}

/** Prints the word with its target. */
function printWord(word: number): string {
  const { name, immediate } = primitiveOf(word);
  if (immediate === "none") return name;
  return NAMED.has(immediate)
    ? `${name} ${nameAt(immediateOf(word))}`
    : `${name} ${immediateOf(word)}`;
}

const isJump = (word: number): boolean => {
  const { immediate } = primitiveOf(word);
  return immediate === "forward" || immediate === "backward";
};

const nameAt = (at: number): string => (at === 0 ? "main" : `w${at}`);

// Lists edits of programs that are bytecode: they change its words, and the interpreter module is generated again. Any
// other edit would make the program an ordinary one.

import { type BytecodeWords, immediateOf, primitiveOf, wordOf } from "../bytecode/code.js";
import { codeOf, moduleOf } from "../bytecode/interpreter-module.js";
import type { ImmediateKind } from "../bytecode/primitives.js";
import { faultOf } from "../bytecode/verify-code.js";
import type { Module } from "../ir/procedure.js";
import type { Candidate } from "./candidate.js";
import type { CandidateEdit } from "./schedule.js";

/**
 * Lists edits that remove words. The remaining words of one edit may be no bytecode without those of another; then the
 * last valid code remains.
 */
export const dropWords = ({ module }: Candidate): CandidateEdit[] => {
  const code = codeOf(module);
  const gone = new Set<number>();
  return (code?.words ?? []).map((_, at) => () => {
    gone.add(at);
    setCode(module, code && withoutWords(code, gone));
  });
};

/** Lists edits that make a word only drop a cell, or push a 0. */
export const plainWords = ({ module }: Candidate): CandidateEdit[] => {
  let code = codeOf(module);
  return (code?.words ?? []).map((_, at) => () => {
    const plain = code && withPlainWord(code, at);
    code = plain ?? code;
    setCode(module, plain);
  });
};

/** Replaces the module by an interpreter for `code`; null changes nothing. */
function setCode(module: Module, code: BytecodeWords | null): void {
  if (code === null) return;
  const { procedures } = moduleOf(code);
  module.procedures.splice(0, module.procedures.length, ...procedures);
}

const ADDRESSES: ReadonlySet<ImmediateKind> = new Set(["forward", "backward", "procedure"]);

/**
 * Removes words. Jumps and calls keep their targets, or target the word after a removed target.
 * Returns null if the result is not valid bytecode.
 */
function withoutWords({ words }: BytecodeWords, gone: ReadonlySet<number>): BytecodeWords | null {
  const addresses: number[] = [];
  let kept = 0;
  for (let at = 0; at < words.length; at++) {
    addresses.push(kept);
    if (!gone.has(at)) kept++;
  }
  const left = words.flatMap((word, at) => {
    if (gone.has(at)) return [];
    const { name, immediate } = primitiveOf(word);
    return ADDRESSES.has(immediate) ? wordOf(name, addresses[immediateOf(word)]) : word;
  });
  return checked({ words: left });
}

/** Replacements for a word; the first that keeps the stack depths is used. */
const PLAIN = [wordOf("DROP"), wordOf("LITC", 0)] as const;

/** Returns null if the word is a replacement already, or cannot be replaced. */
function withPlainWord({ words }: BytecodeWords, at: number): BytecodeWords | null {
  for (const plain of PLAIN) {
    if (words[at] === plain) return null;
    const code = checked({ words: words.with(at, plain) });
    if (code !== null) return code;
  }
  return null;
}

const checked = (code: BytecodeWords): BytecodeWords | null =>
  faultOf(code) === null ? code : null;

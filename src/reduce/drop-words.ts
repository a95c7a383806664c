// Lists edits of programs that are bytecode: they change its words, and the interpreter module is generated again. Any
// other edit would make the program an ordinary one.

import type { Code } from "../bytecode/code.js";
import { withoutWords, withPlainWord } from "../bytecode/edit-code.js";
import { codeOf, moduleOf } from "../bytecode/interpreter-module.js";
import type { Module } from "../ir/procedure.js";
import type { Candidate } from "./candidate.js";
import type { Edit } from "./schedule.js";

/**
 * Lists edits that remove words. The remaining words of one edit may be no bytecode without those of another; then the
 * last valid code remains.
 */
export const dropWords = ({ module }: Candidate): Edit[] => {
  const code = codeOf(module);
  const gone = new Set<number>();
  return (code?.words ?? []).map((_, at) => () => {
    gone.add(at);
    setCode(module, code && withoutWords(code, gone));
  });
};

/** Lists edits that make a word only drop a cell, or push a 0. */
export const plainWords = ({ module }: Candidate): Edit[] => {
  let code = codeOf(module);
  return (code?.words ?? []).map((_, at) => () => {
    const plain = code && withPlainWord(code, at);
    code = plain ?? code;
    setCode(module, plain);
  });
};

/** Replaces the module by an interpreter for `code`; null changes nothing. */
function setCode(module: Module, code: Code | null): void {
  if (code === null) return;
  const { procedures } = moduleOf(code);
  module.procedures.splice(0, module.procedures.length, ...procedures);
}

// Edits on programs that are bytecode: on its words, and the module that interprets them is generated again. Any
// other edit would make a program of it that is none.

import type { Code } from "../bytecode/code.js";
import { withoutWords, withPlainWord } from "../bytecode/edit-code.js";
import { codeOf, moduleOf } from "../bytecode/interpreter-module.js";
import type { Module } from "../ir/procedure.js";
import type { Candidate } from "./candidate.js";
import type { Edit } from "./schedule.js";

/** Words go. Those of one edit may be nothing without those of another: the last that is bytecode counts. */
export const dropWords = ({ module }: Candidate): Edit[] => {
  const code = codeOf(module);
  const gone = new Set<number>();
  return (code?.words ?? []).map((_, at) => () => {
    gone.add(at);
    interpret(module, code && withoutWords(code, gone));
  });
};

/** Words only drop a cell, or push a 0. */
export const plainWords = ({ module }: Candidate): Edit[] => {
  let code = codeOf(module);
  return (code?.words ?? []).map((_, at) => () => {
    const plain = code && withPlainWord(code, at);
    code = plain ?? code;
    interpret(module, plain);
  });
};

/** Makes it the interpreter of that code; of none nothing changes. */
function interpret(module: Module, code: Code | null): void {
  if (code === null) return;
  const { procedures } = moduleOf(code);
  module.procedures.splice(0, module.procedures.length, ...procedures);
}

// Parses the texts that LLVM prints after each pass. Functions that a pass did not change are parsed once.

import { LlvmError } from "./llvm-error.js";
import type { LlvmModule } from "./module.js";
import { type ParsedParts, parseLlvm } from "./parse.js";
import type { CompiledText, PassLog } from "./pass-dumps.js";

/** The module after a pass. */
export interface PassText {
  /** The class of the pass, as LLVM prints it; empty for the text before the first. */
  readonly pass: string;
  /** The line of the log at which the text begins. */
  readonly line: number;
  readonly text: string;
  /** The parsed text; null if it is malformed. */
  readonly module: LlvmModule | null;
  readonly refusal: string;
}

export interface PassTexts {
  readonly first: PassText & { readonly module: LlvmModule };
  readonly passes: readonly PassText[];
  readonly final: CompiledText | null;
}

/** Whether a text is a whole module: then it does not contain what the pass removed. */
export const isWholeModule = (text: string): boolean => /^; ModuleID = /m.test(text);

/** @throws LlvmError if the first text is malformed */
export function readPassTexts({ first, dumps, final }: PassLog): PassTexts {
  const known: ParsedParts = { functions: new Map(), globals: new Map() };
  let module = parseLlvm(first, undefined, known);
  const begin = { pass: "", line: 1, text: first, module, refusal: "" };
  const passes = dumps.map(({ pass, line, text }): PassText => {
    try {
      module = parseLlvm(text, isWholeModule(text) ? undefined : module, known);
      return { pass, line, text, module, refusal: "" };
    } catch (error) {
      if (!(error instanceof LlvmError)) throw error;
      const refusal = `line ${error.line} of the text: ${error.message}`;
      return { pass, line, text, module: null, refusal };
    }
  });
  return { first: begin, passes, final };
}

// Describes the text of a program for the editor: its tokens, by which it is coloured, and completions.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { StreamLanguage, type StringStream } from "@codemirror/language";
import { TYPE_NAMES } from "../../ir/types.js";
import type { OpcodeHelp } from "../protocol.js";

/** The kinds of tokens, in the order in which they are tried at a position. */
const TOKENS: readonly (readonly [pattern: RegExp, tag: string])[] = [
  [/^;.*/, "comment"],
  [/^"(?:[^"\\]|\\.)*"?/, "string"],
  [/^[@^]\d+/, "variableName"],
  [/^#\d+/, "labelName"],
  [new RegExp(`^(?:${TYPE_NAMES.join("|")})(?![\\w$.])`), "typeName"],
  [/^[A-Z]\w*(?=\()/, "keyword"],
  [/^-?(?:\d|inf|nan|NaN)[\w.+-]*/, "number"],
  [/^[\w$.]+/, "name"],
];

function tokenAt(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  const [, tag] = TOKENS.find(([pattern]) => stream.match(pattern) !== null) ?? [];
  if (tag === undefined) stream.next();
  return tag ?? null;
}

export const PROGRAM_LANGUAGE = StreamLanguage.define({
  name: "touchstone",
  token: tokenAt,
  languageData: { commentTokens: { line: ";" } },
});

/** Returns the range of the procedure around a position. */
function procedureAt(text: string, position: number): [start: number, end: number] {
  const end = text.indexOf("\nproc ", position);
  return [Math.max(text.lastIndexOf("\nproc ", position), 0), end < 0 ? text.length : end];
}

/** Returns the completions at a position: types, opcodes, and the values and blocks of the procedure. */
export function completionsIn(
  opcodes: readonly OpcodeHelp[],
): (context: CompletionContext) => CompletionResult | null {
  const opcodeOptions = opcodes.map(({ name, operands, says }): Completion => {
    return { label: name, type: "function", detail: operands, info: says, apply: `${name}(` };
  });
  const typeOptions = TYPE_NAMES.map((label): Completion => ({ label, type: "type" }));
  return (context) => {
    const word = context.matchBefore(/[@#]?\w*$/);
    if (word === null || (word.text === "" && !context.explicit)) return null;
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, word.from - line.from);
    if (before.includes(";")) return null;
    const text = context.state.doc.toString();
    const [start, end] = procedureAt(text, context.pos);
    const named = (body: string, pattern: RegExp, type: string): Completion[] => {
      const labels = new Set(Array.from(body.matchAll(pattern), ([, name]) => name));
      return Array.from(labels, (label) => ({ label, type }));
    };
    // A value is used after its definition; a block may be anywhere in the procedure.
    const values = (): Completion[] =>
      named(text.slice(start, line.from), /\b(?!Void)\w+ (@\d+)(?= = |[,)])/g, "variable");
    const blocks = (): Completion[] => named(text.slice(start, end), /^(#\d+):/gm, "constant");
    const options = (): readonly Completion[] => {
      if (word.text.startsWith("@")) return values();
      if (word.text.startsWith("#")) return blocks();
      if (/=\s*$/.test(before)) return opcodeOptions;
      if (/^\s*$/.test(before)) return typeOptions;
      return before.includes("(") ? [...values(), ...blocks()] : [];
    };
    return { from: word.from, options: [...options()], validFor: /^[@#]?\w*$/ };
  };
}

// The table of opcodes in docs/language.md, from the rows of OPCODES.

import { ALL_OPCODES, nameOfOpcode, type OpcodeSpec, specOf } from "./opcodes.js";
import { VALUE_TYPES } from "./types.js";

const BEGIN = "<!-- opcodes: made from src/ir/opcodes.ts -->";
const END = "<!-- end of opcodes -->";

/** The table in Markdown, one line per opcode. */
export function opcodeTable(): string {
  const rows = ALL_OPCODES.map((opcode) => {
    const { args, result, effect, says } = specOf(opcode);
    const cells = [nameOfOpcode(opcode), args.join(", "), result, typesOf(specOf(opcode)), effect];
    return `| ${cells.map(cell).join(" | ")} | ${says} |`;
  });
  const head = "| opcode | operands | result | types | effect | meaning |";
  return [head, "| --- | --- | --- | --- | --- | --- |", ...rows].join("\n");
}

const cell = (text: string): string => (text === "" ? "" : `\`${text}\``);

function typesOf({ over, also }: OpcodeSpec): string {
  const names = (types: readonly string[]): string =>
    types.length === VALUE_TYPES.length ? "any" : types.join(", ");
  return [
    ...(over === undefined ? [] : [`T: ${names(over)}`]),
    ...(also === undefined ? [] : [`U: ${names(also)}`]),
  ].join("; ");
}

/** The document with the table, as it should be, between its markers; null if it has no markers. */
export function withOpcodeTable(document: string): string | null {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) return null;
  const before = document.slice(0, begin + BEGIN.length);
  return `${before}\n\n${opcodeTable()}\n\n${document.slice(end)}`;
}

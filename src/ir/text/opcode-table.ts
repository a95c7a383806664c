// Makes the tables of opcodes and of kinds of patchpoints in docs/language.md from their rows.

import { ALL_OPCODES, nameOfOpcode, type OpcodeSpec, specOf } from "../opcodes.js";
import type { PatchpointRow } from "../patchpoint-row.js";
import { PATCHPOINT_ROWS, PATCHPOINTS } from "../patchpoints.js";
import { VALUE_TYPES } from "../types.js";

/** Returns the table in Markdown, one line per opcode. */
function opcodeTable(): string {
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

/** Returns the table of the kinds of patchpoints in Markdown, one line each. */
function patchpointTable(): string {
  const own = PATCHPOINTS.filter(({ user }) => user === null);
  const rows = own.map(({ name, effect, isTotal, says }) => {
    const { takes, gives, ...more }: PatchpointRow = PATCHPOINT_ROWS[name];
    const destroys = [
      ...(more.early ?? []).map((register) => `${register} early`),
      ...(more.late ?? []).map((register) => `${register} late`),
    ];
    const total = isTotal ? `${effect}, total` : effect;
    const cells = [name, takes.join(", "), gives, destroys.join(", "), total];
    return `| ${cells.map(cell).join(" | ")} | ${says} |`;
  });
  const head = "| kind | takes x, y, z, w | gives | destroys | effect | meaning |";
  return [head, "| --- | --- | --- | --- | --- | --- |", ...rows].join("\n");
}

/** Returns the document with current tables between its markers; null if a marker is missing. */
export function withTables(document: string): string | null {
  const first = withTable(document, "opcodes: made from src/ir/opcodes.ts", opcodeTable());
  if (first === null) return null;
  return withTable(first, "patchpoints: made from src/ir/patchpoints.ts", patchpointTable());
}

function withTable(document: string, marker: string, table: string): string | null {
  const opening = `<!-- ${marker} -->`;
  const begin = document.indexOf(opening);
  const end = document.indexOf(`<!-- end of ${marker.split(":")[0]} -->`);
  if (begin < 0 || end < begin) return null;
  const before = document.slice(0, begin + opening.length);
  return `${before}\n\n${table}\n\n${document.slice(end)}`;
}

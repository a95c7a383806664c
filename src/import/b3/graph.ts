// Parses a procedure of B3. The grammar, as release 2.50.6 of WebKitGTK prints it:
//
//   procedure := { block } { section }
//   block     := "BB#"n ": ; frequency = " number
//                [ "  Predecessors: #"n { ", #"n } ] { "    " value } [ "  Successors: " target { ", " target } ]
//   value     := type { ", " type } " b@"n " = " opcode [ "<" flag ">" ] "(" [ item { ", " item } ] ")"
//   item      := child [ ":" place ] | attribute
//   child     := "b@"n | "$"number"(b@"n")"
//   target    := [ "Then:" | "Else:" | key "->" ] [ "Rare:" ] "#"n
//
// The origin of a value may follow its last attribute: `Wasm: {opcode: I32Add, location: 0x1e}
// CallSiteIndex: 0` or `D@105<Int32>`. The parser ignores origins and sections (`Variables:`,
// `Orphaned values:`).

import { ImportError } from "../import-error.js";
import type { B3Phase } from "./read-dump.js";

export interface B3Value {
  readonly id: number;
  /** Names of the types; several for a tuple. */
  readonly types: readonly string[];
  readonly opcode: string;
  /** `Traps` or `Chill`; empty if there is none. */
  readonly flag: string;
  readonly children: readonly number[];
  readonly attributes: readonly string[];
  /** The line in the log. */
  readonly line: number;
}

export interface B3Block {
  readonly id: number;
  readonly values: B3Value[];
  successors: readonly B3Target[];
}

interface B3Target {
  readonly block: number;
  /** The key or `default` for a target of a Switch; otherwise empty. */
  readonly key: string;
}

/** The blocks of a procedure; the first block is the entry. */
export interface B3Graph {
  readonly blocks: readonly B3Block[];
}

const BLOCK = /^BB#(\d{1,9}): ; frequency = /;
const VALUE = /^ {4}([A-Za-z0-9, ]+) b@(\d{1,9}) = ([A-Za-z0-9]+)(?:<([^>]*)>)?\((.*)\)$/;
const SUCCESSORS = "  Successors: ";
const TARGET = /^(?:Then:|Else:|(.+)->)?(?:Rare:)?#(\d{1,9})$/;
const CHILD = /^(?:b@(\d{1,9})|\$[^()]*\(b@(\d{1,9})\))(?::.*)?$/;
const ORIGIN = /(?:^|, )(?:Wasm: \{.*|D@\d+(?:<.*)?)$/;

/**
 * Parses the text of one phase.
 * @throws ImportError
 */
export function parseGraph({ text, line: first }: B3Phase): B3Graph {
  const blocks: B3Block[] = [];
  // The text begins after the head of the phase and the line of its level.
  let line = first + 1;
  for (const each of text.split("\n")) {
    line++;
    const head = BLOCK.exec(each);
    if (head !== null) {
      blocks.push({ id: Number(head[1]), values: [], successors: [] });
    } else if (each.startsWith(SUCCESSORS)) {
      const targets = each.slice(SUCCESSORS.length).split(", ");
      last(blocks, line).successors = targets.map((target) => parseTarget(target, line));
    } else if (each.startsWith("    ")) {
      last(blocks, line).values.push(parseValue(each, line));
    } else if (!each.startsWith("  Predecessors: ")) {
      break; // sections follow
    }
  }
  if (blocks.length === 0) throw errorAt(first, "expected a block, found none");
  return { blocks };
}

export const errorAt = (line: number, message: string): ImportError =>
  new ImportError(`line ${line}: ${message}`);

function last(blocks: readonly B3Block[], line: number): B3Block {
  const block = blocks.at(-1);
  if (block === undefined) throw errorAt(line, "expected BB#0");
  return block;
}

function parseTarget(text: string, line: number): B3Target {
  const match = TARGET.exec(text);
  if (match === null) throw errorAt(line, `'${text}' is not a successor`);
  return { block: Number(match[2]), key: match[1] ?? "" };
}

function parseValue(text: string, line: number): B3Value {
  const match = VALUE.exec(text);
  if (match === null) throw errorAt(line, `'${text.trim().slice(0, 80)}' is not a value`);
  const [, types, id, opcode, flag, all] = match;
  const origin = ORIGIN.exec(all);
  const children: number[] = [];
  const attributes: string[] = [];
  for (const item of itemsOf(origin === null ? all : all.slice(0, origin.index))) {
    const child = CHILD.exec(item);
    if (child === null) attributes.push(item);
    else children.push(Number(child[1] ?? child[2]));
  }
  return {
    ...{ id: Number(id), types: types.split(", "), opcode, flag: flag ?? "" },
    ...{ children, attributes, line },
  };
}

/** Splits at commas outside of brackets. */
function itemsOf(text: string): readonly string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "(" || c === "[") depth++;
    else if (c === ")" || c === "]") depth--;
    else if (c === "," && depth === 0) {
      items.push(text.slice(start, i));
      start = i + 2;
    }
  }
  if (start < text.length) items.push(text.slice(start));
  return items;
}

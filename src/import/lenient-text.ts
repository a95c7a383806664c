// Reads text that wabt rejects: old names of instructions, and functions with typed references. A
// function that wabt cannot parse is replaced by one that is outside of the import. The rest of the
// module can then be read. Replacements keep the lines.

import { ImportError } from "./import-error.js";
import type { WasmReader } from "./read-wasm.js";
import { type ExpressionNode, readNodes } from "./s-expressions.js";
import type { WasmModule } from "./wasm-module.js";

/**
 * Reads a module's text.
 * @param line the line of its file at which the text begins, from 1
 * @throws ImportError
 */
export function readTextLeniently(
  reader: WasmReader,
  text: string,
  file: string,
  line = 1,
): WasmModule {
  const renamed = OLD_NAMES.test(text) ? withNewNames(text) : text;
  try {
    return reader.readText(renamed, file, line);
  } catch (error) {
    if (!(error instanceof ImportError) || !TYPED.test(renamed)) throw error;
    const replaced = withoutTypedReferences(renamed);
    if (replaced === renamed) throw error;
    return readOrThrow(error, () => reader.readText(replaced, file, line));
  }
}

/**
 * Reads a module; an ImportError is replaced by the first error, whose location refers to the file.
 */
function readOrThrow(first: ImportError, read: () => WasmModule): WasmModule {
  try {
    return read();
  } catch (error) {
    throw error instanceof ImportError ? first : error;
  }
}

/** Names before the standard, each at least as long as the new one. */
const RENAMED: readonly (readonly [old: RegExp, name: string])[] = [
  [/^(get|set|tee)_(local|global)$/, "$2.$1"],
  [/^current_memory$/, "memory.size"],
  [/^grow_memory$/, "memory.grow"],
  [/^anyfunc$/, "funcref"],
  [/^([if]\d\d\.\w+?)_([su]):sat\/([if]\d\d)$/, "$1_sat_$3_$2"],
  [/^([if]\d\d\.\w+?)_([su])\/([if]\d\d)$/, "$1_$3_$2"],
  [/^([if]\d\d\.(?:wrap|demote|promote|reinterpret))\/([if]\d\d)$/, "$1_$2"],
];
const OLD_NAMES =
  /(?:get|set|tee)_(?:local|global)|(?:current|grow)_memory|anyfunc|[a-z]\/[if]\d\d/;

function withNewNames(text: string): string {
  const edits: TextEdit[] = [];
  const visit = ({ text: atom, isString, items, start, end }: ExpressionNode): void => {
    for (const item of items) visit(item);
    if (atom === null || isString) return;
    const row = RENAMED.find(([old]) => old.test(atom));
    if (row !== undefined) {
      edits.push({ start, end, by: atom.replace(...row).padEnd(atom.length) });
    }
  };
  for (const node of readNodes(text)) visit(node);
  return edited(text, edits);
}

interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/** @param edits in the order of the text */
function edited(text: string, edits: readonly TextEdit[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const { start, end, by } of edits) {
    parts.push(text.slice(at, start), by);
    at = end;
  }
  return `${parts.join("")}${text.slice(at)}`;
}

/** Long forms of types that wabt supports only under short names. */
const LONG_FORMS: readonly (readonly [long: RegExp, short: string])[] = [
  [/\(ref\s+null\s+func\)/g, "funcref"],
  [/\(ref\s+null\s+extern\)/g, "externref"],
];
const TYPED = /\(ref\s|call_ref|ref\.as_non_null|br_on_/;
/**
 * A typed reference in a table or a segment. A call checks the callee's own type, so funcref
 * serves.
 */
const TYPED_FUNCTION = /\(ref\s+(?:null\s+)?\$[^\s()]+\)/g;
/** A body that is outside of the import: its local is a reference. */
const STUB = "(local externref)";

function withoutTypedReferences(text: string): string {
  const short = LONG_FORMS.reduce((so, [long, name]) => {
    return so.replace(long, (found) => name + "\n".repeat(linesIn(found)));
  }, text);
  const fields = fieldsOf(readNodes(short));
  const functions = fields.filter(isReplaceable);
  const isTyped = ({ start, end }: ExpressionNode): boolean => TYPED.test(short.slice(start, end));
  const replaced = new Set(functions.filter(isTyped));
  const names = new Set<string>();
  for (let count = -1; count < replaced.size; ) {
    count = replaced.size;
    for (const field of replaced) {
      const name = field.items[1]?.text;
      if (name?.startsWith("$")) names.add(name);
    }
    for (const field of functions) if (mentions(field, names)) replaced.add(field);
  }
  const edits = fields.flatMap((field): TextEdit[] => {
    const { start, end } = field;
    if (!isReplaceable(field)) {
      return [{ start, end, by: short.slice(start, end).replace(TYPED_FUNCTION, "funcref") }];
    }
    if (!replaced.has(field)) return [];
    const lines = "\n".repeat(linesIn(short.slice(start, end)));
    return [{ start, end, by: `(${headOf(field, short)} ${bodyOf(field)}${lines})` }];
  });
  return edited(short, edits);
}

const linesIn = (text: string): number => text.split("\n").length - 1;

/** Returns the functions, types, tables and segments of a module that are not imports. */
function fieldsOf([module]: readonly ExpressionNode[]): readonly ExpressionNode[] {
  const fields = module?.items ?? [];
  return fields.filter(({ items }) => {
    const isImport = items.some((item) => item.items[0]?.text === "import");
    return FIELDS.has(items[0]?.text ?? "") && !isImport;
  });
}

const FIELDS: ReadonlySet<string> = new Set(["func", "type", "table", "elem"]);

const isReplaceable = ({ items }: ExpressionNode): boolean =>
  items[0]?.text === "func" || items[0]?.text === "type";

/** Returns whether a function mentions one of these names; false for types. */
function mentions({ items }: ExpressionNode, names: ReadonlySet<string>): boolean {
  if (items[0]?.text !== "func") return false;
  const isNamed = ({ text, isString, items: inner }: ExpressionNode): boolean =>
    text === null ? inner.some(isNamed) : !isString && names.has(text);
  return items.slice(2).some(isNamed) || (items[1]?.items ?? []).some(isNamed);
}

/** Returns the keyword, the name and the exports of a field. */
function headOf({ items }: ExpressionNode, text: string): string {
  const kept = items.filter(({ text: atom, items: inner }, i) => {
    return i === 0 || (i === 1 && atom?.startsWith("$")) || inner[0]?.text === "export";
  });
  return kept.map(({ start, end }) => text.slice(start, end)).join(" ");
}

const bodyOf = ({ items }: ExpressionNode): string => (items[0]?.text === "type" ? "(func)" : STUB);

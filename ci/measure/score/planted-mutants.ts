// Turns planted changes into mutants, so that one build contains all of them (schemata.ts). A mutant
// is a second version of the smallest block, function body or initial value that contains the change.

import { diffLines } from "diff";
import {
  isArrowFunction,
  isBlock,
  isClassDeclaration,
  isImportDeclaration,
  isObjectBindingPattern,
  isPropertyAssignment,
  isPropertyDeclaration,
  isVariableDeclaration,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import type { CopiedTree } from "../../../fuzz/support/copied-tree.js";
import { parse } from "../../parse-sources.js";
import type { Mutant, MutantForm, TextRange } from "./mutants.js";
import { changedFiles } from "./planted-types.js";

/** A replaced range of a text. */
interface TextEdit extends TextRange {
  readonly text: string;
}

/** The mutants of a planted change, which one number activates. */
interface PlantedMutants {
  readonly mutants: readonly Mutant[];
  /** Why the change cannot be switched; null if it can. */
  readonly fault: string | null;
}

/**
 * Returns a planted change as mutants.
 * @param tree an unchanged copy of the project
 * @param id the name of the planted bug
 * @param patch the path of the change
 */
export function mutantsOfPatch(tree: CopiedTree, id: string, patch: string): PlantedMutants {
  const before = new Map(changedFiles(patch).map((file) => [file, tree.read(file)]));
  const fault = tree.apply(patch);
  if (fault !== null) return { mutants: [], fault };
  const after = new Map([...before.keys()].map((file) => [file, tree.read(file)]));
  tree.apply(patch, ["--reverse"]);
  return mutantsOfTexts(id, before, after);
}

/**
 * Returns changed texts as mutants.
 * @param before, after by path, with the same paths
 */
export function mutantsOfTexts(
  id: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): PlantedMutants {
  const mutants: Mutant[] = [];
  for (const [file, source] of parse(before)) {
    const changed = after.get(file) ?? source.text;
    const importsEnd = source.statements.findLast(isImportDeclaration)?.end ?? 0;
    const edits = mergeUnbalanced(source.text, editsBetween(source.text, changed)).filter(
      ({ to }) => to > importsEnd,
    );
    const ranges = edits.map((edit) => switchedRange(source, edit));
    const unswitchable = ranges.indexOf(null);
    if (unswitchable >= 0) {
      const line = lineAt(source.text, edits[unswitchable].from);
      return { mutants, fault: `${file}:${line} is in no block and in no value` };
    }
    const imports = addedImports(source.text, changed);
    const inserted: SwitchedRange = { from: 0, to: 0, form: "inserted" };
    if (imports !== "") mutants.push(mutantOf(id, source, file, inserted, imports));
    for (const range of outermost(ranges.filter((range) => range !== null))) {
      const text = editedText(source.text, range, edits);
      if (text !== "") mutants.push(mutantOf(id, source, file, range, text));
    }
  }
  return { mutants, fault: null };
}

/** Returns the changed lines, without the characters that they have in common at both ends. */
function editsBetween(before: string, after: string): TextEdit[] {
  const edits: TextEdit[] = [];
  let at = 0;
  let removed = "";
  let added = "";
  const end = (): void => {
    const from = at - removed.length;
    if (removed === "" && added !== "") edits.push(balancedInsertion(before, from, added));
    else if (removed !== "") edits.push(trimmedEdit(from, removed, added));
    [removed, added] = ["", ""];
  };
  for (const part of diffLines(before, after)) {
    if (part.added) added += part.value;
    else {
      if (!part.removed) end();
      at += part.value.length;
      if (part.removed) removed += part.value;
    }
  }
  end();
  return edits;
}

/** Joins edits of which one opens a bracket that another one closes. */
function mergeUnbalanced(whole: string, edits: readonly TextEdit[]): TextEdit[] {
  const opened = (text: string): number =>
    (text.match(/[([{]/g)?.length ?? 0) - (text.match(/[)\]}]/g)?.length ?? 0);
  const done: TextEdit[] = [];
  for (const edit of edits) {
    const last = done.at(-1);
    if (last === undefined || opened(last.text) === opened(whole.slice(last.from, last.to))) {
      done.push(edit);
      continue;
    }
    const { from } = last;
    const text = last.text + whole.slice(last.to, edit.from) + edit.text;
    done[done.length - 1] = { from, to: edit.to, text };
  }
  return done;
}

/**
 * Returns an insertion that has the same result, and whose brackets are balanced if possible. Lines can
 * be inserted before or after a line that they repeat.
 */
function balancedInsertion(whole: string, from: number, text: string): TextEdit {
  for (let [at, moved] = [from, text]; ; ) {
    if (isBalanced(moved, false)) return { from: at, to: at, text: moved };
    const last = moved.slice(moved.lastIndexOf("\n", moved.length - 2) + 1);
    if (!whole.slice(0, at).endsWith(last)) return { from, to: from, text };
    at -= last.length;
    moved = last + moved.slice(0, moved.length - last.length);
  }
}

function trimmedEdit(from: number, before: string, text: string): TextEdit {
  const shorter = Math.min(before.length, text.length);
  let head = 0;
  while (head < shorter && before[head] === text[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === text.at(-1 - tail)) tail++;
  const to = from + before.length - tail;
  return { from: from + head, to, text: text.slice(head, text.length - tail) };
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

interface SwitchedRange extends TextRange {
  readonly form: MutantForm;
}

/** Returns the smallest range that contains an edit and can be switched; null if there is none. */
function switchedRange(source: SourceFile, edit: TextEdit): SwitchedRange | null {
  const { from, to, text } = edit;
  const found = switchableRanges(source, edit).findLast((range) =>
    isBalanced(editedText(source.text, range, [edit]), range.form === "block"),
  );
  if (found !== undefined) return found;
  // A declaration, member or name that no other code uses changes nothing, so it is always there.
  const isUnused = isBetweenDeclarations(source, edit) || isInPattern(source, edit);
  if (!isUnused || !isBalanced(text, false)) return null;
  return from === to || text.trim() === "" ? { from, to: from, form: "inserted" } : null;
}

/** Returns whether a range begins and ends between statements of the file or members of a class. */
function isBetweenDeclarations(source: SourceFile, { from, to }: TextRange): boolean {
  const isWithin = (node: Node): boolean =>
    [from, to].some((at) => node.getStart(source) < at && at < node.end);
  const around = source.statements.filter(isWithin);
  return around.every(
    (statement) =>
      isClassDeclaration(statement) &&
      from > statement.members.pos &&
      !statement.members.some(isWithin),
  );
}

/** Returns whether a range lies in a pattern of names, such as that of a parameter. */
function isInPattern(source: SourceFile, { from, to }: TextRange): boolean {
  const visit = (node: Node): boolean =>
    node.getStart(source) < from &&
    to < node.end &&
    (isObjectBindingPattern(node) ||
      node.forEachChild((child) => visit(child) || undefined) === true);
  return source.statements.some(visit);
}

/**
 * Returns whether all brackets are closed. An edit can close the block that contains it and open
 * another one.
 * @param isBlock whether the first bracket must be closed by the last one
 */
function isBalanced(text: string, isBlock: boolean): boolean {
  let depth = 0;
  for (let k = 0; k < text.length; k++) {
    if ("([{".includes(text[k])) depth++;
    if (")]}".includes(text[k])) depth--;
    if (depth < 0 || (isBlock && depth === 0 && k < text.length - 1)) return false;
  }
  return depth === 0;
}

/** Returns the ranges that no other range contains, without repetition. */
function outermost(ranges: readonly SwitchedRange[]): SwitchedRange[] {
  const sorted = ranges.toSorted((x, y) => x.from - y.from || y.to - x.to);
  const kept: SwitchedRange[] = [];
  for (const range of sorted) {
    const last = kept.at(-1);
    if (last === undefined || range.from >= last.to || last.from === last.to) kept.push(range);
  }
  return kept;
}

/** Returns the text of a range after the edits in it. */
function editedText(whole: string, range: SwitchedRange, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = range.from;
  for (const { from, to, text } of edits) {
    if (from < range.from || to > range.to) continue;
    parts.push(whole.slice(at, from), text);
    at = to;
  }
  return parts.join("") + whole.slice(at, range.to);
}

function mutantOf(
  id: string,
  { text }: SourceFile,
  file: string,
  { from, to, form }: SwitchedRange,
  after: string,
): Mutant {
  const before = text.slice(from, to);
  return {
    ...{ id, file, line: lineAt(text, from), operator: "planted", from, to, before, after, form },
    binary: null,
  };
}

/** Returns the ranges that contain an edit and that a second version can replace, outermost first. */
function switchableRanges(source: SourceFile, { from, to }: TextRange): SwitchedRange[] {
  const ranges: SwitchedRange[] = [];
  const contains = (node: Node): boolean => node.getStart(source) <= from && to <= node.end;
  const add = (node: Node, form: MutantForm): void => {
    if (contains(node)) ranges.push({ from: node.getStart(source), to: node.end, form });
  };
  const visit = (node: Node): void => {
    if (!contains(node)) return;
    if (isBlock(node)) add(node, "block");
    const value = initialValue(node);
    if (value !== null) add(value, "expression");
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return ranges;
}

/** Returns the body of an arrow function or the initial value of a declaration; null if neither. */
function initialValue(node: Node): Node | null {
  if (isArrowFunction(node)) return isBlock(node.body) ? null : node.body;
  if (isVariableDeclaration(node) || isPropertyAssignment(node) || isPropertyDeclaration(node)) {
    return node.initializer ?? null;
  }
  return null;
}

/** Returns imports of the names that only the changed text imports. */
function addedImports(before: string, changed: string): string {
  const known = new Set(importedNames(before));
  const added = importedNames(changed).filter((line) => !known.has(line));
  return added.join("");
}

function importedNames(text: string): readonly string[] {
  return [...text.matchAll(/^import \{([^}]*)\} from ("[^"]+");/gm)].flatMap(([, names, from]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => `import { ${name} } from ${from};\n`),
  );
}

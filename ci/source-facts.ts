// Reads facts about a source for the checks: its imports and exports, and the length of its functions.
// It uses the compiler's syntax tree, so that text and comments which look like code do not count.

import { posix } from "node:path";
import {
  type CallExpression,
  type ExportDeclaration,
  type FunctionLikeDeclaration,
  type ImportDeclaration,
  isAwaitExpression,
  isBinaryExpression,
  isCallExpression,
  isClassDeclaration,
  isExportDeclaration,
  isFunctionDeclaration,
  isFunctionLikeDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isInterfaceDeclaration,
  isLiteralTypeNode,
  isNamedExports,
  isNamedImports,
  isNewExpression,
  isObjectBindingPattern,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  isTypeAliasDeclaration,
  isVariableDeclaration,
  isVariableStatement,
  type ModifiersBase,
  type NewExpression,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";
import { assert } from "../src/support/assert.js";
import { parse } from "./parse-sources.js";
import type { ProjectFiles } from "./project-files.js";

/** One import, re-export, import of a type, dynamic import, or entry of another process. */
export interface SourceImport {
  /** The specifier as it is written. */
  readonly specifier: string;
  /** The sources it may mean: none for a package; several where a script gives a path's tail. */
  readonly targets: readonly string[];
  readonly names: readonly string[] | "all";
  /** `type`: the whole statement is erased. `process`: the entry of a worker or a child. */
  readonly kind: "value" | "type" | "process";
}

interface NameAtLine {
  readonly name: string;
  readonly line: number;
}

interface FunctionFacts extends NameAtLine {
  /** Lines of the body, both braces included. */
  readonly lineCount: number;
}

interface SourceFacts {
  readonly imports: readonly SourceImport[];
  readonly exports: readonly NameAtLine[];
  readonly functions: readonly FunctionFacts[];
}

export type FactsByPath = ReadonlyMap<string, SourceFacts>;

/** Returns the facts of each file, by path. A file may import one that is not among them. */
export function factsOf(files: ProjectFiles): FactsByPath {
  const allPaths = [...files.keys()];
  return new Map([...parse(files)].map(([path, file]) => [path, readFacts(path, file, allPaths)]));
}

function readFacts(path: string, file: SourceFile, allPaths: readonly string[]): SourceFacts {
  const imports: SourceImport[] = [];
  const exports: NameAtLine[] = [];
  const functions: FunctionFacts[] = [];
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;

  const visit = (node: Node): void => {
    const found = importIn(node);
    if (found !== null)
      imports.push({ ...found, targets: targetsOf(path, found.specifier, allPaths) });
    for (const name of exportsIn(node)) exports.push({ name, line: lineAt(node.getStart(file)) });
    if (isFunctionLikeDeclaration(node) && node.body !== undefined) {
      const line = lineAt(node.body.getStart(file));
      functions.push({ name: nameOf(node), line, lineCount: lineAt(node.body.end) - line + 1 });
    }
    node.forEachChild(visit);
  };
  visit(file);
  return { imports, exports, functions };
}

/** Resolves an import: a relative one names one source; a script loads from the build, sometimes by a path's tail. */
function targetsOf(path: string, specifier: string, allPaths: readonly string[]): string[] {
  const source = specifier.replace(/\.js$/, ".ts");
  if (specifier.startsWith("."))
    return [posix.join(posix.dirname(path), source).replace(/^build\//, "")];
  if (!path.endsWith(".mjs") || !specifier.endsWith(".js")) return [];
  const tail = `/${source.replace(/^\//, "")}`;
  return allPaths.filter((each) => `/${each}`.endsWith(tail));
}

type ImportSyntax = Omit<SourceImport, "targets">;

function importIn(node: Node): ImportSyntax | null {
  if (isImportDeclaration(node)) return importOfDeclaration(node);
  if (isExportDeclaration(node)) return importOfReexport(node);
  if (isImportTypeNode(node)) {
    const argument = isLiteralTypeNode(node.argument) ? node.argument.literal : null;
    if (argument === null || !isStringLiteral(argument)) return null;
    const name = node.qualifier?.getText().split(".")[0];
    return {
      specifier: argument.text,
      names: name === undefined ? "all" : [name],
      kind: "type",
    };
  }
  if (isCallExpression(node)) return importOfCall(node);
  if (isNewExpression(node)) return entryOfUrl(node);
  return null;
}

function importOfDeclaration(node: ImportDeclaration): ImportSyntax {
  const { moduleSpecifier, importClause: clause } = node;
  const specifier = textOf(moduleSpecifier);
  const bindings = clause?.namedBindings;
  const kind = clause?.phaseModifier === SyntaxKind.TypeKeyword ? "type" : "value";
  if (bindings !== undefined && !isNamedImports(bindings)) return { specifier, names: "all", kind };
  const named =
    bindings?.elements.map(({ propertyName, name }) => (propertyName ?? name).text) ?? [];
  return {
    specifier,
    names: clause?.name === undefined ? named : ["default", ...named],
    kind,
  };
}

function importOfReexport(node: ExportDeclaration): ImportSyntax | null {
  const { moduleSpecifier, exportClause: clause } = node;
  const kind = node.isTypeOnly ? "type" : "value";
  if (moduleSpecifier === undefined) return null;
  const specifier = textOf(moduleSpecifier);
  if (clause === undefined || !isNamedExports(clause)) return { specifier, names: "all", kind };
  const names = clause.elements.map(({ propertyName, name }) => (propertyName ?? name).text);
  return { specifier, names, kind };
}

// `import("./x.js")`, and the forms in the scripts of ci: `load("x.js")`, `import(build + "/x.js")`.
function importOfCall(node: CallExpression): ImportSyntax | null {
  const { expression: callee, arguments: given } = node;
  const isLoad = isIdentifier(callee) && callee.text === "load";
  if (callee.kind !== SyntaxKind.ImportKeyword && !isLoad) return null;
  const specifier = given.length === 0 ? null : literalAtEnd(given[0]);
  return specifier === null ? null : { specifier, names: namesTaken(node), kind: "value" };
}

function literalAtEnd(node: Node): string | null {
  if (isStringLiteral(node)) return node.text;
  return isBinaryExpression(node) ? literalAtEnd(node.right) : null;
}

/** Returns the used names: `const { a, b } = await import(…)` uses two, `(await import(…)).a` one; others may use all. */
function namesTaken(node: Node): SourceImport["names"] {
  let user = node.parent;
  while (isAwaitExpression(user) || isParenthesizedExpression(user)) user = user.parent;
  if (isPropertyAccessExpression(user)) return [user.name.text];
  if (!isVariableDeclaration(user) || !isObjectBindingPattern(user.name)) return "all";
  return user.name.elements.map(
    ({ propertyName, name }) => (propertyName ?? name)?.getText() ?? "",
  );
}

/** Reads `new URL("./worker.js", import.meta.url)`: the entry of another process. It is run, not used by name. */
function entryOfUrl(node: NewExpression): ImportSyntax | null {
  const { expression, arguments: given = [] } = node;
  if (!isIdentifier(expression) || expression.text !== "URL" || given.length !== 2) return null;
  const specifier = literalAtEnd(given[0]);
  return specifier?.endsWith(".js") ? { specifier, names: [], kind: "process" } : null;
}

function exportsIn(node: Node): string[] {
  if (isExportDeclaration(node)) {
    const clause = node.exportClause;
    return clause !== undefined && isNamedExports(clause)
      ? clause.elements.map(({ name }) => name.text)
      : [];
  }
  if (isVariableStatement(node)) {
    const names = node.declarationList.declarations.map(({ name }) => name.getText());
    return isExported(node) ? names : [];
  }
  if (!isNamedDeclaration(node) || !isExported(node)) return [];
  return node.name === undefined ? ["default"] : [node.name.text];
}

const isNamedDeclaration = (node: Node) =>
  isFunctionDeclaration(node) ||
  isClassDeclaration(node) ||
  isInterfaceDeclaration(node) ||
  isTypeAliasDeclaration(node);

const isExported = (node: ModifiersBase): boolean =>
  node.modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword) ?? false;

/** Returns its own name, that of its variable, or that of the call that takes it. */
function nameOf(node: FunctionLikeDeclaration): string {
  const { parent } = node;
  if ("name" in node && node.name !== undefined) return node.name.getText();
  if (isVariableDeclaration(parent) || isPropertyAssignment(parent)) return parent.name.getText();
  return isCallExpression(parent) ? `in ${parent.expression.getText()}(…)` : "constructor";
}

function textOf(node: Node): string {
  assert(isStringLiteral(node), () => `${node.getText()} is not the text of an import`);
  return node.text;
}

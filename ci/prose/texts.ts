// The prose of the project, as texts with their lines: comments and messages of sources, paragraphs of Markdown.

import {
  isInterfaceDeclaration,
  isTypeAliasDeclaration,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";

/** A text that a person reads. */
export interface ProseText {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** The name of a declared type. */
interface TypeName {
  readonly line: number;
  readonly name: string;
}

/** A half-open range of characters. */
interface CharacterRange {
  readonly start: number;
  readonly end: number;
}

const STRINGS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateExpression,
]);

/** A message has at least this many words; shorter strings are names and fragments. */
const MESSAGE_WORDS_MIN = 4;

/** Returns comments, each as one text: adjacent lines of `//` are one comment. */
export function commentsOf(file: SourceFile): ProseText[] {
  const { text } = file;
  const literals = literalRanges(file);
  const found: (CharacterRange & { readonly body: string })[] = [];
  let next = 0;
  for (let i = 0; i < text.length; i++) {
    while (next < literals.length && literals[next].end <= i) next++;
    if (next < literals.length && literals[next].start <= i) {
      i = literals[next].end - 1;
      continue;
    }
    if (text[i] !== "/" || (text[i + 1] !== "/" && text[i + 1] !== "*")) continue;
    const isLine = text[i + 1] === "/";
    const close = text.indexOf(isLine ? "\n" : "*/", i);
    const end = close < 0 ? text.length : close;
    const body = text.slice(i + 2, end).replace(/^\s*\*+ ?/gm, "");
    const last = found.at(-1);
    if (isLine && last !== undefined && /^\n[ \t]*$/.test(text.slice(last.end, i))) {
      found[found.length - 1] = { start: last.start, end, body: `${last.body}\n${body}` };
    } else {
      found.push({ start: i, end, body });
    }
    i = end;
  }
  return found.flatMap(({ start, body }) => paragraphsOf(body, lineOf(file, start)));
}

/** Returns the strings of a source that are sentences; an interpolated part is `X`. */
export function messagesOf(file: SourceFile): ProseText[] {
  const messages: ProseText[] = [];
  const visit = (node: Node): void => {
    if (STRINGS.has(node.kind)) {
      const text = node
        .getText(file)
        .slice(1, -1)
        .replace(/\$\{[^}]*\}/g, "X")
        .replace(/\\n/g, " ");
      if (text.split(" ").length >= MESSAGE_WORDS_MIN)
        messages.push({ line: lineOf(file, node.getStart(file)), text: oneLine(text) });
    }
    node.forEachChild(visit);
  };
  visit(file);
  return messages;
}

/** Returns the names of interfaces and aliases of types. */
export function typeNamesOf(file: SourceFile): TypeName[] {
  const names: TypeName[] = [];
  const visit = (node: Node): void => {
    if (isInterfaceDeclaration(node) || isTypeAliasDeclaration(node))
      names.push({ line: lineOf(file, node.getStart(file)), name: node.name.text });
    node.forEachChild(visit);
  };
  visit(file);
  return names;
}

/** Returns paragraphs, headings, items and cells, without code. */
export function proseOfMarkdown(markdown: string): ProseText[] {
  const found: ProseText[] = [];
  let isCode = false;
  let paragraph: ProseText | null = null;
  const finish = (): void => {
    if (paragraph !== null) found.push({ ...paragraph, text: oneLine(paragraph.text) });
    paragraph = null;
  };
  markdown.split("\n").forEach((each, index) => {
    const line = index + 1;
    if (/^\s*```/.test(each)) {
      isCode = !isCode;
      finish();
    } else if (isCode || each.trim() === "") {
      finish();
    } else if (each.startsWith("|")) {
      finish();
      for (const cell of each.split(/(?<!\\)\|/)) found.push({ line, text: oneLine(cell) });
    } else {
      const [, item] = /^\s*(?:[-*]|\d+\.|#+) (.*)$/.exec(each) ?? [];
      if (item !== undefined) finish();
      const text: string = item ?? each;
      paragraph =
        paragraph === null ? { line, text } : { ...paragraph, text: `${paragraph.text} ${text}` };
    }
  });
  finish();
  return found;
}

/** Strings, templates and regular expressions, in order; none contains another. */
function literalRanges(file: SourceFile): CharacterRange[] {
  const ranges: CharacterRange[] = [];
  const visit = (node: Node): void => {
    if (isLiteral(node.kind)) ranges.push({ start: node.getStart(file), end: node.end });
    node.forEachChild(visit);
  };
  visit(file);
  return ranges.sort((a, b) => a.start - b.start);
}

const LITERALS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
]);

const isLiteral = (kind: SyntaxKind): boolean => LITERALS.has(kind);

/** The paragraphs of a comment; a tag such as `@returns` begins one. */
function paragraphsOf(body: string, firstLine: number): ProseText[] {
  const found: ProseText[] = [];
  let paragraph: ProseText | null = null;
  body.split("\n").forEach((each, index) => {
    const text = each.trim();
    const isNew = text === "" || text.startsWith("@") || /^[-*|] /.test(text);
    if (isNew && paragraph !== null) {
      found.push(paragraph);
      paragraph = null;
    }
    if (text === "" || text.startsWith("biome-ignore")) return;
    const line = firstLine + index;
    paragraph =
      paragraph === null ? { line, text } : { ...paragraph, text: `${paragraph.text} ${text}` };
  });
  if (paragraph !== null) found.push(paragraph);
  return found.map(({ line, text }) => ({ line, text: oneLine(text) }));
}

/** Without code and links, on one line. */
const oneLine = (text: string): string =>
  text
    .replace(/`[^`]*`/g, "X")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_]{1,2}(\S[^*_]*)[*_]{1,2}/g, "$1")
    .replace(/\s+/g, " ")
    .trim();

const lineOf = (file: SourceFile, position: number): number =>
  file.getLineAndCharacterOfPosition(position).line + 1;

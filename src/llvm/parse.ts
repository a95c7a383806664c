// Parses a module of LLVM IR (LangRef, "High Level Structure"). A function that uses something unsupported is kept
// with the reason, so that the others can be judged.

import { tokensOf } from "./lexer.js";
import { LlvmError, outside } from "./llvm-error.js";
import type {
  LlvmBlock,
  LlvmFunction,
  LlvmGlobal,
  LlvmInstruction,
  LlvmModule,
  LlvmParameter,
} from "./module.js";
import { readInstruction, readOperand } from "./read-instructions.js";
import { type NamedTypes, readAttributes, readType } from "./read-types.js";
import { TokenReader } from "./reader.js";
import { alignmentOf, type LlvmType } from "./types.js";

/** Functions and globals that were parsed before, by their texts and the types of the module; functions by its attributes too. */
export interface ParsedParts {
  readonly functions: Map<string, LlvmFunction>;
  readonly globals: Map<string, LlvmGlobal>;
}

/** Linkages that hide a symbol from other modules. */
const LOCAL_LINKAGES = new Set(["private", "internal"]);
const GLOBAL_KINDS = new Set(["global", "constant"]);

/**
 * Parses a module, or functions of one.
 * @param base the module that has what the text only names; functions of the text replace those of this module
 * @param known parts that were parsed before; new ones are added
 * @throws LlvmError with the line
 */
export function parseLlvm(
  text: string,
  base: LlvmModule = NO_MODULE,
  known: ParsedParts = { functions: new Map(), globals: new Map() },
): LlvmModule {
  const lines = text.split("\n");
  const types = (text.match(/^%.* = type .*$/gm) ?? []).join("\n");
  const context = [...(text.match(/^attributes #.*$/gm) ?? []), types].join("\n");
  const kept = knownParts(lines, context, types, known);
  const reader = new TokenReader(kept.unparsed);
  const groups = readAttributeGroups(text);
  const named = readNamedTypes(text, base);
  const functions = new Map(base.functions);
  const globals = new Map(base.globals);
  for (const each of kept.functions) functions.set(each.name, each);
  for (const each of kept.globals) globals.set(each.name, each);
  while (!reader.isAtEnd) {
    if (reader.token.kind === "global") {
      const { line } = reader;
      const global = readGlobal(reader, named);
      if (global === null) continue;
      globals.set(global.name, global);
      known.globals.set(`${lines[line - 1]}\n${types}`, global);
    } else if (reader.is("define") || reader.is("declare")) {
      const begin = reader.line;
      const read = readFunction(reader, named, groups);
      const body = lines.slice(begin - 1, reader.lastLine).join("\n");
      const parsed = { ...read, text: body };
      functions.set(read.name, parsed);
      known.functions.set(`${body}\n${context}`, parsed);
    } else reader.skipLine();
  }
  return { functions, globals, types: named };
}

const NO_MODULE: LlvmModule = { functions: new Map(), globals: new Map(), types: new Map() };

/** Finds definitions that are known, and returns the text with empty lines for them. */
function knownParts(
  lines: readonly string[],
  context: string,
  types: string,
  known: ParsedParts,
): {
  readonly functions: readonly LlvmFunction[];
  readonly globals: readonly LlvmGlobal[];
  readonly unparsed: string;
} {
  const functions: LlvmFunction[] = [];
  const globals: LlvmGlobal[] = [];
  if (known.functions.size === 0) return { functions, globals, unparsed: lines.join("\n") };
  const unparsed = lines.slice();
  for (let begin = 0; begin < lines.length; begin++) {
    const line = lines[begin];
    const global = line.startsWith("@") ? known.globals.get(`${line}\n${types}`) : undefined;
    if (global !== undefined) {
      globals.push(global);
      unparsed[begin] = "";
    }
    if (!line.startsWith("define ")) continue;
    const end = lines.indexOf("}", begin);
    if (end < 0) break;
    const found = known.functions.get(`${lines.slice(begin, end + 1).join("\n")}\n${context}`);
    if (found !== undefined) {
      functions.push(found);
      unparsed.fill("", begin, end + 1);
    }
    begin = end;
  }
  return { functions, globals, unparsed: unparsed.join("\n") };
}

/** Returns the words of each `attributes #N = { ... }`. */
function readAttributeGroups(text: string): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const [, number, body] of text.matchAll(/^attributes #(\d+) = \{(.*)\}$/gm)) {
    groups.set(number, new Set(body.match(/[a-z_]+(?:\([^)]*\))?/g)));
  }
  return groups;
}

/** A definition of a named type, which waits for others. */
interface TypeDefinition {
  readonly body: string;
  /** The types that name this one. */
  readonly users: TypeDefinition[];
  readonly name: string;
  /** The number of definitions that it names and that were not read. */
  missing: number;
  /** The depth of the types that it names, and its own brackets. */
  depth: number;
  readonly brackets: number;
}

/**
 * Reads `%name = type ...` in any order: a type may name a later one. Types that contain themselves, or cannot be read, are
 * left out.
 */
function readNamedTypes(text: string, base: LlvmModule): NamedTypes {
  const named: NamedTypes = new Map(base.types);
  const definitions = new Map<string, TypeDefinition>();
  const uses: [TypeDefinition, ReadonlySet<string>][] = [];
  for (const [, quoted, body] of text.matchAll(/^(%(?:[-\w$.]+|"[^"\n]*")) = type (.*)$/gm)) {
    const { text: name } = new TokenReader(quoted).token;
    const { names, brackets } = namesAndDepthOf(body);
    const definition = { body, users: [], name, missing: 0, depth: 0, brackets };
    definitions.set(name, definition);
    uses.push([definition, names]);
  }
  for (const [user, names] of uses) {
    for (const each of names) {
      const used = definitions.get(each);
      if (used === undefined) continue;
      used.users.push(user);
      user.missing++;
    }
  }
  const ready = [...definitions.values()].filter(({ missing }) => missing === 0);
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    const { name, body, depth, brackets, users } = next;
    try {
      named.set(name, readType(new TokenReader(body), named, depth));
    } catch (error) {
      if (!(error instanceof LlvmError)) throw error;
    }
    for (const user of users) {
      user.depth = Math.max(user.depth, depth + brackets);
      if (--user.missing === 0) ready.push(user);
    }
  }
  return named;
}

/** Returns the names in a type, and the depth of its brackets; neither if it is malformed. */
function namesAndDepthOf(body: string): { names: ReadonlySet<string>; brackets: number } {
  const names = new Set<string>();
  let [open, brackets] = [0, 0];
  try {
    for (const { kind, text } of tokensOf(body)) {
      if (kind === "local") names.add(text);
      if (kind !== "punctuation") continue;
      if ("[{<".includes(text)) brackets = Math.max(brackets, ++open);
      else if ("]}>".includes(text)) open--;
    }
  } catch (error) {
    if (!(error instanceof LlvmError)) throw error;
  }
  return { names, brackets };
}

function readGlobal(reader: TokenReader, named: NamedTypes): LlvmGlobal | null {
  const name = reader.next().text;
  reader.expect("=");
  let isExternal = true;
  while (reader.token.kind === "word" && !GLOBAL_KINDS.has(reader.token.text)) {
    if (reader.is("alias") || reader.is("ifunc")) {
      reader.skipLine();
      return null;
    }
    const word = reader.next().text;
    if (LOCAL_LINKAGES.has(word)) isExternal = false;
    if (reader.is("(")) reader.skipGroup();
  }
  const isDeclared = !GLOBAL_KINDS.has(reader.token.text);
  const isConstant = reader.next().text === "constant";
  const { line } = reader;
  try {
    const type = readType(reader, named);
    const hasValue = !isDeclared && reader.line === line && !reader.is(",");
    const initializer = hasValue ? readOperand(reader, named, type) : null;
    let alignment = alignmentOf(type);
    while (reader.line === line && !reader.isAtEnd) {
      if (reader.next().text === "align") alignment = reader.integer();
    }
    return { name, type, isConstant, isExternal, initializer, alignment };
  } catch (error) {
    if (!(error instanceof LlvmError) || !error.isOutside) throw error;
    while (reader.line === line && !reader.isAtEnd) reader.next();
    return null;
  }
}

function readFunction(
  reader: TokenReader,
  named: NamedTypes,
  groups: ReadonlyMap<string, ReadonlySet<string>>,
): Omit<LlvmFunction, "text"> {
  const { line } = reader;
  const isDefinition = reader.next().text === "define";
  let reason: string | null = null;
  const noteUnsupported = (error: unknown): void => {
    if (!(error instanceof LlvmError) || !error.isOutside) throw error;
    reason ??= `line ${error.line}: ${error.message}`;
  };
  const resultAttributes = readAttributes(reader, named);
  const isExternal = ![...resultAttributes.names].some((word) => LOCAL_LINKAGES.has(word));
  let type = NO_TYPE;
  try {
    type = readType(reader, named);
  } catch (error) {
    noteUnsupported(error);
    while (reader.token.kind !== "global" && !reader.isAtEnd) reader.next();
  }
  const name = reader.take("global", "the name of the function");
  const parameters: LlvmParameter[] = [];
  let unnamed = 0;
  let isVariadic = false;
  try {
    reader.expect("(");
    while (!reader.accept(")")) {
      if (parameters.length > 0 || isVariadic) reader.expect(",");
      if (reader.accept("...")) {
        isVariadic = true;
        continue;
      }
      const parameterType = readType(reader, named);
      const attributes = readAttributes(reader, named);
      const isGiven = reader.token.kind === "local";
      const parameterName = isGiven ? reader.next().text : String(unnamed);
      // A number is no name: unnamed parameters and blocks are counted.
      if (/^\d+$/.test(parameterName)) unnamed++;
      parameters.push({ name: parameterName, type: parameterType, attributes });
    }
  } catch (error) {
    noteUnsupported(error);
  }
  const attributes = new Set<string>();
  while (!(isDefinition ? reader.is("{") : reader.line !== line) && !reader.isAtEnd) {
    const token = reader.next();
    if (token.kind === "attributes") {
      for (const each of groups.get(token.text) ?? []) attributes.add(each);
    } else attributes.add(token.text);
  }
  const about = { name, type, parameters, resultAttributes, attributes, isExternal, isVariadic };
  if (!isDefinition) return { ...about, blocks: null, outside: reason, line };
  reader.expect("{");
  const blocks = readBlocks(reader, named, String(unnamed), noteUnsupported);
  return { ...about, blocks, outside: reason, line };
}

const NO_TYPE: LlvmType = { kind: "void" };

/** Reads to the closing brace. An instruction outside of the subset is skipped with its line. */
function readBlocks(
  reader: TokenReader,
  named: NamedTypes,
  entryName: string,
  noteUnsupported: (error: unknown) => void,
): LlvmBlock[] {
  const blocks: LlvmBlock[] = [];
  let instructions: LlvmInstruction[] = [];
  const begin = (name: string): void => {
    instructions = [];
    blocks.push({ name, instructions });
  };
  if (reader.token.kind !== "label") begin(entryName);
  while (!reader.accept("}")) {
    if (reader.isAtEnd) throw reader.unexpected("'}' after the last block");
    if (reader.token.kind === "label") {
      begin(reader.next().text);
      continue;
    }
    const { line } = reader;
    try {
      instructions.push(readInstruction(reader, named));
      skipMetadata(reader);
      if (reader.line === line && !reader.is("}")) throw outside(line, `'${reader.token.text}'`);
    } catch (error) {
      noteUnsupported(error);
      skipInstruction(reader);
    }
  }
  return blocks;
}

/** Skips `, !name !N` and attribute groups. */
function skipMetadata(reader: TokenReader): void {
  while (reader.is(",") && reader.peek().kind === "meta") {
    reader.next();
    reader.next();
    if (reader.token.kind === "meta") reader.next();
    if (["(", "{"].some((each) => reader.is(each))) reader.skipGroup();
  }
}

/** Skips to the next line that begins an instruction, a label or the end of the body. */
function skipInstruction(reader: TokenReader): void {
  do reader.skipLine();
  while (
    ["]", ",", "i32", "i64", "to", "cleanup", "catch", "filter"].some((each) => reader.is(each))
  );
}

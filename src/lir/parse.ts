// Parses the text that Nanojit's assembler, lirasm, reads.
//
//   file     := { patch | fragment } | { line }       without .begin, the lines are the fragment "main"
//   fragment := ".begin" name newline { line } ".end" newline
//   patch    := ".patch" fragment "." guard "->" fragment newline
//   line     := [ label ":" ] [ name "=" ] instruction { operand } [ ";" comment ] newline
//
// A value is defined before its uses; a label may be used before.

import { type WordPair, wideWords } from "../ir/words.js";
import { LirError, quoted, refusal } from "./lir-error.js";
import { DIALECTS, LIR_NAMES, type LirDialect, type LirForm, type LirSpec } from "./names.js";

export interface LirInstruction {
  readonly line: number;
  readonly spec: LirSpec;
  /** The name of the result, or of the label; null if there is none. */
  readonly result: string | null;
  /** The names of values: operands, or the arguments of a call. */
  readonly operands: readonly string[];
  /** The label of a jump, or the function of a call; else empty. */
  readonly target: string;
  /** An immediate; a displacement, a size, or the number of a parameter. */
  readonly words: WordPair;
}

export interface LirFragment {
  readonly name: string;
  readonly line: number;
  /** The line of the last instruction, at which a fragment leaves that does not end by itself. */
  readonly lastLine: number;
  readonly instructions: readonly LirInstruction[];
}

/** A guard of a fragment that continues in another fragment. */
export interface LirPatch {
  readonly line: number;
  readonly fragment: string;
  readonly guard: string;
  readonly to: string;
}

export interface LirProgram {
  readonly dialect: LirDialect;
  readonly fragments: readonly LirFragment[];
  readonly patches: readonly LirPatch[];
}

interface RawInstruction {
  readonly line: number;
  readonly label: string | null;
  readonly result: string | null;
  /** Empty for a label alone. */
  readonly name: string;
  readonly tokens: readonly string[];
}

interface RawFragment {
  readonly name: string;
  readonly line: number;
  readonly lines: RawInstruction[];
}

const LINES_MAX = 50_000;
const TOKEN = /->|[0-9A-Za-z_$.+-]+|[:,=[\]()]/y;
const SPACE = /[ \t\v\r]*/y;
const NAME = /^(?!\d|\.\d)[\w$.+-]+$/;
const ABIS = ["cdecl", "fastcall", "stdcall", "thiscall"];

/**
 * Parses a text.
 * @param dialect null: the one that the names tell, and 2011 if they tell none
 * @throws LirError
 */
export function parseLir(text: string, dialect: LirDialect | null): LirProgram {
  const { fragments, patches } = splitFragments(text);
  const spoken = dialect ?? dialectOf(fragments.flatMap(({ lines }) => lines));
  return {
    dialect: spoken,
    fragments: fragments.map(({ name, line, lines }) => ({
      ...{ name, line, lastLine: lines.at(-1)?.line ?? line },
      instructions: lines.flatMap((raw) => instructionsOf(raw, spoken)),
    })),
    patches,
  };
}

function splitFragments(text: string): { fragments: RawFragment[]; patches: LirPatch[] } {
  const fragments: RawFragment[] = [];
  const patches: LirPatch[] = [];
  const names = new Set<string>();
  let open: RawFragment | null = null;
  let isImplicit = false;
  const begin = (name: string, line: number): RawFragment => {
    if (names.has(name)) throw new LirError(line, `the fragment ${quoted(name)} is defined twice`);
    names.add(name);
    const fragment: RawFragment = { name, line, lines: [] };
    fragments.push(fragment);
    return fragment;
  };
  const lines = text.split("\n");
  if (lines.length > LINES_MAX) throw new LirError(LINES_MAX, `more than ${LINES_MAX} lines`);
  for (const [i, each] of lines.entries()) {
    const line = i + 1;
    const tokens = tokensOf(each, line);
    const [first] = tokens;
    if (first === undefined) continue;
    if (first === ".begin") {
      if (open !== null) throw new LirError(line, "a fragment inside of a fragment");
      if (tokens.length !== 2 || !NAME.test(tokens[1]))
        throw new LirError(line, "expected a name after .begin, and nothing else");
      open = begin(tokens[1], line);
    } else if (first === ".end") {
      if (open === null || isImplicit) throw new LirError(line, "an .end without a .begin");
      if (tokens.length > 1) throw new LirError(line, "expected nothing after .end");
      open = null;
    } else if (first === ".patch") {
      if (open !== null) throw new LirError(line, "expected .patch after .end");
      patches.push(patchOf(tokens, line));
    } else {
      if (open === null) {
        if (fragments.length > 0)
          throw new LirError(line, `expected .begin or .patch, found ${quoted(first)}`);
        open = begin("main", line);
        isImplicit = true;
      }
      open.lines.push(rawInstruction(tokens, line));
    }
  }
  if (open !== null && !isImplicit)
    throw new LirError(open.line, `the fragment ${quoted(open.name)} has no .end`);
  if (fragments.length === 0) throw new LirError(1, "expected an instruction, found none");
  return { fragments, patches };
}

function tokensOf(text: string, line: number): string[] {
  const tokens: string[] = [];
  for (let at = 0; ; ) {
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
    if (at >= text.length || text[at] === ";") return tokens;
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) throw new LirError(line, `unexpected character at column ${at + 1}`);
    tokens.push(match[0]);
    at = TOKEN.lastIndex;
  }
}

function patchOf(tokens: readonly string[], line: number): LirPatch {
  const [, from = "", arrow, to = ""] = tokens;
  const [, fragment, guard] = /^([^.]+)\.(.+)$/.exec(from) ?? [];
  if (tokens.length !== 4 || arrow !== "->" || guard === undefined)
    throw new LirError(line, "expected '.patch FRAGMENT.GUARD -> FRAGMENT'");
  return { line, fragment, guard, to };
}

function rawInstruction(tokens: readonly string[], line: number): RawInstruction {
  let rest = tokens;
  let label: string | null = null;
  let result: string | null = null;
  if (rest[1] === ":") [label, rest] = [rest[0], rest.slice(2)];
  if (rest[1] === "=") [result, rest] = [rest[0], rest.slice(2)];
  for (const name of [label, result])
    if (name !== null && !NAME.test(name))
      throw new LirError(line, `expected a name, found ${quoted(name)}`);
  const [name = ""] = rest;
  if (name === "" && (label === null || result !== null))
    throw new LirError(line, "expected an instruction");
  return { line, label, result, name, tokens: rest.slice(1) };
}

/** Returns the dialect that has all names. */
function dialectOf(lines: readonly RawInstruction[]): LirDialect {
  let left: readonly LirDialect[] = DIALECTS;
  let decided: RawInstruction | null = null;
  for (const raw of lines) {
    const { name, line } = raw;
    const known = LIR_NAMES.get(name);
    if (known === undefined) continue; // reported with its line later
    const both = left.filter((each) => known.has(each));
    if (both.length === 0) {
      const [here, there] = [[...known.keys()].join(" or "), left.join(" or ")];
      throw new LirError(
        line,
        `${name} is a name of ${here}, but ${decided?.name ?? ""} in line ${decided?.line ?? 0} is one of ${there}`,
      );
    }
    if (both.length < left.length) decided = raw;
    left = both;
  }
  return left.includes("2011") ? "2011" : left[0];
}

function instructionsOf(raw: RawInstruction, dialect: LirDialect): LirInstruction[] {
  const { line, label, name } = raw;
  const labels = label === null ? [] : [labelAt(line, label)];
  return name === "" ? labels : [...labels, instructionOf(raw, dialect)];
}

const NO_WORDS: WordPair = [0, 0];
const LABEL: LirSpec = {
  ...{ name: "label", form: "label", takes: [], gives: "v", opcode: null, why: "" },
};
const labelAt = (line: number, result: string): LirInstruction => ({
  ...{ line, spec: LABEL, result, operands: [], target: "", words: NO_WORDS },
});

function instructionOf(raw: RawInstruction, dialect: LirDialect): LirInstruction {
  const { line, result, name, tokens } = raw;
  const spec = LIR_NAMES.get(name)?.get(dialect);
  if (spec === undefined) throw new LirError(line, unknownName(name, dialect));
  const { form, takes, why } = spec;
  if (form === "refused") throw refusal(line, name, why);
  const operands = tokens.slice(0, takes.length);
  const rest = tokens.slice(takes.length);
  const reader = READERS[form];
  const expected = takes.length + (reader?.count ?? 0);
  if (form !== "nothing" && form !== "call" && tokens.length !== expected)
    throw new LirError(line, `${name}: expected ${expected} operands, found ${tokens.length}`);
  const read = reader?.read(rest, spec, line) ?? {};
  return { line, spec, result, operands, target: "", words: NO_WORDS, ...read };
}

function unknownName(name: string, dialect: LirDialect): string {
  const known = [...(LIR_NAMES.get(name)?.keys() ?? [])];
  if (known.length === 0) return `unknown instruction ${quoted(name)}`;
  return `${name} is a name of ${known.join(" or ")}, not of ${dialect}`;
}

type PartialInstruction = Partial<Pick<LirInstruction, "operands" | "target" | "words">>;

interface OperandReader {
  /** The number of operands that are no values. */
  readonly count: number;
  readonly read: (rest: readonly string[], spec: LirSpec, line: number) => PartialInstruction;
}

const toLabel: OperandReader = { count: 1, read: ([target]) => ({ target }) };
const offset: OperandReader = {
  count: 1,
  read: ([text], _, line) => ({ words: integer(text, 32, line) }),
};

const READERS: Partial<Record<LirForm, OperandReader>> = {
  jump: toLabel,
  jumpIf: toLabel,
  jumpIfNot: toLabel,
  jumpOverflow: toLabel,
  load: offset,
  store: offset,
  allocate: offset,
  immediate: { count: 1, read: ([text], spec, line) => ({ words: immediate(text, spec, line) }) },
  parameter: {
    count: 2,
    read: ([index, kind], { name }, line) => {
      if (integer(kind, 32, line)[0] !== 0) throw refusal(line, name, "a register of the caller");
      return { words: integer(index, 32, line) };
    },
  },
  call: {
    count: 0,
    read: ([target, abi, ...operands], { name }, line) => {
      if (target === undefined || !ABIS.includes(abi ?? ""))
        throw new LirError(
          line,
          `${name}: expected a function, then one of ${ABIS.join(", ")}, then arguments`,
        );
      return { target, operands };
    },
  },
};

const INTEGER = /^-?\d{1,20}$|^0[xX][\da-fA-F]{1,16}$/;
const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const DECIMAL_LENGTH_MAX = 400;

function integer(text: string, width: 32 | 64, line: number): WordPair {
  const value = INTEGER.test(text) ? BigInt(text) : null;
  const fits =
    value !== null &&
    (BigInt.asUintN(width, value) === value || BigInt.asIntN(width, value) === value);
  if (!fits)
    throw new LirError(line, `expected an integer of ${width} bits, found ${quoted(text)}`);
  const [lo, hi] = wideWords(value);
  return width === 64 ? [lo, hi] : [lo, 0];
}

function immediate(text: string, { name, gives }: LirSpec, line: number): WordPair {
  if (gives === "i") return integer(text, 32, line);
  if (gives === "q" && (name === "immq" || INTEGER.test(text))) return integer(text, 64, line);
  const number = DECIMAL.test(text) && text.length <= DECIMAL_LENGTH_MAX ? Number(text) : Infinity;
  if (!Number.isFinite(number))
    throw new LirError(line, `expected a decimal, found ${quoted(text)}`);
  const view = new DataView(new ArrayBuffer(8));
  if (gives === "f") {
    view.setFloat32(0, number);
    return [view.getInt32(0), 0];
  }
  view.setFloat64(0, number);
  return [view.getInt32(4), view.getInt32(0)];
}

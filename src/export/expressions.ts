// Parses and expands scripts: straight-line programs in text form. Tables use scripts for opcodes
// that a format lacks, for patchpoints and for host functions.
//
//   o = Below(Add(y, 1), 2); Select(o, Mul(x, y), Div(x, Select(o, 1, y)))
//
// Semicolons separate statements, which are executed in order; the last statement is the result. An
// operation is an opcode or a macro. A suffix such as `Load.Int64` gives the result type if no
// operand determines it. A number takes the type of its operand position. A statement `Check(x)`
// exits with the guard's snapshot.

import { Op, opcodeNamed, specOf, typeOfName } from "../ir/opcodes.js";
import { BasicBlock, type Procedure, type Value } from "../ir/procedure.js";
import { Int32, otherBank, type Type, typeNamed, Void } from "../ir/types.js";
import { wideWords } from "../ir/words.js";
import { assert } from "../support/assert.js";

interface ScriptCall {
  readonly kind: "call";
  readonly name: string;
  /** The suffix after the dot; Void if there is none. */
  readonly type: Type;
  readonly args: readonly ScriptExpression[];
}
type ScriptExpression =
  | ScriptCall
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "number"; readonly value: bigint };

interface ScriptStatement {
  /** The name that the statement defines; null if it defines none. */
  readonly name: string | null;
  readonly expression: ScriptExpression;
}
export type ExpansionScript = readonly ScriptStatement[];

/** Scripts that other scripts call by name, with the names of their operands. */
export type ScriptMacros = Readonly<
  Record<string, { readonly takes: string; readonly gives: ExpansionScript }>
>;

const TOKEN = /\s*([A-Za-z]\w*(?:\.[A-Za-z]\w*)?|-?0x[\da-f]+|-?\d+|[(),=;])/y;

/** @param text a script of this project; an error in it is an InternalError */
export function parseScript(text: string): ExpansionScript {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text))
    tokens.push(match[1]);
  let at = 0;
  const accept = (token: string): boolean => {
    if (tokens[at] !== token) return false;
    at++;
    return true;
  };
  const expect = (token: string): void =>
    assert(accept(token), () => `'${token}' is missing in '${text}', before '${tokens[at]}'`);
  const expression = (): ScriptExpression => {
    const word = tokens[at++] ?? "";
    if (/^-?\d/.test(word)) return { kind: "number", value: BigInt(word) };
    if (!accept("(")) return { kind: "name", name: word };
    const args: ScriptExpression[] = [];
    while (!accept(")")) {
      if (args.length > 0) expect(",");
      args.push(expression());
    }
    const [name, type = "Void"] = word.split(".");
    return { kind: "call", name, type: typeNamed(type) ?? Void, args };
  };
  const statements: ScriptStatement[] = [];
  do {
    const isNamed = tokens[at + 1] === "=";
    const name = isNamed ? tokens[at] : null;
    if (isNamed) at += 2;
    statements.push({ name, expression: expression() });
  } while (accept(";"));
  assert(at === tokens.length, () => `unexpected '${tokens[at]}' after the end of '${text}'`);
  return statements;
}

/** The default names of a script's operands, in order. */
export const OPERAND_NAMES = ["x", "y", "z", "w"] as const;

type NamedValues = Map<string, Value>;

/** Appends the values of scripts to a procedure. */
export class ScriptWriter {
  /** The created values, in order. */
  readonly values: Value[] = [];
  private readonly proc: Procedure;
  private readonly macros: ScriptMacros;
  private readonly guard: Value | null;

  /** @param guard the guard whose snapshot a Check uses */
  constructor(proc: Procedure, macros: ScriptMacros = {}, guard: Value | null = null) {
    this.proc = proc;
    this.macros = macros;
    this.guard = guard;
  }

  /** Expands a script and returns its result, which may be an operand. */
  write(script: ExpansionScript, names: ReadonlyMap<string, Value>): Value {
    return this.run(script, new Map(names));
  }

  /** Does the same, and adds the names that the script defines. */
  run(script: ExpansionScript, known: NamedValues): Value {
    let last: Value | null = null;
    for (const { name, expression } of script) {
      last = this.evaluate(expression, known, Int32);
      if (name !== null) known.set(name, last);
    }
    assert(last !== null, () => "a script without statements");
    return last;
  }

  constant(type: Type, value: bigint): Value {
    const constant = this.proc.newConstant(type, ...wideWords(value));
    this.values.push(constant);
    return constant;
  }

  private evaluate(expression: ScriptExpression, names: NamedValues, wanted: Type): Value {
    if (expression.kind === "number") return this.constant(wanted, expression.value);
    if (expression.kind === "call") return this.call(expression, names, wanted);
    const value = names.get(expression.name);
    assert(value !== undefined, () => `a script uses the undefined name '${expression.name}'`);
    return value;
  }

  private call({ name, type, args }: ScriptCall, names: NamedValues, wanted: Type): Value {
    const macro = this.macros[name];
    if (macro !== undefined) {
      const takes = macro.takes.split(" ");
      const given = args.map((arg) => this.evaluate(arg, names, Int32));
      return this.write(macro.gives, new Map(given.map((value, i) => [takes[i], value])));
    }
    const opcode = opcodeNamed(name);
    assert(opcode !== null, () => `a script calls '${name}', which is neither opcode nor macro`);
    const spec = specOf(opcode);
    // A number as operand has the type of the other operands with the same type letter.
    const operands: (Value | null)[] = args.map((arg) =>
      arg.kind === "number" ? null : this.evaluate(arg, names, Int32),
    );
    let letter: Type = type === Void ? wanted : type;
    spec.args.forEach((kind, i) => {
      if (kind === "T") letter = operands[i]?.type ?? letter;
    });
    args.forEach((arg, i) => {
      if (arg.kind !== "number") return;
      const kind = spec.args[i];
      const fixed = kind === "T" ? letter : kind === "U" ? Int32 : typeNamed(kind);
      operands[i] = this.constant(fixed ?? letter, arg.value);
    });
    const result =
      spec.result === "T" ? letter : spec.result === "Bits" ? otherBank(letter) : resultOf(name);
    const value = this.proc.newValue(opcode, result);
    [value.a = null, value.b = null, value.c = null] = operands;
    if (opcode === Op.Check) value.extra = this.guard?.extra ?? null;
    this.values.push(value);
    return value;
  }
}

function resultOf(name: string): Type {
  const opcode = opcodeNamed(name);
  const result = opcode === null ? "Void" : specOf(opcode).result;
  return result === "T" ||
    result === "Bits" ||
    result === "Callee" ||
    result === "Kind" ||
    result === "Further"
    ? Void
    : typeOfName(result);
}

/** Returns a block with these values. The block does not belong to a procedure yet. */
export function blockOf(id: number, values: readonly Value[]): BasicBlock {
  const block = new BasicBlock(id);
  for (const value of values) {
    block.append(value);
  }
  return block;
}

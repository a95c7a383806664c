// Scripts (`.wast`): modules, calls of their exports, and what is expected of them.
//
// A call may change what later calls of its instance see. Each execution of ours starts from the same state, so
// a case has the calls that came before and may have written anything; those that trap are left out.

import type { Constant } from "./constant-expression.js";
import { ImportError } from "./import-error.js";
import type { Call } from "./import-wasm.js";
import type { WasmReader } from "./read-wasm.js";
import { bytesOfStrings, type Node, readNodes, textOfString } from "./s-expressions.js";
import type { WasmModule } from "./wasm-module.js";
import { mayWrite } from "./writers.js";

export interface ScriptModule {
  /** From 1. */
  readonly line: number;
  readonly wasm: WasmModule;
}

/** What a case expects. */
type Expected =
  | { readonly kind: "return"; readonly results: readonly (Constant | "nan")[] }
  | { readonly kind: "trap"; readonly says: string }
  | { readonly kind: "exhaustion" };

export interface ScriptCase {
  readonly line: number;
  readonly module: ScriptModule;
  /** null: that the instance is made. */
  readonly name: string | null;
  readonly args: readonly Constant[];
  readonly before: readonly Call[];
  readonly expected: Expected;
}

/** What the script has and a case cannot say. */
export interface Aside {
  readonly line: number;
  readonly message: string;
}

export interface Script {
  readonly cases: readonly ScriptCase[];
  /** Outside of the import. */
  readonly outside: readonly Aside[];
  /** Modules that have to be refused, and are. */
  readonly refused: number;
  /** Those that are not. */
  readonly accepted: readonly Aside[];
}

/** @throws ImportError if the text is no script */
export function readScript(source: string, file: string, reader: WasmReader): Script {
  return new Reader(source, file, reader).read();
}

/** A module of the script, or why it is none. */
type Known = { readonly module: ScriptModule; readonly calls: Call[] } | { readonly why: string };

class Reader {
  private readonly source: string;
  private readonly file: string;
  private readonly reader: WasmReader;
  private readonly nodes: readonly Node[];
  private readonly constants: ReadonlyMap<Node, Constant>;
  private readonly named = new Map<string, Known>();
  private current: Known = { why: "no module precedes it" };
  private readonly cases: ScriptCase[] = [];
  private readonly outside: Aside[] = [];
  private readonly accepted: Aside[] = [];
  private refused = 0;

  constructor(source: string, file: string, reader: WasmReader) {
    this.source = source;
    this.file = file;
    this.reader = reader;
    this.nodes = readNodes(source);
    this.constants = assembled(this.nodes, source, reader);
  }

  read(): Script {
    for (const node of this.nodes) {
      try {
        this.command(node);
      } catch (error) {
        if (!(error instanceof ImportError)) throw error;
        this.outside.push({ line: node.line, message: error.message });
      }
    }
    const { cases, outside, refused, accepted } = this;
    return { cases, outside, refused, accepted };
  }

  private command(node: Node): void {
    const [head, first, ...others] = node.items;
    const name = head?.text ?? "";
    if (name === "module") this.define(node);
    else if (name === "invoke") this.invoke(node);
    else if (name === "assert_return") this.expectReturn(node.line, first, others);
    else if (name === "assert_trap" && isModule(first)) this.expectTrapOfModule(node, first);
    else if (name === "assert_trap") {
      this.expect(node.line, first, { kind: "trap", says: textOfString(others[0]) });
    } else if (name === "assert_exhaustion") {
      this.expect(node.line, first, { kind: "exhaustion" });
    } else if (name === "assert_invalid" || name === "assert_malformed") this.refuse(node, first);
    else throw new ImportError(`${name} is outside of the import`);
  }

  private define(node: Node): void {
    const [, second] = node.items;
    const name = second?.text?.startsWith("$") === true ? second.text : null;
    let known: Known;
    try {
      known = { module: { line: node.line, wasm: this.moduleOf(node) }, calls: [] };
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      known = { why: `the module of line ${node.line}: ${error.message}` };
    }
    this.current = known;
    if (name !== null) this.named.set(name, known);
    if ("why" in known) throw new ImportError(known.why);
  }

  private moduleOf({ items, start, end, line }: Node): WasmModule {
    const at = items[1]?.text?.startsWith("$") === true ? 2 : 1;
    const form = items[at]?.text;
    const strings = items.slice(at + 1);
    if (form === "binary") return this.reader.readBinary(bytesOfStrings(strings));
    if (form === "quote") {
      const text = Buffer.from(bytesOfStrings(strings)).toString("utf8");
      return this.reader.readText(text, this.file);
    }
    return this.reader.readText(this.source.slice(start, end), this.file, line);
  }

  private refuse({ line }: Node, module: Node): void {
    try {
      this.moduleOf(module);
      this.accepted.push({ line, message: "the module is to be refused" });
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      this.refused++;
    }
  }

  /** The instance that an action names, or the last one. */
  private instanceOf({ items }: Node): { module: ScriptModule; calls: Call[]; rest: Node[] } {
    const [, second] = items;
    const isNamed = second?.text?.startsWith("$") === true && !second.isString;
    const known = isNamed ? this.named.get(second.text ?? "") : this.current;
    if (known === undefined) throw new ImportError("the module that it names is not known");
    if ("why" in known) throw new ImportError(known.why);
    return { ...known, rest: items.slice(isNamed ? 2 : 1) };
  }

  private invoke(action: Node): void {
    const { module, calls, rest } = this.instanceOf(action);
    const name = textOfString(rest[0]);
    const args = rest.slice(1).map((node) => this.constantOf(node));
    if (mayWrite(module.wasm, name)) calls.push({ name, args });
  }

  private expectReturn(line: number, action: Node, results: readonly Node[]): void {
    const values = results.map((node) => (isAnyNaN(node) ? "nan" : this.constantOf(node)));
    this.expect(line, action, { kind: "return", results: values });
    if (action.items[0]?.text === "invoke") this.invoke(action);
  }

  private expect(line: number, action: Node, expected: Expected): void {
    const { module, calls, rest } = this.instanceOf(action);
    const args = rest.slice(1).map((node) => this.constantOf(node));
    const name = textOfString(rest[0]);
    this.cases.push({ line, module, name, args, before: calls.slice(), expected });
  }

  private expectTrapOfModule({ line, items }: Node, module: Node): void {
    const expected: Expected = { kind: "trap", says: textOfString(items[2]) };
    const wasm = this.moduleOf(module);
    const made = { line: module.line, wasm };
    this.cases.push({ line, module: made, name: null, args: [], before: [], expected });
  }

  private constantOf(node: Node): Constant {
    const constant = this.constants.get(node);
    if (constant !== undefined) return constant;
    throw new ImportError(`${node.items[0]?.text ?? "a value"} is outside of the import`);
  }
}

const isModule = (node: Node): boolean => node.items[0]?.text === "module";
const CONSTANT = /^[if](?:32|64)\.const$/;
const ANY_NAN = /^nan:(?:canonical|arithmetic)$/;
const isAnyNaN = ({ items }: Node): boolean => ANY_NAN.test(items[1]?.text ?? "");

/** All constants of the script's actions, which wabt reads as the initial values of globals. */
function assembled(
  nodes: readonly Node[],
  source: string,
  reader: WasmReader,
): ReadonlyMap<Node, Constant> {
  const found: Node[] = [];
  const collect = (node: Node): void => {
    const [head] = node.items;
    if (head?.text === "module") return;
    if (CONSTANT.test(head?.text ?? "") && !isAnyNaN(node)) found.push(node);
    else for (const item of node.items) collect(item);
  };
  for (const node of nodes) collect(node);
  const globals = found.map((node) => {
    const type = node.items[0]?.text?.slice(0, 3);
    return `(global ${type} ${source.slice(node.start, node.end)})`;
  });
  const { globals: decoded } = reader.readText(`(module ${globals.join("\n")})`, "constants");
  const pairs = found.map((node, i): [Node, Constant] => {
    const { type, initial } = decoded[i];
    const [{ lo, hi }] = initial;
    return [node, { type, lo, hi }];
  });
  return new Map(pairs);
}

// Reads scripts (`.wast`): modules, calls of their exports, and expectations.
//
// A call may change the state that later calls of its instance read. Each execution of a program
// starts from the same state. So a case contains the earlier calls that may have written anything,
// except those that trap.

import { functionOfElement, type WasmConstant } from "./constant-expression.js";
import { ImportError, ScriptError } from "./import-error.js";
import type { ExportCall } from "./import-wasm.js";
import { readTextLeniently } from "./lenient-text.js";
import { linkFunctions } from "./link-functions.js";
import { reasonOutside } from "./outside.js";
import type { WasmReader } from "./read-wasm.js";
import { bytesOfStrings, type ExpressionNode, readNodes, textOfString } from "./s-expressions.js";
import { nameOfType } from "./type-names.js";
import type { FunctionType, WasmExport, WasmModule } from "./wasm-module.js";

export interface ScriptModule {
  /** The line in the script, from 1. */
  readonly line: number;
  readonly wasm: WasmModule;
}

/** The expectation of a case. */
type CaseExpectation =
  | { readonly kind: "return"; readonly results: readonly (WasmConstant | "nan")[] }
  | { readonly kind: "trap"; readonly says: string }
  | { readonly kind: "exhaustion" };

export interface ScriptCase {
  readonly line: number;
  readonly module: ScriptModule;
  /** The name of the export; null if the case only creates the instance. */
  readonly name: string | null;
  readonly args: readonly WasmConstant[];
  readonly before: readonly ExportCall[];
  readonly expected: CaseExpectation;
}

/** A part of the script that no case expresses. */
export interface UnsupportedCommand {
  readonly line: number;
  readonly message: string;
}

export interface WasmScript {
  readonly cases: readonly ScriptCase[];
  /** Commands outside of the import. */
  readonly outside: readonly UnsupportedCommand[];
  /** The number of invalid modules that are refused as expected. */
  readonly refused: number;
  /** Invalid modules that are accepted. */
  readonly accepted: readonly UnsupportedCommand[];
}

/** @throws ImportError if the text is not a script */
export function readScript(source: string, file: string, reader: WasmReader): WasmScript {
  return new ScriptReader(source, file, reader).read();
}

/** A module of the script, or the reason why it cannot be used. */
type ModuleOrFailure = UsableModule | { readonly why: string };

interface UsableModule {
  readonly module: ScriptModule;
  readonly calls: ExportCall[];
  /** The reason why its state is unknown; null if the state is known. */
  shared: string | null;
}

/** A call of an export, or a read of a global. */
interface ScriptAction {
  readonly module: ScriptModule;
  readonly calls: ExportCall[];
  readonly name: string;
  readonly args: readonly WasmConstant[];
  readonly isCall: boolean;
}

class ScriptReader {
  private readonly source: string;
  private readonly file: string;
  private readonly reader: WasmReader;
  private readonly nodes: readonly ExpressionNode[];
  private readonly constants: ReadonlyMap<ExpressionNode, WasmConstant>;
  private readonly named = new Map<string, ModuleOrFailure>();
  private readonly registered = new Map<string, ModuleOrFailure>();
  private current: ModuleOrFailure = { why: "no module precedes it" };
  private readonly cases: ScriptCase[] = [];
  private readonly outside: UnsupportedCommand[] = [];
  private readonly accepted: UnsupportedCommand[] = [];
  private refused = 0;

  constructor(source: string, file: string, reader: WasmReader) {
    this.source = source;
    this.file = file;
    this.reader = reader;
    this.nodes = readNodes(source);
    const found = constantsIn(this.nodes);
    this.constants = assembled(found, source, file, reader);
  }

  read(): WasmScript {
    for (const node of this.nodes) {
      try {
        this.command(node);
      } catch (error) {
        if (!(error instanceof ImportError) || error instanceof ScriptError) throw error;
        this.outside.push({ line: node.line, message: error.message });
      }
    }
    const { cases, outside, refused, accepted } = this;
    return { cases, outside, refused, accepted };
  }

  private command(node: ExpressionNode): void {
    const [head, first, ...others] = node.items;
    const { line } = node;
    const name = head?.text ?? null;
    if (name === null) throw this.error(line, "expected a command: (module ...), (invoke ...)");
    if (name === "module") this.define(node);
    else if (name === "register") this.register(node);
    else if (name === "invoke") this.recordCall(this.action(line, node));
    else if (name === "assert_return") this.expectReturn(line, first, others);
    else if (name === "assert_trap") {
      const says = this.messageOf(node, others[0]);
      if (isModule(first)) this.expectTrapOfModule(line, first, says);
      else this.expect(line, first, { kind: "trap", says });
    } else if (name === "assert_exhaustion") this.expect(line, first, { kind: "exhaustion" });
    else if (name === "assert_invalid" || name === "assert_malformed") {
      if (!isModule(first)) throw this.error(line, `expected a module after ${name}`);
      this.refuse(node, first);
    } else throw new ImportError(`${name} is outside of the import`);
  }

  private error(line: number, message: string): ScriptError {
    return new ScriptError(this.file, line, message);
  }

  private messageOf({ line, items }: ExpressionNode, node: ExpressionNode | undefined): string {
    if (node?.isString === true) return textOfString(node);
    throw this.error(line, `expected a message, a string, in ${items[0].text}`);
  }

  private define(node: ExpressionNode): void {
    const [, second] = node.items;
    const name = second?.text?.startsWith("$") === true ? second.text : null;
    let known: ModuleOrFailure;
    try {
      const wasm = this.linked(node.line, this.moduleOf(node));
      known = { module: { line: node.line, wasm }, calls: [], shared: null };
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      this.shareAll(node);
      known = { why: `the module of line ${node.line}: ${error.message}` };
    }
    this.current = known;
    if (name !== null) this.named.set(name, known);
    if ("why" in known) throw new ImportError(known.why);
  }

  /** Registers a module under a name, so that later modules can import its exports. */
  private register({ line, items }: ExpressionNode): void {
    const [, name, module] = items;
    if (name?.isString !== true) throw this.error(line, "expected a name, a string, in register");
    const known = module === undefined ? this.current : this.named.get(module.text ?? "");
    if (known !== undefined) this.registered.set(textOfString(name), known);
  }

  private linked(line: number, wasm: WasmModule): WasmModule {
    const modules = new Map<string, WasmModule | null>();
    for (const [name, known] of this.registered) {
      modules.set(name, "module" in known ? known.module.wasm : null);
    }
    const { wasm: linked, calls, shares } = linkFunctions(wasm, modules);
    for (const name of [...calls, ...shares]) this.share(name, line);
    const [shared] = shares;
    if (shared === undefined) return linked;
    throw new ImportError(`it shares state with the module ${shared}`);
  }

  private share(name: string, line: number): void {
    const known = this.registered.get(name);
    if (known === undefined || "why" in known) return;
    known.shared ??= `the module of line ${line} shares its state`;
  }

  /** A module that cannot be read may share the state of every module that it names. */
  private shareAll(node: ExpressionNode): void {
    const visit = ({ items, line }: ExpressionNode): void => {
      const [head, from] = items;
      if (head?.text === "import" && from?.isString === true) this.share(textOfString(from), line);
      for (const item of items) visit(item);
    };
    visit(node);
  }

  private moduleOf(
    { items, start, end, line }: ExpressionNode,
    mode: "lenient" | "strict" = "lenient",
  ): WasmModule {
    const at = items[1]?.text?.startsWith("$") === true ? 2 : 1;
    const form = items[at]?.text;
    const strings = items.slice(at + 1);
    if (form === "binary") return this.reader.readBinary(bytesOfStrings(strings));
    if (form === "quote") {
      const text = Buffer.from(bytesOfStrings(strings)).toString("utf8");
      return this.reader.readText(text, this.file);
    }
    const text = this.source.slice(start, end);
    if (mode === "strict") return this.reader.readText(text, this.file, line);
    return readTextLeniently(this.reader, text, this.file, line);
  }

  private refuse({ line }: ExpressionNode, module: ExpressionNode): void {
    let wasm: WasmModule;
    try {
      wasm = this.moduleOf(module, "strict");
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      this.refused++;
      return;
    }
    for (const index of wasm.functions.keys()) {
      const reason = reasonOutside(wasm, index);
      if (reason !== null) throw new ImportError(reason); // wabt does not check every feature
    }
    this.accepted.push({ line, message: "an invalid module is accepted" });
  }

  /** @throws ScriptError if the action is malformed; ImportError if it is outside of the import */
  private action(line: number, node: ExpressionNode | undefined): ScriptAction {
    const kind = node?.items[0]?.text;
    if (node === undefined || (kind !== "invoke" && kind !== "get")) {
      throw this.error(line, 'expected (invoke "name" ...) or (get "name")');
    }
    const [, second] = node.items;
    const isNamed = second?.text?.startsWith("$") === true && !second.isString;
    const [nameNode, ...given] = node.items.slice(isNamed ? 2 : 1);
    if (nameNode?.isString !== true) {
      throw this.error(line, `expected the name of an export, a string, after ${kind}`);
    }
    const args = given.map((each) => this.constantOf(line, each));
    const known = isNamed ? this.named.get(second.text ?? "") : this.current;
    if (known === undefined) throw new ImportError("the named module is not defined");
    if ("why" in known) throw new ImportError(known.why);
    if (known.shared !== null) throw new ImportError(known.shared);
    const action = { ...known, name: textOfString(nameNode), args, isCall: kind === "invoke" };
    this.checkArguments(line, action);
    return action;
  }

  private checkArguments(line: number, { module, name, args, isCall }: ScriptAction): void {
    const kind = isCall ? "function" : "global";
    const { functions, exports } = module.wasm;
    const exported = exports.find((each) => each.name === name && each.kind === kind);
    if (exported === undefined) {
      throw this.error(line, `the module of line ${module.line} exports no ${kind} ${name}`);
    }
    const parameters = parametersOf(exported, functions);
    if (parameters === null) return;
    const fits = args.every(({ type }, i) => type === parameters[i]);
    if (fits && args.length === parameters.length) return;
    const wanted = parameters.map(nameOfType).join(" ");
    const given = args.map(({ type }) => nameOfType(type)).join(" ");
    throw this.error(line, `${name} takes (${wanted}), got (${given})`);
  }

  /** Records a call that may have written, for later cases of the instance. */
  private recordCall({ module, calls, name, args, isCall }: ScriptAction): void {
    if (isCall && mayWrite(module.wasm, name)) calls.push({ name, args });
  }

  private expectReturn(
    line: number,
    node: ExpressionNode | undefined,
    results: readonly ExpressionNode[],
  ): void {
    const values = results.map((each) => (isAnyNaN(each) ? "nan" : this.constantOf(line, each)));
    this.recordCall(this.expect(line, node, { kind: "return", results: values }));
  }

  private expect(
    line: number,
    node: ExpressionNode | undefined,
    expected: CaseExpectation,
  ): ScriptAction {
    const action = this.action(line, node);
    const { module, calls, name, args } = action;
    this.cases.push({ line, module, name, args, before: calls.slice(), expected });
    return action;
  }

  private expectTrapOfModule(line: number, module: ExpressionNode, says: string): void {
    const expected: CaseExpectation = { kind: "trap", says };
    this.shareAll(module);
    const wasm = this.linked(module.line, this.moduleOf(module));
    const made = { line: module.line, wasm };
    this.cases.push({ line, module: made, name: null, args: [], before: [], expected });
  }

  private constantOf(line: number, node: ExpressionNode): WasmConstant {
    const constant = this.constants.get(node);
    if (constant !== undefined) return constant;
    const name = node.items[0]?.text;
    if (name === undefined || name === null) {
      throw this.error(line, "expected a constant, as (i32.const 1)");
    }
    throw new ImportError(`${name} is outside of the import`);
  }
}

/** Returns the parameter types of a call; null if the language cannot express them. */
function parametersOf(
  { kind, index }: WasmExport,
  functions: WasmModule["functions"],
): FunctionType["parameters"] | null {
  if (kind !== "function") return [];
  const { outside, type } = functions[index];
  return outside === null ? type.parameters : null;
}

const isModule = (node: ExpressionNode | undefined): node is ExpressionNode =>
  node?.items[0]?.text === "module";
const CONSTANT = /^[if](?:32|64)\.const$/;
const ANY_NAN = /^nan:(?:canonical|arithmetic)$/;
const isAnyNaN = ({ items }: ExpressionNode): boolean => ANY_NAN.test(items[1]?.text ?? "");

/** Returns all constants of the script's actions. */
function constantsIn(nodes: readonly ExpressionNode[]): readonly ExpressionNode[] {
  const found: ExpressionNode[] = [];
  const collect = (node: ExpressionNode): void => {
    const [head] = node.items;
    if (head?.text === "module") return;
    if (CONSTANT.test(head?.text ?? "") && !isAnyNaN(node)) found.push(node);
    else for (const item of node.items) collect(item);
  };
  for (const node of nodes) collect(node);
  return found;
}

/**
 * Parses constants with wabt, as the initial values of globals.
 * @throws ScriptError for the first invalid constant
 */
function assembled(
  found: readonly ExpressionNode[],
  source: string,
  file: string,
  reader: WasmReader,
): ReadonlyMap<ExpressionNode, WasmConstant> {
  const globals = found.map((node) => {
    const type = node.items[0]?.text?.slice(0, 3);
    return `(global ${type} ${source.slice(node.start, node.end)})`;
  });
  try {
    const { globals: decoded } = reader.readText(`(module ${globals.join("\n")})`, "constants");
    const pairs = found.map((node, i): [ExpressionNode, WasmConstant] => {
      const { type, initial } = decoded[i];
      const [{ lo, hi }] = initial;
      return [node, { type, lo, hi }];
    });
    return new Map(pairs);
  } catch (error) {
    if (!(error instanceof ImportError) || error instanceof ScriptError) throw error;
    if (found.length === 1) {
      const [{ line, start, end }] = found;
      throw new ScriptError(file, line, `${source.slice(start, end)} is not a constant`);
    }
    const half = found.length >> 1;
    assembled(found.slice(0, half), source, file, reader);
    assembled(found.slice(half), source, file, reader);
    throw error;
  }
}

const WRITES =
  /\.store|^global\.set$|^memory\.(?:grow|fill|copy|init)$|^table\.(?:copy|init)$|\.drop$/;

/**
 * Returns whether a call of the export may change the state that later calls read: false only if no
 * function that it may call writes to the instance.
 */
function mayWrite(wasm: WasmModule, name: string): boolean {
  const exported = wasm.exports.find((each) => each.name === name && each.kind === "function");
  if (exported === undefined) return false;
  const work = [exported.index];
  const seen = new Set(work);
  const reach = (index: number | null): void => {
    if (index === null || seen.has(index)) return;
    seen.add(index);
    work.push(index);
  };
  for (let index = work.pop(); index !== undefined; index = work.pop()) {
    for (const instruction of wasm.functions[index].body) {
      if (WRITES.test(instruction.name)) return true;
      if (instruction.name === "call") reach(instruction.index);
      if (instruction.name !== "call_indirect") continue;
      for (const { elements } of wasm.elements) {
        for (const element of elements) reach(functionOfElement(element));
      }
    }
  }
  return false;
}

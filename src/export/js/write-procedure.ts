// Writes one procedure of the language as one JavaScript function: labelled blocks and loops, and a
// variable for each value.

import type { HostFunction } from "../../ir/host-functions.js";
import { CONSTANT, EFFECTS, Op } from "../../ir/opcodes.js";
import type { BasicBlock, Procedure, Snapshot, Value } from "../../ir/procedure.js";
import { Int32, Int64, isInteger, type Type, Void } from "../../ir/types.js";
import { LATE_SHARE, type SourceForm } from "../forms.js";
import { HOME_SHARE, type HomeTable, JS_HOMES } from "../home-forms.js";
import type { LinkedProgram } from "../linked-program.js";
import { makeReducible } from "../make-reducible.js";
import { type LanguageNotation, StatementWriter, startOfHost } from "../statements.js";
import { type Construct, planOf, type Sink, structure } from "../structure.js";
import { dependsOnFact, factOf, type LearnedFact, TICK } from "./facts.js";
import { knownNumbers } from "./known-numbers.js";
import { isNumber, literal } from "./literals.js";
import { memoryForm } from "./memory.js";
import { accessOf, rowOf } from "./opcode-rows.js";
import { asNumber, inNumbers, type SafeRanges, safeRanges } from "./safe-integers.js";

/** The notation without a form; its accesses are those of records. */
export const NOTATION: LanguageNotation = {
  end: ";",
  open: "{",
  close: "}",
  pointer: (name) => `const ${name}`,
  variable: (_type, name) => `const ${name}`,
  literal,
  index: (number) => `${number}n`,
  heapBase: "BASE",
  accessOf: (opcode, type) => accessOf(opcode, type).replace("store", "put"),
  reserve: "reserve",
  copy: "putbytes",
  finish: "finish",
  returns: (result) => (result === null ? "return" : `return ${result}`),
  prefix: "",
};

/** In the form `status-exits` a function returns at the end of the execution. */
const STATUS_NOTATION: LanguageNotation = { ...NOTATION, finish: "return stop" };
/** Follows each call in that form. */
export const RETURN_IF_STOPPED = "if (stopped) return";

const notationOf = (form: SourceForm): LanguageNotation =>
  form.has("status-exits") ? STATUS_NOTATION : NOTATION;

export interface WrittenStyle {
  readonly form: SourceForm;
  /** An expression that is true in compiled code, which records that the function leaves it; or null. */
  readonly probe: string | null;
}

/** @param proc an expanded procedure, which is changed in place */
export function writeProcedure(proc: Procedure, names: LinkedProgram, style: WrittenStyle): string {
  return new ProcedureWriter(proc, names, names.isFlagged, style).write([]);
}

export function writeHost(
  host: HostFunction,
  proc: Procedure,
  names: LinkedProgram,
  form: SourceForm,
): string {
  const before = startOfHost(NOTATION, host, proc);
  return new ProcedureWriter(proc, names, false, { form, probe: null }).write(before);
}

/** The object with the functions of a program in the form `method-calls`. */
export const methodsOf = ({ prefix }: LinkedProgram): string => `${prefix}methods`;

/** The local variable of the program's heap. */
const HEAP = "heap";

class ProcedureWriter extends StatementWriter implements Sink {
  private readonly numbers: ReadonlySet<Value>;
  /** The Int64 values whose variables contain numbers. */
  private readonly safe: SafeRanges;
  /** The targets of the open constructs, the innermost last. */
  private readonly targets: { readonly label: string; readonly kind: Construct["kind"] }[] = [];
  private labelCount = 0;
  /** The condition that the next `if` tests. */
  private conditionText = "";
  private readonly form: SourceForm;
  private readonly probe: string | null;
  private readonly fact: LearnedFact | null;
  private readonly isLate: boolean;
  /** The positions in the array of homes, by name. */
  private readonly elements = new Map<string, number>();
  /** Declarations of constants in variables, by name. */
  private readonly lateConstants = new Map<string, string>();

  constructor(proc: Procedure, names: LinkedProgram, isFlagged: boolean, style: WrittenStyle) {
    const { form, probe } = style;
    super(notationOf(form), proc, names, isFlagged);
    makeReducible(proc);
    this.numbers = knownNumbers(proc);
    this.safe = form.has("safe-integers") ? safeRanges(proc) : new Map();
    this.form = form;
    this.probe = probe;
    this.fact = factOf(form);
    this.isLate = this.fact !== null && form.has("late-loss");
  }

  /** @param before the first statements of the body */
  write(before: readonly string[]): string {
    const { proc, names, form } = this;
    const takes = proc.parameters.map(({ id }) => `v${id}`);
    if (this.isFlagged) takes.push("flag");
    const isByArguments = form.has("arguments-calls");
    if (isByArguments) takes.forEach((name, i) => this.line(`var ${name} = arguments[${i}]`));
    this.line(`const ${HEAP} = ${names.heap}`);
    if (this.isLate) this.line(TICK);
    if (this.probe !== null) this.line(`var compiled = ${this.probe}`);
    const { make } = memoryForm(form);
    for (const { id, size } of proc.slots) this.line(`const ${this.slot(id)} = ${make(size)}`);
    if (form.has("field-homes")) this.line("const home = {}");
    if (form.has("element-homes")) this.line("const home = []");
    this.lines.push(...before);
    // An Upsilon may be in a block that never reaches its Phi, and a Phi may be reached without its
    // Upsilon.
    for (const phi of proc.blocks.flatMap(({ values }) => values)) {
      if (phi.opcode !== Op.Phi) continue;
      const shadow = this.shadowOf(phi);
      this.line(`${declarationOf(shadow)} = ${this.made(phi, literal(phi.type, 0, 0))}`);
    }
    structure(planOf(proc), this);
    const head = `function ${names.functionOf(proc)}(${isByArguments ? "" : takes.join(", ")})`;
    const late = [...this.lateConstants].map(([name, text]) => `let ${name} = ${text};\n`).join("");
    return `${late}${head} {\n${this.body().join("\n")}\n}\n`;
  }

  /** Returns the lines of the body, inside the statements of the form. */
  private body(): readonly string[] {
    const { form, lines } = this;
    if (form.has("finally-exits")) return ["depth++;", "try {", ...lines, "} finally { depth--; }"];
    if (!form.has("closure-homes")) return lines;
    // Each variable belongs to the outer function, and is assigned in the inner one.
    const isVariable = /^ *var (\w+)/;
    const names = new Set(lines.flatMap((line) => isVariable.exec(line)?.[1] ?? []));
    const declared = names.size === 0 ? [] : [`  var ${[...names].join(", ")};`];
    const inner = lines.map((line) => line.replace(isVariable, "  $1"));
    return [...declared, "  const body = () => {", ...inner, "  };", "  return body();"];
  }

  // The sink of the structure.

  begin({ kind }: Construct): void {
    const label = `L${this.labelCount++}`;
    this.targets.push({ label, kind });
    if (kind === "if") this.lines.push(`if (${this.conditionText}) {`);
    else this.lines.push(kind === "loop" ? `${label}: ${this.loopHead()}` : `${label}: {`);
    if (kind === "loop" && this.isLate) this.line(TICK);
    if (kind === "loop" && this.probe !== null) this.line(`compiled ||= ${this.probe}`);
  }

  private loopHead(): string {
    if (this.form.has("while-loops")) return "while (true) {";
    return this.form.has("do-loops") ? "do {" : "for (;;) {";
  }

  // Variables have the Phis, so nothing is passed.
  enter(): void {}
  start(): void {}

  otherwise(): void {
    this.lines.push("} else {");
  }

  end(): void {
    const isDo = this.targets.pop()?.kind === "loop" && this.form.has("do-loops");
    this.lines.push(isDo ? "} while (true);" : "}");
  }

  jump(depth: number): void {
    this.line(this.jumpTo(depth));
  }

  straight(block: BasicBlock): void {
    for (const value of block.values) if (value !== block.last) this.writeValue(value);
  }

  condition({ last }: BasicBlock, isNegated: boolean): void {
    const zero = last.a?.type === Int64 ? "0n" : "0";
    this.conditionText = `${this.operand(last.a)} ${isNegated ? "===" : "!=="} ${zero}`;
  }

  jumpIf(depth: number, from: BasicBlock, _: BasicBlock, isNegated: boolean): void {
    this.condition(from, isNegated);
    this.line(`if (${this.conditionText}) ${this.jumpTo(depth)}`);
  }

  table(block: BasicBlock, depths: readonly number[]): void {
    if (this.form.has("if-chains")) {
      this.keysOf(block).forEach((key, k) => {
        const test = key === null ? "" : `if (${this.operand(block.last.a)} === ${key}) `;
        this.line(`${test}${this.jumpTo(depths[k])}`);
      });
      return;
    }
    this.lines.push(`switch (${this.operand(block.last.a)}) {`);
    this.keysOf(block).forEach((key, k) => {
      const go = this.jumpTo(depths[k]);
      this.line(key === null ? `default: ${go}` : `case ${key}: ${go}`);
    });
    this.lines.push("}");
  }

  leave(block: BasicBlock): void {
    if (this.probe !== null) this.line(`if (compiled && !(${this.probe})) left = true`);
    this.writeEnd(block);
  }

  private jumpTo(depth: number): string {
    const { label, kind } = this.targets[this.targets.length - 1 - depth];
    return `${kind === "loop" ? "continue" : "break"} ${label}`;
  }

  // Exits and calls.

  protected override writeExit(snapshot: Snapshot): void {
    const isCaught = this.form.has("catch-exits");
    if (isCaught) this.lines.push("try { throw ended; } catch (_) {");
    super.writeExit(snapshot);
    if (isCaught) this.lines.push("}");
  }

  protected override afterCall(): void {
    if (this.form.has("status-exits")) this.line(RETURN_IF_STOPPED);
  }

  protected override callOf(procedure: Procedure, args: readonly string[]): string {
    const { form, names } = this;
    const name = names.functionOf(procedure);
    const list = args.join(", ");
    if (form.has("table-calls"))
      return `${names.prefix}at[${names.positionOf(procedure)}](${list})`;
    if (form.has("method-calls")) return `${methodsOf(names)}.${name}(${list})`;
    return form.has("spread-calls") ? `${name}(...[${list}])` : `${name}(${list})`;
  }

  // Values.

  protected override heap(): string {
    return HEAP;
  }

  protected override accessOf({ opcode }: Value, type: Type): string {
    return memoryForm(this.form).prefix + accessOf(opcode, type);
  }

  protected override inHeap(at: string): string {
    return `${HEAP}, Number(${at} - BASE)`;
  }

  protected override inSlot(slot: string, at: string): string {
    return `${slot}, Number(${at})`;
  }

  protected override nameOf(value: Value): string {
    const name = `v${value.id}`;
    return value.opcode === Op.Parameter ? name : this.homeOf(name, value.id);
  }

  protected override declared(value: Value): string {
    return declarationOf(this.nameOf(value));
  }

  protected override shadowOf({ id }: Value): string {
    return this.homeOf(`p${id}`, id);
  }

  protected override homes(): HomeTable {
    return JS_HOMES;
  }

  protected override made(value: Value, text: string): string {
    if (!this.safe.has(value)) return super.made(value, text);
    return this.inNumbers(value) ?? asNumber(text);
  }

  protected override taken(value: Value, variable: string): string {
    return this.safe.has(value) ? `BigInt(${variable})` : super.taken(value, variable);
  }

  /** Returns the expression of an operation on safe integers; null for other operations. */
  private inNumbers(value: Value): string | null {
    if (this.safe.size === 0) return null;
    return inNumbers(value, this.safe, (operand) =>
      this.safe.has(operand) ? this.nameOf(operand) : this.operand(operand),
    );
  }

  /** Returns the home of a variable: itself, a property or an element. */
  private homeOf(name: string, id: number): string {
    const { form, elements } = this;
    if (id % HOME_SHARE !== 0) return name;
    if (form.has("field-homes")) return `home.${name}`;
    if (!form.has("element-homes")) return name;
    const at = elements.get(name) ?? elements.size;
    elements.set(name, at);
    return `home[${at}]`;
  }

  protected override operand(value: Value | null): string {
    const text = super.operand(value);
    if (value === null || !this.isLateConstant(value)) return text;
    const name = `${this.names.functionOf(this.proc)}_k${value.id}`;
    this.lateConstants.set(name, text);
    return name;
  }

  private isLateConstant({ isConstant, type, id }: Value): boolean {
    return (
      this.form.has("late-constants") && isConstant && isInteger(type) && id % LATE_SHARE === 0
    );
  }

  protected override expressionOf(value: Value): string {
    const text = super.expressionOf(value);
    const use = this.useOfFact(value);
    return use === undefined ? text : use.replace("$", () => `(${text})`);
  }

  /** Returns the expression of the fact on which the value depends. */
  private useOfFact(value: Value): string | undefined {
    const { type, id } = value;
    if (this.fact === null || !dependsOnFact(id)) return undefined;
    if (type === Int32) return this.fact.int32;
    if (type === Int64) return this.fact.int64;
    return this.numbers.has(value) ? this.fact.number : undefined;
  }

  protected override slot(id: number): string {
    return `slot${id}`;
  }

  protected override keptAddress(slot: string, at: string): string {
    return `[${slot}, Number(${at})]`;
  }

  protected override computed(value: Value): string {
    const text = value.type === Int64 ? null : this.inNumbers(value);
    if (text !== null) return text;
    const row = rowOf(value.opcode, value.a?.type ?? Void);
    return this.substituted(row, value, (operand) => this.number(operand));
  }

  /** Returns the number of a Float or Double. */
  private number(value: Value | null): string {
    const text = this.operand(value);
    const isConstant = value !== null && (EFFECTS[value.opcode] & CONSTANT) !== 0;
    const isKnown = value !== null && (isConstant ? isNumber(text) : this.numbers.has(value));
    return isKnown ? text : `num(${text})`;
  }

  protected override callOfAddress({ a }: Value, args: readonly string[]): string {
    return `${this.names.prefix}at[Number(${this.operand(a)})](${args.join(", ")})`;
  }
}

/** Returns the start of an assignment: a declaration, unless it is a property or an element. */
const declarationOf = (home: string): string => (/^\w+$/.test(home) ? `var ${home}` : home);

// Exports modules as one JavaScript file. Like the main program in C, it reads executions from
// standard input and writes their records (../observation.ts).

import { Op } from "../../ir/opcodes.js";
import type { Input } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import type { Type } from "../../ir/types.js";
import { hasCallCheck } from "../answers.js";
import { PLAIN_FORM, type SourceForm } from "../forms.js";
import { hasFurtherResults } from "../further-results.js";
import { LinkedProgram } from "../linked-program.js";
import { runOfEntry } from "../statements.js";
import { factDeclarations, factOf } from "./facts.js";
import { memoryForm } from "./memory.js";
import { accessOf, LACKING } from "./opcode-rows.js";
import {
  CLEAR_KEPT,
  DEOPT_FLAG,
  type ExitCounting,
  FURTHER,
  HEAD,
  KEPT,
  mainOf,
} from "./runtime.js";
import {
  methodsOf,
  NOTATION,
  RETURN_IF_STOPPED,
  type WrittenStyle,
  writeHost,
  writeProcedure,
} from "./write-procedure.js";

/** A program, and the inputs of its executions. */
interface JsProgram {
  readonly module: Module;
  readonly inputs: readonly Input[];
}

interface JsExportOptions {
  readonly form?: SourceForm;
  /** The number of runs before each execution; null: as many as the engine needs to compile. */
  readonly warmUps?: number | null;
  /** How to find out whether an execution leaves compiled code; null: it does not. */
  readonly counting?: ExitCounting | null;
}

/**
 * Returns the text of the file. Executions name programs by their positions. An execution on one
 * input first runs the program on the input before it (runtime.ts). The modules are not changed.
 */
export function exportJs(
  programs: readonly JsProgram[],
  { form = PLAIN_FORM, warmUps = null, counting = null }: JsExportOptions = {},
): string {
  const probe = counting?.by === "probe" ? counting.probe : null;
  const modules = programs.map(({ module }) => module);
  const linked = programs.map(({ module }, p) => linkedOf(module, p, form));
  const rows = linked.map((program, p) => {
    const inputs = programs[p].inputs.map(({ words, heapSeed }) => [heapSeed | 0, ...words]);
    return `{ source: function () {\n${bodyOf(program, { form, probe })}}, inputs: ${JSON.stringify(inputs)} },\n`;
  });
  const table = `const programs = [\n${rows.join("")}];\n`;
  return helpersOf(modules, linked, form) + table + mainOf(warmUps, counting);
}

/** Returns the helpers of one program, and the body of the function that returns it. */
export function scriptOf(
  { module }: JsProgram,
  form: SourceForm,
): { readonly helpers: string; readonly source: string } {
  const linked = linkedOf(module, 0, form);
  const source = bodyOf(linked, { form, probe: null });
  return { helpers: helpersOf([module], [linked], form), source };
}

const linkedOf = (module: Module, position: number, form: SourceForm): LinkedProgram =>
  new LinkedProgram(module, `p${position}_`, {
    form,
    lacking: LACKING,
    writeHost: (host, proc, names) => writeHost(host, proc, names, form),
  });

/**
 * Returns the declarations that precede the programs.
 * @param modules the modules before their expansion
 * @param linked the same programs, after they are written
 */
function helpersOf(
  modules: readonly Module[],
  linked: readonly LinkedProgram[],
  form: SourceForm,
): string {
  const kept = linked.some(({ keepsSlots }) => keepsSlots) ? KEPT : "";
  const answers = modules.some(hasCallCheck) ? DEOPT_FLAG : "";
  const further = modules.some(hasFurtherResults) ? FURTHER : "";
  return HEAD + memoryForm(form).text + kept + answers + further;
}

/** Returns the body of a function that returns the program: its heap and its functions. */
function bodyOf(linked: LinkedProgram, style: WrittenStyle): string {
  const { form } = style;
  const { procedures } = linked.module;
  const { prefix, heap, heapSize } = linked;
  const fact = factOf(form);
  const facts = fact === null ? "" : factDeclarations(fact, form);
  const bodies = procedures.map((proc) => writeProcedure(proc, linked, style));
  const view = `const ${heap} = ${memoryForm(form).make((heapSize + 3) & ~3)};\n`;
  // The address of a procedure is its position.
  const names = procedures.map((proc) => linked.functionOf(proc)).join(", ");
  const table = `const ${prefix}at = [${names}];\n`;
  const methods = form.has("method-calls") ? `const ${methodsOf(linked)} = { ${names} };\n` : "";
  const arms = fact === null ? "" : ", learn, arm";
  const made = `return { run: ${prefix}run, heap: ${heap}, size: ${heapSize}, functions: [${prefix}run, ...${prefix}at]${arms} };\n`;
  const run = runOf(linked, form);
  return [facts, view, ...linked.writtenHosts, ...bodies, table, methods, run, made].join("");
}

/** Returns the function that calls the entry with the words of an input. */
function runOf(linked: LinkedProgram, form: SourceForm): string {
  const load = (type: Type, at: number): string => `${accessOf(Op.Load, type)}(words, ${at})`;
  const { call, record } = runOfEntry(NOTATION, linked, load);
  const forget = linked.keepsSlots ? `  ${CLEAR_KEPT}\n` : "";
  const stop = form.has("status-exits") ? `  ${RETURN_IF_STOPPED};\n` : "";
  return `function ${linked.prefix}run(words) {
${forget}  ${call}
${stop}  ${record}
}
`;
}

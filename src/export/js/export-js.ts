// Exports modules as one JavaScript file. Like the main program in C, it reads executions from
// standard input and writes their records (../observation.ts).

import { Op } from "../../ir/opcodes.js";
import type { Input } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import { Void } from "../../ir/types.js";
import { hasCallCheck } from "../answers.js";
import { hasFurtherResults } from "../further-results.js";
import { LinkedProgram } from "../linked-program.js";
import { accessOf, LACKING } from "./opcode-rows.js";
import { CLEAR_KEPT, DEOPT_FLAG, FURTHER, HEAD, KEPT, MAIN } from "./runtime.js";
import { returnRecord, writeHost, writeProcedure } from "./write-procedure.js";

/** A program, and the inputs of its executions. */
interface JsProgram {
  readonly module: Module;
  readonly inputs: readonly Input[];
}

/**
 * Returns the text of the file. Executions name programs by their positions. An execution on one
 * input first runs the program on the input before it (runtime.ts). The modules are not changed.
 */
export function exportJs(programs: readonly JsProgram[]): string {
  const linked = programs.map(
    ({ module }, p) => new LinkedProgram(module, `p${p}_`, { lacking: LACKING, writeHost }),
  );
  const rows = linked.map((program, p) => {
    const inputs = programs[p].inputs.map(({ words, heapSeed }) => [heapSeed | 0, ...words]);
    return `{ source: function () {\n${bodyOf(program)}}, inputs: ${JSON.stringify(inputs)} },\n`;
  });
  const table = `const programs = [\n${rows.join("")}];\n`;
  const kept = linked.some(({ keepsSlots }) => keepsSlots) ? KEPT : "";
  const answers = programs.some(({ module }) => hasCallCheck(module)) ? DEOPT_FLAG : "";
  const further = programs.some(({ module }) => hasFurtherResults(module)) ? FURTHER : "";
  return HEAD + kept + answers + further + table + MAIN;
}

/** Returns the body of a function that returns the program: its heap and its functions. */
function bodyOf(linked: LinkedProgram): string {
  const { procedures } = linked.module;
  const { prefix, heap, heapSize } = linked;
  const bodies = procedures.map((proc) => writeProcedure(proc, linked));
  const view = `const ${heap} = new DataView(new ArrayBuffer(${(heapSize + 3) & ~3}));\n`;
  // The address of a procedure is its position.
  const names = procedures.map((proc) => linked.functionOf(proc)).join(", ");
  const table = `const ${prefix}at = [${names}];\n`;
  const made = `return { run: ${prefix}run, heap: ${heap}, size: ${heapSize}, functions: [${prefix}run, ...${prefix}at] };\n`;
  return [view, ...linked.writtenHosts, ...bodies, table, runOf(linked), made].join("");
}

/** Returns the function that calls the entry with the words of an input. */
function runOf(linked: LinkedProgram): string {
  const { entry } = linked.module;
  const args = entry.parameters.map(({ type }, p) => `${accessOf(Op.Load, type)}(words, ${8 * p})`);
  if (linked.isFlagged) args.push("0");
  const call = `${linked.functionOf(entry)}(${args.join(", ")});`;
  const result = entry.result === Void ? null : "result";
  const forget = linked.keepsSlots ? `  ${CLEAR_KEPT}\n` : "";
  return `function ${linked.prefix}run(words) {
${forget}  ${result === null ? call : `const result = ${call}`}
  ${returnRecord(entry, linked, result).join("\n  ")}
}
`;
}

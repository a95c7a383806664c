// Exports modules as one Lua file for LuaJIT. Like the main program in C, it reads executions from
// standard input and writes their records (../observation.ts).

import { Op } from "../../ir/opcodes.js";
import type { Module } from "../../ir/procedure.js";
import type { Type } from "../../ir/types.js";
import { hasCallCheck } from "../answers.js";
import { PLAIN_FORM } from "../forms.js";
import { hasFurtherResults } from "../further-results.js";
import { LinkedProgram } from "../linked-program.js";
import { runOfEntry } from "../statements.js";
import { accessOf, LACKING } from "./opcode-rows.js";
import {
  CLEAR_KEPT,
  DEOPT_FLAG,
  FURTHER,
  HEAD,
  KEPT,
  MAIN,
  METAMETHODS,
  PADDING_BYTES,
} from "./runtime.js";
import { NOTATION, writeHost, writeProcedure } from "./write-procedure.js";

/**
 * Returns the text of the file. Executions name programs by their positions. The modules are not
 * changed.
 */
export function exportLua(modules: readonly Module[], form = PLAIN_FORM): string {
  const linked = modules.map(
    (module, p) => new LinkedProgram(module, `F.p${p}_`, { lacking: LACKING, writeHost, form }),
  );
  const programs = linked.map(programOf);
  const rows = modules.map(
    ({ heapSize }, p) => `  [${p}] = { F.p${p}_run, F.p${p}_heap, ${heapSize} },`,
  );
  const table = `local programs = {\n${rows.join("\n")}\n}\n`;
  const kept = linked.some(({ keepsSlots }) => keepsSlots) ? KEPT : "";
  const answers = modules.some(hasCallCheck) ? DEOPT_FLAG : "";
  const further = modules.some(hasFurtherResults) ? FURTHER : "";
  const meta = form.has("metamethods") ? METAMETHODS : "";
  return HEAD + meta + kept + answers + further + programs.join("\n") + table + MAIN;
}

function programOf(linked: LinkedProgram): string {
  const { procedures } = linked.module;
  const bodies = procedures.map((proc) => writeProcedure(proc, linked));
  const heap = `${linked.heap} = new("uint8_t[${linked.heapSize + PADDING_BYTES}]")\n`;
  // The address of a procedure is its position.
  const rows = procedures.map((proc, p) => `[${p}] = ${linked.functionOf(proc)}`);
  const table = `${linked.prefix}at = { ${rows.join(", ")} }\n`;
  return [heap, ...linked.writtenHosts, ...bodies, table, runOf(linked)].join("");
}

/** Returns the function that calls the entry with the words of an input. */
function runOf(linked: LinkedProgram): string {
  const load = (type: Type, at: number): string => `${accessOf(Op.Load, type)}(words + ${at})`;
  const { call, record } = runOfEntry(NOTATION, linked, load);
  const forget = linked.keepsSlots ? `  ${CLEAR_KEPT}\n` : "";
  return `function ${linked.prefix}run(words)
${forget}  ${call}
  ${record}
end
`;
}

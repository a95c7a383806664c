// Exports modules as one C11 file that needs only the standard library. Its main program reads
// executions from standard input and writes their records (../observation.ts). The C code has no
// undefined behaviour where the language defines the behaviour.

import type { Module } from "../../ir/procedure.js";
import { nameOfType, type Type } from "../../ir/types.js";
import type { StatedFacts } from "../facts.js";
import { PLAIN_FORM, type SourceForm } from "../forms.js";
import { LinkedProgram, SharedHosts } from "../linked-program.js";
import { MAIN, PROGRAM_TYPE } from "../main-program.js";
import { runOfEntry } from "../statements.js";
import { accessesOf } from "./access-forms.js";
import { LACKING } from "./opcode-rows.js";
import { headOfFile } from "./runtime.js";
import { DISJOINT_ACCESSES, HEAP_MARGIN, MEMORY_CLASS } from "./stated-accesses.js";
import {
  ALIGNED,
  attributesOf,
  headOf,
  inLinkage,
  NOTATION,
  writeHost,
  writeProcedure,
} from "./write-procedure.js";

/**
 * Returns the text of the file. Executions name programs by their positions. The modules are not
 * changed.
 * @param stated by position: facts to state, which require a compiler for GNU C; a missing entry
 * states none
 * @param form the form of all programs
 */
export function exportC(
  modules: readonly Module[],
  stated: readonly StatedFacts[] = [],
  form: SourceForm = PLAIN_FORM,
): string {
  const hosts = new SharedHosts();
  const format = { lacking: LACKING, writeHost, form };
  const linked = modules.map(
    (module, p) => new LinkedProgram(module, `p${p}_`, format, hosts, stated[p]),
  );
  const programs = linked.map((one) => programOf(one, form));
  const stating = linked.some(({ hasFacts }) => hasFacts) ? DISJOINT_ACCESSES + MEMORY_CLASS : "";
  const accesses = accessesOf(form);
  const rows = modules.map(({ heapSize }, p) => `  { p${p}_run, p${p}_heap, ${heapSize} },`);
  const table = `${PROGRAM_TYPE}
static const struct t_program t_programs[] = {
${rows.join("\n")}
};
`;
  const text = stating + accesses + hosts.text + programs.join("\n") + table + MAIN;
  return headOfFile(text) + text;
}

function programOf(linked: LinkedProgram, form: SourceForm): string {
  const { procedures } = linked.module;
  const heads = procedures.map(
    (proc) => `${attributesOf(proc, linked)}${inLinkage(headOf(proc, linked), form)};\n`,
  );
  const names = new Set<string>();
  const bodies = procedures.map((proc) => writeProcedure(proc, linked, names, form));
  const classes = [...names].map((name) => `T_CLASS(${name})\n`);
  const align = linked.hasFacts ? ALIGNED : "";
  const size = linked.heapSize + (names.size > 0 ? HEAP_MARGIN : 0);
  const heap = `static ${align}uint8_t ${linked.heap}[${size}];\n`;
  return [heap, ...classes, ...linked.writtenHosts, ...heads, ...bodies, runOf(linked)].join("");
}

/** Returns the function that calls the entry with the words of an input. */
function runOf(linked: LinkedProgram): string {
  const load = (type: Type, at: number): string => `t_load_${nameOfType(type)}(words + ${at})`;
  const { call, record } = runOfEntry(NOTATION, linked, load);
  return `static void ${linked.prefix}run(const uint8_t *words) {
  ${call}
  ${record}
}
`;
}

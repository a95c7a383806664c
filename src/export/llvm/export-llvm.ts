// Exports modules as one file of LLVM IR, and defines the C driver that it is linked with. The
// driver reads executions from standard input and writes their records (../observation.ts). No
// result is poison and nothing is undefined where the language defines the behaviour.

import type { Module } from "../../ir/procedure.js";
import type { StatedFacts } from "../facts.js";
import { PLAIN_FORM, type SourceForm } from "../forms.js";
import { VARIABLES } from "../further-results.js";
import { LinkedProgram, SharedHosts } from "../linked-program.js";
import { keptOf, MAIN, PROGRAM_TYPE, recordsOf } from "../main-program.js";
import { MetadataNodes } from "./fact-text.js";
import { FunctionText } from "./function-text.js";
import { LACKING, LLVM_TYPES } from "./opcode-rows.js";
import { callAndRecord, writeHost, writeProcedure } from "./write-procedure.js";

/**
 * Returns the text of the file. Executions name programs by their positions. The modules are not
 * changed.
 * @param stated by position: facts to state; a missing entry states none
 */
export function exportLlvm(
  modules: readonly Module[],
  stated: readonly StatedFacts[] = [],
  form: SourceForm = PLAIN_FORM,
): string {
  const metadata = new MetadataNodes();
  const hosts = new SharedHosts();
  const format = { lacking: LACKING, writeHost, form };
  const programs = modules.map((module, p) =>
    programOf(new LinkedProgram(module, `p${p}_`, format, hosts, stated[p]), metadata, form),
  );
  const rows = modules.map(
    ({ heapSize }, p) => `  %program { ptr @p${p}_run, ptr @p${p}_heap, i32 ${heapSize} }`,
  );
  return `; Made by Touchstone. For LLVM 19 or newer, which needs no declarations of intrinsics; linked with the
; driver and -lm.
%program = type { ptr, ptr, i32 }
@t_programs = constant [${rows.length} x %program] [
${rows.join(",\n")}
]

${hosts.text}${programs.join("\n")}
declare ptr @t_reserve(i32)
declare void @t_finish(i32) noreturn
${KEPT_DECLARATIONS}${metadata.text}`;
}

/**
 * Functions of the main program, which is compiled separately. The compiler of the program
 * therefore assumes that any call may change a slot whose address was passed to them.
 */
const KEPT_DECLARATIONS = `declare void @t_keepSlot(i32, i64)
declare void @t_dropSlot(i32)
declare i64 @t_readKept(i32)
declare void @t_writeKept(i32, i64)
declare void @t_setDeoptFlag(i32)
declare i32 @t_getDeoptFlag()
${VARIABLES.map(
  ({ type, give, take }) => `declare void @t_${give.name}(${LLVM_TYPES[type]})
declare ${LLVM_TYPES[type]} @t_${take.name}()
`,
).join("")}`;

/** The text of the main program. */
export const LLVM_DRIVER = `// Made by Touchstone: the driver of programs in LLVM IR.
${recordsOf("extern")}${keptOf("extern")}${PROGRAM_TYPE}
extern const struct t_program t_programs[];
${MAIN}`;

function programOf(linked: LinkedProgram, metadata: MetadataNodes, form: SourceForm): string {
  const { procedures } = linked.module;
  const bodies = procedures.map((proc) => writeProcedure(proc, linked, metadata, form));
  const heap = `@${linked.heap} = internal global [${linked.heapSize} x i8] zeroinitializer, align 8\n`;
  return [heap, ...linked.writtenHosts, ...bodies, runOf(linked)].join("");
}

/** Returns the function that calls the entry with the words of an input. */
function runOf(linked: LinkedProgram): string {
  const { entry } = linked.module;
  const text = new FunctionText();
  const args = entry.parameters.map(({ type }, p) => {
    const place = text.named(`getelementptr i8, ptr %words, i64 ${8 * p}`);
    return `${LLVM_TYPES[type]} ${text.named(`load ${LLVM_TYPES[type]}, ptr ${place}, align 1`)}`;
  });
  callAndRecord(text, linked, entry, args);
  text.line("ret void");
  return `define internal void @${linked.prefix}run(ptr %words) {\n${text.lines.join("\n")}\n}\n`;
}

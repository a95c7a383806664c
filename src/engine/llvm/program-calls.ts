// Adds a function `t_judge` to the text of an exported program. Its arguments are the number of an input, on which it runs
// the program, and a pointer to the contents of the heap. The functions of the driver, which the program calls, are LLVM
// IR too.

import { VARIABLES } from "../../export/further-results.js";
import { LLVM_TYPES } from "../../export/llvm/opcode-rows.js";
import { OBJECT_BYTES_MAX } from "../../import/llvm/layout.js";
import { KEPT_PLACES } from "../../ir/host-functions.js";
import type { SourceProgram } from "../sources.js";

export const JUDGED_FUNCTION = "t_judge";
/** The most bytes of records of an execution; it ends there. */
const ROOM = 1 << 16;
/** Functions of the driver. */
const DECLARED = /^declare .*@t_.*$/gm;

/**
 * Returns C in which less memory is reserved for records, an execution ends in a trap, and `main` does not see which
 * program it runs.
 */
export const judgedC = (text: string): string =>
  `${text.replace(/^#define T_ROOM \d+u$/m, `#define T_ROOM ${ROOM}u`).replace("longjmp(t_end, 1)", "__builtin_trap()")}
const struct t_program *const t_visible = t_programs;
`;

/** Returns the text of a pass, or the first one, with the function. */
export function withCalls(text: string, program: SourceProgram): string {
  const hasDriver = /^define .*@t_reserve\(/m.test(text) || /^@t_records = /m.test(text);
  const rest = hasDriver ? text : text.replace(DECLARED, "");
  return `${rest}\n${hasDriver ? "" : DRIVER}${callsOf(program)}`;
}

/** The most bytes of a program's heap. */
export const HEAP_MAX = OBJECT_BYTES_MAX;

function callsOf({ module: { heapSize }, inputs }: SourceProgram): string {
  const words = inputs.map(({ words: all }, i) => {
    const shown = all.length === 0 ? "i32 0" : [...all].map((word) => `i32 ${word}`).join(", ");
    return `@t_words${i} = internal constant [${Math.max(1, all.length)} x i32] [${shown}], align 8\n`;
  });
  const cases = inputs.map((_, i) => `i32 ${i}, label %input${i}`);
  const bodies = inputs.map(
    (_, i) => `input${i}:\n  call void @p0_run(ptr @t_words${i})\n  ret void\n`,
  );
  return `${words.join("")}define void @${JUDGED_FUNCTION}(i32 %input, ptr dereferenceable(${HEAP_MAX}) %heap) {
entry:
  call void @llvm.memcpy.p0.p0.i64(ptr @p0_heap, ptr %heap, i64 ${heapSize}, i1 false)
  switch i32 %input, label %none [ ${cases.join(" ")} ]
${bodies.join("")}none:
  ret void
}
`;
}

/** Lines that compute the address of a kept word, and lines that use the address in it unless it is zero. */
const KEPT_WORD = `  %k = and i32 %place, ${KEPT_PLACES - 1}
  %index = zext i32 %k to i64
  %p = getelementptr i64, ptr @t_kept, i64 %index`;
const KEPT_ADDRESS = `${KEPT_WORD}
  %at = load i64, ptr %p, align 8
  %null = icmp eq i64 %at, 0
  br i1 %null, label %none, label %some
some:
  %q = inttoptr i64 %at to ptr`;

/** The definitions of the main program (`src/export/main-program.ts`), without its input and output. */
const DRIVER = `@t_records = global [${ROOM} x i8] zeroinitializer, align 8
@t_recorded = global i32 0, align 4
@t_kept = global [${KEPT_PLACES} x i64] zeroinitializer, align 8
@t_deoptFlag = global i32 0, align 4
@t_status = global i32 0, align 4
define internal void @t_finish(i32 %status) noreturn {
  store i32 %status, ptr @t_status, align 4
  call void @llvm.trap()
  unreachable
}
define internal ptr @t_reserve(i32 %size) {
entry:
  %old = load i32, ptr @t_recorded, align 4
  %new = add i32 %old, %size
  %full = icmp ugt i32 %new, ${ROOM}
  br i1 %full, label %end, label %room
end:
  call void @llvm.trap()
  unreachable
room:
  store i32 %new, ptr @t_recorded, align 4
  %at = zext i32 %old to i64
  %p = getelementptr i8, ptr @t_records, i64 %at
  ret ptr %p
}
define internal void @t_keepSlot(i32 %place, i64 %at) {
${KEPT_WORD}
  store i64 %at, ptr %p, align 8
  ret void
}
define internal void @t_dropSlot(i32 %place) {
${KEPT_WORD}
  store i64 0, ptr %p, align 8
  ret void
}
define internal i64 @t_readKept(i32 %place) {
${KEPT_ADDRESS}
  %x = load i64, ptr %q, align 1
  ret i64 %x
none:
  ret i64 0
}
define internal void @t_writeKept(i32 %place, i64 %x) {
${KEPT_ADDRESS}
  store i64 %x, ptr %q, align 1
  ret void
none:
  ret void
}
define internal void @t_setDeoptFlag(i32 %flag) {
  store i32 %flag, ptr @t_deoptFlag, align 4
  ret void
}
define internal i32 @t_getDeoptFlag() {
  %flag = load i32, ptr @t_deoptFlag, align 4
  ret i32 %flag
}
${VARIABLES.map(({ type, give, take }) => {
  const [of, variable] = [LLVM_TYPES[type], `@t_further_${give.name}`];
  const zero = /^i/.test(of) ? "0" : "0.0";
  return `${variable} = global ${of} ${zero}, align 8
define internal void @t_${give.name}(${of} %x) {
  store ${of} %x, ptr ${variable}, align 8
  ret void
}
define internal ${of} @t_${take.name}() {
  %x = load ${of}, ptr ${variable}, align 8
  ret ${of} %x
}
`;
}).join("")}`;

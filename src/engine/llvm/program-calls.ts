// Adds to the text of an exported program a function `t_judge` that runs it on a given input: `t_judge(0)` on the first.
// The functions of the driver, which the program calls, become LLVM IR too.

import { VARIABLES } from "../../export/further-results.js";
import { LLVM_TYPES } from "../../export/llvm/opcode-rows.js";
import { KEPT_PLACES } from "../../ir/host-functions.js";
import type { SourceProgram } from "../sources.js";

/** The name of the function. */
export const JUDGED_FUNCTION = "t_judge";
/** The most bytes of records of an execution; it ends there. */
const ROOM = 1 << 15;
/** Functions of the driver whose meaning is here: the others end the execution. */
const DECLARED = /^declare .*@t_(?!finish\b).*$/gm;

/** Returns C in which less memory is reserved for records, and `main` does not see which program it runs. */
export const judgedC = (text: string): string =>
  `${text.replace(/^#define T_ROOM \d+u$/m, `#define T_ROOM ${ROOM}u`)}
const struct t_program *const t_visible = t_programs;
`;

/** Returns the text of a pass, or the first one, with the function. */
export function withCalls(text: string, program: SourceProgram): string {
  const hasDriver = /^define .*@t_reserve\(/m.test(text) || /^@t_records = /m.test(text);
  const rest = hasDriver ? text : text.replace(DECLARED, "");
  return `${rest}\n${hasDriver ? "" : DRIVER}${callsOf(program)}`;
}

function callsOf({ module, inputs }: SourceProgram): string {
  const size = module.heapSize;
  const fill = `define internal void @t_fill(i32 %seed) {
entry:
  br label %head
head:
  %at = phi i64 [ 0, %entry ], [ %next, %head ]
  %x = phi i32 [ %seed, %entry ], [ %x3, %head ]
  %left = shl i32 %x, 13
  %x1 = xor i32 %x, %left
  %right = lshr i32 %x1, 17
  %x2 = xor i32 %x1, %right
  %again = shl i32 %x2, 5
  %x3 = xor i32 %x2, %again
  %p = getelementptr i8, ptr @p0_heap, i64 %at
  store i32 %x3, ptr %p, align 1
  %next = add i64 %at, 4
  %more = icmp ult i64 %next, ${size}
  br i1 %more, label %head, label %end
end:
  ret void
}
`;
  const words = inputs.map(
    ({ words: all }, i) =>
      `@t_words${i} = internal constant [${Math.max(1, all.length)} x i32] [${[...(all.length === 0 ? [0] : all)].map((word) => `i32 ${word}`).join(", ")}], align 8\n`,
  );
  const cases = inputs.map((_, i) => `i32 ${i}, label %input${i}`);
  const bodies = inputs.map(({ heapSeed }, i) => {
    const filled = size === 0 ? "" : `  call void @t_fill(i32 ${heapSeed})\n`;
    return `input${i}:\n${filled}  call void @p0_run(ptr @t_words${i})\n  ret void\n`;
  });
  return `${words.join("")}${fill}define void @${JUDGED_FUNCTION}(i32 %input) {
entry:
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

/** What the main program of `src/export/main-program.ts` defines. */
const DRIVER = `@t_records = global [${ROOM} x i8] zeroinitializer, align 8
@t_recorded = global i32 0, align 4
@t_kept = global [${KEPT_PLACES} x i64] zeroinitializer, align 8
@t_deoptFlag = global i32 0, align 4
declare void @t_full() noreturn
define internal ptr @t_reserve(i32 %size) {
entry:
  %old = load i32, ptr @t_recorded, align 4
  %new = add i32 %old, %size
  %full = icmp ugt i32 %new, ${ROOM}
  br i1 %full, label %end, label %room
end:
  call void @t_full() noreturn
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

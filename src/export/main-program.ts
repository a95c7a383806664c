// Defines the main program, in C, of programs that are compiled to executables. It stores their
// records (observation.ts) and runs the requested executions. Programs call its functions
// `t_reserve` and `t_finish`.

import { KEPT_BYTES, KEPT_PLACES } from "../ir/host-functions.js";
import { nameOfType } from "../ir/types.js";
import { VARIABLES } from "./further-results.js";
import { ENDED, NO_ROOM } from "./status.js";

/** The C type of each type. */
export const C_TYPES: readonly string[] = ["void", "uint32_t", "uint64_t", "float", "double"];

/** The most bytes of records that one execution may write. */
const ROOM = 1 << 26;

/**
 * Returns the text before the programs.
 * @param linkage the linkage of functions that programs call
 */
export const recordsOf = (linkage: "static" | "extern"): string => `#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void t_store_Int32(uint8_t *p, uint32_t x) { memcpy(p, &x, 4); }
#ifndef T_ROOM
#define T_ROOM ${ROOM}u
#endif
static uint8_t t_records[T_ROOM];
static uint32_t t_recorded;
static uint32_t t_status;
static jmp_buf t_end;
${linkage} _Noreturn void t_finish(uint32_t status) { t_status = status; longjmp(t_end, 1); }
${linkage} uint8_t *t_reserve(uint32_t size) {
  if (size > T_ROOM - t_recorded) t_finish(${NO_ROOM});
  t_recorded += size;
  return t_records + (t_recorded - size);
}
`;

/** The type of the rows of t_programs. */
export const PROGRAM_TYPE = `
struct t_program { void (*run)(const uint8_t *words); uint8_t *heap; uint32_t size; };`;

/**
 * Returns the state that host functions keep: addresses of stack slots, the deoptimization flag and
 * further results.
 * @param linkage as for `recordsOf`
 */
export const keptOf = (linkage: "static" | "extern"): string => `
static uint8_t *t_kept[${KEPT_PLACES}];
${linkage} void t_keepSlot(uint32_t place, uint64_t at) { t_kept[place & ${KEPT_PLACES - 1}] = (uint8_t *)(uintptr_t)at; }
${linkage} void t_dropSlot(uint32_t place) { t_kept[place & ${KEPT_PLACES - 1}] = 0; }
${linkage} uint64_t t_readKept(uint32_t place) {
  uint64_t x = 0;
  if (t_kept[place & ${KEPT_PLACES - 1}] != 0) memcpy(&x, t_kept[place & ${KEPT_PLACES - 1}], ${KEPT_BYTES});
  return x;
}
static uint32_t t_deoptFlag;
${linkage} void t_setDeoptFlag(uint32_t flag) { t_deoptFlag = flag; }
${linkage} uint32_t t_getDeoptFlag(void) { return t_deoptFlag; }
${VARIABLES.map(
  ({ number, type, give, take }) => `static ${C_TYPES[type]} t_further${number}${nameOfType(type)};
${linkage} void t_${give.name}(${C_TYPES[type]} x) { t_further${number}${nameOfType(type)} = x; }
${linkage} ${C_TYPES[type]} t_${take.name}(void) { return t_further${number}${nameOfType(type)}; }
`,
).join("")}${linkage} void t_writeKept(uint32_t place, uint64_t x) {
  if (t_kept[place & ${KEPT_PLACES - 1}] != 0) memcpy(t_kept[place & ${KEPT_PLACES - 1}], &x, ${KEPT_BYTES});
}
`;

/** The text after the table of programs: reads executions and writes their records. */
export const MAIN = `
static uint32_t t_read(void) {
  uint8_t b[4];
  if (fread(b, 1, 4, stdin) != 4) exit(0);
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static uint32_t t_number;
static void t_write(uint32_t x) {
  uint8_t b[4] = { (uint8_t)x, (uint8_t)(x >> 8), (uint8_t)(x >> 16), (uint8_t)(x >> 24) };
  fwrite(b, 1, 4, stdout);
}
// Reads executions: program, seed of the heap, count of words, words. Writes for each: status, size, records. The
// upper half of the first word is a number that the output repeats. A program that wrongly continues into this one
// thus leaves its number without output, or writes output twice.
int main(void) {
  static uint8_t words[8 * 1024];
  for (;;) {
    uint32_t first = t_read();
    const struct t_program *program = &t_programs[first & 0xffffu];
    t_number = first >> 16;
    uint32_t x = t_read();
    uint32_t count = t_read();
    for (uint32_t i = 0; i < count; i++) t_store_Int32(words + 4 * i, t_read());
    for (uint32_t i = 0; i < program->size; i += 4) {
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
      t_store_Int32(program->heap + i, x);
    }
    t_recorded = 0;
    t_status = 0;
    memset(t_kept, 0, sizeof t_kept);
    if (setjmp(t_end) == 0) {
      program->run(words);
      t_status = ${ENDED};
    }
    t_write(t_number << 16 | t_status);
    t_write(t_recorded);
    fwrite(t_records, 1, t_recorded, stdout);
    fflush(stdout);
  }
}
`;

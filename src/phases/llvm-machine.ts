// Compares the last text of a function with its machine code. If all passes are right and the code is wrong, the back end
// is the cause.
//
// A driver in C places the objects at the addresses of the program's heap, calls the function once in a process of its
// own for each input, and prints the result and the objects.

import type { LlvmLayout } from "../import/llvm/layout.js";
import { endingOf, openBytesOf } from "../import/llvm/refinement.js";
import { LEADING_PARAMETERS, type LlvmSubject } from "../import/llvm/subject.js";
import { HEAP_BASE, type Input, type ObservedBits, type Outcome } from "../ir/outcome.js";
import { wideBits } from "../ir/words.js";
import type { LlvmFunction, ParameterAttributes } from "../llvm/module.js";
import type { LlvmType } from "../llvm/types.js";

/** An execution of the last text, with the contents of the objects before it. */
export interface MachineCase {
  readonly input: Input;
  readonly expected: Outcome;
  readonly objects: readonly Uint8Array[];
}

const SECONDS_MAX = 5;
/** The driver stops after this number of calls that a signal ended, because each may take its whole time limit. */
const SIGNALS_MAX = 2;

/** Returns the type of a value in C; null if the driver cannot pass it. */
function typeInC(type: LlvmType, { names, pointee }: ParameterAttributes): string | null {
  if (pointee !== null) return null;
  if (type.kind === "ptr") return "void *";
  if (type.kind === "float" || type.kind === "double" || type.kind === "void") return type.kind;
  if (type.kind !== "int" || ![8, 16, 32, 64].includes(type.bits)) return null;
  const name = { 8: "char", 16: "short", 32: "int", 64: "long" }[type.bits];
  return `${names.has("signext") ? "signed" : "unsigned"} ${name}`;
}

/** Returns whether an execution shows only the result and the objects of the function. */
export const isCallable = ({ events, ending }: Outcome): boolean =>
  ending.kind === "return" && events.length <= 2;

/** Returns the driver; null if it cannot call the function. */
export function driverOf(
  { name, type, parameters, resultAttributes }: LlvmFunction,
  subject: LlvmSubject,
  layout: LlvmLayout,
  cases: readonly MachineCase[],
): string | null {
  const result = typeInC(type, resultAttributes);
  const types = parameters.map((each) => typeInC(each.type, each.attributes));
  if (
    result === null ||
    types.some((each) => each === null || each === "void") ||
    !/^[\w.$]+$/.test(name)
  )
    return null;
  const heap = `0x${HEAP_BASE.toString(16)}UL`;
  const calls = cases.map(({ input, objects }, i) => {
    const placed = objects.map(
      (bytes, k) => `  place(${layout.objects[k].at}, "${Buffer.from(bytes).toString("hex")}");`,
    );
    const args = types.map((each, p) => argument(each ?? "", subject, layout, input, p));
    const call = `callee(${args.join(", ")})`;
    const shown =
      result === "void" ? `  ${call};` : `  ${result} r = ${call};\n  show(&r, sizeof r);`;
    return `static void call${i}(void) {\n${placed.join("\n")}\n${shown}\n}\n`;
  });
  const shows = layout.objects.map(({ at, size }) => `  show(heap + ${at}, ${size});`);
  return `#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>
extern ${result} callee(${types.join(", ") || "void"}) __asm__("${name}");
static unsigned char *heap = (unsigned char *)${heap};
/* The objects are not those of the library: it would abort. */
void free(void *object) { (void)object; }
static void show(const void *p, unsigned long n) {
  const unsigned char *b = p;
  while (n--) printf("%02x", *b++);
  printf(" ");
}
static void place(unsigned long at, const char *hex) {
  for (; *hex; hex += 2) { unsigned x; sscanf(hex, "%2x", &x); heap[at++] = x; }
}
${calls.join("")}static void (*const calls[])(void) = {${cases.map((_, i) => `call${i}`).join(", ")}};
int main(void) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  if (mmap(heap, ${layout.heapBytes}, PROT_READ | PROT_WRITE, flags, -1, 0) != (void *)heap) return 1;
  int signals = 0;
  for (int i = 0; i < ${cases.length} && signals < ${SIGNALS_MAX}; i++) {
    fflush(stdout);
    int child = fork();
    if (child == 0) {
      alarm(${SECONDS_MAX});
      calls[i]();
    ${shows.join("\n")}
      fflush(stdout);
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    signals += status != 0;
    printf(status == 0 ? "\\n" : "ended by signal %d\\n", status & 127);
  }
  return 0;
}
`;
}

function argument(
  type: string,
  { parameters }: LlvmSubject,
  layout: LlvmLayout,
  { words }: Input,
  p: number,
): string {
  const at = 2 * (LEADING_PARAMETERS + p);
  const [lo, hi] = [words[at], words[at + 1]];
  const hex = (bits: bigint, size: number): string =>
    `0x${BigInt.asUintN(size, bits).toString(16)}`;
  if (parameters[p].object !== null) {
    const object = layout.objects[hi];
    return object === undefined ? "(void *)0" : `heap + ${object.at} + ${lo}`;
  }
  if (type === "float")
    return `({ unsigned b = ${hex(BigInt(lo), 32)}; float x; memcpy(&x, &b, 4); x; })`;
  const whole = hex(wideBits(lo, hi), 64);
  if (type === "double") return `({ unsigned long b = ${whole}; double x; memcpy(&x, &b, 8); x; })`;
  return `(${type})${whole}`;
}

/** Compares what the driver printed for one case; null if it agrees. */
export function machineDifference(
  line: string,
  { type }: LlvmFunction,
  layout: LlvmLayout,
  { expected }: MachineCase,
): string | null {
  const [last = ""] = line.split(/(?=ended by)/).slice(-1);
  if (last.startsWith("ended by")) return `expected a return, got ${last}`;
  const parts = line
    .trim()
    .split(" ")
    .filter((part) => part !== "");
  if (type.kind !== "void") {
    const difference = resultDifference(Buffer.from(parts.shift() ?? "", "hex"), type, expected);
    if (difference !== null) return difference;
  }
  const { ending } = expected;
  if (ending.kind !== "return" || endingOf(expected).kind !== "returned") return null;
  // Globals, functions and variables are elsewhere; the objects of arguments have the same addresses.
  const isOpen = openBytesOf(
    ending.heap,
    layout,
    (distance) =>
      distance >= 0 &&
      distance < layout.heapBytes &&
      (distance < layout.argumentsAt || distance >= layout.externalAt),
  );
  for (const [object, { at, size }] of layout.objects.entries()) {
    const bytes = Buffer.from(parts[object] ?? "", "hex");
    if (bytes.length !== size)
      return `expected ${size} bytes of object ${object}, got ${bytes.length}`;
    for (let i = 0; i < size; i++) {
      if (!isOpen(at + i) && bytes[i] !== ending.heap.bytes[at + i])
        return `byte ${i} of object ${object}: expected ${ending.heap.bytes[at + i]}, got ${bytes[i]}`;
    }
  }
  return null;
}

function resultDifference(got: Buffer, type: LlvmType, { events }: Outcome): string | null {
  const result = events.at(-1);
  if (result === undefined || type.kind === "ptr") return null;
  const [integer, double, poison, float] = result.args;
  if (poison.lo !== 0) return null;
  const bits = (of: ObservedBits, size: number): bigint =>
    BigInt.asUintN(size, wideBits(of.lo, of.hi));
  if (type.kind === "double" || type.kind === "float") {
    const [size, of] = type.kind === "double" ? [64, double] : [32, float];
    const shown = type.kind === "double" ? got.readDoubleLE() : got.readFloatLE();
    const view = new DataView(new ArrayBuffer(8));
    if (type.kind === "double") view.setBigUint64(0, bits(of, 64));
    else view.setInt32(0, of.lo);
    const wanted = type.kind === "double" ? view.getFloat64(0) : view.getFloat32(0);
    if (Number.isNaN(wanted) && Number.isNaN(shown)) return null;
    const word = size === 64 ? got.readBigUInt64LE() : BigInt(got.readUInt32LE());
    const print = (x: number): string => (Object.is(x, -0) ? "-0.0" : String(x));
    return word === bits(of, size)
      ? null
      : `the result: expected ${print(wanted)}, got ${print(shown)}`;
  }
  let word = 0n;
  for (const byte of [...got].reverse()) word = (word << 8n) | BigInt(byte);
  const wanted = bits(integer, 8 * got.length);
  return word === wanted ? null : `the result: expected ${wanted}, got ${word}`;
}

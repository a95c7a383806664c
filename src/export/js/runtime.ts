// Defines the start and the end of each exported script: helpers of the rows, and the main program.
//
// An Int32 is a number, an Int64 a BigInt. A Float or Double is a number, unless it is a NaN with
// specific bits. Engines may change the bits of a NaN, so these are BigInts, and `num` turns them
// into numbers before arithmetic.

import { KEPT_PLACES } from "../../ir/host-functions.js";
import { HEAP_BASE } from "../../ir/outcome.js";
import { nameOfType } from "../../ir/types.js";
import { VARIABLES } from "../further-results.js";
import { ENDED, NO_ROOM, UNCOMPILED } from "../status.js";

/** The most bytes of records that one execution may write. */
const ROOM = 1 << 26;

export const HEAD = `// Made by Touchstone.
"use strict";
const BASE = ${HEAP_BASE}n, NANF = 0x7fc00000n, NAND = 0x7ff8000000000000n;
const words = new DataView(new ArrayBuffer(8));

const num = (x) => typeof x === "number" ? x : NaN;
// Rounds an integer to a Float once. A Double drops the low 11 bits of a long integer. If one of
// them is set, the last kept bit is set too, so the second rounding is right.
function roundi(x) {
  const wide = Number(x);
  if (wide > -9007199254740992 && wide < 9007199254740992) return Math.fround(wide);
  const kept = x >> 11n << 11n;
  return Math.fround(Number(kept === x ? x : kept | 2048n));
}
function tof(w) {
  if ((w & 0x7fffffff) > 0x7f800000) return BigInt(w >>> 0);
  words.setInt32(0, w);
  return words.getFloat32(0);
}
function tod(i) {
  if ((i & 0x7fffffffffffffffn) > 0x7ff0000000000000n) return i;
  words.setBigInt64(0, i);
  return words.getFloat64(0);
}
function bitsf(x) {
  if (typeof x !== "number") return Number(BigInt.asIntN(32, x));
  words.setFloat32(0, x);
  return words.getInt32(0);
}
function bitsd(x) {
  if (typeof x !== "number") return x;
  words.setFloat64(0, x);
  return words.getBigInt64(0);
}
const negf = (x) => typeof x === "number" ? -x : x ^ 0x80000000n;
const negd = (x) => typeof x === "number" ? -x : BigInt.asIntN(64, x ^ 0x8000000000000000n);
const absf = (x) => typeof x === "number" ? Math.abs(x) : x & 0x7fffffffn;
const absd = (x) => typeof x === "number" ? Math.abs(x) : x & 0x7fffffffffffffffn;
const copysignf = (x, y) => tof(bitsf(x) & 0x7fffffff | bitsf(y) & -0x80000000);
const copysignd = (x, y) => tod(BigInt.asIntN(64, bitsd(x) & 0x7fffffffffffffffn | bitsd(y) & -0x8000000000000000n));
// Rounds to even: adding 2^52 drops the fraction of a smaller number.
function nearest(x) {
  const a = Math.abs(x);
  if (!(a < 4503599627370496)) return x;
  const r = a + 4503599627370496 - 4503599627370496;
  return x < 0 || Object.is(x, -0) ? -r : r;
}
function truncs32(x) {
  return x >= 2147483648 ? 2147483647 : x <= -2147483649 ? -2147483648 : x | 0;
}
const truncu32 = (x) => x > -1 && x < 4294967296 ? Math.trunc(x) | 0 : x > 0 ? -1 : 0;
function truncs64(x) {
  if (x !== x) return 0n;
  if (x >= 9223372036854775808) return 0x7fffffffffffffffn;
  return x < -9223372036854775808 ? -0x8000000000000000n : BigInt(Math.trunc(x));
}
const truncu64 = (x) => x > -1 && x < 18446744073709551616 ? BigInt.asIntN(64, BigInt(Math.trunc(x))) : x > 0 ? -1n : 0n;
function popcount32(x) {
  x = x - (x >>> 1 & 0x55555555);
  x = (x & 0x33333333) + (x >>> 2 & 0x33333333);
  return Math.imul(x + (x >>> 4) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
const ctz32 = (x) => x === 0 ? 32 : 31 - Math.clz32(x & -x);
const bswap32 = (x) => x << 24 | (x & 0xff00) << 8 | x >> 8 & 0xff00 | x >>> 24;
const low = (x) => Number(BigInt.asIntN(32, x));
const high = (x) => Number(x >> 32n);
const popcount64 = (x) => BigInt(popcount32(low(x)) + popcount32(high(x)));
const clz64 = (x) => BigInt(high(x) === 0 ? 32 + Math.clz32(low(x)) : Math.clz32(high(x)));
const ctz64 = (x) => BigInt(low(x) === 0 ? 32 + ctz32(high(x)) : ctz32(low(x)));
const bswap64 = (x) => BigInt(bswap32(low(x))) << 32n | BigInt(bswap32(high(x)) >>> 0);
function rotl64(x, by) {
  const n = BigInt(by & 63), u = BigInt.asUintN(64, x);
  return BigInt.asIntN(64, u << n | u >> 64n - n);
}

const load8z = (v, p) => v.getUint8(p);
const load8s = (v, p) => v.getInt8(p);
const load16z = (v, p) => v.getUint16(p, true);
const load16s = (v, p) => v.getInt16(p, true);
const load32 = (v, p) => v.getInt32(p, true);
const load64 = (v, p) => v.getBigInt64(p, true);
function loadf(v, p) {
  const x = v.getFloat32(p, true);
  return x === x ? x : BigInt(v.getUint32(p, true));
}
function loadd(v, p) {
  const x = v.getFloat64(p, true);
  return x === x ? x : v.getBigInt64(p, true);
}
const store8 = (v, p, x) => v.setInt8(p, x);
const store16 = (v, p, x) => v.setInt16(p, x, true);
const store32 = (v, p, x) => v.setInt32(p, x, true);
const store64 = (v, p, x) => v.setBigInt64(p, x, true);
const storef = (v, p, x) => typeof x === "number" ? v.setFloat32(p, x, true) : v.setUint32(p, Number(x), true);
const stored = (v, p, x) => typeof x === "number" ? v.setFloat64(p, x, true) : v.setBigInt64(p, x, true);
const bytesOf = (v) => new Uint8Array(v.buffer);
// For 0 bytes the addresses may be invalid.
function copybytes(v, p, w, q, size) {
  if (size !== 0n) bytesOf(v).set(bytesOf(w).subarray(q, q + Number(size)), p);
}
function fillbytes(v, p, size, byte) {
  if (size !== 0n) bytesOf(v).fill(byte, p, p + Number(size));
}

// The records of one execution grow as needed; a position is a number.
let records = new DataView(new ArrayBuffer(65536)), recorded = 0, status = 0;
const ended = { toString: () => "the end of an execution" };
function finish(how) { status = how; throw ended; }
// Other forms of exits: a function that ends an execution by returning, and the depth of calls.
let stopped = false, depth = 0, left = false;
function stop(how) { status = how; stopped = true; }
function reserve(size) {
  const at = recorded;
  recorded += size;
  if (recorded > ${ROOM}) { recorded = 0; finish(${NO_ROOM}); }
  if (recorded > records.byteLength) {
    const larger = new DataView(new ArrayBuffer(Math.min(${ROOM}, 2 * recorded)));
    bytesOf(larger).set(bytesOf(records));
    records = larger;
  }
  return at;
}
const put32 = (q, x) => records.setInt32(q, x, true);
const put64 = (q, x) => records.setBigInt64(q, x, true);
const putf = (q, x) => storef(records, q, x);
const putd = (q, x) => stored(records, q, x);
const putbytes = (q, v, size) => bytesOf(records).set(bytesOf(v).subarray(0, size), q);
`;

/**
 * Follows the head if a program has host functions that keep addresses. The code of other programs
 * does not change.
 */
export const KEPT = `// The addresses in stack slots that host functions keep during an execution: a view, and an offset in it.
const kept = [null, null, null, null];
function keepSlot(place, at) { kept[place & ${KEPT_PLACES - 1}] = at; }
function dropSlot(place) { kept[place & ${KEPT_PLACES - 1}] = null; }
function readKept(place) {
  const at = kept[place & ${KEPT_PLACES - 1}];
  return at === null ? 0n : load64(at[0], at[1]);
}
function writeKept(place, x) {
  const at = kept[place & ${KEPT_PLACES - 1}];
  if (at !== null) store64(at[0], at[1], x);
}
`;
/** Follows the head if a program has a CallCheck. */
export const DEOPT_FLAG = `let deoptFlag = 0;
function setDeoptFlag(flag) { deoptFlag = flag; }
function getDeoptFlag() { return deoptFlag; }
`;

/** Follows the head if procedures have further results. */
export const FURTHER = VARIABLES.map(
  ({ number, type, give, take }) =>
    `let further${number}${nameOfType(type)};
function ${give.name}(x) { further${number}${nameOfType(type)} = x; }
function ${take.name}() { return further${number}${nameOfType(type)}; }
`,
).join("");

/**
 * The ways to find out whether an execution leaves compiled code: functions of V8 that report the
 * compiler of a function; an expression that is true in compiled code; the engine's log.
 */
export type ExitCounting =
  | { readonly by: "natives" | "log" }
  | { readonly by: "probe"; readonly probe: string };

/** Is added to the status of an execution that left compiled code. */
export const LEFT = 0x8000;
/** The lines around an execution in the engine's log. */
export const LOG_MARKS = ["touchstone: run", "touchstone: end"] as const;
const note = (line: string): string =>
  `  if (isShell) printErr("${line}"); else fs.writeSync(2, "${line}\\n");\n`;

/** The statements around an execution. */
const COUNTED = {
  natives: {
    before:
      "  const compiled = isOptimized === null ? [] : program.functions.filter((f) => isOptimized(f));\n",
    after: `  if (compiled.some((f) => !isOptimized(f))) status |= ${LEFT};\n`,
  },
  probe: { before: "  left = false;\n", after: `  if (left) status |= ${LEFT};\n` },
  log: { before: note(LOG_MARKS[0]), after: note(LOG_MARKS[1]) },
};

/** Clears the kept addresses at the start of an execution. */
export const CLEAR_KEPT = "kept.fill(null);";

/** Functions that read a question, as bytes or as a line of digits, and write an answer. */
const READS_AND_WRITES = `
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
function read(size) {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; ) {
    const count = fs.readSync(0, bytes, at, size - at, null);
    if (count === 0) process.exit(0);
    at += count;
  }
  return new Int32Array(bytes.buffer);
}
function readQuestion() {
  if (!isShell) {
    const head = read(12);
    return [...head, ...read(4 * head[2])];
  }
  const line = readline();
  if (line === null || line === "") quit();
  const bytes = Uint8Array.from({ length: line.length / 2 }, (_, i) => parseInt(line.substr(2 * i, 2), 16));
  return [...new Int32Array(bytes.buffer)];
}
function write(data) {
  if (isShell) print(Array.from(data, (byte) => HEX[byte]).join(""));
  else for (let at = 0; at < data.length; ) at += fs.writeSync(1, data, at);
}
`;

/** The function that executes a program on one input. */
const EXECUTES = `function execute({ run, heap, size }, [seed, ...given]) {
  const input = new DataView(new ArrayBuffer(8 * 1024));
  given.forEach((word, i) => input.setInt32(4 * i, word, true));
  for (let i = 0, x = seed; i < size; i += 4) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    heap.setInt32(i, x, true);
  }
  recorded = status = depth = 0;
  stopped = false;
  try {
    run(input);
    if (!stopped) status = ${ENDED};
  } catch (error) {
    if (error !== ended && !isExhausted(error)) fail(String(error));
    if (error !== ended) {
      recorded = 0;
      status = ${NO_ROOM};
    }
  }
  if (depth !== 0) fail("a finally clause was not executed");
}
const isExhausted = (error) =>
  error instanceof RangeError && error.message.startsWith("Maximum call stack") ||
  error instanceof Error && error.message === "too much recursion";
`;

/**
 * Follows the table of programs: reads executions and writes their records, as the main program in
 * C does. The shell of an engine reads and writes no bytes: there a question or an answer is a line
 * in hexadecimal. Each execution evaluates the program's source again, so that no earlier execution
 * affects what the engine has recorded of it. It first runs the program on the input before it in the
 * table, and then, if the engine permits native functions, marks each function for its compiler. A
 * fact that the program depends on (facts.ts) holds in all runs but the last.
 * @param warmUps the number of runs before an execution; null: as many as the engine needs
 * @param counting how to find out whether an execution left compiled code; null: do not
 */
export const mainOf = (warmUps: number | null, counting: ExitCounting | null): string => `
const fs = typeof require === "function" ? require("fs") :
  typeof process === "object" ? process.getBuiltinModule("fs") : null;
const native = (name, test = "") => {
  try { return new Function("f", "return %" + name + "(f)" + test); } catch (_) { return null; }
};
const isTurbofanOn = () => {
  try { return new Function("return %IsTurbofanEnabled()")(); } catch (_) { return true; }
};
const isMaglev = !isTurbofanOn();
const prepare = native("PrepareFunctionForOptimization");
const optimize = native(isMaglev ? "OptimizeMaglevOnNextCall" : "OptimizeFunctionOnNextCall");
// Older versions have only the status, whose fifth bit means optimized.
const isOptimized = native(isMaglev ? "ActiveTierIsMaglev" : "ActiveTierIsTurbofan")
  || native("GetOptimizationStatus", " & 16");
// JavaScriptCore and SpiderMonkey compile after a number of calls, and report it by functions. Ion
// compiles after 20 calls (src/engine/js-rows.ts), and again if its code leaves ten times.
const isShell = fs === null;
const jsc = typeof Bun === "undefined" ? globalThis : require("bun:jsc");
const WARM_UPS = ${warmUps ?? "typeof inIon === 'function' ? 60 : isShell || jsc !== globalThis ? 30 : 3"};
function fail(message) {
  if (isShell) throw new Error(message);
  process.stderr.write(message + "\\n");
  process.exit(1);
}
function isCompiled() {
  const probe = (x) => x + 1 | 0;
  if (optimize !== null) {
    prepare(probe); probe(1); probe(2); optimize(probe); probe(3);
    return Boolean(isOptimized(probe));
  }
  for (let i = 0; i < 1000; i++) probe(i);
  if (typeof jsc.numberOfDFGCompiles === "function") return jsc.numberOfDFGCompiles(probe) > 0;
  if (typeof inIon !== "function") return true;
  // Both return a text if their compiler is off.
  const isIn = [inIon, inJit].find((is) => typeof is() === "boolean");
  const calls = (is) => is();
  for (let i = 0; i < 1000 && isIn !== undefined; i++) if (calls(isIn)) return true;
  return isIn === undefined;
}
// Returns whether the engine has compiled a function of the program; true if it cannot report that.
function hasCompiled(functions) {
  if (isOptimized !== null) return functions.some((f) => isOptimized(f));
  if (typeof jsc.numberOfDFGCompiles !== "function") return true;
  return functions.some((f) => jsc.numberOfDFGCompiles(f) > 0);
}
// Proves that the compiler works in this process, on a function of its own.
if (!isCompiled()) fail("the required compiler did not compile");
${READS_AND_WRITES}${EXECUTES}for (let turn = 0; ; turn++) {
  const [first, seed, , ...words] = readQuestion();
  const given = [seed, ...words];
  const { source, inputs } = programs[first & 0xffff];
  const program = eval("(" + String(source).split("_turn").join("_" + turn) + ")() // " + turn);
  const at = inputs.findIndex((input) => input.join() === given.join());
  const before = at < 0 ? given : inputs[(at + inputs.length - 1) % inputs.length];
  if (prepare !== null) program.functions.forEach((f) => prepare(f));
  const number = given.reduce((sum, word) => sum + word | 0);
  for (let i = 0; i < WARM_UPS; i++) {
    if (program.learn !== undefined) program.learn(number);
    execute(program, before);
  }
  if (optimize !== null) {
    program.functions.forEach((f) => optimize(f));
    execute(program, before);
  }
${counting === null ? "" : COUNTED[counting.by].before}  if (program.arm !== undefined) program.arm(number);
  const wasCompiled = ${warmUps === 0 ? "true" : "hasCompiled(program.functions)"};
  execute(program, given);
  if (!wasCompiled) status |= ${UNCOMPILED};
${counting === null ? "" : COUNTED[counting.by].after}  const head = new Uint8Array(Int32Array.of(first & -0x10000 | status, recorded).buffer);
  write(head);
  write(bytesOf(records).subarray(0, recorded));
}
`;

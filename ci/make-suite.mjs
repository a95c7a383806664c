// Writes corpus/suites/boundary.jsonl: the results of Node's WebAssembly engine for each operation
// that the language shares with WebAssembly, at the boundaries of its types. The engine is independent of this project.
//
//   node ci/make-suite.mjs            writes the file
//   node ci/make-suite.mjs --check    compares the file, and reports the result by the status
//
// Floats go in and out as integers, reinterpreted inside the function, because a number of
// JavaScript quiets a signalling NaN. A NaN that an operation makes is written as nan:arithmetic:
// its bits are not specified. The words for a trap are ours, because
// those of engines are not specified either.

import { readFileSync, writeFileSync } from "node:fs";

const FILE = new URL("../corpus/suites/boundary.jsonl", import.meta.url);

const TYPES = {
  i32: { code: 0x7f, carrier: "i32" },
  i64: { code: 0x7e, carrier: "i64" },
  f32: { code: 0x7d, carrier: "i32", fromCarrier: 0xbe, toCarrier: 0xbc },
  f64: { code: 0x7c, carrier: "i64", fromCarrier: 0xbf, toCarrier: 0xbd },
};

// Names in the order of their opcodes, from the first one's on: its last byte counts up (WebAssembly
// core specification, 5.4).
const RUNS = [
  [[0x45], "i32.eqz", "i32", "i32"],
  [[0x46], "i32.eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u", "i32 i32", "i32"],
  [[0x50], "i64.eqz", "i64", "i32"],
  [[0x51], "i64.eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u", "i64 i64", "i32"],
  [[0x5b], "f32.eq ne lt gt le ge", "f32 f32", "i32"],
  [[0x61], "f64.eq ne lt gt le ge", "f64 f64", "i32"],
  [[0x67], "i32.clz ctz popcnt", "i32", "i32"],
  [[0x6a], "i32.add sub mul div_s div_u rem_s rem_u", "i32 i32", "i32"],
  [[0x71], "i32.and or xor shl shr_s shr_u rotl rotr", "i32 i32", "i32"],
  [[0x79], "i64.clz ctz popcnt", "i64", "i64"],
  [[0x7c], "i64.add sub mul div_s div_u rem_s rem_u", "i64 i64", "i64"],
  [[0x83], "i64.and or xor shl shr_s shr_u rotl rotr", "i64 i64", "i64"],
  [[0x8b], "f32.abs neg", "f32", "f32", "bits"],
  [[0x8d], "f32.ceil floor trunc nearest sqrt", "f32", "f32"],
  [[0x92], "f32.add sub mul div min max", "f32 f32", "f32"],
  [[0x98], "f32.copysign", "f32 f32", "f32", "bits"],
  [[0x99], "f64.abs neg", "f64", "f64", "bits"],
  [[0x9b], "f64.ceil floor trunc nearest sqrt", "f64", "f64"],
  [[0xa0], "f64.add sub mul div min max", "f64 f64", "f64"],
  [[0xa6], "f64.copysign", "f64 f64", "f64", "bits"],
  [[0xa7], "i32.wrap_i64", "i64", "i32"],
  [[0xa8], "i32.trunc_f32_s trunc_f32_u", "f32", "i32"],
  [[0xaa], "i32.trunc_f64_s trunc_f64_u", "f64", "i32"],
  [[0xac], "i64.extend_i32_s extend_i32_u", "i32", "i64"],
  [[0xae], "i64.trunc_f32_s trunc_f32_u", "f32", "i64"],
  [[0xb0], "i64.trunc_f64_s trunc_f64_u", "f64", "i64"],
  [[0xb2], "f32.convert_i32_s convert_i32_u", "i32", "f32"],
  [[0xb4], "f32.convert_i64_s convert_i64_u", "i64", "f32"],
  [[0xb6], "f32.demote_f64", "f64", "f32"],
  [[0xb7], "f64.convert_i32_s convert_i32_u", "i32", "f64"],
  [[0xb9], "f64.convert_i64_s convert_i64_u", "i64", "f64"],
  [[0xbb], "f64.promote_f32", "f32", "f64"],
  [[0xbc], "i32.reinterpret_f32", "f32", "i32", "bits"],
  [[0xbd], "i64.reinterpret_f64", "f64", "i64", "bits"],
  [[0xbe], "f32.reinterpret_i32", "i32", "f32", "bits"],
  [[0xbf], "f64.reinterpret_i64", "i64", "f64", "bits"],
  [[0xc0], "i32.extend8_s extend16_s", "i32", "i32"],
  [[0xc2], "i64.extend8_s extend16_s extend32_s", "i64", "i64"],
  [[0xfc, 0], "i32.trunc_sat_f32_s trunc_sat_f32_u", "f32", "i32"],
  [[0xfc, 2], "i32.trunc_sat_f64_s trunc_sat_f64_u", "f64", "i32"],
  [[0xfc, 4], "i64.trunc_sat_f32_s trunc_sat_f32_u", "f32", "i64"],
  [[0xfc, 6], "i64.trunc_sat_f64_s trunc_sat_f64_u", "f64", "i64"],
];

// All pairs of these; a single operand is also drawn from MORE.
// biome-ignore format: a table
const VALUES = {
  i32: [
    "0", "1", "2", "0x1f", "0x20", "0x7f", "0x8000", "0x55555555", "0x7fffffff", "0x80000000",
    "0x80000001", "0xfffffffe", "0xffffffff",
  ],
  i64: [
    "0", "1", "0x3f", "0x40", "0x7fffffff", "0x80000000", "0xffffffff", "0x100000000",
    "0x7fffffffffffffff", "0x8000000000000000", "0xffffffff80000000", "0xffffffffffffffff",
  ],
  // 0, -0, smallest and largest subnormal, smallest normal, 0.5, 1, -1, 1.5, largest, infinities,
  // NaNs: quiet, quiet with sign and payload, signalling
  f32: [
    "0", "0x80000000", "0x1", "0x807fffff", "0x800000", "0x3f000000", "0x3f800000", "0xbf800000",
    "0x3fc00000", "0x7f7fffff", "0x7f800000", "0xff800000", "0x7fc00000", "0xffc00123",
    "0x7f800001",
  ],
  f64: [
    "0", "0x8000000000000000", "0x1", "0x800fffffffffffff", "0x10000000000000",
    "0x3fe0000000000000", "0x3ff0000000000000", "0xbff0000000000000", "0x3ff8000000000000",
    "0x7fefffffffffffff", "0x7ff0000000000000", "0xfff0000000000000", "0x7ff8000000000000",
    "0xfff8000000000123", "0x7ff0000000000001",
  ],
};
// biome-ignore format: a table
const MORE = {
  i32: [
    "0x80", "0xff", "0x7fff", "0xffff", "0x10000", "0xffffff80", "0xffff8000", "0x1000001",
    "0xaaaaaaaa",
    // Around halfway between two Floats.
    "0x1000003", "0x7fffffbf", "0x7fffffc0", "0x80000080", "0x80000180", "0xffffff7f", "0x800000",
  ],
  // Halfway between two Doubles, and next to halfway.
  i64: [
    "0x80", "0x8000", "0x20000000000000", "0x20000000000001", "0x20000000000003",
    "0x40000000000002", "0x40000000000006", "0x7ffffffffffffdff", "0x7ffffffffffffe00",
    "0x8000000000000400", "0x8000000000000401", "0xaaaaaaaaaaaaaaaa",
    // Around halfway between two Floats; between two Doubles, with the highest bit.
    "0x800000800000", "0x800000800001", "0x1000001", "0x4000004000000000", "0x4000004000000001",
    "0x7fffffbfffffffff", "0x7fffffc000000000", "0x8000008000000000", "0x8000008000000001",
    "0xffffff7fffffffff", "0xffffff8000000000", "0xfffffffffffffbff", "0xfffffffffffffc00",
    "0x8000000000000c00",
  ],
  // Near integers, 2 to the 23, largest without the last bit.
  f32: [
    "0xbf000000", "0x3effffff", "0x3f000001", "0xbf7fffff", "0x4b000000", "0x4affffff",
    "0xcaffffff", "0x7f7ffffe", "0x40000000", "0x40490fdb", "0xff800001",
    // 2.5, -2.5; where integers end: 2 to the 31, 32, 63, 64 and what is next below; negative.
    "0x40200000", "0xc0200000", "0x4f000000", "0x4effffff", "0x4f800000", "0x4f7fffff",
    "0x5f000000", "0x5effffff", "0x5f800000", "0x5f7fffff", "0xcf000000", "0xcf000001",
    "0xdf000000", "0xdf000001",
  ],
  // The same; then halfway between two Floats, next to it, and where Floats end on either side.
  f64: [
    "0xbfe0000000000000", "0x3fdfffffffffffff", "0xbfefffffffffffff", "0x4330000000000000",
    "0x432fffffffffffff", "0x3ff0000010000000", "0x3ff0000010000001", "0x3ff0000030000000",
    "0x3ff000000fffffff", "0x47efffffe0000000", "0x47efffffefffffff", "0x47effffff0000000",
    "0x36a0000000000000", "0x3690000000000000", "0x3690000000000001", "0x380fffffffffffff",
    "0x400921fb54442d18", "0xfff0000000000001",
    // Boundaries as for Floats, then fractions beyond the last 32-bit integer.
    "0x4004000000000000", "0xc004000000000000", "0x41e0000000000000", "0x41dfffffffffffff",
    "0x41f0000000000000", "0x41efffffffffffff", "0x43e0000000000000", "0x43dfffffffffffff",
    "0x43f0000000000000", "0x43efffffffffffff", "0xc1e0000000000000", "0xc1e0000000100000",
    "0xc1e00000001fffff", "0xc1e0000000200000", "0xc1e0000000200001", "0x41dfffffffe00000",
    "0x41effffffff00000", "0xc3e0000000000000", "0xc3e0000000000001",
  ],
};

function operations() {
  return RUNS.flatMap(([first, names, args, result, keeps]) => {
    const prefix = names.slice(0, names.indexOf(".") + 1);
    return names
      .slice(prefix.length)
      .split(" ")
      .map((name, i) => ({
        name: prefix + name,
        opcode: [...first.slice(0, -1), first.at(-1) + i],
        args: args.split(" "),
        result,
        keepsBits: keeps === "bits",
      }));
  });
}

function leb(value) {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push((rest & 0x7f) | 0x80);
  }
}
const vector = (items) => [...leb(items.length), ...items.flat()];
const section = (id, body) => [id, ...leb(body.length), ...body];
const text = (word) => vector([...new TextEncoder().encode(word)]);

/** One module with one exported function an operation, over the types that carry its operands. */
function assemble(all) {
  const carried = (type) => TYPES[TYPES[type].carrier].code;
  const types = all.map(({ args, result }) => [
    0x60,
    ...vector(args.map(carried)),
    1,
    carried(result),
  ]);
  const bodies = all.map(({ opcode, args, result }) => {
    const code = args.flatMap((type, i) => {
      const { fromCarrier } = TYPES[type];
      return [0x20, i, ...(fromCarrier === undefined ? [] : [fromCarrier])];
    });
    const { toCarrier } = TYPES[result];
    const body = [0, ...code, ...opcode, ...(toCarrier === undefined ? [] : [toCarrier]), 0x0b];
    return [...leb(body.length), ...body];
  });
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector(types)),
    ...section(3, vector(all.map((_, i) => leb(i)))),
    ...section(7, vector(all.map(({ name }, i) => [...text(name), 0, ...leb(i)]))),
    ...section(10, vector(bodies)),
  ]);
}

const isWide = (type) => TYPES[type].carrier === "i64";
const toJs = (type, bits) =>
  isWide(type) ? BigInt.asIntN(64, bits) : Number(BigInt.asIntN(32, bits));
const toBits = (type, value) => BigInt.asUintN(isWide(type) ? 64 : 32, BigInt(value));

function isNaNOf(type, bits) {
  if (type === "f32") return (bits & 0x7fffffffn) > 0x7f800000n;
  return type === "f64" && (bits & 0x7fffffffffffffffn) > 0x7ff0000000000000n;
}

function casesOf({ args }) {
  const [x, y] = args;
  if (y === undefined) return [...VALUES[x], ...MORE[x]].map((value) => [value]);
  return VALUES[x].flatMap((first) => VALUES[y].map((second) => [first, second]));
}

/** Returns the engine's result of the operation: the end of a line. */
function resultOf(run, { name, result, keepsBits }, given) {
  try {
    const got = toBits(result, run(...given));
    const isMade = isNaNOf(result, got) && !keepsBits;
    return { expect: isMade ? "nan:arithmetic" : `${result}:${got}` };
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    return { trap: name.includes("trunc") ? "no integer in range" : "no quotient" };
  }
}

async function suite() {
  const all = operations();
  const { instance } = await WebAssembly.instantiate(assemble(all));
  const lines = [];
  for (const operation of all) {
    const { name, args } = operation;
    for (const values of casesOf(operation)) {
      const bits = values.map((value) => BigInt(value));
      const given = bits.map((value, i) => toJs(args[i], value));
      lines.push(
        JSON.stringify({
          suite: "boundary",
          line: lines.length + 1,
          op: name,
          args: bits.map((value, i) => `${args[i]}:${value}`),
          ...resultOf(instance.exports[name], operation, given),
        }),
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

const made = await suite();
if (!process.argv.includes("--check")) {
  writeFileSync(FILE, made);
  process.stdout.write(`${made.split("\n").length - 1} cases\n`);
} else if (readFileSync(FILE, "utf8") !== made) {
  process.stderr.write("corpus/suites/boundary.jsonl: run node ci/make-suite.mjs\n");
  process.exitCode = 1;
}

// Reads the code of random programs by an independent disassembler (capstone, which the project installs for tests),
// and compares it with the requests to the encoders, instruction by instruction.
//
// `node ci/read-code.mjs [--seed S] [--count N] [--planted]`: each program is compiled for each target by a
// subject that its seed draws. Status 1 if an instruction differs. --planted: encodes loads of Doubles
// as loads of 16 bytes, which must be found.
//
// It finds a wrong opcode, register, width, immediate, address or condition, for operands that the encoder's own tests
// lack, and a branch that leads elsewhere than others to its label, or between instructions. It does not find a wrong
// request (executions show that), a label that all its branches resolve wrongly, and wrong data. It does not
// distinguish instructions with the same text.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const load = (path) => import(join(ROOT, "build", path));
const { Compiler } = await load("reference/compile.js");
const { PARTS } = await load("reference/parts.js");
const { makePlan } = await load("reference/target/plan.js");
const { TARGET_NAMES } = await load("reference/target/target.js");
const { rowsWith } = await load("reference/x64/encodings.js");
const { x64Target } = await load("reference/x64/target.js");
const { programOf } = await load("src/campaign/program/seeds.js");
const { SUBJECTS } = await load("src/execute/subjects.js");
const { DEFAULT_SETTINGS, CompilationUnit } = await load("src/execute/unit.js");
const { SeedSource } = await load("src/support/source.js");
const capstone = createRequire(import.meta.url)("capstone-wasm");
await capstone.loadCapstone();
const { Capstone, Const } = capstone;

const { values } = readOptions({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "5000" },
    planted: { type: "boolean", default: false },
  },
});
if (!/^\d+$/.test(values.seed) || !/^\d+$/.test(values.count)) {
  console.error("read-code: expected whole numbers: --seed N, --count N");
  process.exit(2);
}
const WRONG_LOAD = { form: "movsd x, xm64", bytes: [0x66, 0x0f, 0x28] };
const planted = () => makePlan(x64Target(rowsWith({ movsd: WRONG_LOAD })));
const parts = values.planted ? { ...PARTS, plans: { ...PARTS.plans, x64: planted() } } : PARTS;
const FAULTS_SHOWN = 20;

const READERS = {
  x64: new Capstone(Const.CS_ARCH_X86, Const.CS_MODE_64),
  arm64: new Capstone(Const.CS_ARCH_ARM64, Const.CS_MODE_ARM ?? 0),
};

// --- two notations of one instruction ---

/** Reduces numbers to the width, without a sign. */
const numbers = (text, width) =>
  text.replace(/#?(-?)\b(0x[0-9a-f]+|\d+)\b/g, (_, sign, digits) => {
    const value = BigInt(digits);
    return String(BigInt.asUintN(width, sign === "" ? value : -value));
  });

/** Normalizes a notation: signs of addresses, a factor of 1, a distance of 0, the width of an immediate. */
function plainX64(text) {
  const outside = text.replace(/\[.*\]/, "");
  const width = /\b(e[a-ds][xip]|r\d+d)\b/.test(outside) ? 32 : 64;
  const plain = text
    .replace(/ \+ (0x)?0\]/, "]")
    .replace(/\*1\b/g, "")
    .replace(/\[([^\]]*)\]/g, (address) => numbers(address.replaceAll(" - ", " + -"), 64));
  const [, size] = /\b(byte|word|dword) ptr/.exec(text) ?? [];
  return numbers(plain, { byte: 8, word: 16, dword: 32 }[size] ?? width).replace(/\s+/g, "");
}

const OTHER_CONDITION = { eq: "ne", hs: "lo", mi: "pl", vs: "vc", hi: "ls", ge: "lt", gt: "le" };
for (const [yes, no] of Object.entries(OTHER_CONDITION)) OTHER_CONDITION[no] = yes;
const widthOf = (register) => (register.startsWith("w") ? 32n : 64n);

/** Returns the name of a field move that a disassembler prefers. */
function fieldMove(kind, d, n, r, s) {
  const width = widthOf(d);
  const [R, S] = [BigInt(r), BigInt(s)];
  const isSigned = kind === "s";
  if (S === width - 1n) return `${isSigned ? "asr" : "lsr"} ${d}, ${n}, #${R}`;
  if (!isSigned && S + 1n === R) return `lsl ${d}, ${n}, #${width - R}`;
  const extended = { 7: "b", 15: "h", 31: isSigned ? "w" : undefined }[s];
  if (R === 0n && extended !== undefined && (isSigned || width === 32n)) {
    return `${isSigned ? "sxt" : "uxt"}${extended} ${d}, ${isSigned ? n.replace("x", "w") : n}`;
  }
  if (S < R) return `${kind}bfiz ${d}, ${n}, #${width - R}, #${S + 1n}`;
  return `${kind}bfx ${d}, ${n}, #${R}, #${S - R + 1n}`;
}

/** Shorter names that a disassembler uses for an instruction. */
// biome-ignore format: a table
const SHORTER = [
  [/^mov(z|n) (\w+), #(\d+)(?:, lsl #(\d+))?$/, (_, kind, d, immediate, shift = "0") => {
    const value = BigInt(immediate) << BigInt(shift);
    return `mov ${d}, #${BigInt.asUintN(Number(widthOf(d)), kind === "n" ? ~value : value)}`;
  }],
  [/^(movk .*), lsl #0$/, "$1"],
  [/^orr (\w+), [wx]zr, (#?\w+)$/, "mov $1, $2"],
  [/^add (\w+), (\w+), #0$/, (text, d, n) => (d === "sp" || n === "sp" ? `mov ${d}, ${n}` : text)],
  [/^([us])bfm (\w+), (\w+), #(\d+), #(\d+)$/, (_, ...words) => fieldMove(...words)],
  [/^adds [wx]zr, /, "cmn "],
  [/^subs [wx]zr, /, "cmp "],
  [/^ands [wx]zr, /, "tst "],
  [/^sub(s?) (\w+), [wx]zr, /, "neg$1 $2, "],
  [/^orn (\w+), [wx]zr, /, "mvn $1, "],
  [/^m(add|sub) (\w+), (\w+), (\w+), [wx]zr$/, (_, kind, ...r) => `${kind === "add" ? "mul" : "mneg"} ${r.slice(0, 3).join(", ")}`],
  [/^([us])maddl (\w+), (\w+), (\w+), xzr$/, "$1mull $2, $3, $4"],
  [/^csinc (\w+), [wx]zr, [wx]zr, (\w+)$/, (_, d, condition) => `cset ${d}, ${OTHER_CONDITION[condition]}`],
  [/^csinv (\w+), [wx]zr, [wx]zr, (\w+)$/, (_, d, condition) => `csetm ${d}, ${OTHER_CONDITION[condition]}`],
  [/^cs(inc|inv|neg) (\w+), (\w+), \3, (\w+)$/, (_, kind, d, n, condition) => `c${kind} ${d}, ${n}, ${OTHER_CONDITION[condition]}`],
  [/^extr (\w+), (\w+), \2, /, "ror $1, $2, "],
  [/^ret x30$/, "ret"],
];

function plainArm64(text) {
  let short = text.trim();
  for (const [pattern, other] of SHORTER) short = short.replace(pattern, other);
  const width = /^\S+ w/.test(short) ? 32 : 64;
  return numbers(short.replace(/(, lsl #0|(?<=[us]xtw) #0)\b/, "").replace(/, #0\]/, "]"), width)
    .replace(/^b\.cs/, "b.hs")
    .replace(/^b\.cc/, "b.lo")
    .replace(/\s+/g, "");
}

const PLAIN = { x64: plainX64, arm64: plainArm64 };

// --- code ---

/** Returns the offsets and requested instructions of a listing. */
const writtenIn = (listing) =>
  listing.flatMap((line) => {
    const [, offset, meant] = /^([0-9a-f]{4,}) {2}(.*)$/.exec(line) ?? [];
    return offset === undefined ? [] : [{ at: Number.parseInt(offset, 16), meant }];
  });

/** A reference to a label. */
const LABEL = /\.?\bL(\d+)\b/;
/** The last number of a disassembled instruction. */
const LAST_NUMBER = /#?(-?)\b(0x[0-9a-f]+|\d+)\b(?=\]?$)/;

const LONG_FORM = " (long form)";

/** Joins two instructions of arm64 that replace one with a short reach; returns other instructions unchanged. */
function shortForm(meant, read, end) {
  if (!meant.endsWith(LONG_FORM)) return read;
  const [, address, page, rest] = /^adrp (\w+), #(\w+); add \1, \1, #(\w+)$/.exec(read) ?? [];
  if (address !== undefined) return `adr ${address}, #${Number(page) + Number(rest)}`;
  const [, branch, operands, over, to] = /^(\S+) (.*)#(\w+); b #(\w+)$/.exec(read) ?? [];
  if (Number(over) !== end) return read;
  const other = { cbz: "cbnz", cbnz: "cbz", tbz: "tbnz", tbnz: "tbz" }[branch];
  return `${other ?? `b.${OTHER_CONDITION[branch.slice(2)]}`} ${operands}#${to}`;
}

/** Returns the faults of one image, in sentences; counts in `totals`. */
function faultsOf(target, { code, listing }, totals) {
  const faults = [];
  const written = writtenIn(listing);
  const starts = new Set([...written.map(({ at }) => at), code.length]);
  const places = new Map();
  const plain = PLAIN[target];
  for (const [k, { at, meant }] of written.entries()) {
    if (meant.startsWith(".")) continue;
    const end = written[k + 1]?.at ?? code.length;
    const bytes = code.subarray(at, end);
    const all = READERS[target].disasm(bytes, { address: at });
    const read = all.map(({ mnemonic, opStr }) => `${mnemonic} ${opStr}`.trim()).join("; ");
    const wrong = (why) =>
      faults.push(`${meant}, at ${at}, is ${Buffer.from(bytes).toString("hex")}: ${why}`);
    totals.instructions++;
    const [label, number] = LABEL.exec(meant) ?? [];
    if (label === undefined) {
      if (plain(meant) !== plain(read)) wrong(`reads ${read}`);
      continue;
    }
    totals.labels++;
    const short = shortForm(meant, read.replace("rip - ", "rip + -"), end);
    const [, sign, distance] = LAST_NUMBER.exec(short) ?? [];
    const asked = meant.replace(LONG_FORM, "").replace(LABEL, "");
    if (distance === undefined || plain(asked) !== plain(short.replace(LAST_NUMBER, ""))) {
      wrong(`reads ${read}`);
      continue;
    }
    // Addresses of x64 after the code are relative to the next instruction.
    const to = Number(distance) * (sign === "" ? 1 : -1) + (meant.includes("rip") ? end : 0);
    if (!starts.has(to)) wrong(`jumps to ${to}, which is within an instruction`);
    const known = places.get(number);
    if (known !== undefined && known !== to)
      wrong(`jumps to ${to}, but other instructions with this label jump to ${known}`);
    places.set(number, to);
  }
  return faults;
}

const totals = { images: 0, instructions: 0, labels: 0, faults: 0 };
const compiler = new Compiler(parts);
const first = BigInt(values.seed);
for (let seed = first; seed < first + BigInt(values.count); seed++) {
  const unit = new CompilationUnit(
    programOf(seed).module,
    { ...DEFAULT_SETTINGS, chaos: seed },
    parts,
  );
  for (const target of TARGET_NAMES) {
    const subjects = SUBJECTS.filter((subject) => subject.target === target && !subject.native);
    const subject = subjects[new SeedSource(seed, `read ${target}`).below(subjects.length)];
    const image = compiler.generate(unit.optimized(subject).module, target, {
      ...unit.generateOptions(subject, false),
      listing: true,
    });
    totals.images++;
    for (const fault of faultsOf(target, image, totals)) {
      if (totals.faults++ < FAULTS_SHOWN) console.log(`seed ${seed}, ${subject.name}: ${fault}`);
    }
  }
}
const { images, instructions, labels, faults } = totals;
console.log(
  `${images} images, ${instructions} instructions, ${labels} with labels: ${faults} that the disassembler reads differently`,
);
process.exitCode = faults === 0 ? 0 : 1;

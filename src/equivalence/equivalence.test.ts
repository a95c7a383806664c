// Tests that rewritten programs are equivalent, and that an error shared by oracle and compiler is
// found.

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test from "ava";
import { generatedOf } from "../campaign/program/seeds.js";
import { Judge } from "../compare/judge-program.js";
import { subjectNamed } from "../execute/subjects.js";
import { cloneModule } from "../ir/clone.js";
import { ALL_OPCODES, nameOfOpcode, Op, specOf, typesAlso, typesOver } from "../ir/opcodes.js";
import { Module, Procedure } from "../ir/procedure.js";
import type { parseModule } from "../ir/text/parse.js";
import { printModule } from "../ir/text/print.js";
import { Float, Int32, Int64, otherBank, type Type, typeNamed, Void } from "../ir/types.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { firstSeed } from "../support/first-seed.js";
import { projectRoot } from "../support/project-root.js";
import { trials } from "../support/trials.js";
import { addressesOf } from "./addresses.js";
import { identityOf } from "./identities.js";
import { rewrite } from "./rewrite.js";
import { CHANGES } from "./shape.js";

const FUEL = 1000;
const SUBJECT = "equivalent-O0";

// biome-ignore format: a table
const WORDS: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
  [Int32]: [0, 1, -1, 2, 3, -3, 7, 31, 32, 33, 255, -128, 0x8000, 0xffff, 0x7fffffff, -0x80000000, 0x12345678].map((x) => [x, 0]),
  [Int64]: [[0, 0], [1, 0], [-1, -1], [-2, -1], [3, 0], [63, 0], [-1, 0], [0, 1], [-0x80000000, 0], [0, -0x80000000], [-1, 0x7fffffff], [0x12345678, 0x23456789], [-7, -1]],
  [Float]: [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x4f000000, 0xcf000001, 1].map((x) => [x | 0, 0]),
};
const wordsOf = (type: Type) =>
  WORDS[type] ?? [
    [0, 0],
    [0, -0x80000000],
    [0, 0x3ff00000],
    [0, 0x7ff00000],
    [0, 0x7ff80000],
    [0, 0x41e00000],
    [1, 0],
  ];

/** Makes a module whose entry returns one operation of its parameters. */
function moduleOf(opcode: (typeof ALL_OPCODES)[number], t: Type, u: Type): Module {
  const { args, result } = specOf(opcode);
  const typeOf = (name: string): Type =>
    name === "T"
      ? t
      : name === "U"
        ? u
        : name === "Bits"
          ? otherBank(t)
          : (typeNamed(name) ?? Void);
  const proc = new Procedure("f", typeOf(result));
  const operands = args.map((arg) => proc.newParameter(typeOf(arg)));
  const block = proc.newBlock();
  const value = proc.newValue(opcode, proc.result);
  const [a = null, b = null, c = null] = operands;
  [value.a, value.b, value.c] = [a, b, c];
  const end = proc.newValue(Op.Return, Void, value);
  for (const each of [value, end]) {
    block.append(each);
  }
  const module = new Module();
  module.procedures.push(proc);
  return module;
}

/** Yields all combinations of an operand for each type. */
function* tuplesOf(types: readonly Type[]): Generator<number[]> {
  const [first, ...rest] = types;
  if (first === undefined) yield [];
  else
    for (const words of wordsOf(first))
      for (const tuple of tuplesOf(rest)) yield [...words, ...tuple];
}

test("each identity holds at boundary values", (t) => {
  const oracle = new Oracle();
  let [identities, executions] = [0, 0];
  for (const opcode of ALL_OPCODES) {
    const name = nameOfOpcode(opcode);
    const types = typesOver(opcode).length > 0 ? typesOver(opcode) : [Int32];
    for (const type of types) {
      const [u] = typesAlso(opcode);
      const first =
        u ?? (specOf(opcode).args[0] === "T" ? type : typeNamed(specOf(opcode).args[0] ?? ""));
      if (first == null || identityOf(name, first) === null) continue;
      identities++;
      const module = moduleOf(opcode, type, u ?? Int32);
      const rewritten = rewrittenBySome(module);
      t.deepEqual(verify(rewritten).map(describeFault), [], name);
      const [one, other] = [decodeModule(module), decodeModule(rewritten)];
      for (const tuple of tuplesOf(module.entry.parameters.map((p) => p.type))) {
        const input = { words: Int32Array.from(tuple), heapSeed: 0 };
        const expected = oracle.run(one, input, FUEL).ending;
        if (expected.kind !== "return") continue;
        executions++;
        const got = oracle.run(other, input, FUEL).ending;
        t.deepEqual(got.kind === "return" ? got.result : got, expected.result, `${name} ${tuple}`);
      }
    }
  }
  t.true(
    identities > 90 && executions > 10_000,
    `${identities} identities, ${executions} executions`,
  );
});

/** Returns the module, rewritten by the first seed that changes it. */
function rewrittenBySome(module: Module): Module {
  return firstSeed("a rewrite that changes it", { count: 100n }, (seed) => {
    const copy = cloneModule(module);
    rewrite(copy, seed);
    return printModule(copy) !== printModule(module) ? copy : null;
  }).found;
}

test("rewritten programs are valid, and behave the same", (t) => {
  const subject = subjectNamed(SUBJECT);
  if (subject === null) return t.fail(`no subject is named ${SUBJECT}`);
  const judge = new Judge({ subjects: [subject], fuelMax: 1_000_000 });
  let equal = 0;
  for (let seed = 0n; seed < 30n; seed++) {
    const { module, inputs } = generatedOf(seed);
    const copy = cloneModule(module);
    rewrite(copy, seed);
    t.deepEqual(verify(copy).map(describeFault), [], `seed ${seed}`);
    for (const { judgements } of judge.judge({ module, inputs, own: { chaos: seed } }).results) {
      t.deepEqual(
        judgements.filter(({ verdict }) => verdict.kind === "different"),
        [],
        `seed ${seed}`,
      );
      equal += judgements.filter(({ verdict }) => verdict.kind === "equal").length;
    }
  }
  judge.close();
  t.true(equal > 90, `${equal}`);
});

test("each structural change is applied, and preserves validity and behavior", (t) => {
  const oracle = new Oracle();
  for (const { name, make } of CHANGES) {
    let changed = 0;
    for (let seed = 0n; seed < BigInt(trials(12, 60)); seed++) {
      const { module, inputs } = generatedOf(seed);
      const copy = cloneModule(module);
      for (const proc of copy.procedures) make(proc, addressesOf(proc));
      t.deepEqual(verify(copy).map(describeFault), [], `seed ${seed}: ${name}`);
      if (printModule(copy) !== printModule(module)) changed++;
      const [one, other] = [module, copy].map((of) => ({ ...decodeModule(of), allocates: false }));
      for (const input of inputs) {
        const expected = oracle.run(one, input, SHAPE_FUEL).ending;
        if (expected.kind !== "return") continue;
        const got = oracle.run(other, input, 64 * SHAPE_FUEL).ending;
        t.deepEqual(got, expected, `seed ${seed}: ${name}`);
      }
    }
    t.true(changed >= trials(4, 25), `${name}: ${changed} programs changed`);
  }
});
const SHAPE_FUEL = 1_000_000;

const ONES = `touchstone 1
proc f() -> Int32
#0:
  Int32 @0 = Const32(7)
  Int32 @1 = PopCnt(@0)
  Void @2 = Return(@1)
`;

// The planted bug: the oracle's meaning and the compiler's fold both drop the lowest bit.
const ALIKE = [
  ["src/oracle/meanings.js", "ones(unsigned32(x))", "ones(unsigned32(x >>> 1))"],
  [
    "reference/optimize/rules/fold.js",
    `digits.replaceAll("0", "")`,
    `digits.slice(0, -1).replaceAll("0", "")`,
  ],
] as const;

test("a fold that is wrong in the same way in the oracle and in the compiler is found", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-alike-"));
  try {
    cpSync(join(projectRoot(), "build"), join(folder, "build"), { recursive: true });
    cpSync(join(projectRoot(), "package.json"), join(folder, "package.json"));
    symlinkSync(join(projectRoot(), "node_modules"), join(folder, "node_modules"));
    for (const [file, right, wrong] of ALIKE) {
      const path = join(folder, "build", file);
      const text = readFileSync(path, "utf8");
      t.true(text.includes(right), file);
      writeFileSync(path, text.replace(right, wrong));
    }
    const found: Record<string, string[]> = {};
    for (const name of ["ir-O2", SUBJECT]) found[name] = await verdictsIn(folder, name);
    t.deepEqual(new Set(found["ir-O2"]), new Set(["equal"]), "they agree");
    t.true(found[SUBJECT].includes("different"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Judges with the modules of the copy, for seeds some of which rewrite the operation. */
async function verdictsIn(folder: string, name: string): Promise<string[]> {
  const load = (path: string) => import(pathToFileURL(join(folder, "build", "src", path)).href);
  // The cast: the copy has the same exports as this build.
  const judging = (await load("compare/judge-program.js")) as { Judge: typeof Judge };
  const naming = (await load("execute/subjects.js")) as { subjectNamed: typeof subjectNamed };
  const parsing = (await load("ir/text/parse.js")) as { parseModule: typeof parseModule };
  const subject = naming.subjectNamed(name);
  if (subject === null) return [];
  const judge = new judging.Judge({ subjects: [subject], fuelMax: FUEL });
  const inputs = [{ words: new Int32Array(), heapSeed: 0 }];
  const kinds: string[] = [];
  for (let chaos = 0n; chaos < 8n; chaos++) {
    const { results } = judge.judge({ module: parsing.parseModule(ONES), inputs, own: { chaos } });
    for (const { judgements } of results)
      kinds.push(...judgements.map(({ verdict }) => verdict.kind));
  }
  judge.close();
  return kinds;
}

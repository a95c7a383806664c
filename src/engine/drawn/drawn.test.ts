// Tests flags that a seed draws: the installed compiler accepts each, names contain all of them,
// and a flag that the compiler lacks is not drawn. An unknown flag is rejected by name and by
// compiler.

import { spawnSync } from "node:child_process";
import test, { type TestFn } from "ava";
import { Judge } from "../../compare/judge-program.js";
import { isFormName, PLAIN_FORM } from "../../export/forms.js";
import { parseModule } from "../../ir/text/parse.js";
import { runLines } from "../../ir/text/run-line.js";
import { assert } from "../../support/assert.js";
import type { EngineSubject } from "../engine-subject.js";
import { DRAWN, engineNamed } from "../engines.js";
import { flagsOfSeed, namesOf, nameWith } from "./draw-flags.js";
import type { EngineWithFlags } from "./flag-table.js";
import { hasFlag } from "./known-flags.js";
import { V8 } from "./listings.js";
import { canRun, MARCHES } from "./processors.js";

const TEXT = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(0)
  Void @2 = Upsilon(@1, ^6)
  Int32 @3 = Const32(1)
  Int32 @4 = Const32(7)
  Void @5 = Jump(#1)
#1:
  Int32 @6 = Phi()
  Int32 @7 = Mul(@6, @4)
  Int32 @8 = Add(@7, @0)
  Int32 @9 = Add(@6, @3)
  Void @10 = Upsilon(@9, ^6)
  Int32 @11 = LessThan(@9, @0)
  Void @12 = Branch(@11, #1, #2)
#2:
  Void @13 = Return(@8)
; run: f(9)
; run: f(20)
`;
const module = parseModule(TEXT);
const inputs = runLines(TEXT, module).map(({ input }) => input);

async function kindsBy(subject: EngineSubject): Promise<string[]> {
  const judge = new Judge({ subjects: [subject], fuelMax: 10_000 });
  const [{ results }] = await judge.judgeAll([{ module, inputs }]);
  judge.close();
  return results[0].judgements.map(({ verdict }) => {
    return verdict.kind === "different" ? JSON.stringify(verdict.difference) : verdict.kind;
  });
}

const NOTHING_ADDED = { name: "wrong", words: [], kinds: new Set<never>(), form: PLAIN_FORM };

const numbered = (flag: string): string => flag.replace(/#\d+/, "1");

/** Returns the alternatives of a row that the installed version has. */
const flagsHere = (row: EngineWithFlags): readonly (readonly string[])[] =>
  row.flags
    .map((alternatives) => alternatives.filter((flag) => hasFlag(row, flag)))
    .filter(({ length }) => length > 0);

/** Returns all flags in a minimal number of lists without two alternatives in one list. */
function lists(row: EngineWithFlags): string[][] {
  const { isSequence } = row;
  const flags = flagsHere(row);
  if (isSequence === true) {
    const all = flags.flat();
    const parts = Array.from({ length: Math.ceil(all.length / 8) }, (_, i) =>
      all.slice(8 * i, 8 * i + 8),
    );
    return parts;
  }
  const most = Math.max(...flags.map(({ length }) => length));
  return Array.from({ length: most }, (_, k) =>
    flags.flatMap((alternatives) => (k < alternatives.length ? [numbered(alternatives[k])] : [])),
  );
}

function rowNamed(name: string): EngineWithFlags {
  const row = DRAWN.find((one) => one.name === name);
  assert(row !== undefined, () => `no row is named ${name}`);
  return row;
}

/** Returns whether a row is of JavaScriptCore, which reports an unknown option and continues. */
const isJsc = (base: string): boolean => base.startsWith("jsc-");
const INVALID = /invalid option/;
function outputOfJsc(words: readonly string[]): string {
  const { stdout, stderr } = spawnSync("jsc", [...words, "-e", "0"], { encoding: "utf8" });
  return stdout + stderr;
}

const testWith = (name: string): TestFn | TestFn["skip"] =>
  engineNamed(name)?.missing() === null ? test : test.skip;

for (const row of DRAWN) {
  const withCompiler = testWith(row.name);

  withCompiler(`${row.name}: the installed compiler accepts each flag`, async (t) => {
    for (const flags of lists(row)) {
      const name = nameWith(row.base, flags);
      const engine = engineNamed(name);
      if (engine === null) return t.fail(name);
      t.deepEqual(await kindsBy(engine), ["equal", "equal"], name);
      const words = flags.filter((flag) => !isFormName(flag)).flatMap(row.wordsOf);
      if (isJsc(row.base)) t.notRegex(outputOfJsc(words), INVALID, name);
    }
    t.pass();
  });

  // A row whose flags are all forms adds no word to a command.
  if (row.listing !== undefined) {
    withCompiler(`${row.name}: the compiler refuses an unknown flag`, async (t) => {
      const words = row.wordsOf("no-such-flag=1");
      const engine = row.engine.alterable?.with({ ...NOTHING_ADDED, words });
      if (engine === undefined) return t.fail(row.base);
      if (isJsc(row.base)) t.regex(outputOfJsc(words), INVALID);
      else for (const kind of await kindsBy(engine)) t.regex(kind, /^\{/);
    });
  }

  test(`${row.name}: a seed draws flags, and the name contains them`, (t) => {
    const drawn = new Set<string>();
    const names = new Set<string>();
    for (const s of choices(1500)) {
      const flagged = flagsOfSeed(row, s);
      const name = nameWith(row.base, flagged.flags);
      t.is(nameWith(row.base, flagsOfSeed(row, s + 15n).flags), name);
      if (flagged.flags.length > 0) {
        t.deepEqual(namesOf(name), [row.base, flagged.flags]);
        t.is(engineNamed(name)?.row, row.base, name);
      }
      for (const flag of flagged.flags) drawn.add(flag.replace(/(?<=[sS]eed=)\d+$/, "1"));
      names.add(name);
    }
    t.deepEqual([...drawn].sort(), flagsHere(row).flat().map(numbered).sort());
    t.true(names.size >= Math.min(300, 2 ** flagsHere(row).length), `${names.size} names`);
  });
}

/** Returns the first seed of each of `count` choices. */
const choices = (count: number): bigint[] =>
  Array.from({ length: count }, (_, c) => 16n * BigInt(c));

const withFlag = (row: EngineWithFlags, flag: string): EngineWithFlags => ({
  ...row,
  flags: [...row.flags, [flag]],
});
const isDrawn = (row: EngineWithFlags, flag: string): boolean =>
  choices(500).some((seed) => flagsOfSeed(row, seed).flags.includes(flag));

/** Flags that no compiler has, and unsupported values of known flags. */
const LACKING: readonly (readonly [row: string, flag: string])[] = [
  ...DRAWN.map(({ name }) => [name, "no-such-flag"] as const),
  ["binaryen-drawn", "flat-no-such-flag"],
  ["gcc-drawn", "fno-such-flag"],
  ["gcc-drawn", "fira-algorithm=no-such"],
  ["gcc-drawn", "march=no-such"],
  ["ion-drawn", "ion-regalloc=no-such"],
  ["llvm-drawn", "regalloc=no-such"],
];

for (const [name, flag] of LACKING) {
  testWith(name)(`${name}: ${flag} is missing and not drawn`, (t) => {
    t.false(isDrawn(withFlag(rowNamed(name), flag), flag));
  });
}

test("code is compiled for processors whose features this machine has", (t) => {
  const haswell = new Set("avx avx2 bmi1 bmi2 fma f16c movbe abm sse4_2 popcnt".split(" "));
  const runnable = MARCHES.filter((flag) => canRun(flag, haswell));
  t.deepEqual(
    runnable,
    ["native", "nehalem", "sandybridge", "haswell"].map((of) => `march=${of}`),
  );
  t.deepEqual(
    MARCHES.filter((flag) => canRun(flag, new Set())),
    ["march=native"],
  );
  t.is(canRun("mavx2"), null);
});

test("a flag of another version of V8 is not drawn", (t) => {
  const row = rowNamed("v8-drawn");
  t.true(hasFlag(row, "no-turbo-jt"));
  t.true(hasFlag(row, "random-seed=7"));
  t.false(hasFlag(row, "no-turbo-sp-frame-accesses"));
});

test("a compiler is queried once, when flags are first drawn", (t) => {
  const row = rowNamed("v8-drawn");
  let count = 0;
  const words = (): readonly string[] => {
    count++;
    return V8.words([]);
  };
  const counted = { ...row, listing: { ...V8, words } };
  t.is(count, 0);
  for (const seed of choices(100)) {
    t.deepEqual(flagsOfSeed(counted, seed).flags, flagsOfSeed(row, seed).flags);
  }
  t.is(count, 1);
});

test("all flags are drawn if a compiler does not list its flags", (t) => {
  const row = withFlag(rowNamed("v8-drawn"), "no-such-flag");
  for (const words of [["--no-such-option"], ["--version"]]) {
    const dumb = { ...row, listing: { ...V8, words: () => words } };
    t.true(isDrawn(dumb, "no-such-flag"), words[0]);
  }
});

test("a name with an unknown flag names no engine", (t) => {
  for (const name of ["llvm-O2+nsv", "llvm-O2+", "nothing+nsw", "jsc-omg+airRandomizeRegsSeed=x"]) {
    t.is(engineNamed(name), null, name);
  }
  t.is(engineNamed("llvm-O2+nsw")?.row, "llvm-O2");
});

/** A sum of floats whose order changes the result: it loses small numbers beside large ones. */
const SUM = `touchstone 1
proc f(Int64 @0) -> Float
#0:
  Float @1 = ConstFloat(0.0)
  Int64 @2 = Const64(0)
  Void @3 = Upsilon(@1, ^10)
  Void @4 = Upsilon(@2, ^11)
  Int64 @5 = Const64(4)
  Int64 @6 = Const64(75161927680)
  Int64 @7 = Const64(1)
  Void @8 = Jump(#1)
#1:
  Float @10 = Phi()
  Int64 @11 = Phi()
  Int64 @12 = Mul(@11, @5)
  Int64 @13 = Add(@12, @6)
  Int32 @14 = Load(@13)
  Float @15 = IToF(@14)
  Float @16 = Add(@10, @15)
  Int64 @17 = Add(@11, @7)
  Void @18 = Upsilon(@16, ^10)
  Void @19 = Upsilon(@17, ^11)
  Int32 @20 = LessThan(@17, @0)
  Void @21 = Branch(@20, #1, #2)
#2:
  Void @22 = Return(@16)
; run: f(96) fill 7
`;
const sum = parseModule(SUM);
const sumInputs = runLines(SUM, sum).map(({ input }) => input);

async function sumBy(name: string, words: readonly string[] = []): Promise<string> {
  const named = engineNamed(name);
  const engine =
    words.length === 0 ? named : named?.alterable?.with({ ...NOTHING_ADDED, name, words });
  assert(engine !== null && engine !== undefined, () => `no engine is named ${name}`);
  const judge = new Judge({ subjects: [engine], fuelMax: 10_000 });
  const [{ results }] = await judge.judgeAll([{ module: sum, inputs: sumInputs }]);
  judge.close();
  return `${name} ${results[0].judgements[0].verdict.kind}`;
}

const ORDER = "no drawn flag lets a compiler reorder sums of floats";
testWith("llvm-O2")(`${ORDER}: LLVM`, async (t) => {
  const wide = "llvm-O2+force-vector-width=4";
  t.is(await sumBy(wide), `${wide} equal`);
  const alone = ["force-vector-width=4"];
  const words = alone.flatMap((word) => ["-mllvm", `-${word}`]);
  t.is(await sumBy("llvm-O2", words), "llvm-O2 different");
  for (const flags of lists(rowNamed("llvm-drawn"))) {
    const own = flags.filter((flag) => !isFormName(flag));
    const name = nameWith("llvm-O2", own);
    t.is(await sumBy(name), `${name} equal`);
  }
});
testWith("gcc-O2")(`${ORDER}: GCC`, async (t) => {
  t.is(await sumBy("gcc-O2", ["-O3", "-ffast-math"]), "gcc-O2 different");
  for (const flags of lists(rowNamed("gcc-drawn"))) {
    const words = flags.filter((flag) => !isFormName(flag));
    const name = nameWith("gcc-O2", [
      "O3",
      ...words.filter((flag) => flag !== "O1" && flag !== "Os"),
    ]);
    t.is(await sumBy(name), `${name} equal`);
  }
});

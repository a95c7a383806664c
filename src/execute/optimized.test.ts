// Tests that the result for a procedure depends neither on the time of its optimization nor on the
// other optimized procedures.

import test from "ava";
import { LEVELS } from "../../reference/levels.js";
import { TARGET_NAMES } from "../../reference/target/target.js";
import { programOf } from "../campaign/program/seeds.js";
import type { Module } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { printModule } from "../ir/text/print.js";
import { type ChoiceSource, SeedSource } from "../support/source.js";
import { trials } from "../support/trials.js";
import { CompilationUnit, DEFAULT_SETTINGS } from "./unit.js";

const PROGRAMS = trials(15, 300);
const WAYS = LEVELS.flatMap((level) =>
  [null, ...TARGET_NAMES].flatMap((target) =>
    [false, true].map((chaos) => ({ level, target, chaos })),
  ),
);

test("the result for a procedure does not depend on the order of requests", (t) => {
  let finished = 0;
  for (let seed = 0n; seed < PROGRAMS; seed++) {
    const { module } = programOf(seed, "usual");
    const settings = { ...DEFAULT_SETTINGS, chaos: seed };
    const whole = new CompilationUnit(module, settings);
    const expected = WAYS.map((way) => printModule(whole.optimized(way).module));
    const source = new SeedSource(seed, "asked");
    const unit = new CompilationUnit(module, settings);
    const rest = WAYS.flatMap((_, w) => module.procedures.map((_, p) => ({ w, p })));
    for (const { w, p } of shuffled(rest, source)) {
      const optimized = unit.optimizedLazily(WAYS[w]);
      optimized.finish(optimized.module.procedures[p]);
      finished++;
    }
    WAYS.forEach((way, w) => {
      t.is(printModule(unit.optimizedLazily(way).module), expected[w], `seed ${seed}`);
    });
  }
  t.true(finished > PROGRAMS * WAYS.length);
});

// A rule turns the indirect call into a call of a known procedure. The optimizer copies this
// procedure into the caller if it is finished by then.
const BY_ADDRESS = `touchstone 1
proc main(Int32 @0) -> Int32
#0:
  Void @1 = Return(@0)
proc outer(Int32 @0) -> Int32
snapshot s0 = exit 1 frames [outer@1: @0]
#0:
  Int64 @1 = FunctionAddress(small)
  Int64 @2 = Identity(@1)
  Int32 @3 = CallCheck(@2, @0) s0
  Void @4 = Return(@3)
proc small(Int32 @0) -> Int32
#0:
  Int32 @1 = Mul(@0, @0)
  Void @2 = Return(@1)
`;

test("a procedure that only a FunctionAddress names is optimized before its user", (t) => {
  const way = { level: "O2", target: null, chaos: false } as const;
  const settings = { ...DEFAULT_SETTINGS, phases: ["reduce-strength", "inline-calls"] };
  const printed = [["outer"], ["small", "outer"]].map((names) => {
    const optimized = new CompilationUnit(parseModule(BY_ADDRESS), settings).optimizedLazily(way);
    const { procedures } = optimized.module;
    for (const name of names) {
      for (const proc of procedures) if (proc.name === name) optimized.finish(proc);
    }
    return printModule(optimized.module);
  });
  t.is(printed[0], printed[1]);
  t.notRegex(printed[0], /CallCheck|CCall/);
});

test("an unused procedure is not optimized", (t) => {
  const seeds = Array.from({ length: 100 }, (_, s) => BigInt(s));
  const way = { level: "O2", target: "x64", chaos: false } as const;
  let untouched = 0;
  for (const seed of seeds) {
    const { module } = programOf(seed, "usual");
    const optimized = new CompilationUnit(module).optimizedLazily(way);
    optimized.finish(optimized.module.entry);
    const finished = optimized.module.procedures.filter((proc) => optimized.isFinished(proc));
    t.true(finished.includes(optimized.module.entry));
    if (finished.length < module.procedures.length) untouched++;
    t.notThrows(() => optimized.finishAll());
    t.true(optimized.module.procedures.every((proc) => optimized.isFinished(proc)));
  }
  t.true(untouched > seeds.length / 2, `${untouched} programs`);
});

test("a program with a limit of applications is optimized as a whole", (t) => {
  const module = moduleWithContinuations();
  const limited = new CompilationUnit(module, { ...DEFAULT_SETTINGS, applicationsMax: 3 });
  const optimized = limited.optimizedLazily({ level: "O2", target: null, chaos: false });
  t.true(optimized.module.procedures.every((proc) => optimized.isFinished(proc)));
  t.is(optimized.report.applications, 3);
});

function moduleWithContinuations(): Module {
  for (let seed = 0n; ; seed++) {
    const { module } = programOf(seed, "usual");
    if (module.continuations.size > 2) return module;
  }
}

function shuffled<T>(list: readonly T[], source: ChoiceSource): T[] {
  const rest = [...list];
  return list.flatMap(() => rest.splice(source.below(rest.length), 1));
}

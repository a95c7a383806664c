// What becomes of a procedure does not depend on when it is optimized, nor on what else is.

import test from "ava";
import { LEVELS } from "../../reference/levels.js";
import { TARGET_NAMES } from "../../reference/target/target.js";
import { programOf } from "../campaign/program/seeds.js";
import type { Module } from "../ir/procedure.js";
import { printModule } from "../ir/text/print.js";
import { SeedSource, type Source } from "../support/source.js";
import { trials } from "../support/trials.js";
import { DEFAULT_SETTINGS, Unit } from "./unit.js";

const PROGRAMS = trials(15, 300);
const WAYS = LEVELS.flatMap((level) =>
  [null, ...TARGET_NAMES].flatMap((target) =>
    [false, true].map((chaos) => ({ level, target, chaos })),
  ),
);

test("a procedure is the same, whenever it is asked for", (t) => {
  let asked = 0;
  for (let seed = 0n; seed < PROGRAMS; seed++) {
    const { module } = programOf(seed, "usual");
    const settings = { ...DEFAULT_SETTINGS, chaos: seed };
    const whole = new Unit(module, settings);
    const expected = WAYS.map((way) => printModule(whole.optimized(way).module));
    const source = new SeedSource(seed, "asked");
    const unit = new Unit(module, settings);
    const rest = WAYS.flatMap((_, w) => module.procedures.map((_, p) => ({ w, p })));
    for (const { w, p } of shuffled(rest, source)) {
      const optimized = unit.optimizedWhenAsked(WAYS[w]);
      optimized.finish(optimized.module.procedures[p]);
      asked++;
    }
    WAYS.forEach((way, w) => {
      t.is(printModule(unit.optimizedWhenAsked(way).module), expected[w], `seed ${seed}`);
    });
  }
  t.true(asked > PROGRAMS * WAYS.length);
});

test("what nobody asks for stays as it is", (t) => {
  const seeds = Array.from({ length: 100 }, (_, s) => BigInt(s));
  const way = { level: "O2", target: "x64", chaos: false } as const;
  let untouched = 0;
  for (const seed of seeds) {
    const { module } = programOf(seed, "usual");
    const optimized = new Unit(module).optimizedWhenAsked(way);
    optimized.finish(optimized.module.entry);
    const finished = optimized.module.procedures.filter((proc) => optimized.isFinished(proc));
    t.true(finished.includes(optimized.module.entry));
    if (finished.length < module.procedures.length) untouched++;
    t.notThrows(() => optimized.finishAll());
    t.true(optimized.module.procedures.every((proc) => optimized.isFinished(proc)));
  }
  t.true(untouched > seeds.length / 2, `${untouched} programs`);
});

test("a program whose applications are counted is optimized whole", (t) => {
  const module = moduleWithContinuations();
  const limited = new Unit(module, { ...DEFAULT_SETTINGS, applicationsMax: 3 });
  const optimized = limited.optimizedWhenAsked({ level: "O2", target: null, chaos: false });
  t.true(optimized.module.procedures.every((proc) => optimized.isFinished(proc)));
  t.is(optimized.report.applications, 3);
});

function moduleWithContinuations(): Module {
  for (let seed = 0n; ; seed++) {
    const { module } = programOf(seed, "usual");
    if (module.continuations.size > 2) return module;
  }
}

function shuffled<T>(list: readonly T[], source: Source): T[] {
  const rest = [...list];
  return list.flatMap(() => rest.splice(source.below(rest.length), 1));
}

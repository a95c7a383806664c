// Tests that the measurement `bench` covers every stage and every phase that runs.

import test from "ava";
import { wholly } from "../../../fuzz/support/run-here.js";
import { optimize } from "../../../reference/optimize.js";
import { programOf } from "../../../src/campaign/program/seeds.js";
import { emulatorTest } from "../../../src/execute/unicorn-available.js";
import { figure, stageFigure, verdictOf } from "./bench-figures.js";
import { LEVEL, stageSteps } from "./bench-stages.js";

const withEmulator = emulatorTest(test);

withEmulator("stages of both targets and phases of the level have times", async (t) => {
  const figures = await wholly(stageSteps([1n, 2n, 3n, 4n]));
  const names = figures.map(({ name }) => name);
  t.is(new Set(names).size, names.length);
  for (const stage of ["generate", "optimize", "lower x64", "check arm64", "emulate arm64"]) {
    const found = figures.find(({ name }) => name === stage);
    t.true(found !== undefined && (found.value ?? 0) > 0, stage);
  }
  t.true(names.includes("phase canonicalize-phis") && names.includes("phase, mean"));
  for (const { name, value, goal } of figures.filter((row) => row.name.startsWith("phase"))) {
    t.is(goal, 100, name);
    t.true(value !== null && value > 0, name);
  }
});

test("a phase clock receives the start and the stop of each phase", (t) => {
  const told: string[] = [];
  const ran: string[] = [];
  const { module } = programOf(7n);
  optimize(module, {
    level: LEVEL,
    clock: { start: () => told.push("start"), stop: (phase) => told.push(phase) },
    afterPhase: (phase) => ran.push(phase),
  });
  t.true(ran.length >= module.procedures.length);
  t.deepEqual(
    told,
    ran.flatMap((phase) => ["start", phase]),
  );
});

test("a required value is met or missed, according to the better direction", (t) => {
  t.is(verdictOf(figure("programs", 1000), 1000), "met");
  t.is(verdictOf(figure("programs", 999), 1000), "missed");
  t.is(verdictOf(stageFigure("generate", 61, 60), 60), "missed");
  t.is(verdictOf(stageFigure("generate", Number.NaN, 60), 60), "");
  t.is(verdictOf(stageFigure("verify", 1, null), null), "");
});

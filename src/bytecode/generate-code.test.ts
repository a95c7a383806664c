// Tests random bytecode: it is valid, it terminates, it covers all primitives, and traces do not
// change its behavior.

import test from "ava";
import { judge } from "../compare/compare.js";
import { describeDifference } from "../compare/describe-difference.js";
import { fuelFor } from "../execute/fuel.js";
import { isJudged } from "../ir/outcome.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { ProgramFacts } from "../record/program-facts.js";
import { thresholdsOfSeed } from "../record/thresholds.js";
import { addCounts, noCounts } from "../record/trace-counts.js";
import { InterpretedTraces } from "../record/trace-runner.js";
import { type TracingFault, TracingMachine } from "../record/tracing-machine.js";
import { SeedSource } from "../support/source.js";
import { recordingLevelOf } from "./bytecode-level.js";
import { primitiveOf } from "./code.js";
import { generateCode } from "./generate-code.js";
import { moduleOf } from "./interpreter-module.js";
import { plainDifference } from "./plain-difference.js";
import { PRIMITIVES } from "./primitives.js";
import { faultOf } from "./verify-code.js";

const PROGRAMS = 90n;
/** Some primitives are rare; this many programs contain all. */
const PROGRAMS_MADE = 180n;

/** Minimum counts over all executions of all programs. */
const FLOORS = {
  roots: 100,
  sides: 50,
  loops: 70,
  links: 50,
  returns: 20,
  entries: 700,
  exits: 500,
  linked: 200,
};

test("random bytecode: traces are valid, and do not change the observable behavior", (t) => {
  const oracle = new Oracle();
  const counts = noCounts();
  const made = new Set<string>();
  const endings = new Map<number, number>();
  let fuel = 0;
  for (let seed = 0n; seed < PROGRAMS; seed++) {
    const { code, inputs } = generateCode(new SeedSource(seed, "bytecode"));
    t.is(faultOf(code), null, `seed ${seed}`);
    for (const word of code.words) made.add(primitiveOf(word).name);
    const facts = new ProgramFacts(moduleOf(code));
    const level = recordingLevelOf(facts);
    for (const input of inputs) {
      const expected = oracle.run(facts.program, input, DEFAULT_FUEL);
      if (!isJudged(expected) || expected.ending.kind !== "exit") continue;
      fuel += oracle.fuelUsed;
      endings.set(expected.ending.exit, 1 + (endings.get(expected.ending.exit) ?? 0));
      t.is(plainDifference(code, input, expected), null, `seed ${seed}`);
      const fuelMax = fuelFor(oracle.fuelUsed);
      const thresholds = thresholdsOfSeed(seed);
      const runner = new InterpretedTraces(fuelMax);
      const machine = new TracingMachine(facts, { thresholds, runner, fault: null, level });
      const verdict = judge(expected, machine.run(input, fuelMax));
      const told = verdict.kind === "different" ? describeDifference(verdict.difference) : null;
      t.is(told, null, `seed ${seed}`);
      for (const { module } of machine.traces) t.deepEqual(verify(module).map(describeFault), []);
      addCounts(counts, machine.counts);
    }
  }
  for (let seed = PROGRAMS; seed < PROGRAMS_MADE; seed++) {
    const { words } = generateCode(new SeedSource(seed, "bytecode")).code;
    for (const word of words) made.add(primitiveOf(word).name);
  }
  t.log(counts, endings, fuel);
  t.deepEqual(
    PRIMITIVES.filter(({ name }) => !made.has(name)).map(({ name }) => name),
    [],
  );
  // Three quarters of the executions, two inputs for each program.
  t.true((endings.get(0) ?? 0) > (3 * 2 * Number(PROGRAMS)) / 4);
  t.true((endings.get(1) ?? 0) > 0);
  t.true((endings.get(2) ?? 0) > 0);
  for (const [name, floor] of Object.entries(FLOORS)) {
    const count = counts[name as keyof typeof FLOORS]; // a key of FLOORS
    t.true(count >= floor, `${name}: ${count}`);
  }
});

const FAULTS: readonly TracingFault[] = [
  "exchanged-slots",
  "missing-guard",
  "endless-penalty",
  "dead-top",
  "assumed-tag",
];

for (const fault of FAULTS) {
  test(`planted: ${fault}`, (t) => {
    const oracle = new Oracle();
    let found = 0;
    for (let seed = 0n; seed < 12n && found === 0; seed++) {
      const { code, inputs } = generateCode(new SeedSource(seed, "bytecode"));
      const facts = new ProgramFacts(moduleOf(code));
      const level = recordingLevelOf(facts);
      const thresholds = { ...thresholdsOfSeed(seed), exitsMax: 8 };
      for (const input of inputs) {
        const expected = oracle.run(facts.program, input, DEFAULT_FUEL);
        const fuelMax = fuelFor(oracle.fuelUsed);
        const runner = new InterpretedTraces(fuelMax);
        const machine = new TracingMachine(facts, { thresholds, runner, fault, level });
        if (judge(expected, machine.run(input, fuelMax)).kind === "different") found++;
      }
    }
    t.true(found > 0);
  });
}

// Tests programs whose entry runs many times: they are valid, judged, and recorded.

import test from "ava";
import { isJudged } from "../../ir/outcome.js";
import { describeFault, verify } from "../../ir/verify/verify.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { ProgramFacts } from "../../record/program-facts.js";
import { thresholdsOfSeed } from "../../record/thresholds.js";
import { InterpretedTraces } from "../../record/trace-runner.js";
import { TracingMachine } from "../../record/tracing-machine.js";
import { programOf } from "./seeds.js";

const PROGRAMS = 20n;

test("a program that repeats its entry is judged, and enters and leaves traces", (t) => {
  const oracle = new Oracle();
  let [executions, judged, entries, sides] = [0, 0, 0, 0];
  for (let seed = 1n; seed <= PROGRAMS; seed++) {
    const { module, inputs } = programOf(seed, "traced");
    t.deepEqual(verify(module).map(describeFault), [], `seed ${seed}`);
    const facts = new ProgramFacts(module);
    for (const input of inputs) {
      executions++;
      if (!isJudged(oracle.run(facts.program, input, DEFAULT_FUEL))) continue;
      judged++;
      const runner = new InterpretedTraces(DEFAULT_FUEL);
      const thresholds = thresholdsOfSeed(seed);
      const machine = new TracingMachine(facts, { thresholds, runner, fault: null });
      machine.run(input, DEFAULT_FUEL);
      entries += machine.counts.entries;
      sides += machine.counts.sides;
    }
  }
  t.true(judged >= 0.85 * executions, `${judged} of ${executions} are judged`);
  t.true(entries >= 3 * judged && sides >= judged / 2, `${entries} entries, ${sides} side traces`);
});

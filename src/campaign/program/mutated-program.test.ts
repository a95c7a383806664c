// Tests that mutated programs are valid, and mostly judged.

import test from "ava";
import { isJudged } from "../../ir/outcome.js";
import { printModule } from "../../ir/text/print.js";
import { describeFault, verify } from "../../ir/verify/verify.js";
import { MUTATIONS } from "../../mutate/mutations.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { mutatedStock, stockOf } from "./mutated-program.js";
import {
  EACH_EXIT,
  EVOLVED,
  generatedOf,
  MUTATED,
  PROFILE_NAMES,
  programOf,
  readingOf,
  USUAL,
} from "./seeds.js";

const PROGRAMS = 60n;

test("mutated programs are programs, and nearly every execution is judged", (t) => {
  const oracle = new Oracle();
  const applied = new Set<string>();
  let [executions, unjudged] = [0, 0];
  for (let seed = 0n; seed < PROGRAMS; seed++) {
    const { program: made, mutations } = mutatedStock(
      stockOf(generatedOf(seed)),
      seed,
      generatedOf,
    );
    const { module, inputs } = made;
    t.deepEqual(verify(module).map(describeFault), [], `seed ${seed}`);
    for (const name of mutations.applied) applied.add(name);
    const program = decodeModule(module);
    for (const input of inputs) {
      executions++;
      if (!isJudged(oracle.run(program, input, DEFAULT_FUEL))) unjudged++;
    }
  }
  t.true(unjudged <= 0.01 * executions, `${unjudged} of ${executions}`);
  t.deepEqual(
    MUTATIONS.map(({ name }) => name).filter((name) => !applied.has(name)),
    [],
    "each mutation was kept at least once",
  );
});

test("a seed means one program in each profile", (t) => {
  // Other profiles read some usual seeds.
  const textIn = (profile: string): string =>
    [7n, 8n, 9n]
      .map((seed) => printModule(programOf(seed, profile, profile === EVOLVED ? "12" : "").module))
      .join("");
  const texts = PROFILE_NAMES.map(textIn);
  t.is(new Set(texts).size, PROFILE_NAMES.length);
  PROFILE_NAMES.forEach((profile, i) => {
    t.is(textIn(profile), texts[i], profile);
  });
  t.throws(() => programOf(7n, "nobody"), { message: /no profile is named nobody/ });
});

test("one of sixteen usual seeds is mutated, and one takes each of its exits", (t) => {
  const counts: Record<string, number> = {};
  for (let seed = 0n; seed < 320n; seed++) {
    const reading = readingOf(seed, USUAL);
    counts[reading] = (counts[reading] ?? 0) + 1;
    if (counts[reading] > 3) continue;
    const text = printModule(programOf(seed).module);
    t.is(text, printModule(programOf(seed, reading).module), `seed ${seed}`);
    t.is(text === printModule(generatedOf(seed).module), reading === USUAL, `seed ${seed}`);
  }
  for (const reading of [MUTATED, EACH_EXIT]) {
    t.true(counts[reading] >= 10 && counts[reading] <= 32, `${reading}: ${counts[reading]}`);
  }
});

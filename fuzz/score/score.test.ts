// Bugs are planted, looked for and counted; mutants are drawn; what is known is not asked again.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { answerFault } from "../../ci/schemas/answer-fault.js";
import { emulatorTest } from "../../src/execute/unicorn-available.js";
import { runHere } from "../support/run-here.js";
import { drawMutants, mutated } from "./mutants.js";
import { ScoreRows } from "./rows.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-score-test-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const SOURCE = `import { x } from "./x.js";
export function f(a: number, b: number[]): number {
  if (a < 3) b.push(a, x);
  return a + 1;
}
`;

test.serial("mutants are drawn of each kind, and change what they say", (t) => {
  mkdirSync(join(folder, "reference", "optimize"), { recursive: true });
  const file = join("reference", "optimize", "f.ts");
  writeFileSync(join(folder, file), SOURCE);
  writeFileSync(join(folder, "tsconfig.json"), `{"include": ["reference"]}`);
  const drawn = drawMutants(folder, 100, 1n);
  const texts = drawn.map((mutant) => mutated(SOURCE, mutant));
  for (const changed of [
    SOURCE.replace("a < 3", "a <= 3"),
    SOURCE.replace("a < 3", "a >= 3"),
    SOURCE.replace("a < 3", "!(a < 3)"),
    SOURCE.replace("a < 3", "a < (3 + 1)"),
    SOURCE.replace("b.push(a, x);", ";"),
    SOURCE.replace("b.push(a, x)", "b.push(x, a)"),
    SOURCE.replace("a + 1", "a - 1"),
  ]) {
    t.true(texts.includes(changed), changed);
  }
  t.is(new Set(texts).size, texts.length, "each is another program");
  t.deepEqual(drawn.find(({ operator }) => operator === "statement dropped")?.line, 3);
  t.deepEqual(
    drawMutants(folder, 3, 1n),
    drawn.slice(0, 3),
    "the first of more are those of fewer",
  );
});

emulatorTest(test.serial)(
  "a planted bug is killed, located, and not asked for again",
  async (t) => {
    const state = join(folder, "score.jsonl");
    // Shows in nearly every program of 32 bits.
    const args = ["score", "x64enc-byte-register-prefix", "--count", "12", "--state", state];
    const first = await runHere(args);
    t.is(first.status, 0, first.out);
    t.regex(first.out, /^x64enc-byte-register-prefix: usual: killed by program \d+/);
    t.regex(first.out, /stage and rule right: 1 of 1/);
    const rows = new ScoreRows(state);
    const key = { bug: "x64enc-byte-register-prefix", profile: "usual", seed: "1", count: 12 };
    t.true(rows.find(key)?.killed);
    t.is(rows.find({ ...key, seed: "2" }), null);
    const before = readFileSync(state, "utf8");
    // The end of a line was lost: it is asked for again, and nothing else.
    writeFileSync(state, `${before}{"bug": "x`);
    const second = await runHere([...args, "--json"]);
    t.is(answerFault("touchstone.score", second.out), null);
    t.deepEqual(JSON.parse(second.out).rows, [rows.find(key)]);
  },
);

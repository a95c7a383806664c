// Tests the bits that a reproducer does not compare: those of a NaN that the language leaves open,
// and no others.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { engineNamed, observations } from "../../engine/engines.js";
import type { RunResult } from "../../engine/run-answer.js";
import { parseModule } from "../../ir/text/parse.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { openBits } from "./open-bits.js";

const MODULE = parseModule(`touchstone 1
proc f(Double @0, Double @1) -> Double
#0:
  Double @2 = Mul(@0, @1)
  Void @3 = Return(@2)
`);
/** 0 times infinity. */
const INPUT = { words: Int32Array.of(0, 0, 0, 0x7ff00000), heapSeed: 0 };
/** Returns the position of the result in a RETURN record. */
const AT = 8;

async function answered(): Promise<RunResult> {
  for await (const answer of observations(MODULE, INPUT)) return answer;
  throw new Error("no implementation answers");
}

const bitsIn = (bytes: Uint8Array): number =>
  bytes.reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0);

test("all bits of a NaN except its exponent are open", async (t) => {
  const answer = await answered();
  const open = openBits(MODULE, new Oracle().run(decodeModule(MODULE), INPUT, 100), answer);
  t.is(bitsIn(open.subarray(AT, AT + 8)), 1 + 52);
  t.is(bitsIn(open), 1 + 52);
});

for (const name of ["v8-turbofan", "tcc", "wasm-interp"]) {
  const engine = engineNamed(name);
  const isHere = engine !== null && engine.missing() === null;
  (isHere ? test : test.skip)(
    `${name}: a reproducer accepts any NaN, and no other number`,
    async (t) => {
      if (engine === null) return;
      const folder = mkdtempSync(join(tmpdir(), "touchstone-reproducer-"));
      t.teardown(() => rmSync(folder, { recursive: true }));
      const answer = await answered();
      const open = openBits(MODULE, new Oracle().run(decodeModule(MODULE), INPUT, 100), answer);
      const runWith = (at: number): number | null => {
        const records = answer.records.slice();
        records[at] ^= 1;
        const expected = { ...answer, records };
        const files = engine.reproducer({ module: MODULE, input: INPUT, expected, open });
        for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
        return spawnSync("sh", [join(folder, "reproduce.sh")]).status;
      };
      t.is(runWith(AT), 0);
      t.is(runWith(0), 1);
    },
  );
}

// Tests addresses of slots that a host keeps, in each format: the exported program agrees with the
// oracle, also with addresses that an earlier execution has kept.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { Judge } from "../compare/judge-program.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { projectRoot } from "../support/project-root.js";
import { engineTest } from "./engine-test.js";

const FILE = join(projectRoot(), "corpus", "golden", "run", "slot-that-the-host-keeps.ir");

for (const name of ["v8-liftoff", "gcc-O2", "llvm-O2", "luajit", "v8-js-turbofan", "hotspot-c2"]) {
  engineTest(
    test,
    name,
    `${name}: the host reads and writes slots of the program`,
    async (t, engine) => {
      const text = readFileSync(FILE, "utf8");
      const module = parseModule(text);
      const inputs = runLines(text, module).map(({ input }) => input);
      const judge = new Judge({ subjects: [engine], fuelMax: 1000 });
      const [{ results }] = await judge.judgeAll([{ module, inputs: [...inputs, ...inputs] }]);
      judge.close();
      const { judgements } = results[0];
      t.is(judgements.length, 2 * inputs.length);
      for (const { verdict } of judgements) t.is(verdict.kind, "equal", JSON.stringify(verdict));
    },
  );
}

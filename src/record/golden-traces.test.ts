// Tests recorded traces against `corpus/golden/record/*.trace`. A file contains a program with run
// lines, `; hot: N`, and in lines `;|` the output of `fuzz trace FILE --hot N`. GOLDEN=write
// updates the output.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { recordingLevelOf } from "../bytecode/bytecode-level.js";
import { moduleOf } from "../bytecode/interpreter-module.js";
import { isBytecode, parseCode } from "../bytecode/text.js";
import { fuelFor } from "../execute/fuel.js";
import { parseModule } from "../ir/text/parse.js";
import { printInput, runLines } from "../ir/text/run-line.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { projectRoot } from "../support/project-root.js";
import { describeCounts, describeTraces } from "./describe-traces.js";
import { ProgramFacts } from "./program-facts.js";
import { hotAt } from "./thresholds.js";
import { InterpretedTraces } from "./trace-runner.js";
import { TracingMachine } from "./tracing-machine.js";

const FOLDER = join(projectRoot(), "corpus", "golden", "record");
const MARK = ";| ";

function recorded(text: string): string[] {
  const module = isBytecode(text) ? moduleOf(parseCode(text)) : parseModule(text);
  const facts = new ProgramFacts(module);
  const hot = Number(/^; hot: (\d+)$/m.exec(text)?.[1] ?? 1);
  return runLines(text, module).flatMap(({ input }) => {
    const runner = new InterpretedTraces(fuelFor(DEFAULT_FUEL));
    const level = recordingLevelOf(facts);
    const options = { thresholds: hotAt(hot), runner, fault: null, level };
    const machine = new TracingMachine(facts, options);
    machine.run(input, fuelFor(DEFAULT_FUEL));
    const head = `; run: ${printInput(module, input)}`;
    return [head, ...describeTraces(facts, machine.traces), ...describeCounts(machine.counts)];
  });
}

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".trace"))) {
  test(`${file}: recorded traces match`, (t) => {
    const path = join(FOLDER, file);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const program = lines.filter((line) => !line.startsWith(MARK.trimEnd()));
    const expected = lines.filter((line) => line.startsWith(MARK.trimEnd()));
    const said = recorded(program.join("\n")).map((line) => (MARK + line).trimEnd());
    if (process.env["GOLDEN"] === "write") {
      writeFileSync(path, `${[...program, ...said].join("\n")}\n`);
    } else t.deepEqual(said, expected);
    t.pass();
  });
}

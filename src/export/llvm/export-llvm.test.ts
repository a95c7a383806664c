// Checks that each opcode can be exported as LLVM IR. Tests in src/engine run the result where
// clang is installed.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { parseModule } from "../../ir/text/parse.js";
import { projectRoot } from "../../support/project-root.js";
import { exportLlvm } from "./export-llvm.js";

const FOLDER = join(projectRoot(), "corpus", "golden", "opcodes");

for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(".ir"))) {
  test(`${name} is exported as LLVM IR`, (t) => {
    t.notThrows(() => exportLlvm([parseModule(readFileSync(join(FOLDER, name), "utf8"))]));
  });
}

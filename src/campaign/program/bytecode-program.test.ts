// Tests that programs of the profile `bytecode` end soon enough for every subject.

import test from "ava";
import { codeOf } from "../../bytecode/interpreter-module.js";
import { endsWithin } from "../../bytecode/plain-difference.js";
import { bytecodeProgram } from "./bytecode-program.js";

const WORDS_MAX = 8000;

// One of these seeds executed three times as many words before they were limited.
test("no input executes more words than are allowed", (t) => {
  for (let seed = 5000n; seed < 5020n; seed++) {
    const { module, inputs } = bytecodeProgram(seed);
    const code = codeOf(module);
    t.true(code !== null && inputs.every((input) => endsWithin(code, input, WORDS_MAX)), `${seed}`);
  }
});

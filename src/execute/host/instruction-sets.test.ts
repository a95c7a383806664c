import ava from "ava";
import { hostTest } from "../unicorn-available.js";
import { instructionMissing } from "./instruction-sets.js";

const test = hostTest(ava);

test("this processor has all instructions", (t) => {
  t.is(instructionMissing(), null);
});

test("an instruction that an older processor replaces by another is reported", (t) => {
  const bsr = { instruction: "LZCNT", result: 31, code: "bf01000000 0fbdc7 c3" };
  const bsf = { instruction: "TZCNT", result: 32, code: "31ff 31c0 0fbcc7 c3" };
  const fault = { instruction: "SSE4.1", result: 0, code: "31c0 0f0b c3" };
  for (const probe of [bsr, bsf, fault]) t.is(instructionMissing([probe]), probe.instruction);
  t.is(instructionMissing(), null);
});

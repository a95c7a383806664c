// Checks that programs which violate a property shrink to a few values, and that each is shown as
// text that parses and replays.

import test from "ava";
import fc from "fast-check";
import { EFFECTS, EXITS, Op } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { printModule } from "../ir/text/print.js";
import { runLines } from "../ir/text/run-line.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { coreSize } from "../reduce/candidate.js";
import type { ChosenValue } from "../support/choice-arb.js";
import { trials } from "../support/trials.js";
import type { Program } from "./generate-program.js";
import { printProgram, programs } from "./program-arb.js";

const arb = programs();

const has = ({ module }: Program, isWanted: (value: Value) => boolean): boolean => {
  let found = false;
  for (const proc of module.procedures) {
    proc.forEachValue((value) => {
      found ||= isWanted(value);
    });
  }
  return found;
};

function shrunk(
  t: { fail(message: string): void },
  isWanted: (value: Value) => boolean,
  parameters: fc.Parameters<[ChosenValue<Program>]>,
) {
  const property = fc.property(arb, ({ made }) => !has(made, isWanted));
  const { counterexample, counterexamplePath: path, numShrinks } = fc.check(property, parameters);
  if (counterexample === null || path === null) {
    t.fail("nothing failed");
    throw new Error("nothing failed");
  }
  return { found: counterexample[0], path, numShrinks };
}

// Planted: properties that generated programs violate.
// biome-ignore format: a table
const CLAIMS: readonly { readonly claim: string; readonly isWanted: (value: Value) => boolean; readonly most: number }[] = [
  { claim: "no product",   isWanted: ({ opcode }) => opcode === Op.Mul,                  most: 12 },
  { claim: "no load",      isWanted: ({ opcode }) => opcode === Op.Load,                 most: 12 },
  { claim: "no exit",      isWanted: ({ opcode }) => (EFFECTS[opcode] & EXITS) !== 0,    most: 12 },
  { claim: "no switch",    isWanted: ({ opcode }) => opcode === Op.Switch,               most: 20 },
];

/** The number of programs for each property: with few, the median depends on the seeds. */
const SHRUNK = trials(7, 15);

for (const { claim, isWanted, most } of CLAIMS.slice(0, trials(2, 4))) {
  test(`planted: ${claim}`, (t) => {
    const sizes: number[] = [];
    for (let seed = 1; seed <= SHRUNK; seed++) {
      const { found } = shrunk(t, isWanted, { seed, numRuns: 200 });
      t.true(has(found.made, isWanted));
      t.deepEqual(verify(found.made.module).map(describeFault), []);
      sizes.push(coreSize(found.made.module));
    }
    sizes.sort((x, y) => x - y);
    t.true(sizes[SHRUNK >> 1] <= most, `${sizes.join(", ")} values besides constants and returns`);
  });
}

test("a counterexample is printed as a program with its inputs, and its path replays it", (t) => {
  const [{ isWanted }] = CLAIMS;
  const { found, path } = shrunk(t, isWanted, { seed: 1 });
  const text = fc.stringify(found);
  t.is(text, printProgram(found.made));
  const module = parseModule(text.trimStart());
  t.is(printModule(module), printModule(found.made.module));
  t.is(runLines(text.trimStart(), module).length, found.made.inputs.length);
  const again = shrunk(t, isWanted, { seed: 1, path });
  t.is(again.numShrinks, 0);
  t.is(printProgram(again.found.made), text);
});

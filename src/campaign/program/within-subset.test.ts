// Tests programs within a subset: they are valid, within it, judged, diverse, and reproducible.

import test from "ava";
import { ALL_OPCODES, nameOfOpcode } from "../../ir/opcodes.js";
import { isJudged } from "../../ir/outcome.js";
import { type LanguageSubset, SubsetRules, subsetOf } from "../../ir/subset.js";
import { printModule } from "../../ir/text/print.js";
import { verify } from "../../ir/verify/verify.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { coreSize } from "../../reduce/candidate.js";
import { trials } from "../../support/trials.js";
import { PROFILE_NAMES, programOf, USUAL } from "./seeds.js";

const SEEDS = trials(40, 1000);
const INTEGERS = ["Add", "Sub", "Mul", "BitAnd", "BitOr", "BitXor"];

const SUBSETS: readonly (readonly [name: string, subset: LanguageSubset])[] = [
  ["integers without branches", { types: ["Int32"], opcodes: INTEGERS, procedures: 1 }],
  ["integers", { types: ["Int32"], opcodes: [...INTEGERS, "Branch"], procedures: 1 }],
  [
    "small",
    {
      types: ["Int32"],
      opcodes: [...INTEGERS, "Branch"],
      procedures: 1,
      values: 40,
      blocks: 9,
      parameters: 3,
    },
  ],
  ["no floats", { types: ["Int32", "Int64"] }],
  ["no wide types", { types: ["Int32", "Float"] }],
  ["no memory", { memory: false }],
  ["no calls", { calls: false }],
  ["no exits", { exits: false, procedures: 3 }],
  ["all", {}],
];

for (const [name, subset] of SUBSETS) {
  test(`programs of ${name} are within the subset, and judged`, (t) => {
    const rules = new SubsetRules(subset);
    const oracle = new Oracle();
    const texts = new Set<string>();
    const opcodes = new Set<string>();
    let size = 0;
    for (let seed = 1n; seed <= SEEDS; seed++) {
      const { module, inputs } = programOf(seed, USUAL, undefined, null, rules);
      t.is(rules.outside(module), null, `seed ${seed}`);
      t.deepEqual(verify(module), [], `seed ${seed}`);
      const program = decodeModule(module);
      for (const input of inputs)
        t.true(isJudged(oracle.run(program, input, DEFAULT_FUEL)), `seed ${seed}`);
      texts.add(printModule(module));
      size += coreSize(module);
      for (const { blocks } of module.procedures) {
        for (const { values } of blocks)
          for (const { opcode } of values) opcodes.add(nameOfOpcode(opcode));
      }
    }
    t.log(`${name}: ${texts.size} of ${SEEDS}, ${size / SEEDS} values, ${opcodes.size} opcodes`);
    t.true(texts.size > 0.95 * SEEDS, `${texts.size} different programs`);
    t.true(size / SEEDS > 10, `${size / SEEDS} values a program`);
    for (const opcode of subset.opcodes ?? []) t.true(opcodes.has(opcode), opcode);
  });
}

test("each profile is drawn within a subset, reproducibly", (t) => {
  const rules = new SubsetRules(SUBSETS[1][1]);
  for (const profile of PROFILE_NAMES) {
    const once = programOf(7n, profile, undefined, null, rules);
    t.is(rules.outside(once.module), null, profile);
    t.is(
      printModule(programOf(7n, profile, undefined, null, rules).module),
      printModule(once.module),
      profile,
    );
  }
});

test("an invalid subset is refused with the expected form", (t) => {
  t.deepEqual(subsetOf({ types: ["Int32"], memory: false }), { types: ["Int32"], memory: false });
  for (const [value, expected] of [
    [7, /an object like/],
    [{ types: ["Int33"] }, /Int32, Int64, Float, Double, got "Int33"/],
    [{ types: ["Int64"] }, /with Int32/],
    [{ opcodes: ["add"] }, /docs\/language.md, got "add"/],
    [{ values: 2 }, /"values": a number, at least 8/],
    [{ memory: 1 }, /"memory": true or false/],
    [{ typos: [] }, /expected one of types, opcodes, memory, .*, got "typos"/],
  ] as const) {
    const said = subsetOf(value);
    t.regex(typeof said === "string" ? said : "taken", expected);
  }
});

test("every opcode is in the whole language", (t) => {
  t.true(ALL_OPCODES.every((opcode) => new SubsetRules({}).hasOpcode[opcode]));
});

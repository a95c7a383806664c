// Tests a share of the boundary tables in every subject, and bugs that appear only with certain forms of operands.

import test from "ava";
import { PARTS } from "../../reference/parts.js";
import { makePlan } from "../../reference/target/plan.js";
import { X64_TARGET } from "../../reference/x64/target.js";
import { canaryNamed } from "../campaign/canary/canaries.js";
import { PRINCIPAL_SUBJECTS } from "../execute/subjects.js";
import { emulatorTest, testedSubjects } from "../execute/unicorn-available.js";
import {
  ALL_OPCODES,
  isValueOperand,
  nameOfOpcode,
  specOf,
  typesAlso,
  typesOver,
} from "../ir/opcodes.js";
import { VALUE_TYPES } from "../ir/types.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { trials } from "../support/trials.js";
import { runBoundaryTables } from "./boundary.js";
import { boundaryRows, uncoveredOpcodes } from "./boundary-cases.js";
import { allConstant, boundaryProgram, isSlotOffset, slotProgram } from "./boundary-programs.js";
import { boundaryOf } from "./boundary-values.js";

const FUEL = 100_000;
const withEmulator = emulatorTest(test);
const INTERPRETED = PRINCIPAL_SUBJECTS.filter(({ target }) => target === null);
const rowsOf = (opcode: string) => boundaryRows().filter(({ name }) => name.startsWith(opcode));

withEmulator("a share of the boundary tables, at the least and the highest level", async (t) => {
  const highest = testedSubjects().reduce((most, { level }) => (level > most ? level : most), "");
  const subjects = testedSubjects().filter(
    ({ level, chaos }) => !chaos && (level === "O0" || level === highest),
  );
  // `ci/nightly` judges all of them, with every subject.
  const share = trials(1440, 60);
  const options = { subjects, fuelMax: FUEL, share };
  const { rows, cases, failures, unjudged } = await runBoundaryTables(options);
  t.deepEqual(failures, []);
  t.is(rows, boundaryRows().length);
  t.true(cases > 1_020_000 / share, `${cases} cases`);
  t.deepEqual([...unjudged.keys()], ["undefined"], "by partial rows alone");
});

test("each type has distinct values, at least forty", (t) => {
  for (const type of VALUE_TYPES) {
    const values = boundaryOf(type).map((words) => words.join());
    t.true(values.length >= 40);
    t.is(new Set(values).size, values.length);
  }
});

test("every opcode has rows, unless its effect is one of those without rows", (t) => {
  const names = new Set(boundaryRows().map(({ name }) => name));
  const uncovered = uncoveredOpcodes();
  const without = new Set([...uncovered.values()].flat());
  for (const opcode of ALL_OPCODES) {
    const name = nameOfOpcode(opcode);
    const wanted = Math.max(1, typesOver(opcode).length) * Math.max(1, typesAlso(opcode).length);
    const found = [...names].filter((row) => row.split(" ")[0] === name).length;
    t.is(found, without.has(name) ? 0 : wanted, name);
  }
  for (const effect of ["partial", "read", "volatile", "write", "atomic"] as const)
    t.false(uncovered.has(effect), effect);
  for (const opcode of ALL_OPCODES) {
    const { effect, args } = specOf(opcode);
    const isOfValues = args.some(isValueOperand) && (effect === "pure" || effect === "exit");
    if (isOfValues) t.false(without.has(nameOfOpcode(opcode)), nameOfOpcode(opcode));
  }
});

test("the programs of every row are valid in every form", (t) => {
  for (const row of boundaryRows()) {
    for (let mask = row.isLiteral ? 1 : 0; mask <= allConstant(row); mask++) {
      for (const operations of [row.cases.slice(0, 1), row.cases.slice(0, 5)]) {
        const faults = verify(boundaryProgram(row, mask, operations));
        t.deepEqual(faults.map(describeFault), [], `${row.name}, ${mask}`);
      }
    }
  }
});

test("accesses in a stack slot are valid programs", (t) => {
  for (const row of [...rowsOf("Load"), ...rowsOf("Store")]) {
    for (const { offset } of row.cases.filter((each) => isSlotOffset(each.offset))) {
      t.deepEqual(verify(slotProgram(row, offset)).map(describeFault), [], row.name);
    }
  }
});

withEmulator("a store of too many bytes is found in a slot and in the heap", async (t) => {
  const subjects = testedSubjects().filter(({ name }) => name === "x64-O0");
  const target = {
    ...X64_TARGET,
    lowering: { ...X64_TARGET.lowering, Store8: { Int32: ["movwStore"] } },
  };
  const parts = { ...PARTS, plans: { ...PARTS.plans, x64: makePlan(target) } };
  const options = { subjects, fuelMax: FUEL, share: 20, parts };
  const { failures } = await runBoundaryTables(options, rowsOf("Store8"));
  for (const place of [/^Store8\(/, /^in a slot: Store8\(/]) {
    t.true(
      failures.some((failure) => place.test(failure)),
      failures.join("\n"),
    );
  }
});

test("a wrong fold is found if both operands are constants", async (t) => {
  const rule = { name: "wrong-fold", match: ["RotL", "c", "d"], give: ["RotR", "c", "d"] } as const;
  const parts = { ...PARTS, rules: [rule, ...PARTS.rules] };
  const options = { subjects: INTERPRETED, fuelMax: FUEL, share: 20, parts };
  const { failures } = await runBoundaryTables(options, rowsOf("RotL"));
  t.true(failures.length > 0);
  for (const failure of failures) {
    t.regex(failure, /RotL\(constant Int\d\d \w+, constant Int32 \w+\).*: ir-O\S+: /);
  }
});

withEmulator("an immediate that is too wide is found, and its operands are reported", async (t) => {
  const planted = canaryNamed("immediate-range")?.open() ?? {};
  const subjects = testedSubjects().filter(({ name }) => name === "arm64-O1");
  const run = (name: string) =>
    runBoundaryTables({ subjects, fuelMax: FUEL, share: 20, ...planted }, rowsOf(name));
  const { failures } = await run("Add Int32");
  t.true(failures.length > 0);
  for (const failure of failures) t.regex(failure, /constant Int32 0x00001000.*: arm64-O1: /);
  t.deepEqual((await run("BitAnd")).failures, []);
});

withEmulator("a wrong row of the lowering is found with operands as parameters", async (t) => {
  const planted = canaryNamed("encoding-width")?.open() ?? {};
  const subjects = testedSubjects().filter(({ name }) => name === "x64-O0");
  const options = { subjects, fuelMax: FUEL, share: 20, ...planted };
  const { failures } = await runBoundaryTables(options, rowsOf("Add Int64"));
  t.true(failures.some((failure) => /Add\(Int64 \w+, Int64 \w+\): x64-O0: /.test(failure)));
});

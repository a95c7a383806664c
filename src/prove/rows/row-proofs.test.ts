// Tests that lowering is proved, row by row, or excluded with a reason. Broken lowering must be
// refuted by a program on which the oracle and the LIR interpreter differ.

import test from "ava";
import { type CompilerParts, PARTS } from "../../../reference/parts.js";
import { makePlan } from "../../../reference/target/plan.js";
import { TARGET_NAMES, type TargetName } from "../../../reference/target/target.js";
import { Judge } from "../../compare/judge-program.js";
import { subjectNamed } from "../../execute/subjects.js";
import type { OpcodeName } from "../../ir/opcodes.js";
import type { TypeName } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { trials } from "../../support/trials.js";
import { ROW_PROOFS_PATH, readProofs } from "../proof-store.js";
import { Solver } from "../solver.js";
import { OUT_OF_SCOPE, type RowInstance, rowInstances } from "./row-proofs.js";

/** The maximum number of excluded instances; a larger number is a regression. */
const EXCLUDED_MAX = 48;
/**
 * The maximum number of rows of both targets without a claim. Rows of patchpoints, one for each
 * kind, are not counted.
 */
const ROWS_EXCLUDED_MAX = 33;

const INSTANCES = [...rowInstances()];

test("every claim about lowering is proved, or excluded with its reason", (t) => {
  const proved = readProofs(ROW_PROOFS_PATH);
  const missing = INSTANCES.filter(({ hash, excluded }) => excluded === null && !proved.has(hash));
  t.deepEqual(
    missing.map(({ name }) => name),
    [],
    "not proved in their current form: run npx --no-install fuzz prove --update",
  );
  const excluded = INSTANCES.flatMap(({ name, excluded: because }) =>
    because === null ? [] : [`${name}: ${because}`],
  );
  t.log(`${INSTANCES.length} claims, ${excluded.length} excluded:\n${excluded.join("\n")}`);
  t.true(excluded.length <= EXCLUDED_MAX, `${excluded.length} are excluded`);
  t.true(excluded.length <= INSTANCES.length / 20);
});

test("every LIR row is in a claim, or out of scope with its reason", (t) => {
  let excluded = 0;
  for (const target of TARGET_NAMES) {
    const asked = new Set(
      INSTANCES.filter(
        (instance) => instance.target === target && instance.question !== null,
      ).flatMap(({ rows }) => rows),
    );
    const missing = PARTS.plans[target].rows
      .map(({ name }) => name)
      .filter((name) => !asked.has(name));
    for (const { rows, because } of OUT_OF_SCOPE)
      t.log(`${target}: ${missing.filter((name) => rows.test(name)).join(", ")}: ${because}`);
    const left = missing.filter((name) => !OUT_OF_SCOPE.some(({ rows }) => rows.test(name)));
    t.deepEqual(left, [], target);
    excluded += missing.filter((name) => !name.startsWith("patchpoint.")).length;
  }
  t.true(excluded <= ROWS_EXCLUDED_MAX, `${excluded} rows`);
});

interface Broken {
  readonly target: TargetName;
  readonly opcode: OpcodeName;
  readonly type: TypeName;
  readonly rows: readonly string[];
  /** The oracle cannot run the counterexample, because its address is arbitrary. */
  readonly isMemory?: true;
}

// biome-ignore format: a table
const BROKEN: readonly Broken[] = [
  { target: "x64",   opcode: "Add",       type: "Int32",  rows: ["subl"] },
  { target: "x64",   opcode: "SShr",      type: "Int64",  rows: ["shrq"] },
  { target: "x64",   opcode: "Min",       type: "Int32",  rows: ["uminl"] },
  { target: "x64",   opcode: "SExt32",    type: "Int32",  rows: ["zextl"] },
  { target: "x64",   opcode: "TruncU32",  type: "Double", rows: ["satsd2sl"] },
  { target: "x64",   opcode: "CheckAdd",  type: "Int32",  rows: ["check.subl"] },
  { target: "x64",   opcode: "FTrunc",    type: "Double", rows: ["floorsd"] },
  { target: "x64",   opcode: "Stitch",    type: "Int32",  rows: ["addq"] },
  { target: "arm64", opcode: "Div",       type: "Int32",  rows: ["udivl"] },
  { target: "arm64", opcode: "ChillMod",  type: "Int32",  rows: ["smodl"] },
  { target: "arm64", opcode: "RotL",      type: "Int32",  rows: ["rorl"] },
  { target: "arm64", opcode: "SExt8To64", type: "Int32",  rows: ["sxthq"] },
  { target: "arm64", opcode: "FMin",      type: "Float",  rows: ["maxss"] },
  { target: "arm64", opcode: "Clz",       type: "Int64",  rows: ["ctzq"] },
  { target: "x64",   opcode: "Load8S",    type: "Int32",  rows: ["movzblLoad"], isMemory: true },
  { target: "arm64", opcode: "Store16",   type: "Int32",  rows: ["strb"],       isMemory: true },
];

/** Returns the compiler with this row of lowering replaced. */
function partsWith({ target, opcode, type, rows }: Broken): CompilerParts {
  const { target: whole } = PARTS.plans[target];
  const lowering = { ...whole.lowering, [opcode]: { ...whole.lowering[opcode], [type]: rows } };
  const plans = { ...PARTS.plans, [target]: makePlan({ ...whole, lowering }) };
  return { ...PARTS, plans };
}

/** Returns the first refuted instance with that opcode at the root. */
async function refuted(
  broken: Broken,
  parts: CompilerParts,
  solver: Solver,
): Promise<RowInstance | null> {
  const isWanted = (name: string): boolean =>
    name.startsWith(broken.target) && name.includes(broken.opcode);
  for (const instance of rowInstances(parts.plans, isWanted)) {
    const { question, hash } = instance;
    if (question === null || known.has(hash)) continue;
    if ((await solver.ask(question, SECONDS_MAX)) === "sat") return instance;
  }
  return null;
}
const SECONDS_MAX = 30;
/** Tests one in this many broken rows. */
const BROKEN_EVERY = trials(6, 1);
const known = readProofs(ROW_PROOFS_PATH);

async function inputOf({ question, program }: RowInstance, solver: Solver): Promise<Int32Array> {
  const names = program.module.entry.parameters.map((_, i) => `x${i}`);
  const values = await solver.counterexample(question ?? "", names, SECONDS_MAX);
  assert(values !== null, () => "a refuted claim is refuted again");
  const words = names.flatMap((name) => {
    const value = BigInt((values.get(name) ?? "#x0").replace("#", "0"));
    return [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))];
  });
  return Int32Array.from(words);
}

test("broken lowering is refuted by a program on which the oracle differs", async (t) => {
  const solver = await Solver.open();
  for (const broken of BROKEN.filter((_, b) => b % BROKEN_EVERY === 0)) {
    const what = `${broken.target} ${broken.opcode} as ${broken.rows.join(", ")}`;
    const parts = partsWith(broken);
    const instance = await refuted(broken, parts, solver);
    if (instance === null) {
      t.fail(`${what} is not refuted`);
      continue;
    }
    if (broken.isMemory) continue;
    const subject = subjectNamed(`lir-${broken.target}-${instance.level}`);
    assert(subject !== null, () => "there is such a subject");
    const judge = new Judge({
      subjects: [subject],
      fuelMax: 1000,
      parts,
      checkAllocation: false,
      resumes: "interpreted",
    });
    const words = await inputOf(instance, solver);
    const { results } = judge.judge({
      module: instance.program.module,
      inputs: [{ words, heapSeed: 0 }],
    });
    judge.close();
    t.is(results[0].judgements[0].verdict.kind, "different", `${what}: ${instance.name}`);
  }
  solver.close();
});

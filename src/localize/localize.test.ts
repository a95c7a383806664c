// Tests the location of bugs that are planted in five phases. Random programs show them, and the phase, the rule and
// the application must be found, in at most three more runs than the logarithm of the applications.

import test from "ava";
import type { OptimizeContext } from "../../reference/optimize/edit/context.js";
import { type CompilerParts, PARTS } from "../../reference/parts.js";
import { PHASES } from "../../reference/pipeline.js";
import { programOf } from "../campaign/program/seeds.js";
import { Judge, type ReferenceJudgeOptions } from "../compare/judge-program.js";
import { subjectNamed } from "../execute/subjects.js";
import { DEFAULT_SETTINGS } from "../execute/unit.js";
import { Op } from "../ir/opcodes.js";
import type { Procedure, Value } from "../ir/procedure.js";
import { Int32 } from "../ir/types.js";
import { InternalError } from "../support/assert.js";
import { causeOf, nameOfCause } from "./cause.js";
import { localize } from "./localize.js";

const RULE = "planted-or";
/** `x | x` becomes 0. */
const wrongRule: CompilerParts = {
  ...PARTS,
  rules: [{ name: RULE, match: ["BitOr", "x", "y"], give: ["BitXor", "x", "y"] }, ...PARTS.rules],
};

/** Adds to the phase: it turns one addition into a subtraction, and counts it. */
const withSpoiledPhase = (name: string): CompilerParts => ({
  ...PARTS,
  phases: PHASES.map((phase) =>
    phase.name !== name
      ? phase
      : {
          ...phase,
          run: (proc: Procedure, context: OptimizeContext): boolean => {
            const changed = phase.run(proc, context);
            const add = proc.blocks.flatMap(({ values }) => values).find(isAdd);
            if (add === undefined || !context.claim(name, add)) return changed;
            add.opcode = Op.Sub;
            return true;
          },
        },
  ),
});

const isAdd = ({ opcode, type }: Value): boolean => opcode === Op.Add && type === Int32;

const planted: readonly (readonly [phase: string, by: string, parts: CompilerParts])[] = [
  ["reduce-strength", RULE, wrongRule],
  ...PHASES.filter(({ name, required }) => !required && name !== "reduce-strength")
    .slice(0, 4)
    .map(({ name }) => [name, name, withSpoiledPhase(name)] as const),
];

for (const [phase, by, parts] of planted) {
  test(`a bug planted in ${phase} is located`, (t) => {
    const subject = subjectNamed("ir-O2");
    if (subject === null) return t.fail();
    const options: ReferenceJudgeOptions = { subjects: [subject], fuelMax: 100_000, parts };
    for (let seed = 1n; seed < 2000n; seed++) {
      const { module, inputs } = programOf(seed);
      const judge = new Judge(options);
      const [{ judgements }] = judge.judge({ module, inputs }).results;
      judge.close();
      if (!judgements.some(({ verdict }) => verdict.kind === "different")) continue;
      const located = localize(module, inputs, subject, options);
      if (located.stage !== "optimizer") return t.fail(located.stage);
      t.is(located.phase, phase);
      t.is(located.application?.by, by);
      t.not(located.before, located.after);
      const runsMax = Math.ceil(Math.log2(located.applications)) + 3;
      t.true(located.runs <= runsMax, `${located.runs} runs of ${runsMax}`);
      return;
    }
    t.fail("not found");
  });
}

test("a phase that makes the program invalid is located, whatever later phases do with it", (t) => {
  const broken: CompilerParts = {
    ...PARTS,
    phases: PHASES.map((phase) =>
      phase.name !== "eliminate-common-subexpressions"
        ? phase
        : {
            ...phase,
            run: (proc: Procedure): boolean => {
              const block = proc.blocks.find(({ last }) => last.opcode === Op.Branch);
              if (block !== undefined) block.successors = [];
              return block !== undefined;
            },
          },
    ),
  };
  const subject = subjectNamed("ir-O2");
  if (subject === null) return t.fail();
  const options: ReferenceJudgeOptions = { subjects: [subject], fuelMax: 100_000, parts: broken };
  let thrown = 0;
  for (let seed = 1n; seed < 500n && thrown < 3; seed++) {
    const { module, inputs } = programOf(seed);
    const judge = new Judge(options);
    try {
      judge.judge({ module, inputs });
    } catch (error) {
      thrown++;
      t.regex(String(error), /ir-O2: /);
      const located = localize(module, inputs, subject, options);
      t.is(located.stage === "optimizer" && located.phase, "eliminate-common-subexpressions");
    } finally {
      judge.close();
    }
  }
  t.true(thrown > 0);
});

test("a correct optimization is not reported", (t) => {
  const subject = subjectNamed("ir-O2-chaos");
  if (subject === null) return t.fail();
  const { module, inputs } = programOf(7n);
  const options: ReferenceJudgeOptions = { subjects: [subject], fuelMax: 100_000 };
  t.is(localize(module, inputs, subject, options).stage, "code generation");
});

/** Throws a TypeError. */
const readsNothing = ({ blocks }: Procedure): boolean => blocks[blocks.length].values.length > 0;

test("a phase that throws is located, whatever it throws", (t) => {
  const [name] = PHASES.filter(({ required }) => !required).map((phase) => phase.name);
  const broken: CompilerParts = {
    ...PARTS,
    phases: PHASES.map((phase) => (phase.name === name ? { ...phase, run: readsNothing } : phase)),
  };
  const subject = subjectNamed("ir-O2");
  if (subject === null) return t.fail();
  const { module, inputs } = programOf(1n);
  const options: ReferenceJudgeOptions = { subjects: [subject], fuelMax: 100_000, parts: broken };
  const judge = new Judge(options);
  const error = t.throws(() => judge.judge({ module, inputs }), { instanceOf: InternalError });
  judge.close();
  t.regex(error?.message ?? "", /^ir-O2: TypeError: .*, at .*readsNothing \(localize\.test/);
  const located = localize(module, inputs, subject, options);
  t.is(located.stage, "optimizer");
  if (located.stage === "optimizer") t.is(located.phase, name);
});

for (const [what, name] of [
  ["range by Ctz", "optimizer/ranges/Ctz"],
  ["overlap", "optimizer/aliases"],
  ["number range by Ceil", "lowering/number-ranges/Ceil"],
]) {
  test(`a false claim, ${what}, is located at its analysis`, (t) => {
    const subject = subjectNamed("x64-O2");
    if (subject === null) return t.fail();
    const phases = PHASES.map((phase) => ({
      ...phase,
      run: () => {
        throw new InternalError("a claim", { what });
      },
    }));
    const settings = { ...DEFAULT_SETTINGS, verify: true };
    const options = { subjects: [subject], fuelMax: 1000, parts: { ...PARTS, phases }, settings };
    const { module, inputs } = programOf(1n);
    const located = localize(module, inputs, subject, options);
    t.is(nameOfCause(causeOf(located, subject)), name);
  });
}

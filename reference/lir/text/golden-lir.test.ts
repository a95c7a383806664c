// Runs the golden files of LIR: corpus/golden/lower/*.lir and corpus/golden/allocate/*.lir.
//
// `; target: NAME` and `; level: NAME` give the target and the level of the compilation. `; halves:
// yes` enables values of 64 bits in halves. `; allocator: NAME` and `; registers: N` replace the
// allocator and the registers of the level and the target. Lines `;| TEXT` are the program. The
// rest is the printed LIR of all its procedures. The test also parses and verifies the expected
// text, so that no file contains invalid LIR. With GOLDEN=write the test rewrites the files.
//
// `; event: NAME` requires that allocation counts this event (../../regalloc/events.ts). Each event
// of each allocator has such a file.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import test, { type ExecutionContext } from "ava";
import { ENVIRONMENT } from "../../../src/execute/machine/environment.js";
import type { Procedure } from "../../../src/ir/procedure.js";
import { parseModule } from "../../../src/ir/text/parse.js";
import { Compiler } from "../../compile.js";
import type { Level } from "../../levels.js";
import { optimize } from "../../optimize.js";
import { ALLOCATOR_NAMES, type AllocatorName } from "../../regalloc/allocator-names.js";
import { AllocationChecker } from "../../regalloc/check/check.js";
import { EVENTS } from "../../regalloc/events.js";
import { fewRegisters } from "../../regalloc/pressure.js";
import type { LoweringPlan } from "../../target/plan.js";
import type { TargetName } from "../../target/target.js";
import { OperandPolicy, OperandRole, policyOf, roleOf } from "../lir.js";
import { parseLir } from "./parse-lir.js";
import { printLir } from "./print.js";
import { POLICY_LETTERS } from "./text-form.js";
import { verifyLir } from "./verify-lir.js";

const STAGES = ["lower", "allocate"] as const;
type Stage = (typeof STAGES)[number];

interface Golden {
  readonly target: TargetName;
  readonly level: Level;
  readonly halves: boolean;
  readonly allocator: AllocatorName | undefined;
  /** The number of registers of each bank; all if not given. */
  readonly registers: number | undefined;
  /** The event of allocation that the file shows. */
  readonly event: string | undefined;
  readonly program: string;
  /** The LIR of each procedure. */
  readonly expected: readonly string[];
}

const compiler = new Compiler();
/** Policies with their roles, in all files. */
const shown = new Set<string>();
/** Allocators with the events that files show. */
const shownEvents = new Set<string>();

/** Events that another stage counts, or that need a large procedure, with their tests. */
const TESTED_ELSEWHERE: { readonly [event: string]: string } = {
  "too-large": "reference/regalloc/colouring/colouring.test.ts",
  "stack-slots-packed": "reference/lower/pack-slots.test.ts",
  "no-frame": "reference/emit/framed-blocks.test.ts",
  "frame-made-later": "reference/emit/framed-blocks.test.ts",
};

for (const stage of STAGES) {
  const folder = `corpus/golden/${stage}`;
  const files = readdirSync(folder);
  test(`${stage} has a dozen files`, (t) => t.true(files.length >= 12));
  for (const file of files) {
    test(`${stage}: ${file}`, (t) => {
      t.true(file.endsWith(".lir"), "no test reads it");
      const path = `${folder}/${file}`;
      if (process.env["GOLDEN"] === "write") rewrite(stage, path);
      check(t, stage, parseGolden(readFileSync(path, "utf8")));
    });
  }
}

/** Replaces the expected text by the current one; the diff shows the changes. */
function rewrite(stage: Stage, path: string): void {
  const text = readFileSync(path, "utf8");
  const printed: string[] = [];
  compile(stage, parseGolden(text), (lir) => void printed.push(lir));
  writeFileSync(path, text.split(/^lir /m)[0] + printed.join(""));
}

function check(t: ExecutionContext, stage: Stage, golden: Golden): void {
  let count = 0;
  const { allocator, event } = golden;
  const row = EVENTS.findIndex(({ name }) => name === event);
  t.is(row < 0, event === undefined, `${event} is no event`);
  let isCounted = false;
  compile(stage, golden, (text, plan, proc, events) => {
    t.is(text, golden.expected[count++]);
    if (events[row] > 0) isCounted = true;
    verifyText(t, text, plan, proc);
  });
  t.is(count, golden.expected.length);
  if (event === undefined) return;
  t.true(isCounted, `${event} does not occur`);
  shownEvents.add(`${allocator} ${event}`);
}

type Look = (text: string, plan: LoweringPlan, proc: Procedure, events: Int32Array) => void;

function compile(stage: Stage, golden: Golden, look: Look): void {
  const { target, level, halves, allocator, registers, program } = golden;
  const module = parseModule(program);
  optimize(module, { level, target });
  compiler.generate(module, target, {
    environment: ENVIRONMENT,
    level,
    halves,
    allocator,
    pressure: registers === undefined ? undefined : fewRegisters(registers),
    checkAllocation: true,
    listing: false,
    onLir: (at, lir, allocation, plan, proc) => {
      if (at !== stage) return;
      const printed = printLir(lir, plan, proc.name, stage === "lower" ? null : allocation);
      look(printed, plan, proc, allocation.events);
    },
  });
}

function verifyText(t: ExecutionContext, text: string, plan: LoweringPlan, proc: Procedure): void {
  const { lir, allocation } = parseLir(text, plan, proc);
  t.deepEqual(verifyLir(lir, plan), []);
  if (allocation !== null) {
    t.deepEqual(
      new AllocationChecker().check(lir, plan.rows, plan.target.registers, allocation),
      [],
    );
  }
  for (let o = 0; o < lir.operandCount; o++) {
    const word = lir.operand[o];
    const role = roleOf(word) === OperandRole.UseAtStart ? OperandRole.Use : roleOf(word);
    shown.add(`${role} ${POLICY_LETTERS[policyOf(word)]}`);
  }
}

// After the others, as tests of a file start in order.
test("every policy of every role is shown", (t) => {
  const [any, register, fixed] = [OperandPolicy.Any, OperandPolicy.Register, OperandPolicy.Fixed];
  const wanted = [
    ...[any, register, fixed, OperandPolicy.Stack, OperandPolicy.Copy, OperandPolicy.KeepAlive].map(
      (policy) => ({
        role: OperandRole.Use,
        policy,
      }),
    ),
    ...[
      register,
      fixed,
      OperandPolicy.MustReuseInput,
      OperandPolicy.Stack,
      OperandPolicy.Redefined,
    ].map((policy) => ({
      role: OperandRole.Definition,
      policy,
    })),
    ...[register, fixed, OperandPolicy.Copy].map((policy) => ({ role: OperandRole.Temp, policy })),
  ];
  const missing = wanted.filter(
    ({ role, policy }) => !shown.has(`${role} ${POLICY_LETTERS[policy]}`),
  );
  t.deepEqual(missing, []);
});

test("every event of every allocator is shown", (t) => {
  const wanted = EVENTS.flatMap(({ name, by }) => by.map((allocator) => `${allocator} ${name}`));
  const missing = wanted.filter((pair) => !shownEvents.has(pair));
  t.deepEqual(
    missing.filter((pair) => !(pair.split(" ")[1] in TESTED_ELSEWHERE)),
    [],
  );
  for (const path of Object.values(TESTED_ELSEWHERE)) t.true(existsSync(path), path);
});

function parseGolden(text: string): Golden {
  const lines = text.split("\n");
  const setting = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`; ${name}: `))?.slice(name.length + 4);
  const level = setting("level");
  const registers = setting("registers");
  const program = lines.filter((line) => line.startsWith(";|"));
  const lir = lines.filter((line) => !line.startsWith(";")).join("\n");
  return {
    target: setting("target") === "arm64" ? "arm64" : "x64",
    level: level === "O0" || level === "O2" ? level : "O1",
    halves: setting("halves") === "yes",
    allocator: ALLOCATOR_NAMES.find((name) => name === setting("allocator")),
    registers: registers === undefined ? undefined : Number(registers),
    event: setting("event"),
    program: `${program.map((line) => line.slice(3)).join("\n")}\n`,
    expected: lir.split(/^(?=lir )/m).filter((part) => part.startsWith("lir ")),
  };
}

// Tests the law: the outcome of the fast interpreter equals that of the plain one, bit for bit, on every program.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { NO_PARENTS } from "../campaign/program/lineage.js";
import { newBreeder, PROFILE_NAMES, programOf } from "../campaign/program/seeds.js";
import { openWasmReader } from "../import/read-wasm.js";
import { readScript } from "../import/script.js";
import { Op } from "../ir/opcodes.js";
import { HEAP_BASE, type Input, type Outcome } from "../ir/outcome.js";
import type { Module, Value } from "../ir/procedure.js";
import { programAround } from "../ir/program-around.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { verify } from "../ir/verify/verify.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { DecodedModule } from "../oracle/fast/program.js";
import { interpret } from "../oracle/interpret.js";
import { InternalError } from "../support/assert.js";
import { projectRoot } from "../support/project-root.js";
import { type ChoiceSource, SeedSource } from "../support/source.js";
import { trials } from "../support/trials.js";
import { runBoundaryTables } from "./boundary.js";
import { conform } from "./conform.js";
import { conformScript } from "./conform-script.js";
import { INTERPRETERS_DISAGREE } from "./interpreters.js";
import { Judge } from "./judge-program.js";
import { parseSuite } from "./suite.js";

const FUEL = 1_000_000;
/** The options under which the judge throws if the interpreters disagree. */
const LAW = { subjects: [], fuelMax: FUEL, isPlain: true } as const;
const judge = new Judge(LAW);
const reader = await openWasmReader();

const corpus = join(projectRoot(), "corpus");
const filesOf = (ending: string): string[] =>
  readdirSync(corpus, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(ending),
  );

test("they agree on the programs of the corpus", (t) => {
  let executions = 0;
  const files = filesOf(".ir");
  for (const file of files) {
    const text = readFileSync(join(corpus, file), "utf8");
    const module = parseModule(text);
    const inputs = runLines(text, module).map(({ input }) => input);
    t.notThrows(() => judge.judge({ module, inputs }), file);
    executions += inputs.length;
  }
  t.log(`${files.length} programs, ${executions} executions`);
  t.true(executions > 1000);
});

test("they agree on suites and scripts", (t) => {
  for (const file of filesOf(".jsonl")) {
    const { passed, failed } = conform(parseSuite(readFileSync(join(corpus, file), "utf8")), LAW);
    t.log(`${file}: ${passed} cases`);
    t.true(passed > 0 && failed === 0, file);
  }
  for (const file of filesOf(".wast")) {
    const script = readScript(readFileSync(join(corpus, file), "utf8"), file, reader);
    const { passed, failures } = conformScript(script, LAW);
    t.log(`${file}: ${passed} cases`);
    t.true(passed > 0);
    t.deepEqual(failures, [], file);
  }
});

/** One of this many cases of the boundary tables runs. */
const BOUNDARY_SHARE = trials(120, 1);

test("they agree on the boundary tables", async (t) => {
  const { rows, cases } = await runBoundaryTables({ ...LAW, share: BOUNDARY_SHARE });
  t.log(`${rows} rows, ${cases} cases`);
  t.true(cases > 1000);
});

/** The number of programs of each profile; each test runs a part of them, so that it ends soon. */
const PROGRAMS = trials(3, 20_000);
const IN_ONE_TEST = 250;

for (const profile of PROFILE_NAMES) {
  for (let first = 0; first < PROGRAMS; first += IN_ONE_TEST) {
    test(`they agree on programs of the profile ${profile} from ${first} on`, (t) => {
      const breeder = newBreeder();
      for (let seed = first; seed < Math.min(first + IN_ONE_TEST, PROGRAMS); seed++) {
        const { module, inputs } = programOf(BigInt(seed), profile, NO_PARENTS, breeder);
        t.notThrows(() => judge.judge({ module, inputs }), `seed ${seed}`);
      }
    });
  }
}

/** The number of changes of each program, which may make it undefined, or make it look at the bits of any NaN. */
const CHANGES = trials(20, 200);
const CHANGED_PROGRAMS = trials(24, 400);
/** The fuel for loops that a change may have made endless. */
const CHANGED_FUEL = 20_000;

test("they agree on programs that may be undefined", (t) => {
  const endings = new Map<string, number>();
  const oracle = new Oracle();
  for (let seed = 0; seed < CHANGED_PROGRAMS; seed++) {
    const profile = ["usual", "memory", "objects", "exits", "patchpoints"][seed % 5];
    const source = new SeedSource(BigInt(seed), "changes");
    for (let change = 0; change < CHANGES; change++) {
      const { module, inputs } = programOf(BigInt(seed), profile);
      removeGuards(module, source);
      if (verify(module).length > 0) continue;
      const input = inputs[source.below(inputs.length)];
      const fast = oracle.run(decodeModule(module), input, CHANGED_FUEL);
      t.deepEqual(
        interpret(module, input, CHANGED_FUEL),
        fast,
        `${profile} ${seed}, change ${change}`,
      );
      const ending = endingOf(fast);
      endings.set(ending, (endings.get(ending) ?? 0) + 1);
    }
  }
  t.log([...endings].map(([ending, count]) => `${ending} ${count}`).join(", "));
  t.true((endings.get("nan-bits") ?? 0) > 0 && endings.size >= 5);
});

/** Removes parts that keep a program defined: replaces some PurifyNaN, and some operands by others of their type. */
function removeGuards({ procedures }: Module, source: ChoiceSource): void {
  const drawsPurify = source.below(3) === 0;
  for (const proc of procedures) {
    for (const { values } of proc.blocks) {
      values.forEach((value, i) => {
        const isPurify = value.opcode === Op.PurifyNaN;
        if (isPurify && drawsPurify) value.opcode = Op.Identity;
        if (source.below(60) !== 0) return;
        const others = [...proc.parameters, ...values.slice(0, i)];
        const drawn = (old: Value | null): Value | null => {
          const fitting = old === null ? [] : others.filter(({ type }) => type === old.type);
          return fitting.length === 0 ? old : fitting[source.below(fitting.length)];
        };
        value.a = drawn(value.a);
        value.b = drawn(value.b);
      });
    }
  }
}

test("they agree on how fuel ends", (t) => {
  const { module, inputs } = programOf(7n, "usual");
  const oracle = new Oracle();
  const program = decodeModule(module);
  for (let fuel = 0; fuel < trials(300, 3000); fuel++) {
    t.deepEqual(
      interpret(module, inputs[0], fuel),
      oracle.run(program, inputs[0], fuel),
      `${fuel}`,
    );
  }
});

const HEAP = `  Int64 @3 = Const64(${HEAP_BASE})`;
const NAN = [
  "  Double @4 = ConstDouble(inf)",
  "  Double @5 = Sub(@4, @4)",
  "  Int64 @6 = BitwiseCast(@5)",
];

// biome-ignore format: a table
const ORDERS: readonly (readonly [says: string, lines: readonly string[], ending: string])[] = [
  ["operands before the place", [HEAP, ...NAN, "  Void @7 = Store8(@8, @3, offset = -1)"].toSpliced(4, 0, "  Int32 @8 = Trunc(@1)"), "heap access out of bounds"],
  ["an address of open bits before all", [...NAN, "  Int32 @7 = Load(@6)"], "nan-bits"],
  ["a class before an invariant byte", [HEAP, "  Int32 @4 = LoadInvariant(@3, class = 1)", "  Void @5 = Store(@4, @3, class = 2)"], "byte of another class"],
  ["a byte outside before alignment", [HEAP, "  Int32 @4 = AtomicXchg(@0, @3, offset = -3)"], "heap access out of bounds"],
  ["alignment before an invariant byte", [HEAP, "  Int32 @4 = LoadInvariant(@3)", "  Int32 @5 = AtomicXchg(@4, @3, offset = 2)"], "unaligned atomic access"],
  ["open bits that are read before an invariant byte that is written", [HEAP, "  Int64 @7 = LoadInvariant(@3, offset = 4)", "  Float @8 = ConstFloat(inf)", "  Float @9 = Sub(@8, @8)", "  Void @10 = Store(@9, @3)", "  Int64 @11 = AtomicXchg(@7, @3)"], "nan-bits"],
  ["a part of any NaN that would stay", [HEAP, ...NAN, "  Void @7 = Store(@5, @3)", "  Void @8 = Store(@0, @3, offset = 6)"], "nan-bits"],
  ["operands of a host function before the heap", [HEAP, ...NAN, "  Void @7 = Store(@5, @3)", "  Float @8 = ConstFloat(inf)", "  Float @9 = Sub(@8, @8)", "  Int32 @10 = BitwiseCast(@9)", "  Int32 @11 = CCall(checksum, @10)"], "nan-bits"],
];

for (const [says, lines, ending] of ORDERS) {
  test(`the order of tests in the document: ${says}`, (t) => {
    const module = parseModule(programAround(lines));
    const input: Input = { words: new Int32Array(6), heapSeed: 0 };
    const outcomes = [
      interpret(module, input, FUEL),
      new Oracle().run(decodeModule(module), input, FUEL),
    ];
    for (const outcome of outcomes) t.is(endingOf(outcome), ending);
    t.deepEqual(outcomes[0], outcomes[1]);
  });
}

const endingOf = ({ ending }: Outcome): string =>
  ending.kind === "undefined" ? ending.rule : ending.kind;

class ForgetfulOracle extends Oracle {
  override run(program: DecodedModule, input: Input, fuelMax: number): Outcome {
    return { ...super.run(program, input, fuelMax), events: [] };
  }
}

test("the report of a disagreement contains both outcomes, and the section that decides", (t) => {
  const module = parseModule(programAround(["  Void @3 = CCall(logInt, @0)"]));
  const planted = new Judge({ ...LAW, oracle: new ForgetfulOracle() });
  const input: Input = { words: Int32Array.of(7, 0, 0, 0, 0, 0), heapSeed: 0 };
  const error = t.throws(() => planted.judge({ module, inputs: [input] }), {
    instanceOf: InternalError,
  });
  t.is(error?.what, INTERPRETERS_DISAGREE);
  t.regex(
    error?.message ?? "",
    /events\.0: the fast interpreter gives nothing, the plain one .*logInt.*section 6, Calls/,
  );
});

// Tests a subject in a process of its own, independent of the reference compiler, which shows only results: Node
// itself, with an instruction for each execution. Wrong results are found; aspects that it cannot show are not
// compared, but counted.

import { spawn } from "node:child_process";
import test, { type ExecutionContext } from "ava";
import { emptyTally, tallyProgram } from "../campaign/count/tally.js";
import {
  type Capabilities,
  NOT_SHOWN,
  type RemoteAnswer,
  type RemoteProgram,
  type RemoteSubject,
} from "../execute/subject.js";
import { subjectNamed } from "../execute/subjects.js";
import type { Ending, Input, Outcome } from "../ir/outcome.js";
import { parseModule } from "../ir/text/parse.js";
import { Int32 } from "../ir/types.js";
import { InternalError } from "../support/assert.js";
import { type ExecutionJudgement, Judge, type JudgeOptions } from "./judge-program.js";

/** f(x) = x + 1, and stores x in the heap, which only a subject with memory shows. */
const SUM = parseModule(`touchstone 1
heap 4096
proc f(Int32 @0) -> Int32
#0:
  Int64 @1 = Const64(0x1180000000)
  Void @2 = Store(@0, @1)
  Int32 @3 = Const32(1)
  Int32 @4 = Add(@0, @3)
  Void @5 = Return(@4)
`);

/** Exits for x = 7; otherwise f(x) = x + 1. */
const GUARDED = parseModule(`touchstone 1
proc f(Int32 @0) -> Int32
snapshot s0 = exit 3 frames [f@1: @0]
#0:
  Int32 @1 = Const32(7)
  Int32 @2 = Equal(@0, @1)
  Void @3 = Check(@2) s0
  Int32 @4 = Const32(1)
  Int32 @5 = Add(@0, @4)
  Void @6 = Return(@5)
`);

const DIVIDE = parseModule(`touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(100)
  Int32 @2 = Div(@1, @0)
  Void @3 = Return(@2)
`);

/** The behavior of the process, by argument; for a plain number the result is wrong by one. */
const WRONG = 100;
const CRASH = 101;
const HANG = 102;
const GARBAGE = 103;

/** The process writes this before its endless loop, so that no test waits for a clock. */
const HANGS = "loops for ever";
const SCRIPT = `
let text = "";
process.stdin.on("data", (bytes) => { text += bytes; });
process.stdin.on("end", () => {
  for (const x of JSON.parse(text)) {
    if (x === ${CRASH}) { process.stderr.write("out of registers"); process.exit(70); }
    if (x === ${HANG}) { process.stderr.write("${HANGS}"); for (;;); }
    process.stdout.write(x === ${GARBAGE} ? "seven\\n" : (x === ${WRONG} ? x : x + 1) + "\\n");
  }
});
`;

const inputOf = (x: number): Input => ({ words: Int32Array.of(x, 0), heapSeed: 0 });
const inputsOf = (...xs: number[]): Input[] => xs.map(inputOf);
const results: Capabilities = new Set(["results"]);

interface ProcessEnd {
  readonly lines: readonly string[];
  /** The ending of the execution after the last line; null if all have ended. */
  readonly broken: Ending | null;
}

/** Runs the process on these arguments, until it exits, crashes, or enters its endless loop. */
function runProcess(args: readonly number[]): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["-e", SCRIPT], { stdio: "pipe" });
    const summaryOf = { out: "", error: "" };
    child.stdout.on("data", (bytes) => {
      summaryOf.out += bytes;
    });
    child.stderr.on("data", (bytes) => {
      summaryOf.error += bytes;
      if (summaryOf.error.includes(HANGS)) child.kill("SIGKILL");
    });
    child.on("close", (status, signal) => {
      const lines = summaryOf.out.split("\n").slice(0, -1);
      if (status === 0) return resolve({ lines, broken: null });
      const kind = signal === "SIGKILL" ? "hang" : "crash";
      const evidence = kind === "hang" ? HANGS : `status ${status}: ${summaryOf.error}`;
      resolve({ lines, broken: { kind, evidence } });
    });
    child.stdin.end(JSON.stringify(args));
  });
}

/**
 * Runs a whole batch in one process. An execution that ends the process is reported, and the rest runs in a new one.
 */
async function runAll(args: readonly number[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  while (outcomes.length < args.length) {
    const { lines, broken } = await runProcess(args.slice(outcomes.length));
    for (const line of lines) outcomes.push({ events: [], ending: endingOf(line) });
    if (broken !== null) outcomes.push({ events: [], ending: broken });
  }
  return outcomes;
}

function endingOf(line: string): Ending {
  const lo = Number(line);
  if (!Number.isInteger(lo)) return { kind: "garbage", evidence: line };
  return { kind: "return", result: { type: Int32, lo, hi: 0, anyNaN: false }, heap: NOT_SHOWN };
}

function remote(capabilities = results, batches: number[] = []): RemoteSubject {
  const answersOf = async (programs: readonly RemoteProgram[]): Promise<RemoteAnswer[]> => {
    const isDeclined = ({ module }: RemoteProgram): boolean => module.entry.result !== Int32;
    const run = programs.filter((program) => !isDeclined(program));
    const args = run.flatMap(({ executions }) => executions.map(({ input }) => input.words[0]));
    const outcomes = await runAll(args);
    return programs.map((program): RemoteAnswer => {
      if (isDeclined(program)) return { kind: "declined", reason: "results are Int32 only" };
      return { kind: "ran", outcomes: outcomes.splice(0, program.executions.length) };
    });
  };
  return {
    kind: "remote",
    name: "node",
    capabilities,
    native: true,
    missing: () => null,
    open: () => ({
      prepare: async (programs) => {
        batches.push(programs.length);
        return { run: () => answersOf(programs) };
      },
      close: () => {},
    }),
  };
}

const optionsOf = (...subjects: JudgeOptions["subjects"]): JudgeOptions => ({
  subjects,
  fuelMax: 1000,
});

function opened(t: ExecutionContext, options: JudgeOptions): Judge {
  const judge = new Judge(options);
  t.teardown(() => judge.close());
  return judge;
}

async function judgementsOf(
  t: ExecutionContext,
  inputs: readonly Input[],
  module = SUM,
  subject = remote(),
): Promise<readonly ExecutionJudgement[]> {
  const judge = opened(t, optionsOf(subject));
  const [{ results }] = await judge.judgeAll([{ module, inputs }]);
  return results[0].judgements;
}

const said = ({ verdict, outcome }: ExecutionJudgement): string => {
  const { ending } = outcome ?? {};
  const evidence = ending !== undefined && "evidence" in ending ? `: ${ending.evidence}` : "";
  if (verdict.kind === "different") return `${verdict.aspect} ${ending?.kind}${evidence}`;
  return verdict.kind === "unjudged" ? verdict.reason : verdict.kind;
};

test("each execution of a process is judged by its result, or by the end of the process", async (t) => {
  const judgements = await judgementsOf(t, inputsOf(1, WRONG, CRASH, 2, HANG, GARBAGE, 3));
  t.deepEqual(judgements.map(said), [
    "equal",
    "result return",
    "ending crash: status 70: out of registers",
    "equal",
    "ending hang: loops for ever",
    "ending garbage: seven",
    "equal",
  ]);
});

test("memory that a subject cannot show is not compared, and counted", async (t) => {
  const judge = opened(t, optionsOf(remote()));
  const [result] = await judge.judgeAll([{ module: SUM, inputs: inputsOf(1, 2) }]);
  t.deepEqual(result.results[0].judgements.map(said), ["equal", "equal"]);
  t.true(result.results[0].notShown.includes("heap"));
  const tally = emptyTally();
  tallyProgram(tally, SUM, result, "usual");
  t.is(tally.notShown?.["node"]["heap"], 2);
  t.is(tally.notShown?.["node"]["result"], undefined);
  // If it claims to show memory, its memory is compared.
  const claims: Capabilities = new Set(["results", "memory"]);
  const judgements = await judgementsOf(t, inputsOf(1), SUM, remote(claims));
  t.deepEqual(judgements.map(said), ["heap return"]);
});

test("executions that a subject cannot follow, or that the oracle does not judge, are not requested", async (t) => {
  t.deepEqual((await judgementsOf(t, inputsOf(7, 8), GUARDED)).map(said), ["not-shown", "equal"]);
  t.deepEqual((await judgementsOf(t, inputsOf(0), DIVIDE)).map(said), ["undefined"]);
});

test("programs that a subject cannot express are declined, and counted", async (t) => {
  const module = parseModule("touchstone 1\nproc f(Int32 @0) -> Void\n#0:\n  Void @1 = Return()\n");
  const judge = opened(t, optionsOf(remote()));
  const [result] = await judge.judgeAll([{ module, inputs: inputsOf(1) }]);
  t.deepEqual(result.results[0].judgements.map(said), ["declined"]);
  t.is(result.results[0].declined, "results are Int32 only");
  const tally = emptyTally();
  tallyProgram(tally, module, result, "usual");
  t.deepEqual(tally.notShown, { node: { declined: 1 } });
  t.deepEqual(tally.unjudged, {});
});

test("many programs run in one batch, together with subjects of this process", async (t) => {
  const batches: number[] = [];
  const ours = subjectNamed("ir-O1");
  if (ours === null) return t.fail();
  const judge = opened(t, optionsOf(ours, remote(results, batches)));
  const tasks = [SUM, GUARDED, SUM].map((module, m) => ({
    module,
    inputs: inputsOf(m, WRONG),
    chosen: m === 2 ? Uint8Array.of(1, 0) : null,
  }));
  const judged = await judge.judgeAll(tasks);
  t.deepEqual(batches, [2]);
  t.deepEqual(
    judged.map(({ results }) =>
      results.map(({ subject, judgements }) => [subject, ...judgements.map(said)]),
    ),
    [
      [
        ["ir-O1", "equal", "equal"],
        ["node", "equal", "result return"],
      ],
      [
        ["ir-O1", "equal", "equal"],
        ["node", "equal", "result return"],
      ],
      [["ir-O1", "equal", "equal"]],
    ],
  );
});

test("a prepared batch runs even if other batches were prepared later", async (t) => {
  const open = remote().open();
  const programOf = (x: number): RemoteProgram => ({
    module: SUM,
    executions: [{ input: inputOf(x), fuelUsed: 4 }],
  });
  const [first] = [await open.prepare([programOf(1)]), await open.prepare([programOf(2)])];
  const [answer] = await first.run();
  const ending = answer.kind === "ran" ? answer.outcomes[0].ending : null;
  t.is(ending?.kind === "return" ? ending.result?.lo : null, 2);
});

test("a wrong number of answers is reported as an error of the subject's harness", async (t) => {
  const subject: RemoteSubject = {
    ...remote(),
    open: () => ({ prepare: async () => ({ run: async () => [] }), close: () => {} }),
  };
  const judge = opened(t, optionsOf(subject));
  const judged = judge.judgeAll([{ module: SUM, inputs: inputsOf(1) }]);
  const error = await t.throwsAsync(judged, { instanceOf: InternalError });
  t.is(error?.message, "node: the subject returned 0 answers for 1 programs");
  t.throws(() => judge.judge({ module: SUM, inputs: inputsOf(1) }), { instanceOf: InternalError });
});

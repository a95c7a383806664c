// Tests that a chosen candidate shows its difference alone, not only together with others in one process.

import test from "ava";
import {
  NOT_SHOWN,
  type RemoteAnswer,
  type RemoteProgram,
  type RemoteSubject,
} from "../execute/subject.js";
import type { Outcome } from "../ir/outcome.js";
import { parseModule } from "../ir/text/parse.js";
import { printModule } from "../ir/text/print.js";
import { Int32 } from "../ir/types.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { Candidate } from "./candidate.js";
import { TESTS_MAX } from "./reduce.js";
import { reduceTogether } from "./reduce-together.js";
import { RemoteCandidateJudge, remoteSignatureOf } from "./remote-candidates.js";
import { NONE } from "./schedule.js";

const giving = (number: number): Candidate => ({
  module: parseModule(`touchstone 1
proc f() -> Int32
#0:
  Int32 @0 = Const32(${number})
  Void @1 = Return(@0)
`),
  inputs: [{ words: new Int32Array(0), heapSeed: 0 }],
});
/** The argument for which the subject is always wrong. */
const WRONG = 7;

/** A subject that is also wrong by one in every program that it runs after another one. */
const subject: RemoteSubject = {
  kind: "remote",
  name: "hot",
  capabilities: new Set(["results"]),
  native: true,
  missing: () => null,
  open: () => ({
    prepare: async (programs) => ({ run: async () => programs.map(answerOf) }),
    close: () => {},
  }),
};

function answerOf({ module, executions }: RemoteProgram, place: number): RemoteAnswer {
  const { constantLow: lo } = module.entry.blocks[0].values[0];
  const given = place > 0 || lo === WRONG ? lo + 1 : lo;
  const result = { type: Int32, lo: given, hi: 0, anyNaN: false } as const;
  const outcome: Outcome = { events: [], ending: { kind: "return", result, heap: NOT_SHOWN } };
  return { kind: "ran", outcomes: executions.map(() => outcome) };
}

test("a candidate that differs only after another one is not chosen", async (t) => {
  const start = giving(WRONG);
  const wanted = await remoteSignatureOf(start, subject, null);
  if (wanted === null) return t.fail("the subject is right");
  const judge = new RemoteCandidateJudge(start, subject, wanted, { fuelMax: 100, width: 4 });
  t.teardown(() => judge.close());
  t.is(await judge.firstOf([giving(1), giving(2), giving(3)]), NONE);
  t.is(await judge.firstOf([giving(1), giving(2), start]), 2);
  t.is(await judge.firstOf([start]), 0);
  t.is(await judge.firstOf([giving(1)]), NONE);
});

const FUEL = 1000;
/** The number of programs after which each process of the subject is wrong. */
const RIGHT_MAX = 3;

/** A subject that is wrong for multiplications, and in a process that has run several programs. */
const aging: RemoteSubject = {
  ...subject,
  open: () => {
    let ran = 0;
    const oracle = new Oracle();
    const answer = ({ module, executions }: RemoteProgram): RemoteAnswer => {
      const isWrong = ++ran > RIGHT_MAX || printModule(module).includes("Mul");
      return {
        kind: "ran",
        outcomes: executions.map(({ input }) => {
          const outcome = oracle.run(decodeModule(module), input, FUEL);
          if (!isWrong || outcome.ending.kind !== "return" || outcome.ending.result === null)
            return outcome;
          const { result } = outcome.ending;
          return {
            ...outcome,
            ending: { ...outcome.ending, result: { ...result, lo: ~result.lo } },
          };
        }),
      };
    };
    return {
      prepare: async (programs) => ({ run: async () => programs.map(answer) }),
      close: () => {},
    };
  },
};

test("a result that needs the state of earlier candidates is reduced again without it", async (t) => {
  const start: Candidate = {
    module: parseModule(`touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Add(@0, @0)
  Int32 @2 = Mul(@1, @0)
  Int32 @3 = Sub(@2, @1)
  Void @4 = Return(@3)
`),
    inputs: [{ words: Int32Array.of(5, 0), heapSeed: 0 }],
  };
  const wanted = await remoteSignatureOf(start, aging, null);
  if (wanted === null) return t.fail("the subject is right");
  const judge = new RemoteCandidateJudge(start, aging, wanted, { fuelMax: FUEL, width: 2 });
  t.teardown(() => judge.close());
  const options = {
    testsMax: TESTS_MAX,
    signal: new AbortController().signal,
    onProgress: () => {},
  };
  const reduced = await reduceTogether(start, judge, options);
  if (reduced === null) return t.fail("the start is not interesting");
  const text = printModule(reduced.best.module);
  t.regex(text, /Mul/);
  t.notRegex(text, /Sub/);
});

/** A subject that is wrong in the last execution of three or more. */
const learning: RemoteSubject = {
  ...subject,
  open: () => ({
    prepare: async (programs) => ({ run: async () => programs.map(learned) }),
    close: () => {},
  }),
};

function learned({ module, executions }: RemoteProgram): RemoteAnswer {
  const { constantLow } = module.entry.blocks[0].values[0];
  const outcomes = executions.map((_, e): Outcome => {
    const lo = e >= 2 && e === executions.length - 1 ? constantLow + 1 : constantLow;
    const result = { type: Int32, lo, hi: 0, anyNaN: false } as const;
    return { events: [], ending: { kind: "return", result, heap: NOT_SHOWN } };
  });
  return { kind: "ran", outcomes };
}

test("a program that needs several inputs loses the others", async (t) => {
  const { module } = giving(WRONG);
  const inputs = Array.from({ length: 16 }, (_, i) => ({ words: new Int32Array(0), heapSeed: i }));
  const start: Candidate = { module, inputs };
  const wanted = await remoteSignatureOf(start, learning, null);
  if (wanted === null) return t.fail("the subject is right");
  const judge = new RemoteCandidateJudge(start, learning, wanted, { fuelMax: FUEL, width: 2 });
  t.teardown(() => judge.close());
  const how = { testsMax: TESTS_MAX, signal: new AbortController().signal, onProgress: () => {} };
  t.is((await reduceTogether(start, judge, how))?.best.inputs.length, 3);
});

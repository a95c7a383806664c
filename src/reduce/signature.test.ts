// Tests the signature, which makes a reduction keep the difference that it started with.

import test from "ava";
import { judge, judgeSecond, type Verdict } from "../compare/compare.js";
import type { Ending, Outcome } from "../ir/outcome.js";
import { Int32 } from "../ir/types.js";
import { isSameSignature, signatureOf } from "./signature.js";

const heapOf = (byte: number) => ({ bytes: Uint8Array.of(byte), anyNaN: [], masked: [] });

const returned = (lo: number, byte = 0): Outcome => ({
  events: [],
  ending: { kind: "return", result: { type: Int32, lo, hi: 0, anyNaN: false }, heap: heapOf(byte) },
});

const exited = (resumed: Outcome, resumedBy: string | null = null): Outcome => ({
  events: [],
  ending: {
    kind: "exit",
    exit: 0,
    frames: [{ name: "f", point: 0, slots: [] }],
    heap: heapOf(0),
    resumed: [resumed],
    ...(resumedBy === null ? {} : { resumedBy }),
  },
});

const ended = (ending: Ending): Outcome => ({ events: [], ending });

const signatureFor = (expected: Outcome, outcome: Outcome, verdict = judge(expected, outcome)) =>
  signatureOf("x64-O0", { verdict });

function isSame(x: ReturnType<typeof signatureFor>, y: ReturnType<typeof signatureFor>): boolean {
  return x !== null && y !== null && isSameSignature(x, y);
}

for (const by of [null, "arm64-O2"]) {
  const where = by === null ? "an interpreted" : "a compiled";
  test(`in ${where} continuation a wrong result is another difference than a wrong heap`, (t) => {
    const expected = exited(returned(1));
    const result = signatureFor(expected, exited(returned(2), by));
    const heap = signatureFor(expected, exited(returned(1, 7), by));
    t.true(isSame(result, signatureFor(expected, exited(returned(3), by))));
    t.false(isSame(result, heap));
    const deeper = signatureFor(exited(expected), exited(exited(returned(2), by), by));
    t.false(isSame(result, deeper));
    const ending = signatureFor(expected, exited(ended({ kind: "runaway" }), by));
    t.false(isSame(ending, result));
  });
}

test("a difference that appears only with other junk has another signature, with its inner aspect", (t) => {
  const expected = returned(1);
  const second = (outcome: Outcome): Verdict => judgeSecond({ kind: "equal" }, expected, outcome);
  const result = signatureFor(expected, returned(2), second(returned(2)));
  t.false(isSame(result, signatureFor(expected, returned(2))));
  t.false(isSame(result, signatureFor(expected, returned(1, 7), second(returned(1, 7)))));
});

test("a signature contains the kinds of both endings, and the kind of a fault", (t) => {
  const fault = (kind: "divide" | "breakpoint", address = 0n): Outcome =>
    ended({ kind: "fault", fault: kind, address, codeOffset: 4 });
  const divide = signatureFor(returned(1), fault("divide"));
  t.true(isSame(divide, signatureFor(returned(2), fault("divide", 8n))));
  t.false(isSame(divide, signatureFor(returned(1), fault("breakpoint"))));
  t.false(isSame(divide, signatureFor(exited(returned(1)), fault("divide"))));
});

test("an exit in a callee is not part of a signature", (t) => {
  const expected = returned(1);
  const left = (outcome: Outcome): Outcome => {
    const { ending } = exited(outcome);
    return ending.kind === "exit" ? { ...expected, calleeExits: [{ after: 0, ending }] } : expected;
  };
  const inCallee = signatureFor(left(returned(1)), left(returned(2)));
  const itself = signatureFor(exited(returned(1)), exited(returned(2)));
  t.true(isSame(inCallee, itself));
  t.false(isSame(inCallee, signatureFor(left(returned(1)), left(returned(1, 7)))));
});

// Tests a finding in traces of bytecode: its cause, and its reduced program and thresholds.

import ava from "ava";
import { codeOf, moduleOf } from "../../bytecode/interpreter-module.js";
import { listingOf, parseCode } from "../../bytecode/text.js";
import { Judge } from "../../compare/judge-program.js";
import { subjectNamed } from "../../execute/subjects.js";
import { emulatorTest } from "../../execute/unicorn-available.js";
import { DEFAULT_SETTINGS } from "../../execute/unit.js";
import { HEAP_BASE_HI, HEAP_BASE_LO } from "../../ir/outcome.js";
import { causeOf } from "../../localize/cause.js";
import { localize } from "../../localize/localize.js";
import { USUAL_THRESHOLDS } from "../../record/thresholds.js";
import { assert } from "../../support/assert.js";
import { makeSmall } from "./make-small.js";

/** A loop with two alternating paths and many redundant operations. */
const TEXT = `bytecode 1
proc main 3 -> 0
  DROP
  DUP
  SUPER square
  LOG
  TOR
again:
  LITC 3
  LITC 4
  IMUL
  LITC 7
  STORE
  LITC 5
  LITC 6
  IADD
  DROP
  DUP
  LITC 1
  IAND
  JZ even
  LITC 9
  LOG
even:
  LITC 1
  ISUB
  DUP
  LOOPNZ again
  RFROM
  LOG
  HALT
proc square 1 -> 1
  DUP
  IMUL
  EXIT
`;

/** Draws thresholds, most of them unusual, under which exits are linked. */
const CHAOS = 3n;

emulatorTest(ava)(
  "a link with exchanged registers is located in the links, and reduced to a few words and few unusual thresholds",
  async (t) => {
    const subject = subjectNamed("traced-x64-O1");
    assert(subject !== null, () => "no traced subject");
    const settings = {
      ...DEFAULT_SETTINGS,
      chaos: CHAOS,
      tracingFault: "exchanged-registers" as const,
    };
    const options = { subjects: [subject], fuelMax: 10_000, settings };
    const module = moduleOf(parseCode(TEXT));
    const inputs = [
      { words: Int32Array.of(HEAP_BASE_LO, HEAP_BASE_HI, 19, 0, 18, 0, 7, 0), heapSeed: 0 },
    ];
    const judge = new Judge(options);
    const [{ judgements }] = judge.judge({ module, inputs }).results;
    judge.close();
    const [{ verdict }] = judgements;
    assert(verdict.kind === "different", () => "the bug does not show");
    const cause = causeOf(localize(module, inputs, subject, options), subject);
    t.is(cause.stage, "links");
    const small = await makeSmall({ module, inputs }, verdict.aspect, options, cause);
    const left = small === null ? null : codeOf(small.module);
    t.true(
      left !== null && left.words.length <= 16,
      left === null ? "" : listingOf(left).join("\n"),
    );
    const { thresholds } = small?.settings ?? {};
    const others = Object.entries(USUAL_THRESHOLDS).filter(
      ([name, usual]) => Object.entries(thresholds ?? {}).find(([n]) => n === name)?.[1] !== usual,
    );
    t.true(others.length <= 3, others.map(([name]) => name).join(" "));
  },
);

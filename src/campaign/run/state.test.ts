// Tests that the state of a campaign is read as it was written, and that other texts are refused.

import { createHash } from "node:crypto";
import test from "ava";
import { assert } from "../../support/assert.js";
import { emptyTally } from "../count/tally.js";
import { type CorpusGeneration, FIRST_GENERATION } from "../evolved/corpus.js";
import { EVOLVED, USUAL } from "../program/seeds.js";
import type { CampaignState } from "./campaign-state.js";
import { foundAt } from "./found.js";
import { type ExpectedCampaign, parseState, printState } from "./state.js";

const EXPECTED: ExpectedCampaign = {
  name: "seed-1-evolved",
  settings: { subjects: ["x64-O1"], profile: EVOLVED },
  first: (1n << 64n) - 1n,
  count: 100,
  roundPrograms: 20,
};

const NEWER: CorpusGeneration = {
  counts: FIRST_GENERATION.counts.map((_, feature) => feature % 65),
  entries: [{ lineage: "12,m55,7,x931", size: 300, features: [3, 17], children: 2 }],
};
const SEED = (1n << 64n) - 1n;
const STATE: CampaignState = {
  committed: 42,
  seconds: 1.5,
  tally: { ...emptyTally(["x64-O1"]), programs: 42 },
  extremes: { longest: [{ seed: "9", amount: 0.25 }], largest: [{ seed: "7", amount: 12 }] },
  symptoms: { "worker-died": 2, "difference/x64-O1/result": 1 },
  kept: [
    { found: foundAt({ seed: SEED, parents: "12,m5" }, "worker-died", "twice"), filed: null },
    {
      found: {
        ...foundAt({ seed: 3n, parents: "" }, "difference", "x"),
        subject: "x64-O1",
        aspect: "result",
        input: 0,
      },
      filed: { kind: "instance", bucket: "optimizer/fold" },
    },
  ],
  evolution: {
    rounds: [
      { usual: 20, mutated: 0, byUsual: 5, byMutated: 0 },
      { usual: 20, mutated: 0, byUsual: 2, byMutated: 0 },
    ],
    older: FIRST_GENERATION,
    newer: NEWER,
    done: 2,
    news: [{ at: 1, size: 40, features: [5] }],
  },
};
const TEXT = printState(EXPECTED.name, STATE);

test("a state is read as it was written", (t) => {
  t.deepEqual(parseState(TEXT, EXPECTED), STATE);
  const usual = { ...STATE, evolution: null };
  t.deepEqual(
    parseState(printState("usual", usual), {
      ...EXPECTED,
      name: "usual",
      settings: { ...EXPECTED.settings, profile: USUAL },
    }),
    usual,
  );
});

/** Returns the text with a replacement, and with a checksum that fits. */
const changed = (from: string, to: string): string => {
  const text = TEXT.replace(from, to);
  assert(text !== TEXT, () => `the state has no ${from}`);
  const { schema, version, checksum: _checksum, ...body } = JSON.parse(text);
  const checksum = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  return JSON.stringify({ schema, version, checksum, ...body });
};

test("another state, or no state, is refused with a reason", (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["", /expected JSON/],
    ["[]", /expected an object/],
    ['{"schema":"touchstone.campaign-state","version":0}', /expected "version"/],
    [TEXT.replace('"seconds":1.5', '"seconds":1.6'), /checksum is wrong/],
    [TEXT.replace('"checksum":', '"sum":'), /checksum is wrong/],
    [changed("seed-1-evolved", "seed-2-evolved"), /another campaign/],
    [changed('"generator":"', '"generator":"0'), /another version of the generator/],
    [changed('"features":"', '"features":"0'), /evolved under other rules/],
    [changed('"committed":42', '"committed":-1'), /"committed" does not have/],
    [changed('"committed":42', '"committed":43'), /last round does not match/],
    [changed('"committed":42', '"committed":62'), /number of its rounds does not/],
    [changed('"at":1', '"at":2'), /last round does not match/],
    [changed('"done":2', '"done":-2'), /"evolution" does not have/],
    [changed('"programs":42', '"programs":"42"'), /"tally" does not have/],
    [changed('"programs":42', '"programs":39.5'), /"tally" does not have/],
    [changed('"programs":42', '"programs":43'), /counts 43 judged programs, but contains only 42/],
    [changed('"subjects":{"x64-O1"', '"subjects":{"x64-O2"'), /x64-O2 is not a subject/],
    [
      changed('"subject":"x64-O1"', '"subject":"x64-O2"'),
      /x64-O2, the subject of the finding at seed 3, is not/,
    ],
    [changed('"worker-died":2', '"worker-died":0'), /worker-died has more findings than/],
    [changed('"seed":"3"', '"seed":"50"'), /seed 50 is not among its programs/],
    [changed(String(SEED), `${SEED}0000`), /"kept" does not have/],
    [changed(String(SEED), String(SEED + 1n)), /"kept" does not have/],
    [changed('"12,m5"', '"12,x5"'), /"kept" does not have/],
    [changed('"aspect":"result"', '"aspect":"looks"'), /"kept" does not have/],
    [changed("12,m55,7,x931", "12,m55,7"), /"evolution" does not have/],
    [changed('"features":[3,17]', '"features":[3,1e9]'), /"evolution" does not have/],
    [changed('"counts":"', '"counts":"////'), /"evolution" does not have/],
    [changed('"children":2', '"children":null'), /"evolution" does not have/],
    [printState(EXPECTED.name, { ...STATE, evolution: null }), /contains rounds, or lacks them/],
  ];
  for (const [text, says] of cases) {
    const state = parseState(text, EXPECTED);
    t.regex(typeof state === "string" ? state : "it was taken", says);
  }
});

// Tests known bugs of engines: engine, version, opcodes, size and detail must all agree.

import test from "ava";
import { isKnownEngineBug } from "./known-engine-bugs.js";

const FOUND = {
  engine: "jsc-omg",
  version: "WebKitGTK 2.50.6-1~deb12u2",
  opcodes: new Set(["Switch", "Check"] as const),
  values: 9,
  detail: "expected exit, got crash: was ended by SIGILL without an answer",
};

// biome-ignore format: a table
const OTHERWISE: readonly (readonly [what: string, change: Partial<typeof FOUND>])[] = [
  ["engine",  { engine: "jsc-bbq" }],
  ["version", { version: "WebKitGTK 2.52.0" }],
  ["opcodes", { opcodes: new Set(["Check"] as const) }],
  ["size",    { values: 40 }],
  ["detail",  { detail: "expected exit, got return" }],
];

test("a bug that is registered is known", (t) => {
  t.true(isKnownEngineBug(FOUND));
  t.true(isKnownEngineBug({ ...FOUND, engine: "jsc-omg@2.50" }));
});
for (const [what, change] of OTHERWISE) {
  test(`a finding of another ${what} is new`, (t) => {
    t.false(isKnownEngineBug({ ...FOUND, ...change }));
  });
}

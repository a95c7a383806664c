import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { runHere } from "./run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-browser-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const PROGRAM = `touchstone 1
proc f(Float @0) -> Float
#0:
  Float @1 = ConstFloat(0.0)
  Float @2 = Add(@0, @1)
  Float @3 = Mul(@2, @2)
  Float @4 = Sub(@2, @3)
  Void @5 = Return(@2)
; run: f(-0.0)
`;

function write(fields: object): string {
  const path = join(folder, "browser-7.json");
  const finding = { schema: "touchstone.browser-finding", version: 1, seed: "7", profile: "usual" };
  writeFileSync(path, JSON.stringify({ ...finding, program: PROGRAM, ...fields }));
  return path;
}

test.serial("commands read the program of a browser's finding", async (t) => {
  const path = write({});
  const subjects = ["--canary", "float-rule", "--subjects", "ir-O1"];
  const reduced = await runHere(["reduce", path, ...subjects, "--workers", "1"]);
  t.is(reduced.status, 0, reduced.error);
  t.regex(reduced.out, /Add\(@/);
  t.false(reduced.out.includes("Mul"));
  const reports = join(folder, "reports");
  const reported = await runHere(["report", path, ...subjects, "--out", reports]);
  t.is(reported.status, 1, reported.error);
});

test.serial(
  "a finding of another version, or without a program, is refused in words",
  async (t) => {
    const newer = await runHere(["reduce", write({ version: 2 }), "--subjects", "ir-O1"]);
    t.is(newer.status, 2);
    t.regex(newer.error, /browser-7\.json: expected "version": 1/);
    const hang = await runHere(["report", write({ program: null }), "--subjects", "ir-O1"]);
    t.is(hang.status, 2);
    t.regex(hang.error, /has no program.*--seed 7 --profile usual/);
  },
);

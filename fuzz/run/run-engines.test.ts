// Tests campaigns with external engines and subjects of the reference compiler.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { flagsOfSeed } from "../../src/engine/drawn/draw-flags.js";
import { engineTest } from "../../src/engine/engine-test.js";
import { DRAWN } from "../../src/engine/engines.js";
import { firstSeedThat } from "../../src/support/first-seed.js";
import { trials } from "../../src/support/trials.js";
import { runHere } from "../support/run-here.js";

interface CampaignAnswer {
  readonly effective: Readonly<Record<string, { programs: number; effective: number }>>;
  readonly subjects: Readonly<Record<string, { equal: number; different: number }>>;
  readonly findings: readonly { readonly path: string; readonly bucket: string }[];
}

// These tests compile some hundred candidates.
const reducing: typeof engineTest =
  trials(0, 1) > 0
    ? engineTest
    : (serial, _name, title) => serial.skip(`${title}: at night`, (t) => t.fail());

reducing(
  test.serial,
  "v8-turboshaft", // known to be wrong
  "a difference of an engine is a finding of the campaign, and the other subjects continue",
  async (t, { name }) => {
    const reports = mkdtempSync(join(tmpdir(), "touchstone-run-engines-"));
    t.teardown(() => rmSync(reports, { recursive: true }));
    const words = ["run", "--subjects", `ir-O1,${name}`, "--count", "100", "--until-findings", "1"];
    const { status, out } = await runHere([
      ...words,
      "--workers",
      "1",
      "--reports",
      reports,
      "--json",
    ]);
    t.is(status, 1);
    // The cast: the output of `run --json`.
    const { subjects, findings } = JSON.parse(out) as CampaignAnswer;
    t.true(subjects[name].different > 0);
    t.deepEqual([subjects["ir-O1"].different > 0, subjects["ir-O1"].equal > 0], [false, true]);
    const [{ path }] = findings;
    t.regex(
      readFileSync(join(path, "report.md"), "utf8"),
      /confirmed: as found, in 3 of 3 fresh processes\n- confirmed: reduced, in 3 of 3 fresh/,
    );
    // The program is reduced, so its opcodes name the bucket. Only the engine shows the difference.
    t.regex(findings[0].bucket, /^v8-turboshaft\/v8-turboshaft\/[\w+]+\/\w+$/);
    t.is(spawnSync("sh", [join(path, "reproduce.sh")]).status, 1);
    const script = readFileSync(join(path, "reproduce.sh"), "utf8");
    writeFileSync(join(path, "right.sh"), script.replace(" --turboshaft-wasm", ""));
    t.is(spawnSync("sh", [join(path, "right.sh")]).status, 0);
  },
);

/** One of its flags is known to be wrong. */
const UNSAFE = "gcc-unsafe-drawn";

const FLAGS = "a finding keeps only the flags that it needs";
reducing(test.serial, UNSAFE, FLAGS, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-run-drawn-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "x.ir");
  writeFileSync(file, UNORDERED);
  const subject = "gcc-O1+fno-inline+ffast-math+fweb";
  const words = ["report", file, "--subjects", subject, "--out", folder, "--json"];
  const { status, out } = await runHere(words);
  t.is(status, 1);
  // The cast: the output of `report --json`.
  const [{ path, bucket }] = (JSON.parse(out) as CampaignAnswer).findings;
  const report = readFileSync(join(path, "report.md"), "utf8");
  t.regex(
    report,
    /confirmed: as found, in 3 of 3 fresh processes\n- confirmed: reduced, in 3 of 3 fresh/,
  );
  t.regex(report, /--subjects gcc-O1\+ffast-math(?![+\w])/);
  t.regex(bucket, /^gcc-O1\//);
  const script = readFileSync(join(path, "reproduce.sh"), "utf8");
  t.true(script.includes(" -ffast-math "));
  t.is(spawnSync("sh", [join(path, "reproduce.sh")]).status, 1);
  writeFileSync(join(path, "right.sh"), script.replace(" -ffast-math ", " "));
  t.is(spawnSync("sh", [join(path, "right.sh")]).status, 0);
});

/** Compares with a NaN. */
const UNORDERED = `touchstone 1
proc f(Double @0) -> Int32
#0:
  Int32 @1 = Equal(@0, @0)
  Void @2 = Return(@1)
; run: f(nan:0x7ff8000000000000)
`;

const COUNTS = "a campaign counts programs under the row whose flags they draw";
engineTest(test.serial, UNSAFE, COUNTS, async (t, { name }) => {
  const row = DRAWN.find((one) => one.name === name);
  if (row === undefined) return t.fail("no such row");
  const drawsFlag = (sixteenth: bigint): boolean =>
    flagsOfSeed(row, 16n * sixteenth).flags.join() === "fweb";
  const seed = 16n * firstSeedThat("the flag fweb", { from: 1n, count: 10_000n }, drawsFlag);
  const reports = mkdtempSync(join(tmpdir(), "touchstone-run-drawn-"));
  t.teardown(() => rmSync(reports, { recursive: true }));
  const words = ["--seed", String(seed), "--count", "2", "--workers", "1", "--reports", reports];
  const { status, out } = await runHere(["run", "--subjects", name, ...words, "--json"]);
  t.is(status, 0);
  // The cast: the output of `run --json`.
  t.deepEqual((JSON.parse(out) as CampaignAnswer).effective, {
    [name]: { programs: 2, effective: 2 },
  });
  const shown = await runHere(["--seed", String(seed), "--subjects", name]);
  t.regex(shown.out, /gcc-O1\+fweb +equal/);
});

test.serial("V8 judges some programs of a campaign that names no subjects", async (t) => {
  const reports = mkdtempSync(join(tmpdir(), "touchstone-run-default-"));
  t.teardown(() => rmSync(reports, { recursive: true }));
  const told = async (...words: readonly string[]): Promise<CampaignAnswer["effective"]> => {
    const args = ["--count", "20", "--seed", "7000", "--workers", "1", "--reports", reports];
    const { out } = await runHere(["run", ...args, ...words, "--json"]);
    // The cast: the output of `run --json`.
    return (JSON.parse(out) as CampaignAnswer).effective;
  };
  // The engine judges in addition to the drawn subjects, even if few are drawn.
  const { "v8-turbofan": counts, ...others } = await told("--draw", "1");
  t.deepEqual(others, {});
  t.true(counts.programs > 0 && counts.programs < 10, `${counts.programs} of 20 programs`);
  t.is(counts.effective, counts.programs);
  t.deepEqual(await told("--subjects", "ir-O1"), {});
});

test("an engine with `:N` judges a share of the programs", async (t) => {
  const words = ["run", "--subjects", "v8-liftoff:4", "--seed", "5", "--count", "40"];
  const { status, out } = await runHere([...words, "--workers", "1", "--json"]);
  t.is(status, 0);
  // The cast: the output of `run --json`.
  const { effective } = JSON.parse(out) as CampaignAnswer;
  const { programs } = effective["v8-liftoff"];
  t.true(programs > 2 && programs < 25, `${programs} of 40`);
});

engineTest(
  test.serial,
  "llvm-O2",
  "a known bug has a symptom and a bucket of its own",
  async (t, { name }) => {
    const reports = mkdtempSync(join(tmpdir(), "touchstone-known-"));
    t.teardown(() => rmSync(reports, { recursive: true }));
    const { bugsFolder } = await import("../../src/campaign/file/known-engine-bugs.js");
    const bug = join(bugsFolder(), "llvm-loop-load-elim.ir");
    const { out } = await runHere(["report", bug, "--subjects", name, "--out", reports, "--json"]);
    t.regex(out, /"bucket": ?"known bug\/llvm-loop-load-elim"/);
  },
);

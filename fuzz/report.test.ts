// Tests a finding of a mutated program from the seed to the report and back. Its folder names the
// program by profile and seed, and every command that accepts a finding reproduces it.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { answerFault } from "../ci/schemas/answer-fault.js";
import { emptyTally } from "../src/campaign/count/tally.js";
import { fileWhole } from "../src/campaign/file/file-finding.js";
import { generatedOf, programOf } from "../src/campaign/program/seeds.js";
import { type JudgeSettings, SeedJudge } from "../src/campaign/run/judge-seed.js";
import { printModule } from "../src/ir/text/print.js";
import { valueCount } from "../src/reduce/candidate.js";
import { projectRoot } from "../src/support/project-root.js";
import { trials } from "../src/support/trials.js";
import { add } from "./corpus.js";
import { runHere } from "./support/run-here.js";

const LAUNCHER = join(projectRoot(), "fuzz", "launcher.mjs");
/** A planted bug that chaotic phase orders show as well: three of 20 mutated programs show it. */
const PLANTED = { canary: "stale-load", phase: "forward-loads" };
/** Smaller programs are reduced faster. */
const VALUES_MAX = 600;
const CANARY = ["--canary", PLANTED.canary];
const settings: JudgeSettings = {
  subjects: ["ir-O2-chaos"],
  canary: PLANTED.canary,
  drawn: null,
  profile: "mutated",
};

function firstFound() {
  const judge = new SeedJudge(settings);
  const tally = emptyTally();
  for (let seed = 1n; seed < 2000n; seed++) {
    const [found] = judge.judge({ seed, parents: "" }, tally);
    if (found?.kind === "difference" && isSmall(seed)) return found;
  }
  return null;
}

const isSmall = (seed: bigint): boolean =>
  valueCount(programOf(seed, settings.profile).module) <= VALUES_MAX;

function folderFor(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-report-test-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

const TINY = "touchstone 1\nproc f() -> Void\n#0:\n  Void @0 = Return()\n\n; run: f() = void\n";

const findingIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "finding.json"), "utf8"));

test.serial(
  "a mutated program is found, reported, and found again by every command that accepts it",
  async (t) => {
    const reports = folderFor(t);
    const found = firstFound();
    if (found === null) return t.fail("no mutated program shows the planted bug");
    const { seed } = found;
    const filing = { canary: PLANTED.canary, profile: "mutated", reports, reported: {} };
    const filed = await fileWhole(found, filing, settings);
    if (filed.kind !== "report") return t.fail();
    const { path } = filed.entry;
    const finding = findingIn(path);
    t.is(finding.profile, "mutated");
    t.is(finding.seed, String(seed));
    t.is(finding.cause.part, PLANTED.phase);
    t.is(finding.foundBy, "ir-O2-chaos");
    t.is(finding.subject, "ir-O2");
    const all = { runs: 3, differed: 3 };
    t.deepEqual([finding.confirmed, finding.confirmedReduced], [all, all]);
    const original = readFileSync(join(path, "original.ir"), "utf8");
    t.false(original.includes(printModule(generatedOf(seed).module)), "it was mutated");

    const command = [LAUNCHER, ...finding.command.slice(3)];
    t.is(spawnSync(process.execPath, command, { cwd: path }).status, 1, "its own command");

    const named = ["--seed", String(seed), "--profile", "mutated", ...CANARY];
    t.is((await runHere([...named, "--subjects", "ir-O2-chaos"])).status, 1, "by hand");
    const subjects = ["--subjects", "ir-O2-chaos"];
    for (const [w, what] of [[path], [...named, ...subjects]].entries()) {
      const says = what.join(" ");
      const { out } = await runHere(["localize", ...what, "--json"]);
      t.is(JSON.parse(out).found[0].located.phase, PLANTED.phase, says);
      // A report confirms in three processes, and reduces.
      if (w >= trials(0, 2)) continue;
      const again = join(reports, `again-${what.length}`);
      const { status } = await runHere(["report", ...what, "--out", again]);
      t.is(status, 1, says);
      const [folder] = readdirSync(again);
      t.is(findingIn(join(again, folder)).id, finding.id, says);
    }
    // The original takes as long as the whole test so far.
    const what = [[join(path, "program.ir"), ...CANARY, "--subjects", finding.subject], [path]][
      trials(0, 1)
    ];
    const small = await runHere(["reduce", ...what, "--workers", "1", "--json"]);
    t.is(small.status, 0);
    t.is(answerFault("touchstone.reduce", small.out), null);
    const { program, before, after } = JSON.parse(small.out);
    t.true(program.startsWith("; ir-O2"));
    t.true(program.includes(`${before} values before, ${after} after`));
  },
);

test.serial("a bug of a foreign compiler has no parts, and is no regression", async (t) => {
  const folder = folderFor(t);
  const head = { schema: "touchstone.finding", version: 2, aspect: null, canary: null };
  const engine = { subject: "gcc-O2", engine: "gcc 12.2.0" };
  writeFileSync(join(folder, "finding.json"), JSON.stringify({ ...head, ...engine }));
  writeFileSync(join(folder, "original.ir"), TINY);
  writeFileSync(join(folder, "regression.ir"), TINY);
  const localized = await runHere(["localize", folder]);
  t.is(localized.status, 2);
  t.regex(localized.error, /: found by gcc-O2, whose parts are unknown: expected --subjects of /);
  const words = { name: "x", says: "x", fixed: "not yet" };
  await t.throwsAsync(add({ finding: folder, ...words, json: false }, folder), {
    message: /: it is no bug of the reference compiler: keep program\.ir among your own /,
  });
  await t.throwsAsync(add({ finding: folder, ...words, json: false }, folder, folder), {
    message: /^corpus add: expected a checkout of Touchstone; .* is an installed package$/,
  });
});

test.serial("a malformed finding is refused with the reason", async (t) => {
  const folder = folderFor(t);
  const finding = { schema: "touchstone.finding", version: 2, subject: null, aspect: null };
  const cases = [
    [{ profile: "--help" }, /"profile" is not the name of a profile/],
    [{ parents: "$(rm)" }, /"parents" is not what --parents takes/],
    [{ foundBy: 7 }, /"foundBy" is neither text nor null/],
    [
      { foundBy: "command", command: ["fuzz", "exec", "--subject-command", "cc {c} {exe}"] },
      /: expected --subject-command 'cc \{c\} \{exe\}', by which it was found$/m,
    ],
  ] as const;
  for (const [more, says] of cases) {
    writeFileSync(
      join(folder, "finding.json"),
      JSON.stringify({ ...finding, canary: null, ...more }),
    );
    const { status, error } = await runHere(["report", folder]);
    t.is(status, 2);
    t.regex(error, says);
  }
});

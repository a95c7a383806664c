// Tests the command as users run it, in this process if possible. Tests of process behavior use the
// launcher. Also tests campaigns whose workers die.

import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { answerFault } from "../ci/schemas/answer-fault.js";
import {
  isUnreached,
  PROGRAMS_ENOUGH,
  PROGRAMS_ENOUGH_FOR_ROWS,
  reachedOf,
} from "../src/campaign/count/counters.js";
import { emptyTally } from "../src/campaign/count/tally.js";
import { MUTATED, programOf, readingOf, USUAL } from "../src/campaign/program/seeds.js";
import { Campaign } from "../src/campaign/run/campaign.js";
import { SeedJudge } from "../src/campaign/run/judge-seed.js";
import type { CampaignOptions } from "../src/campaign/run/options.js";
import {
  type CampaignSummary,
  parseSummary,
  SUMMARY_VERSION,
} from "../src/campaign/run/summary.js";
import { emulatorTest, hostTest } from "../src/execute/unicorn-available.js";
import { printModule } from "../src/ir/text/print.js";
import { symptomOf } from "../src/report/bucket.js";
import { FINDING_SCHEMA, FINDING_VERSION } from "../src/report/finding.js";
import { projectRoot } from "../src/support/project-root.js";
import { trials } from "../src/support/trials.js";
import { COMMAND_GROUPS } from "./commands.js";
import { campaignName } from "./run/attend.js";
import { type CommandOutput, runHere } from "./support/run-here.js";
import { taskOf } from "./support/task.js";

const LAUNCHER = join(projectRoot(), "fuzz", "launcher.mjs");
const withEmulator = emulatorTest(test);
const folder = mkdtempSync(join(tmpdir(), "touchstone-commands-"));

test.after.always(() => rmSync(folder, { recursive: true }));

function fuzz(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): CommandOutput {
  const env = { ...process.env, ...environment };
  const options = { encoding: "utf8", env, cwd: folder } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args], options);
  return { status: status ?? -1, out: stdout, error: stderr };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function lastJson(t: ExecutionContext, out: string): Record<string, unknown> {
  const lines = out.trimEnd().split("\n");
  t.is(lines.length, 1, "only the object is printed to standard output");
  const value: unknown = JSON.parse(lines[0]);
  return isRecord(value) ? value : {};
}

const BROKEN = join(folder, "broken.ir");
writeFileSync(BROKEN, "touchstone 1\nproc f() -> Int32\n#0:\n  Int32 @0 = Frob()\n");
const HOSTILE = join(folder, "hostile.ir");
writeFileSync(HOSTILE, "touchstone 1\nproc \u202e\u001b[31m");

const NO_COLON = join(folder, "no-colon.ir");
writeFileSync(
  NO_COLON,
  "touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Void @1 = Return(@0)\n\n; run f(1)\n",
);

const SIEVE = join(projectRoot(), "corpus", "bench", "sieve.ir");

const C_FILE = join(folder, "one.c");
writeFileSync(C_FILE, "int f(int a) { return a; }\n");
const EMPTY = join(folder, "empty.jsonl");
writeFileSync(EMPTY, "");
const DEAF = join(folder, "deaf-cc");
writeFileSync(DEAF, "");

// biome-ignore format: a table
const MISTAKES = [
  { args: [],                                     says: /^fuzz: expected a command or --seed N/ },
  { args: ["rum"],                                says: /Did you mean run\?$/ },
  { args: ["run", "--cuont", "3"],                says: /Unknown argument: cuont; did you mean --count\?; see fuzz run --help$/ },
  { args: ["--sed", "7"],                         says: /Unknown argument: sed; did you mean --seed\?; see/ },
  { args: ["corpus", "run", "--subject", "x"],    says: /Unknown argument: subject; did you mean --subjects\?; see fuzz corpus run --help$/ },
  { args: ["doctor", "--zzzzzz"],                 says: /^fuzz: Unknown argument: zzzzzz; see fuzz doctor --help$/ },
  { args: ["exec"],                               says: /^fuzz: expected fuzz exec <file>; see fuzz exec --help$/ },
  { args: ["exec", "a.ir", "b.ir"],               says: /^fuzz: expected fuzz exec <file>, without b\.ir; see fuzz exec --help$/ },
  { args: ["corpus", "add"],                      says: /^fuzz: expected fuzz corpus add <finding>; see fuzz corpus add --help$/ },
  { args: ["--seed", "7", "--subjects", "x46-O1"], says: /no such subject; did you mean x64-O1\?$/ },
  { args: ["list", "cannaries"],                  says: /; did you mean canaries\?$/ },
  { args: ["--seed", "7", "--canary", "float-rul"], says: /no such canary; did you mean float-rule\?/ },
  { args: ["run", "--seed", "1", "--seed", "2"],  says: /--seed is given twice/ },
  { args: ["run", "--count", "0"],                says: /--count 0: expected a number from 1/ },
  { args: ["run", "--count", "all"],              says: /--count all: expected one kind of small worlds, as --profile worlds-two/ },
  { args: ["run", "--for", "3x"],                 says: /--for 3x: expected a time like 30s, 8m or 8h/ },
  { args: ["run", "--fleet", "--store", "x"],     says: /^fuzz: --fleet: expected a store on a server/ },
  { args: ["worker", "--store", "x"],             says: /^fuzz: worker: expected a store on a server/ },
  { args: ["run", "--store", "my://a:s3cret@b/c"], says: /^fuzz: store my:\/\/\.\.\.: expected postgres:/ },
  { args: ["run", "--store", "host=h password=s3cret"], says: /^fuzz: store KEYWORD=\.\.\.: expected postgres:\/\/USER@HOST\/DATABASE$/ },
  { args: ["--seed", "7", "--profile", "smal"],   says: /^fuzz: --profile smal: no such profile; did you mean small\?; see fuzz list profiles/ },
  { args: ["compile", "x.ir", "--level", "O7"],   says: /^fuzz: --level O7: expected one of O0, O1, O2; did you mean O0\?; see fuzz compile --help$/ },
  { args: ["run", "--count"],                     says: /^fuzz: --count: expected a value; see fuzz run --help$/ },
  { args: ["list", "--json=banana"],              says: /^fuzz: --json=banana: expected --json alone/ },
  { args: ["exec", NO_COLON],                     says: /no-colon\.ir:6: has no line '; run: f\(\.\.\.\)', and this line has no colon/ },
  ...["__proto__", "constructor", "toString"].map((to) => ({ args: ["export", SIEVE, "--to", to], says: /^fuzz: --to \w+: expected one of wasm, c, lua, llvm, js, jar, lir$/ })),
  { args: ["import", "--from", "lir", SIEVE],     says: /sieve\.ir:6: unexpected character at column 18$/ },
  { args: ["import", "--from", "lur", SIEVE],     says: /^fuzz: --from lur: expected one of lir, / },
  { args: ["export", SIEVE, "--to", "constructor", "--facts", "all"], says: /^fuzz: --to constructor: expected one of/ },
  { args: ["run", "__proto__"],                   says: /^fuzz: run __proto__: no such plan/ },
  { args: ["run", "--canary", "nobody"],          says: /--canary nobody: no such canary/ },
  { args: ["--seed", "18446744073709551616"],     says: /expected a number of 64 bits/ },
  { args: ["--seed", "7", "--subjects", "z80"],   says: /--subjects z80: no such subject/ },
  { args: ["--seed", "7", "--parents", "1"],      says: /--parents: expected --profile evolved, or mutated with --outside/ },
  { args: ["--seed", "7", "--profile", "evolved", "--parents", "1,x"], says: /--parents 1,x: expected something like/ },
  { args: ["run", "--canary", "float-rule", "--resume"], says: /--resume: a search for planted bugs keeps no state/ },
  { args: ["exec", "/dev/zero"],                  says: /^fuzz: \/dev\/zero: cannot be read: more than 268435456 bytes/ },
  { args: ["exec", "nowhere.ir"],                 says: /^fuzz: nowhere\.ir: cannot be read: no such file/ },
  { args: ["exec", BROKEN],                       says: /broken\.ir:4:14: expected an opcode, found 'Frob'$/ },
  { args: ["exec", HOSTILE],                      says: /hostile\.ir:2:6: / },
  { args: ["run", "--count", "1", "--reports", ""], says: /^fuzz: --reports: expected the name of a folder$/ },
  { args: ["list", "rule"],                       says: /^fuzz: list rule: expected one of subjects, .*rules/ },
  { args: ["conform"],                            says: /^fuzz: conform: expected files, or --boundary$/ },
  { args: ["conform", "x.jsonl", "--share", "2"], says: /^fuzz: --share goes with --boundary$/ },
  { args: ["conform", "--boundary", "--share", "0"], says: /--share 0: expected a number from 1/ },
  { args: ["compile", "x.ir", "--disable", "x"], says: /^fuzz: --disable x: no phase and no rule/ },
  { args: ["compile", SIEVE, "--dump", "x"],      says: /^fuzz: --dump x: expected one of .*, all$/ },
  { args: ["exec", SIEVE, "--subjects", "ir-O1", "--subject-seconds", "3"], says: /^fuzz: --subject-seconds: expected --subject-command too, which it limits$/ },
  { args: ["run", "--subjects", "ir-O1", "--subject-memory", "-1"], says: /^fuzz: --subject-memory: expected --subject-command too, which it limits$/ },
  { args: ["exec", SIEVE, "--subject-command", " "], says: /^fuzz: --subject-command: expected a command line$/ },
  { args: ["exec", SIEVE, "--subjects", "command"], says: /^fuzz: --subjects command: expected --subject-command too$/ },
  { args: ["exec", SIEVE, "--subject-command", "true {c} {exe}"], says: /: status 0, but there is no executable: docs/ },
  { args: ["exec", SIEVE, "--args", "7, x"],      says: /^fuzz: --args 7, x: at character \d: expected .*, found .*; it takes \(\w+.*\)$/ },
  { args: ["exec", "-"],                          says: /^fuzz: expected the name of a file, found none$/ },
  { args: ["conform", EMPTY],                     says: /empty\.jsonl: expected a case in each line, found none$/ },
  { args: ["reduce", SIEVE, "--for", "x"],        says: /^fuzz: --for x: expected a time like 30s/ },
  { args: ["export", SIEVE, "--to", "c", "--out", "/dev/null/x"], says: /^fuzz: --out \/dev\/null\/x: cannot be written: a part of the path is no folder$/ },
  { args: ["completion", "zsh"],                  says: /^fuzz: completion: expected no zsh: the script is for the shell in SHELL$/ },
  ...[["--opt-limit", "1"], ["--halves"], ["--canary", "float-rule"]].map((option) => ({ args: ["exec", SIEVE, "--subjects", "v8-turbofan", ...option], says: /^fuzz: --\w[\w-]+: v8-turbofan is another compiler, without this option: expected --subjects with one of the reference compiler, such as x64-O2$/ })),
  { args: ["--seed", "7", "--subjects", "v8-turbofan", "--canary", "float-rule"], says: /^fuzz: --canary: v8-turbofan is another compiler/ },
  { args: ["engines", "--subjects", "v8-turbofn"], says: /^fuzz: --subjects v8-turbofn: no such engine; did you mean v8-turbofan\?$/ },
  { args: ["engines", "--subjects", "zzzzzz"],    says: /^fuzz: --subjects zzzzzz: no such engine: fuzz list engines has the names$/ },
  { args: ["engines", "--count", "3"],            says: /^fuzz: --count: expected --subjects too, with the engines to run$/ },
  { args: ["phases", C_FILE, "--compiler", DEAF], says: /one\.c: .*deaf-cc: cannot run: permission denied$/ },
  { args: ["stats", "\u001b[31mnowhere"],         says: /cannot be read/ },
];

test.serial("a mistake is one printable line, and status 2", async (t) => {
  // Two mistakes are tested through the launcher: an unknown command, and a hostile file.
  const isLaunched = (args: readonly string[]): boolean => /^rum$|hostile/.test(args.join(" "));
  for (const { args, says } of MISTAKES) {
    const { status, out, error } = isLaunched(args) ? fuzz(args) : await runHere(args);
    const what = `fuzz ${args.join(" ")}`;
    t.is(status, 2, what);
    t.is(out, "", what);
    t.regex(error.trimEnd(), says, what);
    t.regex(error, /^[^\p{C}]*\n$/u, what);
  }
});

// biome-ignore format: a table
const MISSING = [
  { args: ["phases", C_FILE, "--compiler", "no-cc -x"],    says: /^fuzz: --compiler no-cc -x: there is no no-cc$/ },
  { args: ["engines", "--regress", "system,0.0.0"],        says: /^fuzz: --regress: there is no engine of version 0\.0\.0: fuzz engines lists them$/ },
];

test.serial("a name of something that this machine lacks is one line, and status 3", async (t) => {
  for (const { args, says } of MISSING) {
    const { status, out, error } = await runHere(args);
    t.deepEqual({ status, out }, { status: 3, out: "" }, `fuzz ${args.join(" ")}`);
    t.regex(error.trimEnd(), says);
  }
});

test.serial("a port that another program uses is one line, and status 3", async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { status, error } = await runHere(["serve", "--port", `${port}`]);
  t.is(status, 3);
  t.is(error, `fuzz: --port ${port}: another program uses it; --port 0 takes a free one\n`);
});

test.serial("a seed and its parents name a program anywhere", async (t) => {
  const named = ["--profile", "evolved", "--parents", "12,m55,3"];
  const { status, out } = await runHere(["--seed", "7", ...named, "--subjects", "ir-O1"]);
  t.is(status, 0);
  t.true(out.includes(printModule(programOf(7n, "evolved", "12,m55,3").module)));
  t.regex(out, /^; seed 7 of generator [0-9a-f]{16}, profile evolved, parents 12,m55,3$/m);
  const task = { what: undefined, seed: "7", canary: undefined, chaos: undefined };
  const { module, again } = taskOf("reduce", { ...task, profile: "evolved", parents: "12,m55,3" });
  t.true(out.includes(printModule(module)), "reduce, report and localize");
  t.deepEqual(again, ["--seed", "7", ...named]);
});

test.serial(
  "a seed of another profile prints the profile, and gives the same program everywhere",
  async (t) => {
    const isMutated = (seed: number): boolean => readingOf(BigInt(seed), USUAL) === MUTATED;
    const seed = String(Array.from({ length: 200 }, (_, i) => i).find(isMutated));
    const { out } = await runHere(["--seed", seed, "--subjects", "ir-O1"]);
    t.regex(out, new RegExp(`^; seed ${seed} of generator [0-9a-f]{16}, profile mutated$`, "m"));
    t.true(out.includes(printModule(programOf(BigInt(seed)).module)));
    const task = { what: undefined, seed, canary: undefined, chaos: undefined, profile: undefined };
    t.true(out.includes(printModule(taskOf("reduce", task).module)));
  },
);

test("missing software is reported before anything starts, with status 3", (t) => {
  const nowhere = { TOUCHSTONE_UNICORN: "/nowhere/libunicorn.so" };
  const named = fuzz(["--seed", "7", "--subjects", "ir-O1,x64-O0"], nowhere);
  t.is(named.status, 3);
  t.is(named.out, "");
  t.regex(named.error, /^fuzz: x64-O0 cannot run: .*ci\/setup.*\n$/);
  const all = fuzz(["--seed", "7"], nowhere);
  t.is(all.status, 0);
  t.regex(all.out, /^; arm64-O1 was left out: /m);
  t.is(fuzz(["doctor", "--json"], nowhere).status, 3);
});

emulatorTest(test.serial)("doctor finds everything that this machine needs", async (t) => {
  const { status, out } = await runHere(["doctor", "--json"]);
  t.is(status, 0);
  t.is(answerFault("touchstone.doctor", out), null);
  const { schema, version, ok } = lastJson(t, out);
  t.deepEqual({ schema, version, ok }, { schema: "touchstone.doctor", version: 2, ok: true });
});

test.serial("help lists every command, and runs none", async (t) => {
  const { status, out } = await runHere(["--help"]);
  t.is(status, 0);
  for (const name of ["run", "exec", "compile", "reduce", "conform", "stats", "doctor"]) {
    t.regex(out, new RegExp(`^fuzz ${name}\\b`, "m"));
  }
  for (const { title } of COMMAND_GROUPS) t.true(out.includes(`\n${title}:\n`), title);
  const { out: ofRun } = await runHere(["run", "--help"]);
  t.regex(ofRun, /^ {2}--until-findings/m);
  t.is((await runHere(["help", "run"])).out, ofRun);
  t.is((await runHere(["-h"])).out, out);
  t.notRegex(ofRun, /^proc /m);
  t.regex((await runHere(["completion"])).out, /^complete /m);
});

test.serial("values of options are listed, and completed by a shell", async (t) => {
  const linesOf = async (...args: string[]): Promise<string[]> =>
    (await runHere(args)).out.trimEnd().split("\n");
  const names = (await linesOf("list")).slice(0, -1).map((line) => line.split(" ")[0]);
  t.true(names.includes("canaries"));
  for (const name of names) t.true((await linesOf("list", name)).length > 1, name);
  t.regex((await linesOf("list", "rules")).join("\n"), /^sub-self +Sub\(x, x\)$/m);
  const complete = (...words: string[]): Promise<string[]> =>
    linesOf("--get-yargs-completions", "fuzz", ...words);
  t.deepEqual(await complete("list", "can"), ["canaries"]);
  t.deepEqual(await complete("co"), ["conform", "corpus", "compile", "completion"]);
  t.deepEqual(await complete("corpus", "r"), ["run"]);
  t.deepEqual(await complete("run", "--subjects", "ir-O1,host-O2-one-pass-"), [
    "ir-O1,host-O2-one-pass-chaos",
    "ir-O1,host-O2-one-pass-halves",
    "ir-O1,host-O2-one-pass-halves-chaos",
  ]);
});

emulatorTest(test.serial)(
  "--seed prints the same bytes in every run, and they are a program",
  async (t) => {
    const first = fuzz(["--seed", "7"]);
    t.is(first.status, 0);
    t.is((await runHere(["--seed", "0x7"])).out, first.out);
    t.regex(first.out, /^; verdict: equal \(\d+ equal, 0 different, 0 unjudged\)\n$/m);
    const file = join(folder, "seed-7.ir");
    writeFileSync(file, first.out);
    t.is((await runHere(["exec", file])).status, 0);
  },
);

hostTest(test.serial)(
  "a program from a file runs natively only if the user names a native subject",
  async (t) => {
    const file = join(folder, "named.ir");
    const program = await runHere(["--seed", "7", "--subjects", "ir-O1"]);
    writeFileSync(file, program.out);
    const unnamed = await runHere(["exec", file]);
    t.is(unnamed.status, 0, unnamed.error);
    t.notRegex(unnamed.out, /host-O/);
    const named = await runHere(["exec", file, "--subjects", "host-O0"]);
    t.regex(named.out, /^; {3}host-O0 +equal$/m);
    const seeded = await runHere(["--seed", "7"]);
    t.regex(seeded.out, /^; {3}host-O0 +equal$/m);

    const finding = join(folder, "native-finding");
    mkdirSync(finding);
    const head = { schema: FINDING_SCHEMA, version: FINDING_VERSION, aspect: null, canary: null };
    writeFileSync(join(finding, "finding.json"), JSON.stringify({ ...head, subject: "host-O0" }));
    copyFileSync(file, join(finding, "original.ir"));
    const refused = await runHere(["reduce", finding]);
    t.is(refused.status, 2);
    t.regex(refused.error, /^fuzz: host-O0 would run it .* --subjects host-O0$/m);
    const allowed = await runHere(["reduce", finding, "--subjects", "host-O0"]);
    t.is(allowed.status, 1, "nothing differs");
  },
);

emulatorTest(test.serial)(
  "a canary's finding is replayed by the seed that the campaign prints",
  async (t) => {
    const reports = join(folder, "replayed");
    const words = [
      "run",
      "--canary",
      "return-value",
      "--json",
      "--workers",
      "1",
      "--reports",
      reports,
    ];
    const ran = await runHere(words);
    t.is(ran.status, 0, ran.error);
    t.is(answerFault("touchstone.canaries", ran.out), null);
    const { canaries } = lastJson(t, ran.out);
    const [canary] = Array.isArray(canaries) ? canaries : [];
    const { aspect, subject, seed, findings } = canary;
    t.is(aspect, "result");
    const again = await runHere([
      "--seed",
      seed,
      "--subjects",
      subject,
      "--canary",
      "return-value",
    ]);
    t.is(again.status, 1);
    t.regex(again.out, /different: result: /);
    const [, , , ...command] = findings[0].command;
    t.is(fuzz(command).status, 1, "the command of the report reproduces the finding");
  },
);

/** Programs of each campaign. */
const SUMMED = trials(8, 20);

test.serial("campaigns leave summaries that add up", async (t) => {
  const reports = join(folder, "sums");
  const run = async (seed: string): Promise<Record<string, unknown>> => {
    const args = ["--seed", seed, "--count", `${SUMMED}`, "--subjects", "ir-O1", "--workers", "1"];
    const ran = await runHere(["run", ...args, "--reports", reports, "--json"]);
    t.is(ran.status, 0, ran.error);
    return lastJson(t, ran.out);
  };
  const one = await run("100");
  t.deepEqual(
    { schema: one["schema"], version: one["version"], programs: one["programs"] },
    { schema: "touchstone.run", version: 1, programs: SUMMED },
  );
  t.deepEqual(one["findings"], []);
  await run("18446744073709551610"); // seeds wrap around
  const folders = readdirSync(reports).map((name) => join(reports, name));
  const { status, out } = await runHere(["stats", ...folders, "--json"]);
  t.is(status, 0);
  const { tally, campaigns, intervals } = lastJson(t, out);
  t.is(isRecord(tally) ? tally["programs"] : null, 2 * SUMMED);
  t.is(Array.isArray(campaigns) ? campaigns.length : 0, 2);
  t.deepEqual(intervals, [
    ["100", String(100 + SUMMED - 1)],
    ["18446744073709551610", String(SUMMED - 7)],
  ]);
});

test("campaigns with different judging settings have separate folders", (t) => {
  const plan = { first: 1n, count: 1, seconds: Number.POSITIVE_INFINITY, workers: 1 };
  const nameOf = (subjects: readonly string[], drawn: number | null): string =>
    campaignName({ ...plan, reports: folder, json: true }, { subjects, drawn, profile: USUAL });
  const both = ["ir-O1", "ir-O2"];
  const names = [nameOf(["ir-O1"], null), nameOf(both, null), nameOf(both, 1)];
  t.is(new Set(names).size, 3, names.join(" "));
  t.is(nameOf(both, 1), names[2]);
});

/** Each signal needs a campaign of its own. */
const SIGNALS = ["SIGINT", "SIGHUP"] as const;

/** Starts a campaign in a process group of its own, as a terminal does. */
function startCampaign(name: string, subject: string, ...more: readonly string[]) {
  const reports = join(folder, name);
  const args = ["run", "--subjects", subject, "--workers", "1", "--reports", reports, ...more];
  const child = spawn(process.execPath, [LAUNCHER, ...args], { cwd: folder, detached: true });
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  const summary = () => {
    const [campaign] = readdirSync(reports);
    return parseSummary(readFileSync(join(reports, campaign, "summary.json"), "utf8"));
  };
  // Waits for output instead of a fixed time, because the machine may be slow.
  let progress = "";
  const hasJudged = new Promise((resolve) => {
    child.stderr.on("data", (text) => {
      progress += text;
      if (/^[1-9]\d* programs/m.test(progress)) resolve(undefined);
    });
  });
  return { child, closed, hasJudged: Promise.race([hasJudged, closed]), summary };
}

for (const signal of SIGNALS.slice(0, trials(1, 2))) {
  test(`${signal} ends a campaign with the summary so far`, async (t) => {
    const { child, closed, hasJudged, summary } = startCampaign(signal, "ir-O1");
    let out = "";
    child.stdout.on("data", (text) => {
      out += text;
    });
    await hasJudged;
    // The workers receive the signal as well, because they are in the same group.
    process.kill(-(child.pid ?? 0), signal);
    t.is(await closed, 0);
    const { tally, findings } = asSummary(t, summary());
    t.true(tally.programs > 0);
    t.deepEqual(findings, []);
    t.regex(out, /\(interrupted\)$/m);
    t.regex(out, /^to continue: npx --no-install fuzz run --seed 1 .*--resume$/m);
  });
}

test("an interrupted search for a planted bug is no survivor", async (t) => {
  const { child, closed, hasJudged } = startCampaign(
    "canary-stopped",
    "ir-O1",
    "--canary",
    "field-forgotten",
  );
  let out = "";
  child.stdout.on("data", (text) => {
    out += text;
  });
  await hasJudged;
  child.kill("SIGINT");
  t.is(await closed, 1, "the bug was not found");
  t.regex(out, /^field-forgotten: not found by \d+ programs in .* s \(interrupted\)$/m);
  t.notRegex(out, /SURVIVED|^not found/m);
  t.regex(out, /^interrupted: the searches for 1 of 1 canaries did not end$/m);
});

test("a campaign whose output is not read writes its files and ends with its status", async (t) => {
  const bounded = startCampaign("unread", "ir-O1", "--count", "3");
  bounded.child.stdout.destroy();
  t.is(await bounded.closed, 0);
  t.is(asSummary(t, bounded.summary()).tally.programs, 3);

  for (let e = 0; e < trials(0, 1); e++) {
    const planted = startCampaign("unread-planted", "ir-O2", "--canary", "stale-load");
    planted.child.stdout.destroy();
    t.is(await planted.closed, 0, "the canary was found");
    const [campaign] = readdirSync(join(folder, "unread-planted"));
    t.is(readdirSync(join(folder, "unread-planted", campaign)).length, 1, "its report");

    const endless = startCampaign("unread-endless", "ir-O1");
    endless.child.stdout.destroy();
    t.is(await endless.closed, 0);
    t.deepEqual(asSummary(t, endless.summary()).findings, []);
  }
});

const asSummary = (t: ExecutionContext, read: CampaignSummary | string): CampaignSummary =>
  typeof read === "string" ? t.fail(read) : read;

/** Programs of a campaign in which one program ends its worker. */
const PLAIN_COUNT = trials(16, 40);
const ENDING_SEED = 9n;

const plain: CampaignOptions = {
  settings: { subjects: ["ir-O1"], canary: null, drawn: null, profile: "usual" },
  first: 1n,
  count: PLAIN_COUNT,
  seconds: Number.POSITIVE_INFINITY,
  workers: 2,
  isEnough: () => false,
  roundPrograms: 512,
  from: null,
  onState: () => {},
  onRefusal: () => {},
  reports: folder,
  isReported: () => false,
  hangSeconds: 30,
  fault: null,
  onFound: () => {},
  onWorker: () => {},
  helpers: null,
};

/** The quick tests omit the second case; the test that kills a worker covers it. */
for (const does of (["hang", "kill"] as const).slice(0, trials(1, 2))) {
  const kind = does === "kill" ? "worker-died" : "worker-hung";
  test(`a seed that makes its worker ${does} is a finding, and all other seeds are judged`, async (t) => {
    const fault = { seed: ENDING_SEED, does };
    const campaign = new Campaign({ ...plain, fault, hangSeconds: does === "hang" ? 3 : 30 });
    const { found, programs, tally, ended, intervals } = await campaign.run();
    t.deepEqual(
      found.map((one) => [one.kind, one.seed]),
      [[kind, ENDING_SEED]],
    );
    t.regex(found[0].detail, /, twice$/);
    t.deepEqual([programs, tally.programs, ended], [PLAIN_COUNT, PLAIN_COUNT - 1, "count"]);
    t.deepEqual(intervals, [[1n, BigInt(PLAIN_COUNT)]]);
  });
}

test("kill -9 of a worker is a finding with its seed, and every program is judged", async (t) => {
  const pids: (number | undefined)[] = [];
  const count = trials(50, 120);
  const campaign = new Campaign({ ...plain, count, onWorker: (pid) => pids.push(pid) });
  const running = campaign.run();
  while (campaign.progress.programs < 10) await new Promise((resolve) => setTimeout(resolve, 5));
  if (pids[0] !== undefined) process.kill(pids[0], "SIGKILL");
  const { found, programs, tally } = await running;
  t.deepEqual(
    found.map((one) => one.kind),
    ["worker-died"],
  );
  t.true(found[0].seed >= 1n && found[0].seed <= BigInt(count));
  t.regex(
    found[0].detail,
    /^SIGKILL(; not reproduced alone; its batch was \d+ to \d+|, while it had no job)$/,
  );
  t.deepEqual([programs, tally.programs, tally.subjects["ir-O1"].different], [count, count, 0]);
});

withEmulator("findings do not depend on the number of workers", async (t) => {
  const settings = { subjects: ["x64-O0"], canary: "return-value", drawn: null, profile: "usual" };
  const run = (workers: number) => new Campaign({ ...plain, settings, workers }).run();
  const [one, two] = [await run(1), await run(2)];
  t.true(one.found.length > 0);
  t.deepEqual(one.found, two.found);
  t.deepEqual(one.symptoms, two.symptoms);
  t.deepEqual(one.tally, two.tally);
});

withEmulator("a campaign ends after enough findings", async (t) => {
  const settings = { subjects: ["x64-O0"], canary: "return-value", drawn: null, profile: "usual" };
  const isEnough: CampaignOptions["isEnough"] = ({ found }) => found.length > 0;
  const campaign = new Campaign({ ...plain, settings, count: 100_000, isEnough });
  const { ended, programs } = await campaign.run();
  t.is(ended, "findings");
  t.true(programs < 1000);
});

test("an exception becomes a finding", (t) => {
  const judge = new SeedJudge({
    subjects: ["ir-O1"],
    canary: "nobody",
    drawn: null,
    profile: "usual",
  });
  const [found] = judge.judge({ seed: 5n, parents: "" }, emptyTally());
  t.deepEqual([found.kind, found.seed], ["internal-error", 5n]);
  t.is(symptomOf(found), "internal-error/no canary is named nobody");
});

test("a counter that stays zero is an error of a large campaign that could have reached it", (t) => {
  const sums = { codeBytes: 0, instructions: 0, moves: 0, spilled: 0, farBranching: 0 };
  const readings: Record<string, number> = {};
  const rowsOf = (subject: string, programs: number, eventCounts: Record<string, number>) =>
    reachedOf({ code: { [subject]: { programs, ...sums } }, events: eventCounts, readings });
  t.deepEqual(rowsOf("ir-O2", PROGRAMS_ENOUGH, {}), []);
  const [small] = rowsOf("x64-O2", PROGRAMS_ENOUGH - 1, {});
  t.is(small.never.length, small.count);
  t.false(isUnreached(small));
  const [large] = rowsOf("x64-O2", PROGRAMS_ENOUGH, {});
  t.true(isUnreached(large));
  const [whole] = rowsOf("x64-O2", PROGRAMS_ENOUGH, counted(large.never));
  t.deepEqual([whole.never, isUnreached(whole)], [[], false]);
  const lirRows = (programs: number) =>
    rowsOf("arm64-O1", programs, { "arm64 row: addl": 1 }).find(({ kind }) => kind.includes("LIR"));
  const rows = lirRows(PROGRAMS_ENOUGH_FOR_ROWS);
  t.true(rows !== undefined && isUnreached(rows));
  t.false(rows?.never.includes("arm64 row: addl"));
  t.true(rows?.never.includes("arm64 row: addq"));
  const few = lirRows(PROGRAMS_ENOUGH_FOR_ROWS - 1);
  t.true(few !== undefined && !isUnreached(few));
  readings["worlds-two"] = 1;
  t.false(rowsOf("x64-O2", PROGRAMS_ENOUGH, {}).some(isUnreached), "small by intent");
});

const counted = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.map((name) => [name, 1]));

test("a malformed summary is refused", (t) => {
  for (const text of ["", "{}", "[]", "null", '{"schema":"touchstone.summary","version":1}']) {
    t.is(typeof parseSummary(text), "string");
  }
  const shape = {
    schema: "touchstone.summary",
    version: SUMMARY_VERSION,
    campaigns: [],
    generators: [],
    seconds: 1,
  };
  t.is(parseSummary(JSON.stringify(shape)), '"intervals" does not have the form of a summary');
});

test.serial("a script without a judged case is refused", async (t) => {
  const file = join(folder, "left-out.wast");
  writeFileSync(file, '(module (func (export "f")))\n(get "f")\n');
  const { status, out, error } = await runHere(["conform", file]);
  t.is(status, 2, out);
  t.regex(error, /no case was judged; the reasons are above/);
});

test("serve answers 500 for a page that cannot be made, and continues", async (t) => {
  const reports = join(folder, "served");
  const finding = {
    ...{ id: "f1", bucket: "b", bucketId: "b", news: "new", kind: "difference", seed: "7" },
    ...{ detail: "d", path: "\ud800", command: [], instances: 1, values: null },
  };
  const summary = {
    ...{ schema: "touchstone.summary", version: SUMMARY_VERSION, campaigns: ["bad"] },
    ...{ generators: ["00"], seconds: 1, intervals: [], tally: emptyTally(), symptoms: {} },
    ...{ findings: [finding] },
  };
  mkdirSync(join(reports, "bad"), { recursive: true });
  writeFileSync(join(reports, "bad", "summary.json"), JSON.stringify(summary));
  const child = spawn(process.execPath, [LAUNCHER, "serve", "--port", "0", "--reports", reports], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let told = "";
  child.stderr.on("data", (chunk: Buffer) => {
    told += chunk.toString();
  });
  const line = await new Promise<string>((resolve) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()));
  });
  const address = /http:\S*/.exec(line)?.[0] ?? "";
  t.is((await fetch(`${address}campaign/bad`)).status, 500);
  t.is((await fetch(address)).status, 200);
  child.kill("SIGTERM");
  const ended = await new Promise<number | null>((resolve) => child.once("close", resolve));
  t.is(ended, 0);
  t.regex(told, /\/campaign\/bad: URIError/);
});

test.serial(
  "a program that runs out of fuel is not a success, and no subject runs it",
  async (t) => {
    const file = join(folder, "endless.ir");
    const loop = "proc f() -> Int32\n#0:\n  Void @0 = Jump(#1)\n#1:\n  Void @1 = Jump(#1)\n";
    writeFileSync(file, `touchstone 1\n${loop}; run: f()\n`);
    const words = ["exec", file, "--fuel", "1000", "--subjects", "ir-O1,ir-O2"];
    const { status, out, error } = await runHere(words);
    t.is(status, 2, error);
    t.regex(error, /^fuzz: .*endless\.ir: no execution was judged: out of fuel \(--fuel N\)\n$/);
    t.regex(out, /^; {3}ir-O1 +unjudged: out-of-fuel$/m);
    t.notRegex(out, /as expected/);
    t.is((await runHere([...words, "--json"])).out, "");
  },
);

test("a removed working directory is reported in one line, with status 3", (t) => {
  const script = 'mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" "$3" list';
  const args = ["-c", script, "sh", join(folder, "gone"), process.execPath, LAUNCHER];
  const { status, stderr } = spawnSync("sh", args, { encoding: "utf8" });
  t.is(status, 3);
  t.is(stderr, "fuzz: the working directory was removed: change to one that exists\n");
});

const onLinux = process.platform === "linux" ? test : test.skip;

onLinux("too few addresses for V8 are named in one line, and status 3", (t) => {
  const script = 'ulimit -v 900000 && exec "$1" "$2" list';
  const args = ["-c", script, "sh", process.execPath, LAUNCHER];
  const { status, stderr } = spawnSync("sh", args, { encoding: "utf8" });
  t.is(status, 3);
  t.regex(stderr, /^fuzz: addresses are limited to 921 MB \(ulimit -v\): .* 1200 MB are needed\n$/);
});

const COMMANDS_PAGE = join(projectRoot(), "docs", "commands.md");

test("docs/commands.md matches the table of commands (TOUCHSTONE_UPDATE=1 writes it)", (t) => {
  const page = commandsPage();
  if (process.env["TOUCHSTONE_UPDATE"] === "1") writeFileSync(COMMANDS_PAGE, page);
  t.is(readFileSync(COMMANDS_PAGE, "utf8"), page);
});

function commandsPage(): string {
  const blocks = COMMAND_GROUPS.map(({ title, commands }) => {
    const rows = commands.flatMap((one) => (one.parts.length > 0 ? one.parts : [one]));
    const lines = rows.map(({ usage, summary }) => `| \`fuzz ${usage}\` | ${summary} |`);
    const examples = commands.flatMap((one) => one.examples);
    const shown = examples.map(([line, says]) => `${line.replace("$0", "fuzz")}   # ${says}`);
    const code = shown.length === 0 ? [] : ["", "```sh", ...shown, "```"];
    return [`## ${title}`, "", "| command | does |", "| --- | --- |", ...lines, ...code].join("\n");
  });
  return `${PAGE_HEAD}\n\n${blocks.join("\n\n")}\n`;
}

const PAGE_HEAD = `# Commands

\`fuzz COMMAND --help\` lists the options of a command. \`fuzz --seed N\`, without a command, judges one program. With
\`--json\`, each command prints one JSON object ([schemas](schemas/README.md)). In a checkout, use \`npx --no-install fuzz\`
instead of \`fuzz\`.

Status 0: nothing found; 1: findings, or an expectation failed; 2: wrong usage or malformed input; 3: something that was
named is missing on this machine; 4: a bug in Touchstone itself.`;

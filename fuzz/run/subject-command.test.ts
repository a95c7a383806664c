// Tests a wrong subject command: a campaign finds its errors, and reduces and reports them by
// running it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { returnedBy } from "../../src/campaign/program/returned-by.js";
import { Int32 } from "../../src/ir/types.js";
import { firstSeedThat } from "../../src/support/first-seed.js";
import { projectRoot } from "../../src/support/project-root.js";
import { quoted } from "../../src/support/shell-word.js";
import { trials } from "../../src/support/trials.js";
import { runHere } from "../support/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-subject-command-"));
test.after.always(() => rmSync(folder, { recursive: true }));

/** A command that returns 7 for every question. */
const SEVEN = `echo '{"touchstone": 1, "name": "seven", "format": "text"}'
while read -r line; do echo '{"answers": [{"runs": [{"result": "0x00000007"}]}]}'; done`;

const PROGRAM = `touchstone 1
proc main(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(5)
  Int32 @2 = Mul(@0, @1)
  Int32 @3 = BitXor(@2, @0)
  Void @4 = Return(@3)
; run: main(9)
`;
const file = join(folder, "x.ir");
writeFileSync(file, PROGRAM);
const command = ["--subjects", "command", "--subject-command", SEVEN];

test.serial("it is judged, and reduced to a program that still differs", async (t) => {
  const judged = await runHere(["exec", file, ...command]);
  t.is(judged.status, 1);
  t.regex(judged.out, /command +different: result: expected 0x00000024, got 0x00000007/);
  const { status, out } = await runHere(["reduce", file, ...command]);
  t.is(status, 0);
  t.regex(out, /^; command: result; 5 values before, 2 after/);
});

test.serial(
  "its report contains the question, and the command that reproduces the finding",
  async (t) => {
    const { status, out } = await runHere(["report", file, ...command, "--out", folder, "--json"]);
    t.is(status, 1, out);
    // The cast: the output of `report --json`.
    const { findings } = JSON.parse(out) as { findings: { path: string; command: string[] }[] };
    const [{ path, command: again }] = findings;
    t.true(again.includes("--subject-command"));
    const question = readFileSync(join(path, "question.json"), "utf8");
    t.regex(question, /^\{"programs":\[\{"text":"touchstone 1/);
    const report = readFileSync(join(path, "report.md"), "utf8");
    t.regex(
      report,
      /confirmed: as found, in 3 of 3 fresh processes\n- confirmed: reduced, in 3 of 3 fresh/,
    );
    // The command contains relative paths, so it works in one folder only.
    t.regex(report, /^- reproduce, where the campaign ran, with the path of this program\.ir: /m);
    t.notRegex(report, /assembly\.txt/, "a file that is not there");
  },
);

interface CampaignAnswer {
  readonly effective: Readonly<
    Record<string, { programs: number; effective: number; unshown: number }>
  >;
  readonly subjects: Readonly<Record<string, { equal: number; different: number }>>;
  readonly findings: readonly { readonly bucket: string; readonly instances: number }[];
}

/** Runs a campaign of few programs and parses the output of `run --json`. */
async function campaign(
  words: readonly string[],
): Promise<CampaignAnswer & { readonly status: number }> {
  const reports = mkdtempSync(join(folder, "run-"));
  const { status, out, error } = await runHere(["run", ...words, "--reports", reports, "--json"]);
  if (out === "") throw new Error(error);
  return { ...(JSON.parse(out) as CampaignAnswer), status };
}

/** The example in docs/examples: the simplest form. */
const EXAMPLE = join(projectRoot(), "docs", "examples", "call-export.mjs");
const CALLS = `node ${quoted(EXAMPLE)} {wasm} {export}`;

/** Programs of the plan. The command receives those with an execution that returns. */
const PLANNED = 6;

function isMixed(first: bigint): boolean {
  const seeds = Array.from({ length: PLANNED }, (_, i) => first + BigInt(i));
  const counts = seeds.map((seed) => returnedBy(seed).length);
  const executions = counts.reduce((sum, count) => sum + count, 0);
  return counts.includes(0) && executions >= 6;
}

test.serial("a plan names a command, and two workers run it", async (t) => {
  const range = { from: 720_000n, count: 500n };
  const seed = firstSeedThat(`${PLANNED} programs of which some return, not all`, range, isMixed);
  const settings = join(folder, "touchstone.toml");
  writeFileSync(
    settings,
    `[plans.mine]
seed = ${seed}
count = ${PLANNED}
workers = 2
subjects = "command"
subject-command = ${JSON.stringify(CALLS)}
`,
  );
  const { status, effective, subjects } = await campaign(["mine", "--settings", settings]);
  t.is(status, 0);
  // In the other programs each execution leaves by an exit, so the command does not receive them.
  const { programs, effective: shown, unshown } = effective["command"];
  t.deepEqual([programs, shown + unshown], [PLANNED, PLANNED]);
  t.true(shown > 0 && unshown > 0, `${shown} shown, ${unshown} not`);
  t.is(subjects["command"].different, 0);
  t.true(subjects["command"].equal >= 3, `${subjects["command"].equal} executions`);
});

/** Returns whether a command that always prints 7 is wrong for the program of the seed. */
const showsSeven = (seed: bigint): boolean =>
  returnedBy(seed).some((result) => result?.type === Int32 && result.lo !== 7);

test.serial("two workers find the errors of a command that one worker finds", async (t) => {
  const seed = firstSeedThat("a result other than 7", { from: 720_000n, count: 200n }, showsSeven);
  const words = ["--seed", `${seed}`, "--count", `${trials(2, 4)}`, ...command];
  const two = await campaign([...words, "--workers", "2"]);
  const bucketsOf = ({ findings }: CampaignAnswer): string[] =>
    findings.map(({ bucket }) => bucket).sort();
  t.is(two.status, 1);
  t.true(two.subjects["command"].different > 0);
  t.true(bucketsOf(two).length > 0);
  for (let a = 0; a < trials(0, 1); a++) {
    const one = await campaign([...words, "--workers", "1"]);
    t.deepEqual(two.subjects, one.subjects);
    t.deepEqual(bucketsOf(two), bucketsOf(one));
  }
});

/** Declines every program except the trial question. */
const PICKY = `echo '{"touchstone": 1, "name": "picky", "format": "text"}'
while read -r line; do case "$line" in
*"proc trial"*) echo '{"answers": [{"runs": [{"result": "0x00000007"}]}]}';;
*) echo '{"answers": [{"declined": "no opcode 17"}]}';; esac; done`;

test.serial("reasons for declining are counted and printed", async (t) => {
  const words = ["--subjects", "command", "--subject-command", PICKY, "--count", "3"];
  const within = ["--subject-supports", `{"exits": false}`];
  const reports = mkdtempSync(join(folder, "declined-"));
  const { out } = await runHere(["run", ...words, ...within, "--reports", reports]);
  t.regex(out, /^command was not effective in 3 programs: no opcode N \(3\)$/m);
});

const INTEGERS = `{"types":["Int32"],"opcodes":["Add","BitXor","Branch"],"procedures":1}`;
const WITHIN = ["--subject-supports", INTEGERS];

test.serial("a finding records the part of the language in which its seed is read", async (t) => {
  const reports = mkdtempSync(join(folder, "within-"));
  const words = [...command, ...WITHIN, "--count", "2", "--reports", reports, "--json"];
  const { status, out } = await runHere(["run", ...words]);
  t.is(status, 1);
  // The casts: the output of `run --json`, and the contents of a finding.
  const { findings } = JSON.parse(out) as { findings: { path: string; seed: string }[] };
  const [{ path, seed }] = findings;
  const { supports, confirmed } = JSON.parse(readFileSync(join(path, "finding.json"), "utf8"));
  t.notRegex(
    readFileSync(join(path, "report.md"), "utf8"),
    /corpus add/,
    "it is no regression of ours",
  );
  t.deepEqual(supports, JSON.parse(INTEGERS));
  t.deepEqual(confirmed, { runs: 3, differed: 3 });
  const again = await runHere(["--seed", seed, ...command, ...WITHIN]);
  t.is(again.status, 1);
  for (const [, opcode] of again.out.matchAll(/ = (\w+)\(/g)) {
    t.regex(opcode, /^(?:Add|BitXor|Branch|Const32|Jump|Return|Upsilon|Phi)$/);
  }
});

for (const [text, says] of [
  [`{"opcode": ["Add"]}`, /expected one of types, opcodes, .*got "opcode"/],
  ["integers", /expected an object like/],
] as const) {
  test.serial(
    `--subject-supports '${text}' is refused, and the message contains the expected form`,
    async (t) => {
      const { status, error } = await runHere([
        "exec",
        file,
        ...command,
        "--subject-supports",
        text,
      ]);
      t.is(status, 2);
      t.regex(error, says);
    },
  );
}

for (const [line, says] of [
  ["cc {c}", /expected both {c} and {exe}, or none of them/],
  ["python3 /nowhere/nosuch.py {wasm} {export}", /python3: can't open file .*nosuch\.py/],
  ["sh -c 'echo first >&2; echo last >&2; exit 7' {wasm} {export}", /its argument: ... last: docs/],
  ["nosuchcc {c} -o {exe}", /nosuchcc: (?:(?:command )?not found|Permission denied)/],
  ["exit 5; : {in} {out}", /ended with status 5/],
  [`${SEVEN.split("\n")[0]}; read -r line; exit 6`, /ended with status 6 without an answer/],
  ["echo hello", /expected a first line like .*docs\/subject-command\.md/],
] as const) {
  test.serial(`'${line}' is refused, and the message contains the expected form`, async (t) => {
    const { status, error } = await runHere(["run", "--subject-command", line, "--count", "1"]);
    t.is(status, 2);
    t.regex(error, says);
  });
}

for (const [line, notice, refusal] of [
  [
    "cat",
    /sent nothing, because the command writes the first line, like {"touchstone": 1, .*; received nothing within 3 s: waiting 4 s/,
    /expected a first line like .*: no answer within 4000 ms/,
  ],
  [
    "printf 'mycc 0.3'; cat",
    /received only "mycc 0\.3" within 3 s/,
    /no answer within 4000 ms, only half a line: mycc 0\.3/,
  ],
  [
    `${SEVEN.split("\n")[0]}; sleep 60`,
    /sent a program that returns its argument, 7; received no answer within 3 s: waiting 4 s/,
    /no answer within 4000 ms/,
  ],
] as const) {
  test.serial(`'${line}' is silent: a notice describes what was sent and received`, async (t) => {
    const limited = ["--subject-command", line, "--subject-seconds", "4"];
    const { status, error } = await runHere(["exec", file, ...limited]);
    t.is(status, 2);
    const [first, ...more] = error.trimEnd().split("\n");
    t.regex(first, notice);
    t.regex(more[more.length - 1] ?? "", refusal);
  });
}

// The command answers the trial only.
test.serial("a campaign whose time ends before its first program prints that", async (t) => {
  const answered = join(folder, "answered");
  const script = join(folder, "answers-once.sh");
  writeFileSync(
    script,
    `[ -e ${quoted(answered)} ] && sleep 3600\ntouch ${quoted(answered)}\necho 7\n`,
  );
  const seed = firstSeedThat("a result other than 7", { from: 1n, count: 200n }, showsSeven);
  const { out } = await runHere([
    ...["run", "--seed", `${seed}`, "--for", "1s", "--workers", "1"],
    ...["--subjects", "command", "--subject-command", `sh ${quoted(script)} {wasm} {export}`],
    ...["--subject-seconds", "3600", "--reports", join(folder, "no-program")],
  ]);
  t.regex(
    out,
    /^0 programs from seed .*\(the time limit is reached\)\nno program was judged: give/m,
  );
});

// Each reduction runs a command that no longer answers, so only --for ends the campaign.
test.serial(
  "--for ends a campaign whose command stops answering, with what is unreduced",
  async (t) => {
    const counter = join(folder, "counter");
    const script = join(folder, "stops-answering.sh");
    const seed = firstSeedThat("a result other than 7", { from: 1n, count: 200n }, showsSeven);
    const lines = [
      `n=$(cat ${quoted(counter)})`,
      `echo $((n + 1)) > ${quoted(counter)}`,
      '[ "$n" -gt 14 ] && sleep 3600',
      "echo 7",
    ];
    writeFileSync(script, `${lines.join("\n")}\n`);
    const runFor = (seconds: number) => {
      writeFileSync(counter, "0\n");
      return runHere([
        ...["run", "--seed", `${seed}`, "--for", `${seconds}s`, "--workers", "1"],
        ...["--subjects", "command", "--subject-command", `sh ${quoted(script)} {wasm} {export}`],
        ...["--subject-seconds", "3600", "--reports", join(folder, "stops-answering")],
      ]);
    };
    let { status, out } = await runFor(4);
    // On a busy machine that time ends before a difference is found.
    for (const seconds of [16, 64]) {
      if (status === 0) ({ status, out } = await runFor(seconds));
    }
    t.is(status, 1, out);
    t.regex(out, /\(the time limit is reached\)/);
    t.regex(out, /^not completely reduced: \d+ findings?$/m);
    t.regex(out, /^to continue: .* --resume$/m);
  },
);

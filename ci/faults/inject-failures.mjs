// Runs a campaign once for each of its operations on files, and refuses that one operation. The campaign
// must end with a status from 0 to 3, with a line that gives the reason, without a stack trace and without half-written
// files. Resumed, it must give the summary and the reports of an undisturbed campaign. A package may silently use
// another way, if the result is the same (koffi searches its library in several places).
//
// `node ci/faults/inject-failures.mjs --count 2000`; `--every 7 --from 3` tries one of seven, `--roles campaign,worker`
// those of some processes. Status 1 if something was wrong.
//
// `--checkpoint P` saves time: the campaign is judged once up to its program P. The script then tries the operations
// of its start, until it first writes its state, and all from P on. Without `--seed` it searches for a seed whose
// program in the middle of these shows the bug. `--profile small` makes both cheap.
// `--canary NAME --subject NAME` plant another bug than float-rule, for another subject than ir-O1.
// `--results FILE` gets a line for each operation, and operations in the file are not tried again.

import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readOptions } from "../options.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(HERE));
const CAMPAIGN = join(HERE, "planted-campaign.mjs");
const PRELOAD = pathToFileURL(join(HERE, "fail-file-operation.mjs")).href;
const CODES = ["ENOSPC", "EIO", "EMFILE", "EROFS"];
const ROLES = ["campaign", "worker", "other"];

const { values } = readOptions({
  options: {
    seed: { type: "string" },
    profile: { type: "string", default: "usual" },
    canary: { type: "string", default: "float-rule" },
    subject: { type: "string", default: "ir-O1" },
    count: { type: "string", default: "2000" },
    every: { type: "string", default: "1" },
    from: { type: "string", default: "1" },
    roles: { type: "string", default: ROLES.join(",") },
    checkpoint: { type: "string" },
    results: { type: "string" },
  },
});

const PLANTED = ["--canary", values.canary, "--subject", values.subject];

const first = values.seed ?? (values.checkpoint === undefined ? "1" : await seedThatShows());

/** The bug appears in the middle between the checkpoint and the end. */
async function seedThatShows() {
  const load = (path) => import(join(ROOT, "build", "src", "campaign", path));
  const { SeedJudge } = await load("run/judge-seed.js");
  const { emptyTally } = await load("count/tally.js");
  const { NO_PARENTS } = await load("program/lineage.js");
  const { canary, subject, profile } = values;
  const judge = new SeedJudge({ subjects: [subject], drawn: null, profile, canary });
  let seed = BigInt(values.count);
  while (judge.judge({ seed, parents: NO_PARENTS }, emptyTally()).length === 0) seed++;
  judge.close();
  return String(seed - BigInt((Number(values.checkpoint) + Number(values.count)) >> 1));
}

/** @param fault null: operations are counted, and none is refused */
function campaign(work, fault, ...more) {
  mkdirSync(join(work, "counts"), { recursive: true });
  const own = { folder: join(work, "counts"), role: "none", at: 0, code: "EIO", ...fault };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [CAMPAIGN, reportsIn(work), first, values.count, values.profile, ...PLANTED, ...more],
    {
      encoding: "utf8",
      cwd: ROOT,
      env: {
        ...process.env,
        NODE_OPTIONS: `--import ${PRELOAD}`,
        TOUCHSTONE_FAIL_FILE: JSON.stringify(own),
      },
    },
  );
  return { status, out: stdout, error: stderr };
}

const reportsIn = (work) => join(work, "reports");

/** Returns the results of a campaign: its summary except for the seconds, and the names of its files. */
function leftBy(work) {
  const [name] = readdirSync(reportsIn(work));
  const left = join(reportsIn(work), name);
  // Reports from before a checkpoint contain the path that they were written to.
  const text = readFileSync(join(left, "summary.json"), "utf8");
  const summary = JSON.parse(text.replaceAll(anyWork, "WORK"));
  const files = readdirSync(left)
    .sort()
    .map((file) =>
      statSync(join(left, file)).isDirectory()
        ? [file, readdirSync(join(left, file)).sort()]
        : file,
    );
  const extremes = { ...summary.extremes, longest: [] }; // by the clock
  return JSON.stringify({ ...summary, seconds: 0, extremes, files });
}

/** True if it has left nothing except, perhaps, an empty folder: then to resume is to start. */
function isUntouched(work) {
  if (!existsSync(reportsIn(work))) return true;
  return readdirSync(reportsIn(work), { recursive: true }).length <= 1;
}

const refusedIn = (work) => {
  const path = join(work, "counts", "refused");
  return existsSync(path) ? readFileSync(path, "utf8").trim().replaceAll(work, "") : "";
};

/** Operations by role. */
const countsIn = (work) =>
  ROLES.map((role) => {
    const path = join(work, "counts", role);
    return existsSync(path) ? statSync(path).size : 0;
  });

/** A package, or a reader of processor time, may have another way. */
const HAS_ANOTHER_WAY = / by \S+$| \/proc\/\d+\/stat$/;

/** Returns the faults of a campaign with a refused operation; empty if there are none. */
function faultsOf({ status, out, error }, whole, refused) {
  const faults = [];
  if (![0, 1, 2, 3].includes(status))
    faults.push(`the campaign ended with status ${status}, expected 0 to 3`);
  if (/^ {4}at /m.test(error) || /internal error/.test(error))
    faults.push("the campaign printed a stack trace");
  const saysWhy = /^fuzz: \S/m.test(error);
  if (!saysWhy && (status !== whole.status || !HAS_ANOTHER_WAY.test(refused))) {
    faults.push("no line of the output gives the reason of the failure");
  }
  for (const match of out.matchAll(/^found (.*)$/gm)) {
    if (!whole.out.includes(match[0]))
      faults.push(
        `the campaign found ${match[1]}, which a campaign without failures does not find`,
      );
  }
  return faults;
}

/** Reads the file of results: `LEG ROLE NUMBER` of each operation. */
function triedBefore() {
  const { results } = values;
  if (results === undefined || !existsSync(results)) return new Set();
  return new Set(readFileSync(results, "utf8").match(/^\w+ \w+ \d+(?= E[A-Z]+ )/gm));
}

function tell(line) {
  console.log(line);
  if (values.results !== undefined) appendFileSync(values.results, `${line}\n`);
}

const folder = mkdtempSync(join(tmpdir(), "touchstone-failures-"));
/** Matches the path of a campaign. */
const anyWork = new RegExp(`${folder}/[\\w-]+`, "g");
const totals = { tried: 0, silent: 0, wrong: 0, unreached: 0, statuses: {} };
const before = triedBefore();

/**
 * Refuses one operation, and returns its name.
 * @param leg {name, begin, arguments, status, out}: `begin` prepares the folder; `status` and `out` are the status and
 *   the output without a refusal, if they are not those of the whole campaign
 */
function refuse(leg, role, at, { whole, expected }) {
  const code = CODES[at % CODES.length];
  const id = `${leg.name} ${role} ${at}`;
  const work = join(folder, `${leg.name}-${role}-${at}`);
  leg.begin(work);
  const ran = campaign(work, { role, at, code }, ...leg.arguments);
  const refused = refusedIn(work);
  if (refused === "") {
    // States are written by the clock, so the number of operations varies.
    totals.unreached++;
    tell(`${id} ${code}: the campaign did not reach this operation`);
    rmSync(work, { recursive: true, force: true });
    return refused;
  }
  const own = { status: leg.status ?? whole.status, out: leg.out ?? whole.out };
  const faults = faultsOf(ran, own, refused);
  let resumed = "as it was";
  if (!isUntouched(work)) {
    resumed = "resumed";
    const again = campaign(work, null, "--resume");
    if (again.status !== whole.status)
      faults.push(`the resumed campaign ended with status ${again.status}: ${again.error.trim()}`);
    else if (leftBy(work) !== expected)
      faults.push("the resumed campaign wrote another summary or other files");
  }
  const says = /^fuzz: .*$/m.exec(ran.error)?.[0].replaceAll(work, "") ?? "";
  totals.tried++;
  totals.statuses[ran.status] = (totals.statuses[ran.status] ?? 0) + 1;
  if (says === "") totals.silent++;
  if (faults.length > 0) totals.wrong++;
  const verdict = faults.length === 0 ? "right" : `WRONG ${faults.join("; ")}`;
  tell(
    `${id} ${code} ${refused}: status ${ran.status}, ${resumed}, ${verdict}${says === "" ? "" : `: ${says}`}`,
  );
  if (faults.length > 0) tell(ran.error.trim().split("\n").slice(-6).join("\n"));
  rmSync(work, { recursive: true, force: true });
  return refused;
}

const fresh = { name: "whole", begin: () => {}, arguments: [], isOver: () => false };

/** Returns the parts of a campaign whose operations are tried, and the number of operations of each. */
function legsOf(undisturbed, expected) {
  const { checkpoint } = values;
  if (checkpoint === undefined) return [{ ...fresh, counts: countsIn(undisturbed) }];
  const held = join(folder, "checkpoint");
  campaign(held, null, "--until", checkpoint);
  const begin = (work) => cpSync(reportsIn(held), reportsIn(work), { recursive: true });
  const end = { name: "end", begin, arguments: ["--resume"], isOver: () => false };
  const whole = join(folder, "resumed");
  begin(whole);
  // Resumed, a campaign announces each symptom once more, by its next finding.
  const { out } = campaign(whole, null, ...end.arguments);
  if (leftBy(whole) !== expected)
    stop("the campaign that resumes at the checkpoint differs from the uninterrupted one");
  const start = {
    ...fresh,
    name: "start",
    arguments: ["--until", "1"],
    isOver: (refused) => refused.includes("state.json"),
  };
  const { status } = campaign(join(folder, "begun"), null, ...start.arguments);
  return [
    { ...end, out, counts: countsIn(whole) },
    // Workers start there in the same way.
    { ...start, status, counts: countsIn(undisturbed).map((count, r) => (r === 0 ? count : 0)) },
  ];
}

function stop(why) {
  console.error(`inject-failures: ${why}`);
  process.exit(1);
}

try {
  const undisturbed = join(folder, "undisturbed");
  const whole = campaign(undisturbed, null);
  const expected = leftBy(undisturbed);
  const findings = JSON.parse(expected).findings.length;
  if (findings === 0) stop("no program shows the planted bug: choose another --seed");
  const told = (counts) => ROLES.map((role, r) => `${role} ${counts[r]}`).join(", ");
  tell(
    `undisturbed: seed ${first}, status ${whole.status}, ${findings} reports; operations: ${told(countsIn(undisturbed))}`,
  );
  for (const leg of legsOf(undisturbed, expected)) {
    if (leg.name !== "whole") tell(`${leg.name}: operations: ${told(leg.counts)}`);
    for (const [r, role] of ROLES.entries()) {
      if (!values.roles.split(",").includes(role)) continue;
      for (let at = Number(values.from); at <= leg.counts[r]; at += Number(values.every)) {
        if (before.has(`${leg.name} ${role} ${at}`)) continue;
        if (leg.isOver(refuse(leg, role, at, { whole, expected }))) break;
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const statuses = Object.entries(totals.statuses).map(
  ([status, count]) => `status ${status}: ${count}`,
);
tell(
  `${totals.tried} operations refused (${statuses.join(", ")}); ${totals.unreached} not reached; ${totals.silent} of packages without a line; ${totals.wrong} wrong`,
);
process.exitCode = totals.wrong === 0 ? 0 : 1;

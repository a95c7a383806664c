// Runs a campaign once for each of its operations on files, and refuses that one operation. The campaign
// must end with a status from 0 to 3, with a line that says why, without a stack trace and with nothing half
// written; resumed, it must give the summary and the reports of a campaign that was refused nothing. A package may
// take another road without a word, if nothing comes of it (koffi looks for its library in several places).
//
// `node ci/faults/inject-failures.mjs --count 2000`; `--every 7 --from 3` tries one of seven, `--roles campaign,worker`
// those of some processes. Status 1 if something was wrong.

import { spawnSync } from "node:child_process";
import {
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
import { parseArgs } from "node:util";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(HERE));
const CAMPAIGN = join(HERE, "planted-campaign.mjs");
const PRELOAD = pathToFileURL(join(HERE, "fail-file-operation.mjs")).href;
const CODES = ["ENOSPC", "EIO", "EMFILE", "EROFS"];
const ROLES = ["campaign", "worker", "other"];

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "2000" },
    every: { type: "string", default: "1" },
    from: { type: "string", default: "1" },
    roles: { type: "string", default: ROLES.join(",") },
  },
});

/** @param fault null: operations are counted, and none is refused */
function campaign(work, fault, ...more) {
  mkdirSync(join(work, "counts"), { recursive: true });
  const own = { folder: join(work, "counts"), role: "none", at: 0, code: "EIO", ...fault };
  const reports = join(work, "reports");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [CAMPAIGN, reports, values.seed, values.count, ...more],
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

/** What a campaign has left: its summary but for the seconds, and the names of its files. */
function leftBy(work) {
  const reports = join(work, "reports");
  const [name] = readdirSync(reports);
  const folder = join(reports, name);
  const summary = JSON.parse(
    readFileSync(join(folder, "summary.json"), "utf8").replaceAll(work, "WORK"),
  );
  const files = readdirSync(folder)
    .sort()
    .map((file) =>
      statSync(join(folder, file)).isDirectory()
        ? [file, readdirSync(join(folder, file)).sort()]
        : file,
    );
  return JSON.stringify({ ...summary, seconds: 0, files });
}

const refusedIn = (work) => {
  const path = join(work, "counts", "refused");
  return existsSync(path) ? readFileSync(path, "utf8").trim().replaceAll(work, "") : "";
};

const BY_A_PACKAGE = / by \S+$/;

/** What is wrong with a campaign of which an operation was refused; empty if nothing. */
function faultsOf({ status, out, error }, whole, refused) {
  const faults = [];
  if (![0, 1, 2, 3].includes(status)) faults.push(`status ${status}`);
  if (/^ {4}at /m.test(error) || /internal error/.test(error)) faults.push("a stack trace");
  const saysWhy = /^fuzz: \S/m.test(error);
  if (!saysWhy && (status !== whole.status || !BY_A_PACKAGE.test(refused))) {
    faults.push("no line says why");
  }
  for (const match of out.matchAll(/^found (.*)$/gm)) {
    if (!whole.out.includes(match[0])) faults.push(`found ${match[1]}`);
  }
  return faults;
}

const folder = mkdtempSync(join(tmpdir(), "touchstone-failures-"));
const totals = { tried: 0, silent: 0, wrong: 0, statuses: {} };
try {
  const undisturbed = join(folder, "undisturbed");
  const whole = campaign(undisturbed, null);
  const expected = leftBy(undisturbed);
  const counts = ROLES.map((role) => {
    const path = join(undisturbed, "counts", role);
    return existsSync(path) ? statSync(path).size : 0;
  });
  const findings = JSON.parse(expected).findings.length;
  console.log(
    `undisturbed: status ${whole.status}, ${findings} reports; operations: ${ROLES.map((role, r) => `${role} ${counts[r]}`).join(", ")}`,
  );
  for (const [r, role] of ROLES.entries()) {
    if (!values.roles.split(",").includes(role)) continue;
    for (let at = Number(values.from); at <= counts[r]; at += Number(values.every)) {
      const work = join(folder, `${role}-${at}`);
      const code = CODES[totals.tried % CODES.length];
      const ran = campaign(work, { role, at, code });
      const refused = refusedIn(work);
      const faults = faultsOf(ran, whole, refused);
      const again = campaign(work, null, "--resume");
      if (again.status !== whole.status)
        faults.push(`resumed: status ${again.status}: ${again.error.trim()}`);
      else if (leftBy(work) !== expected) faults.push("resumed: another summary or other files");
      const says = /^fuzz: .*$/m.exec(ran.error)?.[0].replaceAll(work, "") ?? "";
      totals.tried++;
      totals.statuses[ran.status] = (totals.statuses[ran.status] ?? 0) + 1;
      if (says === "") totals.silent++;
      if (faults.length > 0) totals.wrong++;
      const verdict = faults.length === 0 ? "right" : `WRONG ${faults.join("; ")}`;
      console.log(
        `${role} ${at} ${code} ${refused}: status ${ran.status}, ${verdict}${says === "" ? "" : `: ${says}`}`,
      );
      if (faults.length > 0) console.log(ran.error.trim().split("\n").slice(-6).join("\n"));
      rmSync(work, { recursive: true });
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const statuses = Object.entries(totals.statuses).map(
  ([status, count]) => `status ${status}: ${count}`,
);
console.log(
  `${totals.tried} operations refused (${statuses.join(", ")}); ${totals.silent} of packages without a line; ${totals.wrong} wrong`,
);
process.exitCode = totals.wrong === 0 ? 0 : 1;

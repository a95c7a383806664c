// Removes old campaigns from `reports`, so that nights do not fill the disk.
//
//   node ci/machine/retain.mjs [FOLDER] [--days 14] [--days-found 180] [--megabytes 4000] [--dry-run]
//
// 1. A campaign without findings is removed after `--days`, one with findings after `--days-found`.
// 2. While the rest is larger than `--megabytes`, the oldest is removed: those without findings first.
// 3. A running campaign is kept, and so is a folder without a summary or a state.
//
// A finding that matters is a regression by then (`fuzz corpus add`). The last line gives the number and size of the
// remaining campaigns.

import { existsSync, lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { lockFolder } from "../../build/src/support/lock-folder.js";
import { readOptions } from "../options.mjs";

const DAY = 86_400_000;
const MB = 1e6;

const { values, positionals } = readOptions({
  allowPositionals: true,
  options: {
    days: { type: "string", default: "14" },
    "days-found": { type: "string", default: "180" },
    megabytes: { type: "string", default: "4000" },
    "dry-run": { type: "boolean", default: false },
  },
});

function count(option) {
  if (/^\d{1,9}$/.test(values[option])) return Number(values[option]);
  console.error(`retain: --${option} ${values[option]}: expected a number`);
  process.exit(2);
}

const LIMITS = {
  days: count("days"),
  daysFound: count("days-found"),
  bytes: count("megabytes") * MB,
};

const isCampaign = (path) =>
  ["summary.json", "state.json"].some((name) => existsSync(join(path, name)));

function bytesOf(path) {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), stat.size);
}

/** Returns the time of the last write in it. */
const changedAt = (path) =>
  Math.max(
    statSync(path).mtimeMs,
    ...readdirSync(path).map((name) => lstatSync(join(path, name)).mtimeMs),
  );

const hasFindings = (path) =>
  readdirSync(path).some((name) => existsSync(join(path, name, "finding.json")));

function campaignsIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isCampaign(join(folder, entry.name)))
    .map(({ name }) => {
      const path = join(folder, name);
      const found = hasFindings(path);
      return { path, found, bytes: bytesOf(path), changedAt: changedAt(path) };
    })
    .sort((x, y) => x.found - y.found || x.changedAt - y.changedAt);
}

/** Returns the campaigns to remove, in order, each with the reason. */
function chooseOld(campaigns, now) {
  const daysOf = ({ found }) => (found ? LIMITS.daysFound : LIMITS.days);
  const old = campaigns.filter((each) => now - each.changedAt > daysOf(each) * DAY);
  const gone = old.map((each) => ({ ...each, why: `older than ${daysOf(each)} days` }));
  const rest = campaigns.filter((each) => !old.includes(each));
  let bytes = rest.reduce((sum, each) => sum + each.bytes, 0);
  for (const each of rest) {
    if (bytes <= LIMITS.bytes) break;
    gone.push({ ...each, why: `more than ${values.megabytes} MB` });
    bytes -= each.bytes;
  }
  return gone;
}

/** Removes the campaign; returns false if it is running. */
function remove({ path }) {
  const release = lockFolder(path);
  if (release === null) return false;
  if (!values["dry-run"]) rmSync(path, { recursive: true });
  release();
  return true;
}

const [folder = "reports"] = positionals;
if (!existsSync(folder)) {
  console.error(`retain: ${folder}: no such folder`);
  process.exit(2);
}
const campaigns = campaignsIn(folder);
let left = campaigns.reduce((sum, { bytes }) => sum + bytes, 0);
let kept = campaigns.length;
for (const each of chooseOld(campaigns, Date.now())) {
  if (!remove(each)) {
    console.log(`${each.path}: runs, and is kept`);
    continue;
  }
  console.log(`${each.path}: ${(each.bytes / MB).toFixed(1)} MB, ${each.why}`);
  kept--;
  left -= each.bytes;
}
const what = values["dry-run"] ? "would be left" : "left";
console.log(`${kept} campaigns ${what}, ${(left / MB).toFixed(1)} MB`);

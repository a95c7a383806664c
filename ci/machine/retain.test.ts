// Checks which campaigns ci/machine/retain.mjs removes and keeps.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { lockFolder } from "../../src/support/lock-folder.js";
import { projectRoot } from "../../src/support/project-root.js";

const SCRIPT = join(projectRoot(), "ci", "machine", "retain.mjs");
const NOW = Date.now() / 1000;
const DAY = 86_400;

function reportsFor(t: ExecutionContext): string {
  const reports = mkdtempSync(join(tmpdir(), "touchstone-retain-"));
  t.teardown(() => rmSync(reports, { recursive: true }));
  return reports;
}

interface CampaignTraits {
  readonly days: number;
  readonly found?: boolean;
  readonly bytes?: number;
}

function makeCampaign(
  reports: string,
  name: string,
  { days, found, bytes = 1 }: CampaignTraits,
): string {
  const path = join(reports, name);
  mkdirSync(join(path, "difference-1"), { recursive: true });
  if (found) writeFileSync(join(path, "difference-1", "finding.json"), "{}");
  writeFileSync(join(path, "summary.json"), " ".repeat(bytes));
  const then = NOW - days * DAY;
  for (const each of ["summary.json", "difference-1", ""]) utimesSync(join(path, each), then, then);
  return path;
}

const retain = (reports: string, ...options: readonly string[]) =>
  spawnSync(process.execPath, [SCRIPT, reports, ...options], { encoding: "utf8" });

test("old campaigns are removed, later those with findings, and nothing else", (t) => {
  const reports = reportsFor(t);
  makeCampaign(reports, "old", { days: 20 });
  makeCampaign(reports, "young", { days: 5 });
  makeCampaign(reports, "old-found", { days: 20, found: true });
  makeCampaign(reports, "older-found", { days: 200, found: true });
  const release = lockFolder(makeCampaign(reports, "old-runs", { days: 20 }));
  mkdirSync(join(reports, "mine"));
  utimesSync(join(reports, "mine"), NOW - 999 * DAY, NOW - 999 * DAY);
  retain(reports, "--dry-run");
  t.is(readdirSync(reports).length, 6, "a dry run removes nothing");
  const { stdout, status } = retain(reports);
  release?.();
  t.is(status, 0);
  t.deepEqual(readdirSync(reports).sort(), ["mine", "old-found", "old-runs", "young"]);
  t.regex(stdout, /old-runs: runs, and is kept$/m);
  t.regex(stdout, /^3 campaigns left, /m);
});

test("above the size the oldest are removed, and those with findings last", (t) => {
  const reports = reportsFor(t);
  makeCampaign(reports, "found", { days: 9, found: true, bytes: 1_500_000 });
  for (const days of [1, 2, 3]) makeCampaign(reports, `of-day-${days}`, { days, bytes: 900_000 });
  retain(reports, "--megabytes", "3");
  t.deepEqual(readdirSync(reports).sort(), ["found", "of-day-1"]);
  retain(reports, "--megabytes", "0");
  t.deepEqual(readdirSync(reports), []);
  t.is(retain(reports, "--days", "x").status, 2);
});

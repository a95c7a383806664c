// Judges programs in a copy with a bug, as a campaign does, until one differs. It prints the result
// as a line of JSON. It writes no report, so its time is the cost of finding the bug.

import { usualSettings } from "../../../fuzz/run/usual-settings.js";
import { emptyTally } from "../../../src/campaign/count/tally.js";
import { NO_PARENTS } from "../../../src/campaign/program/lineage.js";
import { readingOf, seedAt } from "../../../src/campaign/program/seeds.js";
import type { RawFinding } from "../../../src/campaign/run/found.js";
import { SeedJudge } from "../../../src/campaign/run/judge-seed.js";
import { parseTask } from "./kill-task.js";
import { causeOfFinding } from "./locate-finding.js";
import { ProgramWatchdog } from "./watchdog.js";

const { seed: first, count, profile, locates } = parseTask(process.argv[2]);
const judge = new SeedJudge(usualSettings(profile));
const tally = emptyTally();
let found: RawFinding | null = null;
let programs = 0;
const watch = new ProgramWatchdog();
while (found === null && programs < count) {
  watch.next();
  [found = null] = judge.judge({ seed: seedAt(first, programs), parents: NO_PARENTS }, tally);
  programs++;
}
await watch.end();
judge.close();
const { user, system } = process.cpuUsage();
const MICROSECONDS = 1e6;
const seen = found === null ? null : { ...found, seed: String(found.seed) };
const reading = found === null ? null : readingOf(found.seed, profile);
const cause = found === null || !locates ? null : causeOfFinding(found, profile);
const processor = (user + system) / MICROSECONDS;
process.stdout.write(`${JSON.stringify({ programs, processor, found: seen, reading, cause })}\n`);

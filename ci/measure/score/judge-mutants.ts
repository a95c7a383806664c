// Judges programs in a process of a copy that contains many mutants (schemata.ts). It judges each
// program without a mutant, and records which mutants would change a result. It then judges the
// program again with each of these mutants, by the affected subjects only.
//
// It prints each detection as a line of JSON. A file records the active mutant, in case the process
// dies.

import { openSync, writeSync } from "node:fs";
import { usualSettings } from "../../../fuzz/run/usual-settings.js";
import { emptyTally } from "../../../src/campaign/count/tally.js";
import { NO_PARENTS } from "../../../src/campaign/program/lineage.js";
import { seedAt } from "../../../src/campaign/program/seeds.js";
import type { RawFinding } from "../../../src/campaign/run/found.js";
import { SeedJudge } from "../../../src/campaign/run/judge-seed.js";
import type { Cause } from "../../../src/localize/cause.js";
import { activate, differed, reached } from "./active-mutant.js";
import { summaryOf } from "./kill-task.js";
import { causeOfFinding } from "./locate-finding.js";
import {
  ActiveMutantFile,
  type MutantCounts,
  type MutantMessage,
  NONE,
  parseMutantTask,
} from "./mutant-task.js";
import { ProgramWatchdog } from "./watchdog.js";

const {
  seed: first,
  count,
  profile,
  mutants,
  checkpoints,
  activeMutantPath: path,
} = parseMutantTask(process.argv[2]);
const settings = usualSettings(profile);
const subjectCount = settings.subjects.length;
/**
 * The number of programs between two reports of all counts; a process that dies loses at most
 * these.
 */
const REPORT_PROGRAMS = 100;
const STDOUT = 1;
const MICROSECONDS = 1e6;

/** Writes synchronously, because the next mutant may end this process. */
const send = (line: MutantMessage): void => {
  writeSync(STDOUT, `${JSON.stringify(line)}\n`);
};

const activeMutant = new ActiveMutantFile(openSync(path, "r+"));
const watch = new ProgramWatchdog();
const tally = emptyTally();
let judge = new SeedJudge(settings);
let remaining: MutantCounts[] = mutants.map((mutant) => ({ ...mutant }));

/**
 * Limits of a program with a mutant: a multiple of its time without one, and a minimum in seconds.
 */
const TIMES_WITHOUT_MUTANT = 10;
const SECONDS_LEAST = 5;
const LOCATE_SECONDS_MAX = 600;

interface JudgedProgram {
  readonly found: RawFinding | null;
  /** Processor time. */
  readonly seconds: number;
}

/**
 * Judges a program, with a mutant or without.
 * @param chosen by index of a subject: nonzero if it judges
 * @param secondsMax limit of processor time; the usual limit if undefined
 */
function judgeProgram(
  index: number,
  number: number,
  chosen: Uint8Array,
  secondsMax?: number,
): JudgedProgram {
  watch.next(secondsMax);
  activeMutant.set(number, index);
  const before = process.cpuUsage();
  activate(number);
  const named = { seed: seedAt(first, index), parents: NO_PARENTS };
  const begun = judge.begin(named, chosen);
  activate(NONE);
  const [found = null] = judge.count(begun, [], tally, null);
  const { user, system } = process.cpuUsage(before);
  return { found, seconds: (user + system) / MICROSECONDS };
}

/** The result without a mutant. */
interface PlainResult extends JudgedProgram {
  /**
   * By mutant: the affected subjects, by index: nonzero if the mutant would have had another
   * result.
   */
  readonly affected: ReadonlyMap<MutantCounts, Uint8Array>;
}

/**
 * Judges with one subject after the other, so that each mutant is tried with the affected subjects
 * only.
 */
function judgePlain(index: number, among: readonly MutantCounts[]): PlainResult {
  const affected = new Map<MutantCounts, Uint8Array>();
  const drawn = judge.drawSubjects(seedAt(first, index)) ?? new Uint8Array(subjectCount).fill(1);
  let seconds = 0;
  for (let s = 0; s < drawn.length; s++) {
    if (drawn[s] === 0) continue;
    differed.fill(0);
    const result = judgeProgram(index, NONE, only(s));
    seconds += result.seconds;
    if (result.found !== null) return { found: result.found, seconds, affected: affected };
    for (const mutant of among) {
      if (differed[mutant.number] === 0) continue;
      const by = affected.get(mutant) ?? new Uint8Array(subjectCount);
      by[s] = 1;
      affected.set(mutant, by);
    }
  }
  return { found: null, seconds, affected: affected };
}

function only(subject: number): Uint8Array {
  const chosen = new Uint8Array(subjectCount);
  chosen[subject] = 1;
  return chosen;
}

/**
 * Reports mutants that change code that runs while modules are loaded, or values that are kept
 * between programs. They need processes of their own.
 */
function reportAlone(alone: readonly MutantCounts[]): void {
  if (alone.length === 0) return;
  send({ kind: "alone", numbers: alone.map(({ number }) => number) });
  remaining = remaining.filter((mutant) => !alone.includes(mutant));
}

/**
 * @param by the affected subjects
 * @param plain the result without the mutant
 */
function tryMutant(mutant: MutantCounts, index: number, by: Uint8Array, plain: PlainResult): void {
  const { number } = mutant;
  reached[number] = 0;
  const secondsMax = Math.max(SECONDS_LEAST, TIMES_WITHOUT_MUTANT * plain.seconds);
  const { found, seconds } = judgeProgram(index, number, by, secondsMax);
  mutant.differed++;
  mutant.processor += seconds;
  if (found === null) {
    if (reached[number] === 0) reportAlone([mutant]);
    return;
  }
  const cause = mutant.locates ? causeUnder(number, found) : null;
  // State that a mutant leaves must not be attributed to the next one.
  judge.close();
  judge = new SeedJudge(settings);
  if (judgeProgram(index, NONE, by).found !== null) {
    send({ kind: "alone", numbers: [number] });
    send({ kind: "unclean", index });
    process.exit(0);
  }
  send({
    kind: "killed",
    mutant,
    programs: index + 1,
    how: summaryOf(found),
    subject: found.subject,
    cause,
  });
  remaining = remaining.filter((other) => other !== mutant);
}

/** Localizes the finding of a mutant. Localization may take far longer than judging. */
function causeUnder(number: number, found: RawFinding): Cause | null {
  watch.next(LOCATE_SECONDS_MAX);
  activate(number);
  try {
    return causeOfFinding(found, profile);
  } finally {
    activate(NONE);
  }
}

reportAlone(remaining.filter(({ number }) => reached[number] !== 0));
const start = Math.min(...remaining.map(({ from }) => from));
for (let index = start; index < count && remaining.length > 0; index++) {
  reached.fill(0);
  const here = remaining.filter(({ from }) => from <= index);
  const plain = judgePlain(index, here);
  if (plain.found !== null) {
    // If this process has tried no mutant yet, the compiler itself is wrong; otherwise a mutant has
    // left some state.
    send({ kind: index === start ? "wrong" : "unclean", index });
    process.exit(0);
  }
  for (const mutant of here) if (reached[mutant.number] !== 0) mutant.reached++;
  // The order of numbers: if the process dies, it determines which mutants were tried before.
  for (const mutant of here) {
    const by = plain.affected.get(mutant);
    if (by !== undefined) tryMutant(mutant, index, by, plain);
  }
  const programs = index + 1;
  const isCheckpoint = checkpoints.includes(programs);
  if (isCheckpoint || programs % REPORT_PROGRAMS === 0)
    send({ kind: "alive", programs, isCheckpoint, mutants: remaining });
}
send({ kind: "end" });
await watch.end();
judge.close();

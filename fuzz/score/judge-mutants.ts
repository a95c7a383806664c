// A process of a copy that has many mutants in it (schemata.ts): judges each program without one, and again
// with each mutant whose place it has executed with another result, by the subjects that have. What became of
// a mutant is a line of JSON; which one is on stands in a file, should this process die of it.

import { openSync, writeSync } from "node:fs";
import { emptyTally } from "../../src/campaign/count/tally.js";
import { NO_PARENTS } from "../../src/campaign/program/lineage.js";
import { seedAt } from "../../src/campaign/program/seeds.js";
import type { Found } from "../../src/campaign/run/found.js";
import { SeedJudge } from "../../src/campaign/run/judge-seed.js";
import { usualSettings } from "../run/usual-settings.js";
import { howOf } from "./kill-task.js";
import { type MutantLine, MutantMark, NONE, parseMutantTask, type Trial } from "./mutant-task.js";
import { differed, reached, turnOn } from "./switch.js";
import { Watch } from "./watch.js";

const {
  seed: first,
  count,
  profile,
  mutants,
  marks,
  mark: path,
} = parseMutantTask(process.argv[2]);
const settings = usualSettings(profile);
const subjectCount = settings.subjects.length;
/** After so many programs it is told how often each mutant was come by: no more is lost with this process. */
const TOLD = 100;
const STDOUT = 1;
const MICROSECONDS = 1e6;

/** At once: this process may die of the next mutant. */
const say = (line: MutantLine): void => {
  writeSync(STDOUT, `${JSON.stringify(line)}\n`);
};

const mark = new MutantMark(openSync(path, "r+"));
const watch = new Watch();
const tally = emptyTally();
let judge = new SeedJudge(settings);
let trials: Trial[] = mutants.map((mutant) => ({ ...mutant }));

/** With a mutant, a program may take so many times what it takes without, and so many seconds at least. */
const TIMES_PLAIN = 10;
const SECONDS_LEAST = 5;

/** What became of a program. */
interface Judged {
  readonly found: Found | null;
  /** Of a processor. */
  readonly seconds: number;
}

/**
 * Judges a program, with a mutant or without.
 * @param chosen by index of a subject: not 0 if it judges
 * @param secondsMax of a processor that it may take; as usual if not given
 */
function judged(index: number, number: number, chosen: Uint8Array, secondsMax?: number): Judged {
  watch.next(secondsMax);
  mark.set(number, index);
  const before = process.cpuUsage();
  turnOn(number);
  const named = { seed: seedAt(first, index), parents: NO_PARENTS };
  const begun = judge.begin(named, chosen);
  turnOn(NONE);
  const [found = null] = judge.count(begun, [], tally, null);
  const { user, system } = process.cpuUsage(before);
  return { found, seconds: (user + system) / MICROSECONDS };
}

/** A program without a mutant. */
interface Plain extends Judged {
  /** By mutant: the subjects for which it would have had another result, by index: not 0. */
  readonly telling: ReadonlyMap<Trial, Uint8Array>;
}

/** By one subject after the other, so that a mutant is tried with those alone that can tell it. */
function judgedPlain(index: number, among: readonly Trial[]): Plain {
  const telling = new Map<Trial, Uint8Array>();
  const drawn = judge.drawSubjects(seedAt(first, index)) ?? new Uint8Array(subjectCount).fill(1);
  let seconds = 0;
  for (let s = 0; s < drawn.length; s++) {
    if (drawn[s] === 0) continue;
    differed.fill(0);
    const result = judged(index, NONE, only(s));
    seconds += result.seconds;
    if (result.found !== null) return { found: result.found, seconds, telling };
    for (const trial of among) {
      if (differed[trial.number] === 0) continue;
      const by = telling.get(trial) ?? new Uint8Array(subjectCount);
      by[s] = 1;
      telling.set(trial, by);
    }
  }
  return { found: null, seconds, telling };
}

function only(subject: number): Uint8Array {
  const chosen = new Uint8Array(subjectCount);
  chosen[subject] = 1;
  return chosen;
}

/** What they change is done while modules are loaded, or kept from one program to the next. */
function askAlone(alone: readonly Trial[]): void {
  if (alone.length === 0) return;
  say({ kind: "alone", numbers: alone.map(({ number }) => number) });
  trials = trials.filter((trial) => !alone.includes(trial));
}

/** @param by the subjects that can tell it; @param plain the program without it */
function tryMutant(trial: Trial, index: number, by: Uint8Array, plain: Plain): void {
  const { number } = trial;
  reached[number] = 0;
  const secondsMax = Math.max(SECONDS_LEAST, TIMES_PLAIN * plain.seconds);
  const { found, seconds } = judged(index, number, by, secondsMax);
  trial.differed++;
  trial.processor += seconds;
  if (found === null) {
    if (reached[number] === 0) askAlone([trial]);
    return;
  }
  // What a mutant leaves behind must not be laid to the next.
  judge.close();
  judge = new SeedJudge(settings);
  if (judged(index, NONE, by).found !== null) {
    say({ kind: "alone", numbers: [number] });
    say({ kind: "unclean", index });
    process.exit(0);
  }
  say({ kind: "killed", trial, programs: index + 1, how: howOf(found), subject: found.subject });
  trials = trials.filter((other) => other !== trial);
}

askAlone(trials.filter(({ number }) => reached[number] !== 0));
const start = Math.min(...trials.map(({ from }) => from));
for (let index = start; index < count && trials.length > 0; index++) {
  reached.fill(0);
  const here = trials.filter(({ from }) => from <= index);
  const plain = judgedPlain(index, here);
  if (plain.found !== null) {
    // The compiler itself is wrong, if this process has tried nothing before; else what was tried has left something.
    say({ kind: index === start ? "wrong" : "unclean", index });
    process.exit(0);
  }
  for (const trial of here) if (reached[trial.number] !== 0) trial.reached++;
  // In their order, by which it is told who was tried before a process died.
  for (const trial of here) {
    const by = plain.telling.get(trial);
    if (by !== undefined) tryMutant(trial, index, by, plain);
  }
  const programs = index + 1;
  const isMark = marks.includes(programs);
  if (isMark || programs % TOLD === 0) say({ kind: "alive", programs, isMark, trials });
}
say({ kind: "end" });
await watch.end();
judge.close();

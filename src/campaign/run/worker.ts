// A worker process: judges intervals of seeds that a campaign hands out.
//
// 1. Before it starts a seed, it writes the seed to the position file (jobs.ts), so that the
//    campaign can read the position of a worker that died or hangs.
// 2. Code that most workers never need (reports) is loaded on demand.
// 3. It ends when the campaign's process ends, and never by a signal to the whole group: the
//    campaign decides.

import { writeSync } from "node:fs";
import { ReductionWatch } from "../../reduce/reduction-watch.js";
import { symptomOf } from "../../report/bucket.js";
import { describeError } from "../../support/assert.js";
import { checkBuild } from "../../support/build-id.js";
import { MachineError, machineErrorOf } from "../../support/machine-error.js";
import { judgeMany } from "../../support/v8-flags.js";
import { type ExtremePrograms, mergeExtremes, NO_EXTREMES } from "../count/extremes.js";
import { emptyTally, type Tally } from "../count/tally.js";
import type { UncommonFeatures } from "../evolved/evolution.js";
import { sizeOf, uncommonIn } from "../evolved/features.js";
import { parentsOf } from "../program/lineage.js";
import { seedAt, USUAL } from "../program/seeds.js";
import type { RawFinding } from "./found.js";
import {
  type BatchFindings,
  type InjectedFault,
  type JobMessage,
  KEPT_PER_SYMPTOM,
  type OpenMessage,
  POSITION,
  POSITION_BYTES,
  POSITION_FD,
  type ReportMessage,
  type SeedsMessage,
  TOGETHER,
  type WorkerMessage,
} from "./jobs.js";
import { RemoteJudges, type RemoteResult } from "./judge-elsewhere.js";
import {
  type JudgeSettings,
  parentsDrawer,
  SeedJudge,
  type SeedOutcome,
  subjectNames,
} from "./judge-seed.js";

const position = Buffer.alloc(POSITION_BYTES);
let beats = 0n;
/** The settings by which programs are judged; the first message sets them. */
let settings: JudgeSettings = { subjects: [], canary: null, drawn: null, profile: USUAL };
let judge = new SeedJudge(settings);
let drawParents = parentsDrawer(settings);
/** The judges of remote subjects; null if the campaign has none. */
let elsewhere: RemoteJudges | null = null;
let fault: InjectedFault | null = null;

function writePosition(seed: bigint): void {
  position.writeBigUInt64LE(seed, POSITION.seed);
  writeSync(POSITION_FD, position, 0, POSITION_BYTES, 0);
}

/** Writes the progress of a reduction; each candidate is a beat. */
function writeReduction(values: number, candidates: number): void {
  position.writeBigUInt64LE(++beats, POSITION.beats);
  position.writeBigUInt64LE(BigInt(values), POSITION.values);
  position.writeBigUInt64LE(BigInt(candidates), POSITION.candidates);
  writeSync(POSITION_FD, position, 0, POSITION_BYTES, 0);
}

/**
 * Waits for work with time limits of its own. Meanwhile a beat each second shows that the worker
 * does not hang.
 */
async function beating<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => {
    position.writeBigUInt64LE(++beats, POSITION.beats);
    writeSync(POSITION_FD, position, 0, POSITION_BYTES, 0);
  }, 1000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

const isAtSeed = ({ does }: InjectedFault): boolean =>
  does !== "kill-report" && does !== "abort-start" && does !== "refuse-start";

function injectFault({ does }: InjectedFault): void {
  if (does === "starve") {
    writeSync(process.stderr.fd, "Could not allocate dynamic translator buffer\n");
    process.exit(1);
  }
  if (does !== "hang") process.kill(process.pid, "SIGKILL");
  // The thread never continues, not even before the signal arrives, and uses no processor time.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

async function judgeInterval(message: SeedsMessage): Promise<WorkerMessage> {
  const { count } = message;
  const done: IntervalResult = {
    tally: emptyTally(subjectNames(settings)),
    extremes: NO_EXTREMES,
    kept: [],
    symptoms: {},
    news: [],
  };
  const together = elsewhere === null ? 1 : TOGETHER;
  for (let from = 0; from < count; from += together) {
    const startedAt = performance.now();
    const [some, seconds] = begin(message, from, Math.min(from + together, count));
    // Without remote subjects nothing is awaited: the hot loop of a campaign has no await.
    const theirs = elsewhere === null ? NO_ANSWERS : await judgeRemotely(elsewhere, some);
    countAll(message, from, some, theirs, done);
    if (some.length === 1) seconds[0] = (performance.now() - startedAt) / 1000;
    some.forEach((begun, i) => {
      done.extremes = mergeExtremes(done.extremes, extremesOf(begun, seconds[i]));
    });
  }
  const { tally, extremes, kept, symptoms, news } = done;
  const batch: BatchFindings = { kept, symptoms };
  return { kind: "judged", tally, extremes, batch, news };
}

interface IntervalResult {
  readonly tally: Tally;
  extremes: ExtremePrograms;
  readonly kept: RawFinding[];
  readonly symptoms: Record<string, number>;
  readonly news: UncommonFeatures[];
}

/**
 * Returns the time and size of a program as extremes.
 * @param seconds the time of the program; for several programs without the time of remote subjects
 */
function extremesOf(begun: SeedOutcome, seconds: number): ExtremePrograms {
  if (begun.kind !== "judged") return NO_EXTREMES;
  const seed = String(begun.named.seed);
  return {
    longest: [{ seed, amount: Math.round(seconds * 1e6) / 1e6 }],
    largest: [{ seed, amount: sizeOf(begun.module) }],
  };
}

type RemoteResults = ReadonlyMap<SeedOutcome, readonly RemoteResult[]>;
const NO_ANSWERS: RemoteResults = new Map();

/** Judges programs, and returns the seconds of each. */
function begin(
  { first, breeding }: SeedsMessage,
  from: number,
  end: number,
): [some: SeedOutcome[], seconds: number[]] {
  const seconds: number[] = [];
  const some = Array.from({ length: end - from }, (_, i) => {
    const startedAt = performance.now();
    const seed = seedAt(first, from + i);
    writePosition(seed);
    if (fault?.seed === seed && isAtSeed(fault)) injectFault(fault);
    const parents = breeding === null ? drawParents(seed) : parentsOf(breeding.parents[from + i]);
    const begun = judge.begin({ seed, parents });
    seconds.push((performance.now() - startedAt) / 1000);
    return begun;
  });
  return [some, seconds];
}

function countAll(
  { breeding }: SeedsMessage,
  from: number,
  some: readonly SeedOutcome[],
  theirs: RemoteResults,
  { tally, kept, symptoms, news }: IntervalResult,
): void {
  some.forEach((begun, i) => {
    const list = judge.count(begun, theirs.get(begun) ?? [], tally, (module, result) => {
      if (breeding === null) return;
      const features = uncommonIn(module, result, breeding.common);
      if (features.length > 0) news.push({ at: from + i, size: sizeOf(module), features });
    });
    for (const found of list) {
      const symptom = symptomOf(found);
      symptoms[symptom] = (symptoms[symptom] ?? 0) + 1;
      if (symptoms[symptom] <= KEPT_PER_SYMPTOM) kept.push(found);
    }
  });
}

async function judgeRemotely(
  judges: RemoteJudges,
  some: readonly SeedOutcome[],
): Promise<RemoteResults> {
  const judged = some.filter((begun) => begun.kind === "judged");
  const programs = judged.map(({ named, module, inputs }) => ({ ...named, module, inputs }));
  const answers = await beating(judges.judge(programs));
  return new Map(judged.map((begun, b) => [begun, answers[b]]));
}

// Makes a report. If it cannot be complete, an incomplete one is made: the finding must not be
// lost.
async function report(message: ReportMessage): Promise<WorkerMessage> {
  const { found, seconds, reports, reported } = message;
  const { canary, profile, outside, remote } = settings;
  const watch = new ReductionWatch(seconds, writeReduction);
  const filing = { canary, profile, reports, reported, outside, remote, watch };
  writeReduction(0, 0);
  writePosition(found.seed);
  if (fault?.seed === found.seed && fault.does === "kill-report") injectFault(fault);
  const { fileWithoutProgram } = await loaded(import("../file/filing.js"));
  const { fileWhole } = await loaded(import("../file/file-finding.js"));
  try {
    const filed = await beating(fileWhole(found, filing, settings));
    return { kind: "reported", filed, isReduced: !watch.isStopped };
  } catch (error) {
    if (machineErrorOf(error) !== null) throw error;
    const detail = `${found.detail} (incomplete report: ${describeError(error)})`;
    const entry = fileWithoutProgram({ ...found, detail }, filing);
    return { kind: "reported", filed: { kind: "report", entry }, isReduced: true };
  }
}

/**
 * Loads a module. Node keeps the failure of a module, so a failed import cannot be retried in this
 * process.
 */
async function loaded<M>(module: Promise<M>): Promise<M> {
  try {
    return await module;
  } catch (error) {
    isUnloadable = true;
    throw error;
  }
}
let isUnloadable = false;

async function answerTo(message: OpenMessage | JobMessage): Promise<WorkerMessage> {
  if (message.kind === "open") {
    ({ settings, fault } = message);
    if (fault?.does === "abort-start") process.kill(process.pid, "SIGABRT");
    if (fault?.does === "refuse-start") throw new MachineError("refused for a test");
    judge = new SeedJudge(settings);
    drawParents = parentsDrawer(settings);
    const { remote = [] } = settings;
    elsewhere = remote.length === 0 ? null : new RemoteJudges(remote);
    return { kind: "ready" };
  }
  if (message.kind === "report") return report(message);
  return judgeInterval(message);
}

// Handles one message. Errors other than those of the machine end the process, and the campaign
// attributes them to the seed.
async function answer(message: OpenMessage | JobMessage): Promise<void> {
  try {
    if (message.kind === "open") checkBuild();
    reply(await answerTo(message));
  } catch (error) {
    const refusal = machineErrorOf(error);
    if (refusal === null) throw error;
    reply({ kind: "refused", line: refusal.message, isEnding: isUnloadable }, () => {
      if (isUnloadable) process.exit(1);
    });
  }
}

// Sends a message to the campaign. Does nothing if the campaign has ended: `disconnect` follows.
function reply(message: WorkerMessage, then = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, then);
}

judgeMany();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
process.on("disconnect", () => process.exit(0));
process.on("message", answer);

// Computes the figures of a campaign from its tally. Figures that need a trace come from
// distribution.ts, on a sample.

import { INTERPRETED } from "../../execute/machine/resume.js";
import { BYTECODE, EACH_EXIT, isForTraces, MUTATED, USUAL } from "../program/seeds.js";
import type { CampaignFigure } from "./figure.js";
import { isOrdinary } from "./ordinary.js";
import { medianOf, type Tally } from "./tally.js";

/** The subject whose share of spilling programs has a floor. */
const SPILL_SUBJECT = "x64-O1";

/** The subject whose branches have a short reach, in one program of four. */
const FAR_SUBJECT = "arm64-O2-chaos";

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/**
 * Returns the figures of a tally.
 * @param seconds the elapsed time of the campaign
 */
export function figuresOf(tally: Tally, seconds: number): CampaignFigure[] {
  const { programs, executions, exited, resumed } = tally;
  const unjudged = Object.values(tally.unjudged).reduce((sum, count) => sum + count, 0);
  const usual: CampaignFigure[] = [
    { name: "programs/s", value: share(programs, seconds), floor: null },
    { name: "executions a program", value: share(executions, programs), floor: 4 },
    { name: "values, median", value: medianOf(tally.values), floor: 60 },
    { name: "blocks of the entry, median", value: medianOf(tally.blocks), floor: 4 },
    { name: "programs that exit", value: share(exited, programs), floor: 0.3 },
    { name: "of these resumed", value: share(resumed, exited), floor: 0.5 },
    { name: "verified after every phase", value: share(tally.verified, programs), floor: null },
    { name: "judged executions", value: 1 - share(unjudged, executions), floor: 0.99 },
  ];
  usual.push(...readingFigures(tally));
  const continued = Object.values(tally.continued).reduce((sum, count) => sum + count, 0);
  if (continued > 0) {
    const interpreted = tally.continued[INTERPRETED] ?? 0;
    const value = share(continued - interpreted, continued);
    usual.push({ name: "continuations that ran as machine code", value, floor: 0.3 });
  }
  for (const [subject, sums] of Object.entries(tally.code)) {
    const isFloored = subject === SPILL_SUBJECT;
    usual.push({
      name: `programs that spill, ${subject}`,
      value: share(sums.spilled, sums.programs),
      floor: isFloored ? 0.25 : null,
    });
    if (subject !== FAR_SUBJECT) continue;
    const name = `programs with far branches, ${subject}`;
    usual.push({ name, value: share(sums.farBranching, sums.programs), floor: 0.1 });
  }
  const figures = isOrdinary(tally) ? usual : usual.map((figure) => ({ ...figure, floor: null }));
  return [...figures, ...traceFigures(tally)];
}

/**
 * Figures of traces, by program and subject, over all its runs. The floors of the two profiles for
 * traces are at most half of the measured values. Links in code, and runs that they end in another
 * trace, come from machine code. Bytecode has one activation.
 */
// biome-ignore format: a table
const TRACE_FIGURES: readonly TraceShare[] = [
  { of: "roots",   says: "traces that begin at heads",               traced: 8,   bytecode: 4 },
  { of: "sides",   says: "side traces",                              traced: 3,   bytecode: 2 },
  { of: "loops",   says: "traces that are loops",                    traced: 2,   bytecode: 3 },
  { of: "links",   says: "traces that end in a link",                traced: 3,   bytecode: 2 },
  { of: "entries", says: "entries into traces",                      traced: 18,  bytecode: 6 },
  { of: "exits",   says: "exits into the interpreter",               traced: 16,  bytecode: 5 },
  { of: "linked",  says: "exits into another trace",                 traced: 3.5, bytecode: 1 },
  { of: "patched", says: "exits that were linked in code",           traced: 0.8, bytecode: 0.7 },
  { of: "crossed", says: "runs of code that ended in another trace", traced: 1,   bytecode: 1 },
  { of: "below",   says: "exits after a return below the beginning", traced: 1,   bytecode: null },
  { of: "callers", says: "exits because of another caller",          traced: 1,   bytecode: null },
];

interface TraceShare {
  readonly of: string;
  readonly says: string;
  readonly traced: number;
  readonly bytecode: number | null;
}

/** The floors of the largest number of activations that one exit restored, by profile of traces. */
const DEEPEST = { traced: 3, bytecode: 1 } as const;

function traceFigures({ traces, readings }: Tally): CampaignFigure[] {
  if (traces === undefined) return [];
  const { programs = 0, frames = 0 } = traces;
  const isWhole = Object.keys(readings).every(isForTraces) && programs >= 1000;
  const floorOf = (floors: Pick<TraceShare, "traced" | "bytecode">): number | null => {
    if (!isWhole) return null;
    return readings[BYTECODE] === undefined ? floors.traced : floors.bytecode;
  };
  const figures = TRACE_FIGURES.map((row) => ({
    name: `${row.says}, a program`,
    value: share(traces[row.of] ?? 0, programs),
    floor: floorOf(row),
  }));
  const name = "activations that one exit restored, most";
  return [...figures, { name, value: frames, floor: floorOf(DEEPEST) }];
}

/**
 * Profiles by which one usual seed in sixteen is read. The floors of their shares are about half of
 * that.
 */
const READ_BESIDE = [MUTATED, EACH_EXIT];
const READ_FLOOR = 0.03;
const READ_ENOUGH = 1000;

// Returns the shares of usual seeds that were read by each of READ_BESIDE; none if all seeds were
// read alike.
function readingFigures({ readings }: Tally): CampaignFigure[] {
  if ((readings[USUAL] ?? 0) === 0) return [];
  const counts = READ_BESIDE.map((profile) => readings[profile] ?? 0);
  const all = counts.reduce((sum, count) => sum + count, readings[USUAL]);
  return READ_BESIDE.map((profile, i) => ({
    name: `programs of usual seeds, read as ${profile}`,
    value: share(counts[i], all),
    floor: all < READ_ENOUGH ? null : READ_FLOOR,
  }));
}

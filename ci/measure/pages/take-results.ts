// Copies the results of measuring commands into the data of the pages of figures. A result replaces
// a row; it never adds one.

import type { BenchFigure } from "../bench/bench-figures.js";
import { type CKernelFigures, MEASURE } from "../kernels/bench-c-kernels.js";
import type { ScoreRow } from "../score/score-rows.js";
import type { FindingsData, KernelFigure, PerformanceData, ScoreData } from "./data.js";

/** The options of `score` whose results findings.md shows. */
const FINDING_PROFILE = "usual";
const FINDING_SEED = "1";

/** The rows of mutants count executions of the changed code. */
const isMutant = ({ reached }: ScoreRow): boolean => reached !== null;

/** Returns the last row for which `matches` holds, among judged bugs; null if there is none. */
const lastOf = (rows: readonly ScoreRow[], matches: (row: ScoreRow) => boolean): ScoreRow | null =>
  rows.findLast((row) => row.dropped === null && matches(row)) ?? null;

export function takeScore(data: ScoreData, rows: readonly ScoreRow[]): ScoreData {
  const bugs = data.bugs.map((figure) => {
    const { bug, profile, seed } = figure;
    const row = lastOf(rows, (r) => r.bug === bug && r.profile === profile && r.seed === seed);
    if (row === null) return figure;
    const seconds = row.processor === null ? null : Math.round(row.processor);
    return { ...figure, programs: row.killed ? row.programs : null, seconds };
  });
  const mutants = data.mutants.map((figure) => {
    const judged = rows.filter((r) => isMutant(r) && r.profile === figure.profile);
    const last = new Map(judged.map((row) => [row.bug, row]));
    const all = [...last.values()].filter(({ dropped }) => dropped === null);
    if (all.length === 0) return figure;
    const killedBy = (count: number): number =>
      all.filter(({ killed, programs }) => killed && (programs ?? count) <= count).length;
    return {
      profile: figure.profile,
      programs: Math.max(...all.map(({ count }) => count)),
      of: all.length,
      killed: all.filter(({ killed }) => killed).length,
      killedBy10: killedBy(10),
      killedBy100: killedBy(100),
      seconds: Math.round(all.reduce((sum, { processor }) => sum + (processor ?? 0), 0)),
    };
  });
  return { ...data, mutants, bugs };
}

export function takeFindings(data: FindingsData, rows: readonly ScoreRow[]): FindingsData {
  const findings = data.findings.map((figure) => {
    const row = lastOf(
      rows,
      (r) => r.bug === figure.bug && r.profile === FINDING_PROFILE && r.seed === FINDING_SEED,
    );
    if (row === null || row.programs === null || row.cause === null) return figure;
    const { stage, part, rule } = row.cause;
    const location = [stage, part, rule].filter((name) => name !== null).join("/");
    const isSame = row.programs === figure.programs && location === figure.location;
    return {
      ...{ bug: figure.bug, component: row.kind, programs: row.programs, location },
      values: isSame ? figure.values : null,
      seconds: Math.round(row.processor ?? figure.seconds),
    };
  });
  return { ...data, findings };
}

export function takeBench(data: PerformanceData, figures: readonly BenchFigure[]): PerformanceData {
  const results = new Map(
    figures.flatMap(({ name, value, unit }) =>
      value === null ? [] : [[name, `${value} ${unit}`.trim()] as const],
    ),
  );
  return withResults(data, results);
}

export function takeKernels(data: PerformanceData, c: CKernelFigures): PerformanceData {
  const results = new Map<string, string>();
  for (const { target, by, instructions, seconds } of c.shares) {
    if (by !== "O2") continue;
    if (instructions !== null) results.set(`${target} instructions`, instructions.toFixed(3));
    if (seconds !== null) results.set(`${target} seconds`, seconds.toFixed(3));
  }
  const kernels = c.each.flatMap(({ kernel, target, code }): KernelFigure[] => {
    if (target !== "x64") return [];
    const secondsBy = (name: string) => code.find(({ by }) => by === name)?.seconds ?? null;
    const [own, measure] = [secondsBy("O2"), secondsBy(MEASURE)];
    if (own !== null && measure !== null)
      return [{ kernel, time: Number((own / measure).toFixed(2)) }];
    return data.kernels.filter((figure) => figure.kernel === kernel);
  });
  return { ...withResults(data, results), kernels };
}

function withResults(data: PerformanceData, results: ReadonlyMap<string, string>): PerformanceData {
  const figures = data.figures.map((row) => {
    const result = row.source === null ? undefined : results.get(row.source);
    return result === undefined ? row : { ...row, result };
  });
  return { ...data, figures };
}

// Lists the figures of the measurement `bench`, with units, required values and goals.

// biome-ignore format: a table
const FIGURES = {
  "programs":                 { unit: "per second", budget: 150,  goal: 1000, better: "more" },
  "allocated":                { unit: "KB/program", budget: null, goal: 150,  better: "less" },
  "garbage collection":       { unit: "%",          budget: null, goal: 8,    better: "less" },
  "resident":                 { unit: "MB",         budget: 500,  goal: 250,  better: "less" },
  "compile x64":              { unit: "µs/value",   budget: 20,   goal: 4,    better: "less" },
  "compile arm64":            { unit: "µs/value",   budget: 20,   goal: 4,    better: "less" },
  "emulate x64, fresh":       { unit: "µs/program", budget: 300,  goal: 50,   better: "less" },
  "emulate arm64, fresh":     { unit: "µs/program", budget: 300,  goal: 50,   better: "less" },
  "oracle, generated":        { unit: "M values/s", budget: null, goal: null, better: "more" },
  "oracle, hot loop":         { unit: "M values/s", budget: 3,    goal: 20,   better: "more" },
  "fuzz --seed 7, cold":      { unit: "ms",         budget: 1500, goal: 500,  better: "less" },
  "executed x64, O1 of O0":   { unit: "",           budget: 0.85, goal: null, better: "less" },
  "executed x64, O2 of O0":   { unit: "",           budget: null, goal: null, better: "less" },
  "executed arm64, O1 of O0": { unit: "",           budget: 0.85, goal: null, better: "less" },
  "executed arm64, O2 of O0": { unit: "",           budget: null, goal: null, better: "less" },
  "phase, mean":              { unit: "ns/value",   budget: null, goal: 100,  better: "less" },
} as const satisfies Record<string, FigureTarget>;
type BenchFigureName = keyof typeof FIGURES;

interface FigureTarget {
  readonly unit: string;
  /** The required value; null if the figure is only measured. */
  readonly budget: number | null;
  /** The desired value. */
  readonly goal: number | null;
  readonly better: "more" | "less";
}

export interface BenchFigure extends FigureTarget {
  readonly name: string;
  /** The measured value; null if it could not be measured. */
  readonly value: number | null;
}

export const figure = (name: BenchFigureName, value: number | null): BenchFigure =>
  figureOf(name, value, FIGURES[name]);

/** Makes the figure of a stage, in microseconds for one program. */
export const stageFigure = (name: string, value: number, goal: number | null): BenchFigure =>
  figureOf(name, value, { unit: "µs/program", budget: null, goal, better: "less" });

/** Makes the figure of a phase of the optimizer, in nanoseconds for one value in one run. */
export const phaseFigure = (phase: string, value: number): BenchFigure =>
  figureOf(`phase ${phase}`, value, { ...FIGURES["phase, mean"], budget: null });

export const countFigure = (name: string, value: number | null, unit: string): BenchFigure =>
  figureOf(name, value, { unit, budget: null, goal: null, better: "less" });

function figureOf(name: string, value: number | null, row: FigureTarget): BenchFigure {
  // The median of too few programs is NaN.
  const isMeasured = value !== null && Number.isFinite(value);
  return { name, value: isMeasured ? Number(value.toPrecision(4)) : null, ...row };
}

/** Returns `met` or `missed`, or an empty text if no value is required. */
export function verdictOf({ value, better }: BenchFigure, asked: number | null): string {
  if (value === null || asked === null) return "";
  return (better === "more" ? value >= asked : value <= asked) ? "met" : "missed";
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  return sorted[sorted.length >> 1];
}

// The figures of `fuzz bench`: what each is called, what it is measured in, and what is asked of it.

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
} as const satisfies Record<string, Row>;
type FigureName = keyof typeof FIGURES;

interface Row {
  readonly unit: string;
  /** What the first version is asked for; null where it is only measured. */
  readonly budget: number | null;
  /** What is aimed at. */
  readonly goal: number | null;
  readonly better: "more" | "less";
}

export interface Figure extends Row {
  readonly name: string;
  /** Null where it could not be measured. */
  readonly value: number | null;
}

/** A figure of the table. */
export const figure = (name: FigureName, value: number | null): Figure =>
  figureOf(name, value, FIGURES[name]);

/** Microseconds of a stage for one program. */
export const stageFigure = (name: string, value: number, goal: number | null): Figure =>
  figureOf(name, value, { unit: "µs/program", budget: null, goal, better: "less" });

/** Nanoseconds of a phase of the optimizer for one value of one run. */
export const phaseFigure = (phase: string, value: number): Figure =>
  figureOf(`phase ${phase}`, value, { ...FIGURES["phase, mean"], budget: null });

export const countFigure = (name: string, value: number | null, unit: string): Figure =>
  figureOf(name, value, { unit, budget: null, goal: null, better: "less" });

function figureOf(name: string, value: number | null, row: Row): Figure {
  // Too few programs for a median have none.
  const isMeasured = value !== null && Number.isFinite(value);
  return { name, value: isMeasured ? Number(value.toPrecision(4)) : null, ...row };
}

/** `met` or `missed`; nothing where nothing is asked. */
export function verdictOf({ value, better }: Figure, asked: number | null): string {
  if (value === null || asked === null) return "";
  return (better === "more" ? value >= asked : value <= asked) ? "met" : "missed";
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  return sorted[sorted.length >> 1];
}

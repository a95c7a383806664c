// Computes the figures of a sample, with their floors.

import type { CampaignFigure } from "../../../src/campaign/count/figure.js";
import { usefulOf, zeroesOf } from "./instances.js";
import { type ProgramSample, SLOT_KINDS } from "./sample.js";
import { raresOf } from "./special-operands.js";

/** The floor for each opcode at each type: executions that matter, in that many programs. */
const INSTANCE_FLOOR = 50;
const INSTANCE_FLOOR_PROGRAMS = 2000;
/**
 * The floor for smaller samples, where chance matters more, and the number of programs from which
 * on it applies.
 */
const INSTANCE_FLOOR_OF_FEW = 3;
const INSTANCE_FEW_PROGRAMS = 500;
/** Floors of counts, for a hundred thousand programs; smaller samples have proportional floors. */
const SCALE = 100_000;
const SCALED_FLOORS = {
  /** For each form of exit: the number of times that it was taken. */
  exit: 500,
  /**
   * For each maker of a table: programs in which its values mattered or steered; for each rule, the
   * same.
   */
  maker: 300,
  rule: 100,
  /** For each special operand of each opcode at each type: executions with it. */
  special: 100,
} as const;
/**
 * Floors for shares of the cells of the table of boundaries: pairs and sides of jumps, in a small
 * and in a large sample.
 */
const BOUNDARY_FLOORS = { small: [0.5, 0.98], large: [0.8, 1] } as const;
/** Number of programs from which on a sample has floors for rare events. */
const RARE_SAMPLE = 20_000;

/** Properties of fewer than one program in a hundred have a floor only in large samples. */
const RARE_FLOOR = 0.001;
const RARE_PROGRAMS = 2000;
const SLOT_KIND_FLOORS = {
  value: 0.25,
  computed: 0.05,
  constant: 0.09,
  dead: 0.09,
  contents: 0.04,
  fields: 0.01,
  deadHeap: 0.02,
  deadBytes: 0.02,
} as const;

/**
 * Programs whose optimized form has calls of procedures: inlined calls do not test the code of
 * calls.
 */
export const CALLS_LEFT = "programs with calls that stay at O2";

/**
 * Programs whose optimized form has objects that only exits build; and those with such an object
 * from an inlined callee.
 */
export const OBJECTS_SUNK = "programs with objects that are sunk at O2";
export const CALLEES_OBJECTS_SUNK = "programs with objects of inlined callees that are sunk at O2";

/** Floors of the counts of an observer: the observer loads compilers, which this file must not. */
const OBSERVED_FLOORS: ReadonlyMap<string, number> = new Map([
  ["programs that spill", 0.25],
  [CALLS_LEFT, 0.25],
  [OBJECTS_SUNK, 0.04],
  [CALLEES_OBJECTS_SUNK, 0.005],
]);

export function figuresOfSample(sample: ProgramSample, count: number): CampaignFigure[] {
  return [
    ...sizeFigures(sample),
    ...programFigures(sample, count),
    ...executionFigures(sample),
    ...instanceFigures(sample, count),
    ...tableFigures(sample, count),
    ...boundaryFigures(sample, count),
    ...[...sample.observed].map(([name, sum]) => ({
      name,
      value: share(sum, count),
      floor: OBSERVED_FLOORS.get(name) ?? null,
    })),
  ];
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

const sizeFigures = ({ sizes, blocks, lengths }: ProgramSample): CampaignFigure[] => [
  { name: "values, median", value: percentile(sizes, 50), floor: 60 },
  { name: "values, 95 %", value: percentile(sizes, 95), floor: null },
  { name: "blocks of the entry, median", value: percentile(blocks, 50), floor: 4 },
  { name: "executed values, median", value: percentile(lengths, 50), floor: null },
  { name: "executed values, 99 %", value: percentile(lengths, 99), floor: null },
  { name: "executed values, most", value: percentile(lengths, 100), floor: null },
];

function programFigures({ programs, slotKinds }: ProgramSample, count: number): CampaignFigure[] {
  const isLarge = count >= RARE_PROGRAMS;
  const rows: readonly (readonly [string, number, number | null])[] = [
    ["programs with a loop of 3 iterations", programs.loop, 0.4],
    ["programs that exit", programs.exit, 0.3],
    ["programs that exit again when resumed", programs.nested, 0.01],
    ["programs that execute a Switch of keys in a row", programs.row, 0.04],
    ["programs that execute a Switch of scattered keys", programs.scattered, 0.04],
    ["programs that exit with contents of a slot", programs.contents, 0.04],
    ["programs that exit with dead heap", programs.deadHeap, 0.02],
    ["programs that exit with hundreds of slots", programs.crowded, isLarge ? RARE_FLOOR : null],
    ["programs that exit with four frames", programs.fourFrames, 0.01],
    ["programs with a frame beyond displacements", programs.bigFrame, isLarge ? 0.008 : null],
    ...SLOT_KINDS.map(
      (kind) =>
        [
          `programs that exit with a slot: ${kind}`,
          slotKinds.get(kind) ?? 0,
          SLOT_KIND_FLOORS[kind],
        ] as const,
    ),
    ["programs that call a procedure", programs.called, 0.3],
    ["programs that take a further result", programs.further, 0.04],
    ["programs whose callees exit and go on", programs.calleeExit, 0.05],
    ["programs whose host goes through a kept slot", programs.kept, 0.05],
    ["programs with overlapping widths", programs.overlap, 0.1],
    ["programs with several paths", programs.paths, 0.5],
  ];
  const figures = rows.map(([name, part, floor]) => ({
    name,
    value: share(part, count),
    floor: floor === null || isLarge ? floor : floorOfFew(floor, count),
  }));
  const resumed = share(programs.resumed, programs.exit);
  figures.splice(2, 0, { name: "of these resumed", value: resumed, floor: 0.5 });
  return figures;
}

/** Returns the floor for a small sample: three standard deviations below the expected share. */
const floorOfFew = (floor: number, count: number): number =>
  Math.max(0, floor - 3 * Math.sqrt((floor * (1 - floor)) / count));

function executionFigures({
  unjudged,
  executions,
  mattered,
  steered,
  executed,
}: ProgramSample): CampaignFigure[] {
  const unjudgedCount = unjudged.undefined + unjudged["out-of-fuel"] + unjudged["nan-bits"];
  return [
    { name: "judged executions", value: 1 - share(unjudgedCount, executions), floor: 0.99 },
    { name: "undefined", value: share(unjudged.undefined, executions), floor: null },
    { name: "out of fuel", value: share(unjudged["out-of-fuel"], executions), floor: null },
    { name: "nan-bits", value: share(unjudged["nan-bits"], executions), floor: null },
    { name: "executed values that matter", value: share(mattered, executed), floor: null },
    {
      name: "executed values that matter or steer",
      value: share(mattered + steered, executed),
      floor: 0.6,
    },
  ];
}

function instanceFloor(count: number): number {
  if (count < INSTANCE_FEW_PROGRAMS) return 0;
  if (count < INSTANCE_FLOOR_PROGRAMS) return INSTANCE_FLOOR_OF_FEW;
  return Math.floor((INSTANCE_FLOOR * count) / INSTANCE_FLOOR_PROGRAMS);
}

function instanceFigures({ instances }: ProgramSample, count: number): CampaignFigure[] {
  const worst = instances.rows
    .filter(({ applies }) => applies.includes("mattered") || applies.includes("steered"))
    .map((counts) => ({ name: counts.name, times: usefulOf(counts) }))
    .sort((a, b) => a.times - b.times);
  const least = worst[0];
  const floor = instanceFloor(count);
  return [
    { name: `least executed instance that mattered: ${least.name}`, value: least.times, floor },
    {
      name: "instances below the floor",
      value: worst
        .filter(({ times }) => times < floor)
        .map(({ name }) => name)
        .join(", "),
      floor: 0,
    },
    {
      name: "opcodes by type with a zero",
      value: instances.rows
        .filter((counts) => zeroesOf(counts).length > 0)
        .map((counts) => `${counts.name} (${zeroesOf(counts).join(", ")})`)
        .join(", "),
      floor: count < INSTANCE_FLOOR_PROGRAMS ? null : 0,
    },
  ];
}

/** Returns for each table its lowest row, and the rows below the table's floor. */
function tableFigures(
  { makers, exits, specials, histograms }: ProgramSample,
  count: number,
): CampaignFigure[] {
  const rows = makers.rows.map((row) => ({ name: row.name, count: row.mattered }));
  const isRule = ({ name }: { readonly name: string }): boolean => name.startsWith("rule ");
  const makersOnly = rows.filter((row) => !isRule(row) || row.name === "rule by hand");
  const rules = rows.filter((row) => isRule(row) && row.name !== "rule by hand");
  const taken = exits.rows.map((row) => ({ name: row.name, count: row.taken }));
  const scaled = (floor: number): number => Math.floor((floor * count) / SCALE);
  const isLarge = count >= RARE_SAMPLE;
  // From 2,000 programs on no special operand may be missing; in a large sample none may be rare.
  const specialFloor = isLarge ? scaled(SCALED_FLOORS.special) : 1;
  const [rare] = raresOf(specials.rows, specialFloor);
  const figures = [
    ...lowestOf(
      "makers",
      "program where it mattered",
      makersOnly,
      scaled(SCALED_FLOORS.maker),
      count,
    ),
    ...lowestOf(
      "rules",
      "program where it mattered",
      rules,
      isLarge ? scaled(SCALED_FLOORS.rule) : 0,
      count,
    ),
    ...lowestOf("forms of exit", "taken", taken, scaled(SCALED_FLOORS.exit), count),
    {
      name: "special operands below the floor",
      value: rare.join(", "),
      floor: floorFrom(count, 0),
    },
  ];
  const spread = [
    { name: "programs, by depth of expressions", least: 16, floor: 0.1 },
    { name: "programs, by integers live at once", least: 16, floor: 0.15 },
    { name: "programs, by floats live at once", least: 16, floor: 0.04 },
    { name: "executions, by iterations of the busiest loop", least: 4, floor: 0.15 },
    { name: "executions, by loads of just what a store wrote", least: 1, floor: 0.15 },
    { name: "executions, by loads of part of a store", least: 1, floor: 0.04 },
    { name: "executions, by loads across stores", least: 1, floor: 0.05 },
  ] as const;
  return [
    ...figures,
    ...spread.map(({ name, least, floor }) => ({
      name: `${name}: ${least} or more`,
      value: histograms.shareFrom(name, least),
      floor: floorFrom(count, floor),
    })),
  ];
}

/** Returns the share of cells with an execution; for a large sample also the jumps without one. */
function boundaryFigures({ boundaries }: ProgramSample, count: number): CampaignFigure[] {
  const { rows } = boundaries;
  const shareMet = (kind: "pairs" | "jumps"): number => {
    const all = rows.reduce((sum, row) => sum + row[kind].all, 0);
    return share(all - rows.reduce((sum, row) => sum + row[kind].empty.length, 0), all);
  };
  const never = rows.flatMap(({ name, jumps }) => jumps.empty.map((jump) => `${name}: ${jump}`));
  const isLarge = count >= RARE_SAMPLE;
  const [pairs, jumps] = isLarge ? BOUNDARY_FLOORS.large : BOUNDARY_FLOORS.small;
  return [
    {
      name: "pairs of boundaries that mattered",
      value: shareMet("pairs"),
      floor: floorFrom(count, pairs),
    },
    {
      name: "sides of jumps that mattered",
      value: shareMet("jumps"),
      floor: floorFrom(count, jumps),
    },
    { name: "jumps never reached", value: never.join(", "), floor: isLarge ? 0 : null },
  ];
}

const floorFrom = (count: number, floor: number): number | null =>
  count < INSTANCE_FLOOR_PROGRAMS ? null : floor;

/** Returns the lowest row, and all rows below the floor. */
function lowestOf(
  table: string,
  what: string,
  rows: readonly { readonly name: string; readonly count: number }[],
  floor: number,
  programs: number,
): CampaignFigure[] {
  const [least] = rows.toSorted((a, b) => a.count - b.count);
  const below = rows.filter((row) => row.count < floor).map(({ name }) => name);
  return [
    {
      name: `least of the ${table}, ${what}: ${least.name}`,
      value: least.count,
      floor: floorFrom(programs, floor),
    },
    { name: `${table} below the floor`, value: below.join(", "), floor: floorFrom(programs, 0) },
  ];
}

/**
 * Returns the least number such that at least `percent` of all are not above it; 0 for an empty
 * list.
 */
function percentile(numbers: readonly number[], percent: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}

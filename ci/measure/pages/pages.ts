// Writes the tables of the pages of figures. A table belongs to a heading of its page: it is the
// first table after the heading.

import type { BugFigure, KernelFigure, MeasuredData } from "./data.js";

export interface PageTable {
  readonly heading: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** The tables of each page, by its name in docs. */
export function tablesOf(data: MeasuredData): Readonly<Record<keyof MeasuredData, PageTable[]>> {
  const { score, findings, performance, survivors, planted } = data;
  return {
    score: scoreTables(score),
    findings: findingsTables(findings),
    performance: performanceTables(performance),
    survivors: survivorsTables(survivors),
    planted: plantedTables(planted),
  };
}

function scoreTables({ summary, mutants, bugs }: MeasuredData["score"]): PageTable[] {
  const campaigns = new Map<string, BugFigure[]>();
  for (const row of bugs) {
    const key = JSON.stringify([row.bug, row.profile]);
    campaigns.set(key, [...(campaigns.get(key) ?? []), row]);
  }
  return [
    {
      heading: "Current result",
      columns: ["measurement", "goal", "result"],
      rows: summary.map(({ measurement, goal, result }) => [measurement, goal, result]),
    },
    {
      heading: "Mutants by profile",
      columns: ["profile", "programs", "killed", "by program 10", "by program 100", "seconds"],
      rows: mutants.map((row) => [
        ...[row.profile, row.programs, `${row.killed} of ${row.of}`],
        ...[row.killedBy10, row.killedBy100, row.seconds],
      ]),
    },
    {
      heading: "Hard planted bugs",
      columns: ["bug", "profile", "found at program (seconds), by first seed"],
      rows: [...campaigns.values()].map((rows) => {
        const [{ bug, profile }] = rows;
        return [`\`${bug}\``, `\`${profile}\``, rows.map(foundAt).join(", ")];
      }),
    },
  ];
}

function foundAt({ programs, seconds }: BugFigure): string {
  if (programs === null) return "not found";
  return seconds === null ? shown(programs) : `${shown(programs)} (${seconds})`;
}

function findingsTables({ findings }: MeasuredData["findings"]): PageTable[] {
  const values = findings.flatMap((row) => row.values ?? []).sort((x, y) => x - y);
  const seconds = findings.map((row) => row.seconds).sort((x, y) => x - y);
  const [middle, last] = [values.length >> 1, values.length - 1];
  return [
    {
      heading: "Summary",
      columns: ["bugs", "values, median", "values, most", "seconds, median"],
      rows: [[findings.length, values[middle], values[last], seconds[seconds.length >> 1]]],
    },
    {
      heading: "Each bug",
      columns: ["bug", "component", "programs until found", "location", "values", "seconds"],
      rows: findings.map((row) => [
        ...[row.bug, row.component, row.programs, row.location, row.values ?? "-", row.seconds],
      ]),
    },
  ];
}

/** The upper ends of the classes of kernels, by their time relative to clang. */
const CLASSES: readonly { readonly name: string; readonly below: number }[] = [
  { name: "below 1.00", below: 1 },
  { name: "1.00 to 1.10", below: 1.1 },
  { name: "1.10 and above", below: Number.POSITIVE_INFINITY },
];

function performanceTables(data: MeasuredData["performance"]): PageTable[] {
  const kernels = [...data.kernels].sort((x, y) => x.time - y.time);
  const text = ({ kernel, time }: KernelFigure): string => `\`${kernel}\` ${time.toFixed(2)}`;
  return [
    {
      heading: "Current figures",
      columns: ["figure", "goal", "result"],
      rows: data.figures.map(({ figure, goal, result }) => [figure, goal, result]),
    },
    {
      heading: "Where the time goes",
      columns: ["part", "share"],
      rows: data.parts.map(({ part, share }) => [part, share]),
    },
    {
      heading: "Beside clang",
      columns: ["x64, time by clang's", "kernels"],
      rows: CLASSES.map(({ name, below }, index) => {
        const from = index === 0 ? 0 : CLASSES[index - 1].below;
        const here = kernels.filter(({ time }) => time >= from && time < below);
        return [name, here.map(text).join(", ")];
      }),
    },
  ];
}

const sumOf = (rows: readonly { readonly mutants: number }[]): number =>
  rows.reduce((sum, { mutants }) => sum + mutants, 0);

function survivorsTables({ holes, equal, notExecuted }: MeasuredData["survivors"]): PageTable[] {
  return [
    {
      heading: "Summary",
      columns: ["reason", "mutants"],
      rows: [
        ["equal, or equal in the meaning of the compiled program", sumOf(equal)],
        ["not executed by campaigns of whole programs", sumOf(notExecuted)],
        ["hole: the generator does not draw the program that would kill it", holes.length],
      ],
    },
    {
      heading: "Holes",
      columns: ["mutant of `reference/`", "programs", "executed", "a program that would kill it"],
      rows: holes.map(({ mutant, programs, executed, killer }) => [
        ...[mutant, programs, executed, killer],
      ]),
    },
    {
      heading: "Equal mutants",
      columns: ["kind", "mutants", "example"],
      rows: equal.map(({ kind, mutants, example }) => [kind, mutants, example]),
    },
    {
      heading: "Not executed",
      columns: ["code", "mutants"],
      rows: notExecuted.map(({ kind, mutants }) => [kind, mutants]),
    },
  ];
}

function plantedTables({ notPlanted, otherForm }: MeasuredData["planted"]): PageTable[] {
  return [
    {
      heading: "Not planted",
      columns: ["pattern", "reason"],
      rows: notPlanted.map(({ pattern, reason }) => [pattern, reason]),
    },
    {
      heading: "Planted in another form",
      columns: ["pattern", "form in this compiler"],
      rows: otherForm.map(({ patterns, form }) => [patterns.join(", "), form]),
    },
  ];
}

const shown = (cell: string | number): string =>
  typeof cell === "number" ? cell.toLocaleString("en-US") : cell;

/** Returns the page with these tables in the place of its own. */
export function withTables(page: string, tables: readonly PageTable[]): string {
  const lines = page.split("\n");
  for (const { heading, columns, rows } of tables) {
    const head = lines.findIndex(
      (line) => /^#+ /.test(line) && line.replace(/^#+ /, "") === heading,
    );
    if (head < 0)
      throw new Error(`the page has no heading '${heading}': add it, and a line '|' below it`);
    const first = lines.findIndex((line, at) => at > head && line.startsWith("|"));
    const nextHead = lines.findIndex((line, at) => at > head && line.startsWith("#"));
    if (first < 0 || (nextHead >= 0 && nextHead < first)) {
      throw new Error(`'${heading}' has no table: add a line '|' below the heading`);
    }
    const length = lines.slice(first).findIndex((line) => !line.startsWith("|"));
    const cells = [columns, columns.map(() => "---"), ...rows];
    const text = cells.map((row) => `| ${row.map(shown).join(" | ")} |`);
    lines.splice(first, length < 0 ? lines.length - first : length, ...text);
  }
  return lines.join("\n");
}

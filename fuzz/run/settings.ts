// `touchstone.toml`: campaigns by name, so that a pipeline says `fuzz run nightly`. What the command line says
// wins over the file, and the file over the plans that are built in.
//
//   [plans.nightly]
//   for = "8h"
//   subjects = ["x64-*", "v8-turbofan"]
//   subject-command = "mycc {wasm} {export}"
//   limits = { unjudged-share = 0.01, programs-per-second = 20 }

import { existsSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import { executionsOf } from "../../src/campaign/publish/night.js";
import type { CampaignResult } from "../../src/campaign/run/options.js";
import { readUserText, usageError } from "../support/output.js";
import { BRANCH } from "./since.js";

const SETTINGS_FILE = "touchstone.toml";

const amount = z.union([z.int().nonnegative(), z.string()]);

/** What a campaign must keep to, beside finding nothing. */
const LIMITS = z.strictObject({
  "unjudged-share": z.number().min(0).max(1).optional(),
  "programs-per-second": z.number().nonnegative().optional(),
});
export type Limits = z.infer<typeof LIMITS>;

/** Names and values as on the command line; a list is the same as its names between commas. */
const PLAN = z.strictObject({
  seed: amount.optional(),
  count: amount.optional(),
  for: z.string().optional(),
  subjects: z.union([z.string(), z.array(z.string())]).optional(),
  draw: amount.optional(),
  profile: z.string().optional(),
  workers: amount.optional(),
  "until-findings": amount.optional(),
  "reduce-seconds": amount.optional(),
  since: z.string().optional(),
  reports: z.string().optional(),
  store: z.string().optional(),
  "subject-command": z.string().optional(),
  "subject-seconds": amount.optional(),
  "subject-memory": amount.optional(),
  "subject-supports": z.string().optional(),
  limits: LIMITS.optional(),
});
const SETTINGS = z.strictObject({ plans: z.record(z.string(), PLAN).optional() });

/** The options of `run` that a plan may hold. */
export const PLANNED_KEYS = [
  ...(["seed", "count", "for", "subjects", "draw"] as const),
  ...(["profile", "workers", "untilFindings", "reports", "store"] as const),
  ...(["subjectCommand", "subjectSeconds", "subjectMemory", "reduceSeconds"] as const),
  ...(["subjectSupports"] as const),
];
/** A plan's values as the options of `run` have them: text. */
export type PlannedArgs = { [K in (typeof PLANNED_KEYS)[number]]?: string | undefined };

interface Planned {
  readonly args: PlannedArgs;
  /** `run --since`; BRANCH stands for the commit at which this branch has left the others. */
  readonly since: string | undefined;
  readonly limits: Limits;
}

const BUILT_IN: Readonly<Record<string, z.infer<typeof PLAN>>> = {
  smoke: { count: 500 },
  pr: { seed: "today", for: "8m", since: BRANCH },
  nightly: { seed: "today", for: "90m" },
};

/**
 * @param name a plan; none, if it is undefined
 * @param path the file that the user names; otherwise `touchstone.toml`, if it is here
 * @throws UserError with file, line and column
 */
export function plannedArgs(name: string | undefined, path: string | undefined): Planned {
  if (name === undefined && path !== undefined) {
    throw usageError("--settings: expected the name of a plan too: fuzz run nightly --settings F");
  }
  if (name === undefined) return { args: {}, since: undefined, limits: {} };
  const file = path ?? (existsSync(SETTINGS_FILE) ? SETTINGS_FILE : null);
  const plans = { ...BUILT_IN };
  if (file !== null) {
    for (const [name, plan] of Object.entries(readPlans(file))) {
      plans[name] = { ...plans[name], ...plan };
    }
  }
  const plan = Object.hasOwn(plans, name) ? plans[name] : null;
  if (plan === null) {
    const known = Object.keys(plans).join(", ");
    throw usageError(
      `run ${name}: no such plan; expected ${known} (${SETTINGS_FILE} may hold more)`,
    );
  }
  const { limits = {}, "until-findings": untilFindings, subjects, since, ...others } = plan;
  const text = (value: string | number | undefined): string | undefined =>
    value === undefined ? undefined : String(value);
  const args = {
    ...{ for: others.for, profile: others.profile },
    ...{ reports: others.reports, store: others.store },
    ...{ seed: text(others.seed), count: text(others.count), draw: text(others.draw) },
    ...{ workers: text(others.workers), untilFindings: text(untilFindings) },
    subjects: Array.isArray(subjects) ? subjects.join(",") : subjects,
    subjectCommand: others["subject-command"],
    subjectSeconds: text(others["subject-seconds"]),
    subjectMemory: text(others["subject-memory"]),
    subjectSupports: others["subject-supports"],
    reduceSeconds: text(others["reduce-seconds"]),
  };
  return { args, since, limits };
}

/** `today`: each day has a billion seeds of its own. */
export const seedOf = (seed: string): string =>
  seed === "today" ? `${new Date().toISOString().slice(0, 10).replaceAll("-", "")}000000000` : seed;

/** What a campaign has not kept to, a line each. */
export function brokenLimits(limits: Limits, { tally, programs, seconds }: Counted): string[] {
  const lines: string[] = [];
  const { equal, different, unjudged } = executionsOf(tally);
  const share = unjudged / Math.max(1, equal + different + unjudged);
  const shareMax = limits["unjudged-share"] ?? 1;
  if (share > shareMax) {
    lines.push(`unjudged-share is ${share.toPrecision(3)}, at most ${shareMax} was asked for`);
  }
  const rate = programs / seconds;
  const rateMin = limits["programs-per-second"] ?? 0;
  if (rate < rateMin) {
    lines.push(`programs-per-second is ${rate.toFixed(1)}, at least ${rateMin} was asked for`);
  }
  return lines;
}

type Counted = Pick<CampaignResult, "tally" | "programs" | "seconds">;

function readPlans(file: string): Readonly<Record<string, z.infer<typeof PLAN>>> {
  const text = readUserText(file);
  const parsed = SETTINGS.safeParse(tomlOf(text, file));
  if (parsed.success) return parsed.data.plans ?? {};
  const [issue] = parsed.error.issues;
  // Of a name that is not known zod tells the table; the line is that of the name.
  const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = [...issue.path, ...unknown].map(String);
  const { line, column } = placeOf(text, path);
  throw usageError(`${file}:${line}:${column}: ${path.join(".")}: ${issue.message}`);
}

function tomlOf(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first] = error.message.split("\n");
    throw usageError(`${file}:${error.line}:${error.column}: ${first}`);
  }
}

/** Where a value stands: the line of its key, or of the nearest table around it. */
function placeOf(text: string, path: readonly string[]): { line: number; column: number } {
  let table: string[] = [];
  let best = { line: 1, column: 1, depth: 0 };
  text.split("\n").forEach((row, i) => {
    const header = /^\s*\[([^\]]+)\]/.exec(row);
    const key = /^\s*([\w.-]+)\s*=/.exec(row);
    if (header !== null) table = header[1].split(".").map((part) => part.trim());
    const names = key === null ? table : [...table, ...key[1].split(".")];
    if (header === null && key === null) return;
    const isAround = names.every((name, k) => path[k] === name);
    if (isAround && names.length > best.depth) {
      best = { line: i + 1, column: row.search(/\S/) + 1, depth: names.length };
    }
  });
  return best;
}

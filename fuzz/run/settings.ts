// Reads `touchstone.toml`, which defines campaigns by name for `fuzz run nightly`. Options of the
// command line override the file, and the file overrides the built-in plans.
//
//   [plans.nightly]
//   for = "8h"
//   subjects = ["x64-*", "v8-turbofan"]
//   subject-command = "mycc {wasm} {export}"
//   limits = { unjudged-share = 0.01, programs-per-second = 20 }

import { existsSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import { MIXED } from "../../src/campaign/program/seeds.js";
import { executionsOf } from "../../src/campaign/publish/night.js";
import type { CampaignResult } from "../../src/campaign/run/options.js";
import { hasEngineLike } from "../support/arguments.js";
import { readUserText, STATUS, UserError, usageError } from "../support/output.js";
import { BRANCH } from "./since.js";

const SETTINGS_FILE = "touchstone.toml";

const amount = z.union([z.int().nonnegative(), z.string()]);

/** Limits that a campaign must satisfy, in addition to finding nothing. */
const LIMITS = z.strictObject({
  "unjudged-share": z.number().min(0).max(1).optional(),
  "programs-per-second": z.number().nonnegative().optional(),
});
export type RunLimits = z.infer<typeof LIMITS>;

/**
 * Options with the names and values of the command line. A list is the same as comma-separated
 * names.
 */
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

/** The options of `run` that a plan may contain. */
export const PLANNED_KEYS = [
  ...(["seed", "count", "for", "subjects", "draw"] as const),
  ...(["profile", "workers", "untilFindings", "reports", "store"] as const),
  ...(["subjectCommand", "subjectSeconds", "subjectMemory", "reduceSeconds"] as const),
  ...(["subjectSupports"] as const),
];
/** A plan's values as text, as the options of `run`. */
export type PlanArgs = { [K in (typeof PLANNED_KEYS)[number]]?: string | undefined };

interface CampaignFromPlan {
  readonly args: PlanArgs;
  /** `run --since`; BRANCH stands for the commit at which the current branch diverged. */
  readonly since: string | undefined;
  readonly limits: RunLimits;
}

/** The plan of the newest engines; its subjects are those that are installed. */
const WORLD = "world";

const BUILT_IN: Readonly<Record<string, z.infer<typeof PLAN>>> = {
  smoke: { count: 500 },
  pr: { seed: "today", for: "8m", since: BRANCH },
  nightly: { seed: "today", for: "90m" },
  [WORLD]: { seed: "today", for: "8h", profile: MIXED },
};

/**
 * The rows of the newest engines, and the share of programs that each judges. The shares give each
 * row about the same time, and twice as much to LLVM, in which campaigns find most.
 */
const WORLD_ROWS = [
  ...["v8-liftoff@*", "jsc-bbq@*", "v8-turbofan@*:3", "jsc-omg@*:6", "binaryen-O3@*:20"],
  ...["llvm-O2@*:8", "llvm-O3@*:8", "llvm-facts-O3@*:4", "clang-facts@*:4", "clang-O3@*:8"],
  ...["llvm-pbqp@*:16", "llvm-fast-isel@*:16", "arm64-llvm-O2@*:8", "cranelift@*:50"],
  ...["wasm32-clang-O2@*:50", "clang-forms@*:8"],
  ...["gcc-O2@*:8", "gcc-O3@*:8", "gcc-facts-O3@*:4", "gcc-forms@*:8"],
  ...["luajit-hot@*:8", "hotspot-c2@*:20", "v8-js-turbofan@*:20", "jsc-js-dfg@*:10"],
  ...["ion@firefox:6", "sm-baseline@firefox:6"],
  ...["riscv64-llvm-O2@*:8", "ppc64le-llvm-O2@*:8", "mips64el-llvm-O2@*:8", "arm-llvm-O2@*:8"],
  ...["riscv64v-llvm-O3@*:8", "sve-llvm-O3@*:8"],
];

/** @throws UserError if none is installed */
function worldSubjects(): string {
  const rows = WORLD_ROWS.filter((row) => hasEngineLike(row.split(":")[0]));
  if (rows.length > 0) return rows.join(",");
  throw new UserError(
    STATUS.missing,
    "run world: no newest engine is installed: ci/setup --engines newest",
  );
}

/**
 * @param name a plan; undefined: none
 * @param path the file that the user names; undefined: `touchstone.toml`, if it exists
 * @throws UserError with file, line and column
 */
export function plannedArgs(name: string | undefined, path: string | undefined): CampaignFromPlan {
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
    subjects: Array.isArray(subjects)
      ? subjects.join(",")
      : (subjects ?? (name === WORLD ? worldSubjects() : undefined)),
    subjectCommand: others["subject-command"],
    subjectSeconds: text(others["subject-seconds"]),
    subjectMemory: text(others["subject-memory"]),
    subjectSupports: others["subject-supports"],
    reduceSeconds: text(others["reduce-seconds"]),
  };
  return { args, since, limits };
}

/** `today`: each day has a range of a billion seeds. */
export const seedOf = (seed: string): string =>
  seed === "today" ? `${new Date().toISOString().slice(0, 10).replaceAll("-", "")}000000000` : seed;

/** Returns a line for each exceeded limit. */
export function brokenLimits(
  limits: RunLimits,
  { tally, programs, seconds }: CampaignCounts,
): string[] {
  const lines: string[] = [];
  const { equal, different, unjudged } = executionsOf(tally);
  const share = unjudged / Math.max(1, equal + different + unjudged);
  const shareMax = limits["unjudged-share"] ?? 1;
  if (share > shareMax) {
    lines.push(`unjudged-share is ${share.toPrecision(3)}, expected at most ${shareMax}`);
  }
  const rate = programs / seconds;
  const rateMin = limits["programs-per-second"] ?? 0;
  if (rate < rateMin) {
    lines.push(`programs-per-second is ${rate.toFixed(1)}, expected at least ${rateMin}`);
  }
  return lines;
}

type CampaignCounts = Pick<CampaignResult, "tally" | "programs" | "seconds">;

function readPlans(file: string): Readonly<Record<string, z.infer<typeof PLAN>>> {
  const text = readUserText(file);
  const parsed = SETTINGS.safeParse(tomlOf(text, file));
  if (parsed.success) return parsed.data.plans ?? {};
  const [issue] = parsed.error.issues;
  // For an unknown key zod reports the path of the table, so the name of the key is appended.
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

/** Returns the position of a value: the line of its key, or of the nearest enclosing table. */
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

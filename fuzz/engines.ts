// Implements `fuzz engines`: judges programs of seeds in external compilers, in batches, and prints
// a table of the results. Without --subjects it lists the engines and whether this machine has
// them.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { curedBy } from "../src/campaign/file/cured-by.js";
import { programOf, seedAt } from "../src/campaign/program/seeds.js";
import { byFlags } from "../src/campaign/run/judge-elsewhere.js";
import { describeDifference, describeWithComparison } from "../src/compare/describe-difference.js";
import { Judge, type SubjectResult } from "../src/compare/judge-program.js";
import type { EngineSubject } from "../src/engine/engine-subject.js";
import { ENGINES } from "../src/engine/engines.js";
import type { Input } from "../src/ir/outcome.js";
import type { Module } from "../src/ir/procedure.js";
import { printModule } from "../src/ir/text/print.js";
import { printInput } from "../src/ir/text/run-line.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { didYouMean } from "../src/support/nearest.js";
import { printAnswer } from "./answers/print-answer.js";
import type { AnswerFields } from "./answers/schemas.js";
import { DEFAULTS } from "./options.js";
import { parseCount, parseProfile, parseSeed } from "./support/arguments.js";
import { takeRemote } from "./support/engines.js";
import { INTERRUPTED, LongWork } from "./support/long-work.js";
import { printLine, printTable, STATUS, usageError } from "./support/output.js";

interface EnginesArgs {
  readonly subjects: string | undefined;
  readonly form?: string | undefined;
  readonly seed?: string | undefined;
  readonly profile?: string | undefined;
  readonly count?: string | undefined;
  readonly batch?: string | undefined;
  readonly out: string | undefined;
  readonly explain: boolean;
  readonly regress: string | undefined;
  readonly json: boolean;
}

/** Options without a meaning if no engine is named. */
const FOR_SUBJECTS = ["form", "seed", "profile", "count", "batch", "out", "explain"] as const;

interface SeededProgram {
  readonly seed: bigint;
  readonly module: Module;
  readonly inputs: readonly Input[];
}

interface EngineTally {
  readonly engine: EngineSubject;
  readonly judges: ReusedJudge;
  seconds: number;
  programs: number;
  executed: number;
  equal: number;
  unjudged: number;
  declined: number;
  /** Programs of which the engine compiled nothing. */
  uncompiled: number;
  /** Differences by aspect. */
  readonly different: Map<string, number>;
  /** By cause: the seeds of programs that trigger it. */
  readonly causes: Map<string, bigint[]>;
  readonly findings: EngineFigures["findings"][number][];
}

type EngineFigures = AnswerFields<"touchstone.engines-run">["engines"][number];

export async function run(args: EnginesArgs): Promise<number> {
  const { json, regress } = args;
  if (regress !== undefined)
    return (await import("./regress-engines.js")).regressEngines(regress, json);
  if (args.subjects === undefined) {
    const given = FOR_SUBJECTS.find((name) => args[name] !== undefined && args[name] !== false);
    if (given === undefined) return list(json);
    throw usageError(`--${given}: expected --subjects too, with the engines to run`);
  }
  const engines = await chosenEngines(args.subjects, args.form);
  const first = parseSeed(args.seed ?? DEFAULTS.engines.seed);
  const profile = parseProfile(args.profile);
  const count = parseCount("--count", args.count ?? DEFAULTS.engines.count, 1, 2 ** 31 - 1);
  const batch = parseCount("--batch", args.batch ?? DEFAULTS.engines.batch, 1, 1000);
  const tallies = engines.map(tallyFor);
  const work = new LongWork((batches) => `${batches * batch} of ${count} programs`);
  for (let from = 0; from < count && !(await work.pause()); from += batch) {
    const programs: SeededProgram[] = [];
    for (let i = from; i < Math.min(from + batch, count); i++) {
      const seed = seedAt(first, i);
      programs.push({ seed, ...programOf(seed, profile) });
    }
    for (const tally of tallies) await judgeAll(tally, programs, args);
  }
  for (const { judges } of tallies) judges.close();
  work.end();
  const interrupted = work.isInterrupted;
  if (json) {
    printAnswer("touchstone.engines-run", { engines: tallies.map(answerOf), interrupted });
  } else {
    if (interrupted) printLine(INTERRUPTED);
    print(tallies);
  }
  return tallies.every(({ different }) => different.size === 0)
    ? STATUS.nothingFound
    : STATUS.found;
}

const tallyFor = (engine: EngineSubject): EngineTally => ({
  engine,
  judges: new ReusedJudge(),
  ...{ seconds: 0, programs: 0, executed: 0, equal: 0, unjudged: 0, declined: 0, uncompiled: 0 },
  different: new Map(),
  causes: new Map(),
  findings: [],
});

const differentOf = ({ different }: Pick<EngineTally, "different">): number =>
  [...different.values()].reduce((sum, n) => sum + n, 0);

function answerOf({ engine, different, causes, ...tally }: EngineTally): EngineFigures {
  const { programs, executed: executions, equal, unjudged, seconds, findings } = tally;
  const { declined, uncompiled } = tally;
  const counts = { programs, executions, equal, unjudged, declined, uncompiled, seconds };
  return {
    ...{ engine: engine.name, ...counts, different: differentOf({ different }) },
    ...{ aspects: Object.fromEntries(different), findings },
    causes: [...causes].map(([cause, seeds]) => ({ cause, seeds: seeds.map(String) })),
  };
}

function print(tallies: readonly EngineTally[]): void {
  const columns = ["programs", "executions", "equal", "different", "unjudged"];
  const left = ["declined", "not compiled"];
  const rows: (string | number)[][] = [["engine", ...columns, ...left, "programs/s"]];
  const causes: (string | number)[][] = [["engine", "cause", "programs", "seeds"]];
  for (const { engine, seconds, different, ...tally } of tallies) {
    const differing = differentOf({ different });
    const { programs, executed, equal, unjudged, declined, uncompiled } = tally;
    const speed = (programs / seconds).toFixed(1);
    const verdicts = [executed, equal, differing, unjudged, declined, uncompiled];
    rows.push([engine.name, programs, ...verdicts, speed]);
    for (const [aspect, n] of different) printLine(`${engine.name}: ${aspect}: ${n}`);
    for (const [cause, seeds] of tally.causes) {
      const more = seeds.length > SEEDS_SHOWN ? " ..." : "";
      const shown = seeds.slice(0, SEEDS_SHOWN).join(" ") + more;
      causes.push([engine.name, cause, seeds.length, shown]);
    }
  }
  printTable(rows);
  if (causes.length === 1) return;
  printLine("");
  printTable(causes);
}
const SEEDS_SHOWN = 8;

function list(json: boolean): number {
  const engines = ENGINES.map(({ name, missing, version }) => {
    const lack = missing();
    return { name, version: lack === null ? version() : null, missing: lack };
  });
  if (json) printAnswer("touchstone.engines", { engines });
  else {
    const width = Math.max(...engines.map(({ name }) => name.length));
    for (const { name, version, missing } of engines) {
      const here = missing?.replace(/^\S+: /, "") ?? version ?? "";
      printLine(`${name.padEnd(width)}  ${here}`);
    }
  }
  return STATUS.nothingFound;
}

async function chosenEngines(
  text: string,
  form: string | undefined,
): Promise<readonly EngineSubject[]> {
  const { engines, others } = await takeRemote({ subjects: text, form });
  if (others === null) return engines;
  const known = ENGINES.map(({ name }) => name);
  const guess = didYouMean(others ?? "", known) || ": fuzz list engines has the names";
  throw usageError(`--subjects ${others}: no such engine${guess}`);
}

async function judgeAll(
  tally: EngineTally,
  programs: readonly SeededProgram[],
  { out, explain, json }: Pick<EnginesArgs, "out" | "explain" | "json">,
): Promise<void> {
  for (const { subject: engine, programs: group } of byFlags(tally.engine, programs)) {
    const start = performance.now();
    const results = await tally.judges.of(engine).judgeAll(group);
    tally.seconds += (performance.now() - start) / 1000;
    for (const [p, result] of results.entries()) {
      for (const subject of result.results) {
        const isWrong = countResult(tally, group[p], subject, { out, json });
        if (isWrong && explain) await assignCauses(tally, engine, group[p], group, json);
      }
    }
  }
}

/** Keeps a judge open while the subject stays the same. */
class ReusedJudge {
  private name = "";
  private judge: Judge | null = null;

  of(subject: EngineSubject): Judge {
    if (this.judge !== null && this.name === subject.name) return this.judge;
    this.close();
    this.name = subject.name;
    this.judge = new Judge({ subjects: [subject], fuelMax: DEFAULT_FUEL });
    return this.judge;
  }

  close(): void {
    this.judge?.close();
  }
}

/**
 * Determines which known bugs the program triggers, alone or compiled together with its batch.
 * @param subject with the drawn flags
 */
async function assignCauses(
  { engine, causes }: EngineTally,
  subject: EngineSubject,
  program: SeededProgram,
  among: readonly SeededProgram[],
  json: boolean,
): Promise<void> {
  const cause =
    (await causeOf(subject, program, [program])) ?? (await causeOf(subject, program, among));
  const shown = cause ?? "the difference did not occur again";
  causes.set(shown, [...(causes.get(shown) ?? []), program.seed]);
  if (!json) printLine(`${engine.name}: seed ${program.seed}: cause: ${shown}`);
}

/** Returns null if the program is right. */
async function causeOf(
  { cures }: EngineSubject,
  program: SeededProgram,
  among: readonly SeededProgram[],
): Promise<string | null> {
  const candidates = among.map(({ module, inputs }) => ({ module, inputs: [...inputs] }));
  const own = candidates[among.indexOf(program)];
  const met = cures === undefined ? null : await curedBy(own, cures, candidates);
  if (met === null) return "no known bug";
  return met.bugs.length === 0 ? null : met.bugs.join(met.which === "all" ? " and " : " or ");
}

/** Counts a result. Returns whether the program is wrong. */
function countResult(
  tally: EngineTally,
  { seed, module, inputs }: SeededProgram,
  { subject, judgements, declined, isUncompiled = false }: SubjectResult,
  { out, json }: Pick<EnginesArgs, "out" | "json">,
): boolean {
  tally.programs++;
  if (declined !== null) tally.declined++;
  if (isUncompiled) tally.uncompiled++;
  const wrong: Input[] = [];
  /** The inputs that show each difference, by its description. */
  const shown = new Map<string, number[]>();
  // A subject's name may contain more flags than a file name can hold.
  const file = out === undefined ? null : join(out, `${tally.engine.name}-${seed}.ir`);
  for (const { verdict, input } of judgements) {
    if (verdict.kind === "unjudged") {
      tally.unjudged++;
      continue;
    }
    tally.executed++;
    if (verdict.kind === "equal") {
      tally.equal++;
      continue;
    }
    const { aspect } = verdict;
    tally.different.set(aspect, (tally.different.get(aspect) ?? 0) + 1);
    wrong.push(inputs[input]);
    const detail = describeDifference(verdict.difference);
    tally.findings.push({ seed: String(seed), input, aspect, detail, file });
    if (json) continue;
    const text = describeWithComparison(verdict.difference);
    shown.set(text, [...(shown.get(text) ?? []), input]);
  }
  for (const [text, [first, ...others]] of shown) {
    const also = others.length === 0 ? "" : ` (also input ${others.join(", ")})`;
    printLine(`${subject}: seed ${seed}, input ${first}: ${text}${also}`);
  }
  if (wrong.length === 0) return false;
  if (file === null) return true;
  mkdirSync(dirname(file), { recursive: true });
  const lines = wrong.map((input) => `; run: ${printInput(module, input)}\n`);
  const text = `${printModule(module)}; ${subject}\n${lines.join("")}`;
  writeFileSync(file, text);
  return true;
}

// `fuzz engines`: programs of seeds through compilers of others, in batches, and a table of what came of it.
// Without --subjects it lists the engines, and what this machine has of them.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { programOf, seedAt } from "../src/campaign/program/seeds.js";
import { describeSeen } from "../src/compare/describe-difference.js";
import { Judge, type SubjectResult } from "../src/compare/judge-program.js";
import { ENGINES } from "../src/engine/engines.js";
import type { RemoteSubject } from "../src/execute/subject.js";
import type { Input } from "../src/ir/outcome.js";
import type { Module } from "../src/ir/procedure.js";
import { printModule } from "../src/ir/text/print.js";
import { printInput } from "../src/ir/text/run-line.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { parseCount, parseSeed } from "./support/arguments.js";
import { takeRemote } from "./support/engines.js";
import { printLine, printTable, STATUS, usageError } from "./support/output.js";

interface EnginesArgs {
  readonly subjects: string | undefined;
  readonly seed: string;
  readonly count: string;
  readonly batch: string;
  readonly out: string | undefined;
}

interface Program {
  readonly seed: bigint;
  readonly module: Module;
  readonly inputs: readonly Input[];
}

/** What came of one engine's programs. */
interface Tally {
  programs: number;
  executed: number;
  equal: number;
  unjudged: number;
  declined: number;
  /** By aspect. */
  readonly different: Map<string, number>;
}

export async function run(args: EnginesArgs): Promise<number> {
  if (args.subjects === undefined) return list();
  const engines = await chosenEngines(args.subjects);
  const first = parseSeed(args.seed);
  const count = parseCount("--count", args.count, 1, 2 ** 31 - 1);
  const batch = parseCount("--batch", args.batch, 1, 1000);
  let found = 0;
  const rows: (string | number)[][] = [
    [
      "engine",
      "programs",
      "executions",
      "equal",
      "different",
      "unjudged",
      "declined",
      "programs/s",
    ],
  ];
  for (const engine of engines) {
    const start = performance.now();
    const tally = await through(engine, first, count, batch, args.out);
    const seconds = (performance.now() - start) / 1000;
    const different = [...tally.different.values()].reduce((sum, n) => sum + n, 0);
    found += different;
    const { programs, executed, equal, unjudged, declined } = tally;
    const speed = (programs / seconds).toFixed(1);
    rows.push([engine.name, programs, executed, equal, different, unjudged, declined, speed]);
    for (const [aspect, n] of tally.different) printLine(`${engine.name}: ${aspect}: ${n}`);
  }
  printTable(rows);
  return found === 0 ? STATUS.nothingFound : STATUS.found;
}

function list(): number {
  const rows = ENGINES.map(({ name, missing, version }) => [name, missing() ?? version()]);
  printTable([["engine", "on this machine"], ...rows]);
  return STATUS.nothingFound;
}

async function chosenEngines(text: string): Promise<readonly RemoteSubject[]> {
  const { engines, others } = await takeRemote({ subjects: text });
  if (others === null) return engines;
  const known = ENGINES.map(({ name }) => name).join(", ");
  throw usageError(`--subjects ${others}: no such engine: expected ${known}`);
}

async function through(
  engine: RemoteSubject,
  first: bigint,
  count: number,
  batchSize: number,
  out: string | undefined,
): Promise<Tally> {
  const tally: Tally = {
    programs: 0,
    executed: 0,
    equal: 0,
    unjudged: 0,
    declined: 0,
    different: new Map(),
  };
  const judge = new Judge({ subjects: [engine], fuelMax: DEFAULT_FUEL });
  for (let from = 0; from < count; from += batchSize) {
    const programs: Program[] = [];
    for (let i = from; i < Math.min(from + batchSize, count); i++) {
      const seed = seedAt(first, i);
      programs.push({ seed, ...programOf(seed) });
    }
    const results = await judge.judgeAll(programs);
    results.forEach((result, p) => {
      for (const subject of result.results) note(tally, programs[p], subject, out);
    });
  }
  judge.close();
  return tally;
}

function note(
  tally: Tally,
  { seed, module, inputs }: Program,
  { subject, judgements, declined }: SubjectResult,
  out: string | undefined,
): void {
  tally.programs++;
  if (declined !== null) tally.declined++;
  const wrong: Input[] = [];
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
    printLine(`${subject}: seed ${seed}, input ${input}: ${describeSeen(verdict.difference)}`);
  }
  if (wrong.length === 0 || out === undefined) return;
  mkdirSync(out, { recursive: true });
  const lines = wrong.map((input) => `; run: ${printInput(module, input)}\n`);
  writeFileSync(join(out, `${subject}-${seed}.ir`), printModule(module) + lines.join(""));
}

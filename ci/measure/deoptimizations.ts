// Counts the executions that leave compiled code in the middle, by row of the engines of JavaScript,
// as each engine reports it. A program counts if one of its executions does.

import { parseCount } from "../../fuzz/support/arguments.js";
import { LongWork } from "../../fuzz/support/long-work.js";
import { printLine, printTable, STATUS, usageError } from "../../fuzz/support/output.js";
import { programOf, seedAt } from "../../src/campaign/program/seeds.js";
import type { EngineSubject } from "../../src/engine/engine-subject.js";
import { engineNamed } from "../../src/engine/engines.js";
import type { SourceProgram } from "../../src/engine/sources.js";
import { isJudged } from "../../src/ir/outcome.js";
import { decodeModule } from "../../src/oracle/fast/decode.js";
import { Oracle } from "../../src/oracle/fast/oracle.js";

interface DeoptimizationArgs {
  /** Comma-separated rows. */
  readonly subjects: string;
  readonly seed: string;
  readonly count: string;
  readonly profile: string;
}

const FUEL = 100_000;

interface LeftCounts {
  readonly engine: EngineSubject;
  executions: number;
  left: number;
  unanswered: number;
  programs: number;
  programsLeft: number;
}

export async function run(args: DeoptimizationArgs): Promise<number> {
  const rows = args.subjects.split(",").map((name): LeftCounts => {
    const engine = engineNamed(name);
    if (engine?.leftCompiled === undefined && engine?.drawn === undefined)
      throw usageError(`--subjects ${name}: expected a compiler of JavaScript: v8-js-turbofan`);
    const missing = engine.missing();
    if (missing !== null) throw usageError(`--subjects ${missing}`);
    return { engine, executions: 0, left: 0, unanswered: 0, programs: 0, programsLeft: 0 };
  });
  const count = parseCount("--count", args.count);
  const work = new LongWork((done) => `${done} of ${count} programs`);
  const oracle = new Oracle();
  for (let i = 0; i < count && !(await work.pause()); i++) {
    const seed = seedAt(BigInt(args.seed), i);
    const program = judgedOf(programOf(seed, args.profile), oracle);
    if (program.inputs.length === 0) continue;
    for (const row of rows) await add(row, seed, program);
  }
  work.end();
  const heads = ["engine", "executions", "left compiled code", "%", "no answer", "programs", "%"];
  const share = (part: number, whole: number): string =>
    whole === 0 ? "" : ((100 * part) / whole).toFixed(1);
  printTable([
    heads,
    ...rows.map(({ engine, executions, left, unanswered, programs, programsLeft }) => [
      ...[engine.name, executions, left, share(left, executions), unanswered],
      ...[programs, share(programsLeft, programs)],
    ]),
  ]);
  for (const { engine } of rows) printLine(`${engine.name}: ${engine.version()}`);
  return STATUS.nothingFound;
}

/** Returns the program with the inputs that the oracle judges. */
function judgedOf({ module, inputs }: SourceProgram, oracle: Oracle): SourceProgram {
  const program = decodeModule(module);
  return { module, inputs: inputs.filter((input) => isJudged(oracle.run(program, input, FUEL))) };
}

async function add(row: LeftCounts, seed: bigint, program: SourceProgram): Promise<void> {
  const engine = row.engine.drawn?.(seed) ?? row.engine;
  const left = (await engine.leftCompiled?.(program)) ?? [];
  row.executions += left.length;
  row.left += left.filter((one) => one === true).length;
  row.unanswered += left.filter((one) => one === null).length;
  row.programs++;
  if (left.includes(true)) row.programsLeft++;
}

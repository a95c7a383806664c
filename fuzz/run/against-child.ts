// Judges an interval of seeds with the compiler of this script's build, and prints one line of JSON
// for each program. `fuzz run --against` starts it in two builds and compares the lines.
//
//   node build/fuzz/run/against-child.js '{"first": "1", "count": 100, "subjects": [...], "drawn": 4, "profile": "usual"}'

import { emptyTally } from "../../src/campaign/count/tally.js";
import { NO_PARENTS } from "../../src/campaign/program/lineage.js";
import { seedAt } from "../../src/campaign/program/seeds.js";
import { SeedJudge } from "../../src/campaign/run/judge-seed.js";
import type { ProgramResult } from "../../src/compare/judge-program.js";

/** The interval of seeds, and how each is judged. */
export interface ComparisonTask {
  readonly first: string;
  readonly count: number;
  readonly subjects: readonly string[];
  readonly drawn: number | null;
  readonly profile: string;
}

export interface ProgramFigures {
  readonly seed: string;
  /** By subject: `equal`, `unjudged`, or the aspects that differ. */
  readonly verdicts: Readonly<Record<string, string>>;
  /** The bytes of code, by subject. */
  readonly codeBytes: Readonly<Record<string, number>>;
  /** Failures that belong to no subject. */
  readonly errors: readonly string[];
  /** Processor seconds of generating, compiling, running and comparing. */
  readonly seconds: number;
}

function verdictOf({ judgements }: ProgramResult["results"][number]): string {
  const aspects = new Set<string>();
  let isJudged = false;
  for (const { verdict } of judgements) {
    if (verdict.kind === "different") aspects.add(verdict.aspect);
    if (verdict.kind !== "unjudged") isJudged = true;
  }
  if (aspects.size > 0) return `different: ${[...aspects].join(", ")}`;
  return isJudged ? "equal" : "unjudged";
}

function judgeAll({ first, count, subjects, drawn, profile }: ComparisonTask): void {
  const judge = new SeedJudge({ subjects, canary: null, drawn, profile });
  for (let i = 0; i < count; i++) {
    const seed = seedAt(BigInt(first), i);
    const verdicts: Record<string, string> = {};
    const codeBytes: Record<string, number> = {};
    const before = process.cpuUsage();
    const found = judge.judge(
      { seed, parents: NO_PARENTS },
      emptyTally(subjects),
      (_, { results }) => {
        for (const result of results) {
          verdicts[result.subject] = verdictOf(result);
          if (result.counts !== null) codeBytes[result.subject] = result.counts.codeBytes;
        }
      },
    );
    const { user, system } = process.cpuUsage(before);
    const figures: ProgramFigures = {
      seed: String(seed),
      verdicts,
      codeBytes,
      errors: found.filter(({ kind }) => kind !== "difference").map(({ detail }) => detail),
      seconds: (user + system) / 1e6,
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
  }
  judge.close();
}

judgeAll(JSON.parse(process.argv[2]));

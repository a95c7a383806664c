// Declares tests that need compilers of others. If one is missing, the test is skipped, which ava
// counts, and its title names the missing program. Judges programs by such a compiler.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecutionContext, TestFn } from "ava";
import { describeDifference } from "../compare/describe-difference.js";
import { Judge } from "../compare/judge-program.js";
import type { RemoteSubject } from "../execute/subject.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { assert } from "../support/assert.js";
import { projectRoot } from "../support/project-root.js";
import type { EngineSubject } from "./engine-subject.js";
import { engineNamed } from "./engines.js";

/**
 * Declares a test of that row.
 * @param test `test` or `test.serial`
 */
export function engineTest(
  test: TestFn | TestFn["serial"],
  name: string,
  title: string,
  run: (t: ExecutionContext, engine: EngineSubject) => Promise<void>,
): void {
  const engine = engineNamed(name);
  assert(engine !== null, () => `no engine is named ${name}`);
  const reason = engine.missing();
  if (reason === null) test(title, (t) => run(t, engine));
  else test.skip(`${title}: ${reason}`, (t) => t.fail());
}

export interface JudgedProgram {
  readonly module: Module;
  readonly inputs: readonly Input[];
}

/** Returns the program of a text, with the inputs of its run lines. */
export function programFrom(text: string): JudgedProgram {
  const module = parseModule(text);
  return { module, inputs: runLines(text, module).map(({ input }) => input) };
}

export const programsIn = (folder: string): readonly JudgedProgram[] =>
  readdirSync(join(projectRoot(), folder))
    .filter((name) => name.endsWith(".ir"))
    .map((name) => programFrom(readFileSync(join(projectRoot(), folder, name), "utf8")));

/** Returns the differences, and the number of equal executions. */
export async function judged(
  subject: RemoteSubject,
  programs: readonly JudgedProgram[],
  fuelMax = 1_000_000,
): Promise<{ different: string[]; equal: number }> {
  const judge = new Judge({ subjects: [subject], fuelMax });
  const results = await judge.judgeAll(programs);
  judge.close();
  const verdicts = results.flatMap(({ results: subjects }) =>
    subjects.flatMap(({ judgements }) => judgements.map(({ verdict }) => verdict)),
  );
  return {
    different: verdicts.flatMap((verdict) =>
      verdict.kind === "different" ? [describeDifference(verdict.difference)] : [],
    ),
    equal: verdicts.filter(({ kind }) => kind === "equal").length,
  };
}

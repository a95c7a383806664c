// Scripts of the WebAssembly specification through the oracle and every subject.
//
// A case passes if the oracle does what the script expects and every subject does what the oracle
// does. Recursion deeper than the oracle's activations is out of fuel: a case that expects the stack to
// be exhausted passes by that, and is compared no further.

import type { Aside, Script } from "../import/script.js";
import { faultOfCase, programsOf, type ScriptProgram } from "../import/script-programs.js";
import { describeDifference } from "./describe-difference.js";
import { Judge, type JudgeOptions, type ProgramResult } from "./judge-program.js";

interface ScriptResult {
  readonly passed: number;
  /** Cases that fail, by the script's lines. */
  readonly failures: readonly Aside[];
  /** Cases and modules that are outside of the import. */
  readonly outside: readonly Aside[];
}

/** Refused modules count as cases: passed, or failed if they are accepted. */
export function conformScript(script: Script, options: JudgeOptions): ScriptResult {
  const { programs, outside } = programsOf(script);
  const failures: Aside[] = [...script.accepted];
  let passed = script.refused;
  const judge = new Judge(options);
  for (const program of programs) {
    const result = judge.judge(program.imported.module, program.inputs);
    program.cases.forEach(({ line }, i) => {
      const message = faultOf(program, result, i);
      if (message === null) passed++;
      else failures.push({ line, message: `${program.name}: ${message}` });
    });
  }
  judge.close();
  return { passed, failures, outside: [...script.outside, ...outside] };
}

function faultOf(
  { imported, cases }: ScriptProgram,
  { expected, results }: ProgramResult,
  i: number,
): string | null {
  const fault = faultOfCase(imported, cases[i], expected[i]);
  if (fault !== null) return `oracle: ${fault}`;
  if (cases[i].expected.kind === "exhaustion") return null;
  for (const { subject, judgements } of results) {
    const { verdict } = judgements[i];
    if (verdict.kind === "different")
      return `${subject}: ${describeDifference(verdict.difference)}`;
    if (verdict.kind === "unjudged") return `${subject}: unjudged: ${verdict.reason}`;
  }
  return null;
}

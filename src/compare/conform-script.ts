// Runs scripts of the WebAssembly specification through the oracle and every subject.
//
// A case passes if the oracle's outcome is the expected one and every subject agrees with the oracle. Recursion deeper
// than the oracle's limit of activations is out of fuel. That passes a case that expects the stack to be exhausted, and
// subjects are then not compared.

import type { UnsupportedCommand, WasmScript } from "../import/script.js";
import {
  type CaseVerdict,
  judgeCase,
  programsOf,
  type ScriptProgram,
} from "../import/script-programs.js";
import { describeDifference } from "./describe-difference.js";
import { Judge, type JudgeOptions, type ProgramResult } from "./judge-program.js";

interface ScriptResult {
  readonly passed: number;
  /** Cases that fail, by the script's lines. */
  readonly failures: readonly UnsupportedCommand[];
  /** Cases whose outcome the language leaves open, or that exceed its limits. */
  readonly unjudged: readonly UnsupportedCommand[];
  /** Cases and modules that the import does not support. */
  readonly outside: readonly UnsupportedCommand[];
}

/** Runs a script. A module that must be refused counts as a case: passed if it is refused, failed if it is accepted. */
export function conformScript(script: WasmScript, options: JudgeOptions): ScriptResult {
  const { programs, outside } = programsOf(script);
  const failures: UnsupportedCommand[] = [...script.accepted];
  const unjudged: UnsupportedCommand[] = [];
  let passed = script.refused;
  const judge = new Judge(options);
  for (const program of programs) {
    const result = judge.judge({ module: program.imported.module, inputs: program.inputs });
    program.cases.forEach(({ line }, i) => {
      const verdict = verdictOf(program, result, i);
      if (verdict.kind === "equal") passed++;
      else if (verdict.kind === "unjudged") unjudged.push({ line, message: verdict.message });
      else failures.push({ line, message: `${program.name}: ${verdict.message}` });
    });
  }
  judge.close();
  unjudged.sort((x, y) => x.line - y.line);
  return { passed, failures, unjudged, outside: [...script.outside, ...outside] };
}

function verdictOf(
  { imported, cases }: ScriptProgram,
  { expected, results }: ProgramResult,
  i: number,
): CaseVerdict {
  const ofOracle = judgeCase(imported, cases[i], expected[i]);
  if (ofOracle.kind === "different") return { ...ofOracle, message: `oracle: ${ofOracle.message}` };
  if (ofOracle.kind === "unjudged" || cases[i].expected.kind === "exhaustion") return ofOracle;
  const verdicts = results.map(({ subject, judgements }): CaseVerdict => {
    const { verdict } = judgements[i];
    if (verdict.kind === "equal") return { kind: "equal" };
    const says =
      verdict.kind === "different" ? describeDifference(verdict.difference) : verdict.reason;
    return { kind: verdict.kind, message: `${subject}: ${says}` };
  });
  const worst = ["different", "unjudged"].map((kind) =>
    verdicts.find((each) => each.kind === kind),
  );
  return worst.find((each) => each !== undefined) ?? ofOracle;
}

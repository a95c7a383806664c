// Implements `fuzz compile --dump`: prints the program between the phases of the optimizer. Each
// dump is a whole program with the run lines of its file, so it can be executed and compiled again.

import { RULES } from "../../reference/optimize/rules/rules.js";
import { PHASES } from "../../reference/pipeline.js";
import type { Module, Procedure } from "../../src/ir/procedure.js";
import { printHead, printModule, printProcedure } from "../../src/ir/text/print.js";
import { printExpectation, printInput, type RunLine } from "../../src/ir/text/run-line.js";
import { usageError } from "../support/output.js";

/** The callbacks that receive the progress of `optimize`. */
interface DumpCallbacks {
  readonly onApplication: (by: string) => void;
  readonly afterPhase: (phase: string, proc: Procedure, applications: number) => void;
  /** Must be called after the last phase. */
  readonly end: () => void;
}

/** Receives comment lines, and a program, or null if the program did not change. */
type DumpReceiver = (says: readonly string[], program: string | null) => void;

const ALL = "all";
/** Stages after the phases. Their LIR is printed during code generation. */
export const LIR_STAGES = ["lower", "allocate"] as const;

/**
 * Returns the receiver of dumps.
 * @param dump the argument of --dump: a phase, or `all`; undefined: no dumps
 */
export function openDumper(
  dump: string | undefined,
  module: Module,
  lines: readonly RunLine[],
  tell: DumpReceiver,
): DumpCallbacks | null {
  if (dump === undefined) return null;
  const runs = lines.map((line) => printRunLine(module, line)).join("");
  if (dump === ALL) return dumpAll(module, runs, tell);
  if (PHASES.some(({ name }) => name === dump)) return dumpAfter(dump, module, runs, tell);
  const names = [...PHASES.map(({ name }) => name), ...LIR_STAGES, ALL];
  throw usageError(`--dump ${dump}: expected one of ${names.join(", ")}`);
}

function printRunLine(module: Module, { input, expected }: RunLine): string {
  const expectation = expected === null ? "" : ` = ${printExpectation(expected)}`;
  return `; run: ${printInput(module, input)}${expectation}\n`;
}

/** Dumps one program, which contains each procedure after the last run of the phase on it. */
function dumpAfter(phase: string, module: Module, runs: string, tell: DumpReceiver): DumpCallbacks {
  const texts = new Map<Procedure, string>();
  const counts = new ApplicationCounts();
  const headers: string[] = [];
  return {
    onApplication: counts.add,
    afterPhase: (name, proc, applications) => {
      const header = headerOf(name, proc, counts.take(), applications);
      if (name !== phase) return;
      headers.push(header);
      texts.set(proc, printProcedure(proc));
    },
    end: () => {
      const procedures = module.procedures.map((proc) => texts.get(proc) ?? printProcedure(proc));
      const says = headers.length === 0 ? [`${phase} did not run`] : headers;
      tell(says, `${[printHead(module), ...procedures].join("\n")}\n${runs}`);
    },
  };
}

/** Dumps the program as given, and after each phase that changed something. */
function dumpAll(module: Module, runs: string, tell: DumpReceiver): DumpCallbacks {
  const counts = new ApplicationCounts();
  let before = printModule(module);
  tell(["as given"], `${before}\n${runs}`);
  return {
    onApplication: counts.add,
    afterPhase: (phase, proc, applications) => {
      const text = printModule(module);
      const header = headerOf(phase, proc, counts.take(), applications);
      if (text === before) tell([`${header}: nothing changed`], null);
      else tell([header], `${text}\n${runs}`);
      before = text;
    },
    end: () => {},
  };
}

/** Counts applications since the last phase, by name. */
class ApplicationCounts {
  private readonly byName = new Map<string, number>();

  readonly add = (by: string): void => {
    this.byName.set(by, (this.byName.get(by) ?? 0) + 1);
  };

  /** Returns the counts in the order of the rule table, and resets them. */
  take(): readonly (readonly [name: string, count: number])[] {
    const counts = [...this.byName].sort(([x], [y]) => placeOf(x) - placeOf(y));
    this.byName.clear();
    return counts;
  }
}

const placeOf = (name: string): number => RULES.findIndex((rule) => rule.name === name);

function headerOf(
  phase: string,
  proc: Procedure,
  counts: ReturnType<ApplicationCounts["take"]>,
  applications: number,
): string {
  const header = `after ${phase} of ${proc.name}`;
  if (counts.length === 0) return header;
  const sum = counts.reduce((total, [, count]) => total + count, 0);
  const numbers = sum === 1 ? `${applications}` : `${applications - sum + 1} to ${applications}`;
  // A phase without rules counts under its own name, which is already printed.
  const parts = counts.map(([name, count]) => (name === phase ? `${count}` : `${name} ${count}`));
  return `${header}, --opt-limit ${numbers}: ${parts.join(", ")}`;
}

// Describes the recorded traces of a tracing machine: each trace as a program, its beginning, its
// end, and the count of each exit.

import { printModule } from "../ir/text/print.js";
import type { ProgramFacts } from "./program-facts.js";
import type { ProgramPoint, RecordedTrace, TraceExit } from "./recorded-trace.js";
import type { TraceCounts } from "./trace-counts.js";

export function describeTraces(facts: ProgramFacts, traces: readonly RecordedTrace[]): string[] {
  return traces.flatMap((trace) => describeTrace(facts, trace));
}

function describeTrace(facts: ProgramFacts, trace: RecordedTrace): string[] {
  const { name, parent, points, below, end, exits, entered, module } = trace;
  const from = parent === null ? "" : `, after exit ${parent.exit.number} of ${parent.trace.name}`;
  const calls = below.map((point) => `; it returns to the call at ${pointsText(facts, [point])}`);
  return [
    `; ${name} begins at ${pointsText(facts, points)}${from}${calls.join("")}; ${ENDS[end]}; entered ${times(entered)}`,
    ...exits.map((exit) => `;   ${describeExit(facts, exit)}`),
    ...printModule(module).trimEnd().split("\n"),
  ];
}

const ENDS = {
  loop: "it is a loop",
  link: "it ends where a trace begins",
  return: "it ends at a return",
} as const;

function describeExit(facts: ProgramFacts, { number, kind, points, taken, side }: TraceExit) {
  const to = side === null ? "" : `, into ${side.name}`;
  return `exit ${number}: ${kind}, to ${pointsText(facts, points)}${to}, taken ${times(taken)}`;
}

/** Describes the activations of a point in the program, innermost first. */
function pointsText(facts: ProgramFacts, points: readonly ProgramPoint[]): string {
  const texts = points.map(({ procedure, pc, word }) => {
    if (word !== undefined) return `word ${word}`;
    return `${facts.module.procedures[procedure].name} @${facts.idAt(procedure, pc)}`;
  });
  return texts.join(", called at ");
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

/** Prints the counts in one line, and a line for each reason why recordings were abandoned. */
export function describeCounts(counts: TraceCounts): string[] {
  const { failures, ...numbers } = counts;
  const line = Object.entries(numbers).map(([name, count]) => `${name} ${count}`);
  const gaveUp = Object.entries(failures).map(([reason, n]) => `; gave up: ${reason}, ${times(n)}`);
  return [`; ${line.join(", ")}`, ...gaveUp];
}

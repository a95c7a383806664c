// Proves the claims about lowering that have no stored proof: a part of `fuzz prove`.

import { printModule } from "../src/ir/text/print.js";
import { printProofs, ROW_PROOFS_PATH, readProofs } from "../src/prove/proof-store.js";
import { OUT_OF_SCOPE, type RowInstance, rowInstances } from "../src/prove/rows/row-proofs.js";
import { LIMITS } from "../src/prove/rule-proofs.js";
import { Solver } from "../src/prove/solver.js";
import { writeWhole } from "../src/support/whole-file.js";
import { printLine } from "./support/output.js";

export interface RowsReport {
  readonly instances: number;
  readonly proved: number;
  readonly refuted: number;
  readonly unknown: number;
  readonly excluded: number;
  /** Median processor time of a query; null if there was none. */
  readonly medianSeconds: number | null;
  readonly exclusions: readonly { readonly because: string; readonly names: readonly string[] }[];
  /** Name patterns of LIR rows without claims. */
  readonly outOfScope: readonly { readonly rows: string; readonly because: string }[];
  readonly wrong: readonly UnprovedClaim[];
}

interface UnprovedClaim {
  readonly name: string;
  readonly result: "refuted" | "unknown";
  readonly program: string;
}

interface ProveRowsArgs {
  readonly cold: boolean;
  readonly update: boolean;
}

/** Proves instances with equal queries once. */
export async function proveRows({ cold, update }: ProveRowsArgs): Promise<RowsReport> {
  const instances = [...rowInstances()];
  const known = cold ? new Map<string, string>() : readProofs(ROW_PROOFS_PATH);
  const proved = new Map<string, string>();
  const wrong: UnprovedClaim[] = [];
  const seconds: number[] = [];
  let solver: Solver | null = null;
  for (const instance of instances) {
    const { hash, name, question } = instance;
    if (question === null || proved.has(hash)) continue;
    if (known.has(hash)) {
      proved.set(hash, name);
      continue;
    }
    solver ??= await Solver.open();
    const before = process.cpuUsage();
    const answer = await solver.ask(question, LIMITS.question);
    const { user, system } = process.cpuUsage(before);
    seconds.push((user + system) / 1e6);
    if (answer === "unsat") proved.set(hash, name);
    else wrong.push(wrongOf(instance, answer === "sat" ? "refuted" : "unknown"));
  }
  solver?.close();
  if (update) writeWhole(ROW_PROOFS_PATH, printProofs(proved));
  seconds.sort((x, y) => x - y);
  const count = (result: UnprovedClaim["result"]): number =>
    wrong.filter((row) => row.result === result).length;
  return {
    instances: instances.length,
    proved: instances.filter(({ hash }) => proved.has(hash)).length,
    refuted: count("refuted"),
    unknown: count("unknown"),
    excluded: instances.filter(({ excluded }) => excluded !== null).length,
    medianSeconds: seconds[seconds.length >> 1] ?? null,
    exclusions: exclusionsOf(instances),
    outOfScope: OUT_OF_SCOPE.map(({ rows, because }) => ({ rows: rows.source, because })),
    wrong,
  };
}

const wrongOf = (
  { name, program }: RowInstance,
  result: UnprovedClaim["result"],
): UnprovedClaim => ({
  name,
  result,
  program: printModule(program.module),
});

function exclusionsOf(instances: readonly RowInstance[]): { because: string; names: string[] }[] {
  const byReason = new Map<string, string[]>();
  for (const { excluded, name } of instances) {
    if (excluded !== null) byReason.set(excluded, [...(byReason.get(excluded) ?? []), name]);
  }
  return [...byReason].map(([because, names]) => ({ because, names }));
}

export function printRows(rows: RowsReport): void {
  for (const { because, names } of rows.exclusions)
    printLine(`${names.length} claims about lowering are excluded: ${because}`);
  for (const { name, result } of rows.wrong) printLine(`lowering, ${result}: ${name}`);
  const { instances, proved, refuted, unknown, excluded } = rows;
  printLine(
    `${instances} claims about lowering: ${proved} proved, ${refuted} refuted, ${unknown} unknown, ${excluded} excluded`,
  );
}

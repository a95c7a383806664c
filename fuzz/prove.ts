// Implements `fuzz prove`: proves the rules of the optimizer and its lowering for all operands, or
// refutes them by a program.
//
// It reads stored proofs from corpus/proofs, and queries the solver for the others. Unless --rules
// names rules, it also checks properties without a solver on all operands of a few bits
// (src/prove/magic-proofs.ts, range-proofs.ts). With --cold it checks more of these operands.

import type { Rule } from "../reference/optimize/rules/patterns.js";
import { RULES } from "../reference/optimize/rules/rules.js";
import { printModule } from "../src/ir/text/print.js";
import { counterexampleOf } from "../src/prove/counterexample.js";
import { magicProofs } from "../src/prove/magic-proofs.js";
import { PROOFS_PATH, ProofsError, printProofs, readProofs } from "../src/prove/proof-store.js";
import { IMPRECISE, QUICK_WORLDS, rangeProofs, WHOLE_WORLDS } from "../src/prove/range-proofs.js";
import {
  COMMUTATIONS,
  canApply,
  instancesOf,
  LIMITS,
  type ProofResult,
  prove,
  type RuleClaim,
} from "../src/prove/rule-proofs.js";
import { NoSolver, Solver } from "../src/prove/solver.js";
import { runLineOf } from "../src/report/expectation.js";
import { didYouMean } from "../src/support/nearest.js";
import { writeWhole } from "../src/support/whole-file.js";
import { printAnswer } from "./answers/print-answer.js";
import { printRows, proveRows, type RowsReport } from "./prove-rows.js";
import { LongWork } from "./support/long-work.js";
import { printLine, STATUS, UserError, usageError } from "./support/output.js";

interface ProveArgs {
  /** Comma-separated rules; all if undefined. */
  readonly rules: string | undefined;
  readonly cold: boolean;
  readonly update: boolean;
  readonly json: boolean;
}

interface ClaimVerdict {
  readonly instance: RuleClaim;
  readonly result: ProofResult | "excluded";
  /** Seconds of processor time; null if the solver was not queried. */
  readonly seconds: number | null;
  /** A refuting program with its run line; null if the claim is not refuted. */
  readonly program: string | null;
}

export async function run(args: ProveArgs): Promise<number> {
  const instances = instancesOf(rulesNamed(args.rules));
  const known = args.cold ? new Map<string, string>() : readKnown();
  const verdicts: ClaimVerdict[] = [];
  const missing = instances.filter(({ hash, excluded }) => excluded === null && !known.has(hash));
  const solver = missing.length === 0 ? null : await openSolver();
  const work = new LongWork(() => `${verdicts.length} of ${instances.length} claims`);
  for (const instance of instances) {
    if (await work.pause()) break;
    const isAsked = solver !== null && instance.excluded === null && !known.has(instance.hash);
    const verdict = isAsked ? await ask(instance, solver) : fromStore(instance);
    verdicts.push(verdict);
    if (isAsked && !args.json) printProgress(verdict, verdicts.length, instances.length);
  }
  work.end();
  const idle =
    args.cold && solver !== null && !work.isInterrupted ? await idleRules(args.rules, solver) : [];
  solver?.close();
  const isWhole = args.rules === undefined && !work.isInterrupted;
  const rows = isWhole ? await proveRows(args) : null;
  const tried = isWhole ? checkOperands(args.cold) : null;
  if (args.update) store(verdicts, isWhole ? new Map() : readKnown());
  report(verdicts, idle, { tried, rows }, args.json, instances.length - verdicts.length);
  const isRight = tried === null || [...tried.magic.wrong, ...tried.ranges.wrong].length === 0;
  const isWell =
    isRight && verdicts.every(({ result }) => result === "proved" || result === "excluded");
  const areRowsWell = rows === null || rows.wrong.length === 0;
  return isWell && areRowsWell && idle.length === 0 ? STATUS.nothingFound : STATUS.found;
}

function rulesNamed(names: string | undefined): readonly Rule[] {
  if (names === undefined) return [...RULES, ...COMMUTATIONS];
  return names.split(",").map((name) => {
    const rule = RULES.find((row) => row.name === name);
    if (rule === undefined) {
      const known = RULES.map((row) => row.name);
      throw usageError(
        `--rules ${name}: no such rule${didYouMean(name, known)}; see fuzz list rules`,
      );
    }
    return rule;
  });
}

async function idleRules(names: string | undefined, solver: Solver): Promise<string[]> {
  const idle: string[] = [];
  for (const rule of rulesNamed(names)) if (!(await canApply(rule, solver))) idle.push(rule.name);
  return idle;
}

function readKnown(): ReadonlyMap<string, string> {
  try {
    return readProofs();
  } catch (error) {
    if (error instanceof ProofsError) throw usageError(error.message);
    throw error;
  }
}

async function openSolver(): Promise<Solver> {
  try {
    return await Solver.open();
  } catch (error) {
    if (error instanceof NoSolver) throw new UserError(STATUS.missing, error.message);
    throw error;
  }
}

/** The results of exhaustive checks on operands. */
interface OperandChecks {
  readonly magic: { readonly tried: number; readonly wrong: readonly string[] };
  readonly ranges: {
    readonly tried: number;
    readonly best: number;
    /** By opcode: why its function does not always give the best range. */
    readonly imprecise: Readonly<Record<string, string>>;
    readonly wrong: readonly string[];
  };
}

function checkOperands(isWhole: boolean): OperandChecks {
  const sum = (numbers: readonly number[]): number => numbers.reduce((x, y) => x + y, 0);
  const wrongOf = (proofs: readonly { readonly wrong: string | null }[]): string[] =>
    proofs.flatMap(({ wrong }) => wrong ?? []);
  const magic = [...magicProofs(isWhole)];
  const ranges = [...rangeProofs(isWhole ? WHOLE_WORLDS : QUICK_WORLDS)];
  const best = sum(ranges.map((proof) => proof.best));
  const imprecise = Object.fromEntries(IMPRECISE.map(({ opcode, because }) => [opcode, because]));
  return {
    magic: { tried: sum(magic.map(({ divisions }) => divisions)), wrong: wrongOf(magic) },
    ranges: {
      tried: sum(ranges.map(({ tuples }) => tuples)),
      best,
      wrong: wrongOf(ranges),
      imprecise,
    },
  };
}

const fromStore = (instance: RuleClaim): ClaimVerdict => ({
  instance,
  result: instance.excluded === null ? "proved" : "excluded",
  seconds: null,
  program: null,
});

async function ask(instance: RuleClaim, solver: Solver): Promise<ClaimVerdict> {
  const before = process.cpuUsage();
  const result = await prove(instance, solver);
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  const program = result === "refuted" ? await programAgainst(instance, solver) : null;
  return { instance, result, seconds, program };
}

async function programAgainst(
  { shape, question }: RuleClaim,
  solver: Solver,
): Promise<string | null> {
  if (question === null) return null;
  const found = await counterexampleOf(shape, question, solver, LIMITS.question);
  if (found === null) return null;
  return `${printModule(found.module)}${runLineOf(found.module, found.input, found.expected)}\n`;
}

function printProgress(
  { instance, result, seconds, program }: ClaimVerdict,
  at: number,
  of: number,
) {
  printLine(`${at} of ${of}: ${instance.name}: ${result}, ${(seconds ?? 0).toFixed(2)} s`);
  if (program !== null) for (const line of program.trimEnd().split("\n")) printLine(`  ${line}`);
}

function store(verdicts: readonly ClaimVerdict[], known: ReadonlyMap<string, string>): void {
  const proofs = new Map(known);
  for (const { instance, result } of verdicts) {
    if (result === "proved") proofs.set(instance.hash, instance.name);
  }
  writeWhole(PROOFS_PATH, printProofs(proofs));
}

/**
 * Prints the report.
 * @param left claims that were not proved because of Ctrl-C
 */
function report(
  verdicts: readonly ClaimVerdict[],
  idle: readonly string[],
  { tried, rows }: { readonly tried: OperandChecks | null; readonly rows: RowsReport | null },
  json: boolean,
  left: number,
): void {
  const count = (wanted: ClaimVerdict["result"]): number =>
    verdicts.filter(({ result }) => result === wanted).length;
  const rules = {
    instances: verdicts.length,
    proved: count("proved"),
    refuted: count("refuted"),
    unknown: count("unknown"),
    excluded: count("excluded"),
  };
  const asked = verdicts.flatMap(({ seconds }) => seconds ?? []).sort((x, y) => x - y);
  const medianSeconds = asked.length === 0 ? null : asked[asked.length >> 1];
  const excluded = exclusionsOf(verdicts);
  if (json) {
    printAnswer("touchstone.proofs-run", {
      rules,
      medianSeconds,
      interrupted: left > 0,
      idle,
      excluded,
      refuted: verdicts
        .filter(({ result }) => result === "refuted")
        .map(({ instance: { name }, program }) => ({ name, program })),
      unknown: verdicts
        .filter(({ result }) => result === "unknown")
        .map(({ instance: { name } }) => name),
      ...(rows === null ? {} : { rows }),
      ...(tried === null ? {} : { tried }),
    });
    return;
  }
  if (left > 0) printLine(`interrupted: ${left} claims were not checked`);
  for (const name of idle) printLine(`${name}: its conditions never hold`);
  for (const { because, names } of excluded)
    printLine(`${names.length} claims are excluded: ${because}`);
  const { instances, proved, refuted, unknown } = rules;
  printLine(
    `${instances} claims: ${proved} proved, ${refuted} refuted, ${unknown} unknown, ${rules.excluded} excluded`,
  );
  if (rows !== null) printRows(rows);
  if (tried !== null) printOperandChecks(tried);
  if (medianSeconds !== null) {
    printLine(
      `${asked.length} solver queries, median ${medianSeconds.toFixed(3)} s of processor time`,
    );
  }
}

function printOperandChecks({ magic, ranges }: OperandChecks): void {
  for (const wrong of [...magic.wrong, ...ranges.wrong]) printLine(`wrong result: ${wrong}`);
  printLine(`${magic.tried} divisions by multiplication: ${magic.wrong.length} sequences wrong`);
  const best = ((100 * ranges.best) / ranges.tried).toFixed(0);
  printLine(
    `${ranges.tried} tuples of ranges: ${ranges.wrong.length} functions wrong, ${best} % of the results are the best possible`,
  );
}

/** Groups the excluded claims by reason. */
function exclusionsOf(verdicts: readonly ClaimVerdict[]): { because: string; names: string[] }[] {
  const byReason = new Map<string, string[]>();
  for (const { instance } of verdicts) {
    if (instance.excluded === null) continue;
    const names = byReason.get(instance.excluded) ?? [];
    byReason.set(instance.excluded, [...names, instance.name]);
  }
  return [...byReason].map(([because, names]) => ({ because, names }));
}

// Runs boundary tables through the oracle and every subject. No expected values are stated: the outcomes are compared.
//
// Each row runs with its operands as parameters, as constants, and in every mixture of both, because a lowering has a
// form for each, and folding applies to constants only. If the operation is total, one program contains many; otherwise
// each operation has a program of its own, because it may end the execution. Accesses run on the heap and in a stack
// slot.

import { ATOMIC, EFFECTS, type EffectName, type OpcodeName } from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import {
  BATCH_MAX,
  type BoundaryCase,
  type BoundaryRow,
  boundaryRows,
  uncoveredOpcodes,
} from "./boundary-cases.js";
import {
  allConstant,
  boundaryInput,
  boundaryProgram,
  type ConstantMask,
  dataOperand,
  isConstant,
  isSlotOffset,
  slotProgram,
} from "./boundary-programs.js";
import { describeDifference } from "./describe-difference.js";
import { Judge, type JudgeOptions } from "./judge-program.js";
import { describeValue } from "./suite.js";

interface BoundaryOptions extends JudgeOptions {
  /** The sampling interval: of this many cases of a row, one runs; 1 runs all. */
  readonly share: number;
}

interface BoundaryResult {
  readonly rows: number;
  /** The number of operations, each counted once for every input. */
  readonly cases: number;
  /** The number of these executions in which some subject differs. */
  readonly failed: number;
  /** Executions that the oracle does not judge, by reason. */
  readonly unjudged: ReadonlyMap<string, number>;
  /** The first failures of each row in each form, one line each. */
  readonly failures: readonly string[];
  /** Opcodes without a table. */
  readonly uncovered: ReadonlyMap<EffectName, readonly OpcodeName[]>;
}

export function runBoundaryTables(
  options: BoundaryOptions,
  rows: readonly BoundaryRow[] = boundaryRows(),
): BoundaryResult {
  const steps = boundarySteps(options, rows);
  let step = steps.next(false);
  while (!step.done) step = steps.next(false);
  return step.value;
}

/** Runs one row per step. It ends with the results so far when a step receives true. */
export function* boundarySteps(
  options: BoundaryOptions,
  rows: readonly BoundaryRow[] = boundaryRows(),
): Generator<undefined, BoundaryResult, boolean> {
  const judge = new Judge(options);
  const run = new BoundaryRun(judge, options.share);
  let done = 0;
  for (const row of rows) {
    run.row(row, done++);
    if (yield) break;
  }
  judge.close();
  const { cases, failed, unjudged, failures } = run;
  return { rows: done, cases, failed, unjudged, failures, uncovered: uncoveredOpcodes() };
}

const FAILURES_KEPT = 3;
/** The number of values of the third operand that are combined with each pair of the first two. */
const ROTATIONS = 2;

class BoundaryRun {
  cases = 0;
  failed = 0;
  readonly unjudged = new Map<string, number>();
  readonly failures: string[] = [];
  private readonly judge: Judge;
  private readonly share: number;

  constructor(judge: Judge, share: number) {
    this.judge = judge;
    this.share = share;
  }

  /**
   * Judges all cases of one row, in every form.
   * @param number the number of the row, so that rows omit different cases
   */
  row(row: BoundaryRow, number: number): void {
    const cases = this.sampled(row.cases, number);
    const endings = row.isLiteral ? cases.map(() => "return") : this.asParameters(row, cases);
    if (isAccess(row) && isOfSlots(row)) this.inSlot(row, cases);
    const all = allConstant(row);
    this.asConstants(row, all, cases, endings);
    for (const mask of mixtures(row)) {
      if (row.isTotal) this.mixedTotal(row, mask, number);
      else this.mixedAlone(row, mask, number);
    }
  }

  private sampled<T>(list: readonly T[], number: number): T[] {
    const { share } = this;
    return list.filter((_, i) => (i + number) % share === 0);
  }

  /** Judges the cases as parameters of one program; returns how each case ended in the oracle. */
  private asParameters(row: BoundaryRow, cases: readonly BoundaryCase[]): string[] {
    const endings = new Map<BoundaryCase, string>();
    for (const group of groupedBy(cases, ({ offset }) => offset)) {
      const kinds = this.judgeAll(row, 0, [group[0]], group);
      group.forEach((each, i) => {
        endings.set(each, kinds[i]);
      });
    }
    return cases.map((each) => endings.get(each) ?? "");
  }

  // Judges the accesses of the row again in a stack slot, with the same data and offsets.
  private inSlot(row: BoundaryRow, cases: readonly BoundaryCase[]): void {
    const inside = cases.filter(({ offset }) => isSlotOffset(offset));
    const data = dataOperand(row);
    for (const group of groupedBy(inside, ({ offset }) => offset)) {
      const { offset } = group[0];
      const inputs = group.map(({ words }): Input => {
        return { words: Int32Array.from(words[data]), heapSeed: 0 };
      });
      this.judgeProgram(slotProgram(row, offset), inputs, 1, (i) => [
        `in a slot: ${describe(row, 0, group[i], group[i])}`,
      ]);
    }
  }

  private asConstants(
    row: BoundaryRow,
    mask: ConstantMask,
    cases: readonly BoundaryCase[],
    endings: readonly string[],
  ): void {
    const returning = cases.filter((_, i) => endings[i] === "return");
    for (const batch of batches(returning)) this.judgeAll(row, mask, batch, [batch[0]]);
    for (const each of cases.filter((_, i) => endings[i] === "exit")) {
      this.judgeAll(row, mask, [each], [each]);
    }
  }

  // Judges the row with some operands constant: each constant with each value of the parameters.
  private mixedTotal(row: BoundaryRow, mask: ConstantMask, number: number): void {
    const operations = side(row, mask);
    const inputs = side(row, ~mask);
    const some = this.sampled(inputs, number);
    for (const batch of batches(operations)) {
      this.judgeAll(row, mask, batch, some.length > 0 ? some : [inputs[number % inputs.length]]);
    }
  }

  private mixedAlone(row: BoundaryRow, mask: ConstantMask, number: number): void {
    const key = ({ words, offset }: BoundaryCase): string =>
      [offset, ...words.filter((_, k) => isConstant(mask, k))].join();
    const groups = groupedBy(isAccess(row) ? diagonal(row) : row.cases, key);
    for (const group of this.sampled(groups, number)) this.judgeAll(row, mask, [group[0]], group);
  }

  /** Judges a program on all inputs; returns how each execution ended in the oracle. */
  private judgeAll(
    row: BoundaryRow,
    mask: ConstantMask,
    operations: readonly BoundaryCase[],
    inputs: readonly BoundaryCase[],
  ): string[] {
    const isAlone = operations.length === 1;
    const module = boundaryProgram(row, mask, operations);
    const given = inputs.map((each) => boundaryInput(mask, each, isAlone));
    return this.judgeProgram(module, given, operations.length, (i) => {
      const causesIn = isAlone ? operations : this.causesAmong(row, mask, operations, inputs[i]);
      return causesIn.map((operation) => describe(row, mask, operation, inputs[i]));
    });
  }

  /**
   * Judges a program, and records its differences.
   * @param callsOf returns the operations that may have caused a difference on that input
   */
  private judgeProgram(
    module: Module,
    inputs: readonly Input[],
    operationCount: number,
    callsOf: (input: number) => readonly string[],
  ): string[] {
    const { expected, results } = this.judge.judge({ module, inputs });
    this.cases += operationCount * inputs.length;
    const wrong = new Set<number>();
    results.forEach(({ subject, judgements }, s) => {
      let reported = 0;
      judgements.forEach(({ verdict }, i) => {
        if (verdict.kind === "unjudged" && s === 0) {
          this.unjudged.set(verdict.reason, (this.unjudged.get(verdict.reason) ?? 0) + 1);
        }
        if (verdict.kind !== "different") return;
        wrong.add(i);
        if (reported++ >= FAILURES_KEPT) return;
        const all = callsOf(i);
        const calls = all.slice(0, FAILURES_KEPT);
        if (all.length > calls.length) calls.push(`${all.length - calls.length} more`);
        this.failures.push(
          `${calls.join("; ")}: ${subject}: ${describeDifference(verdict.difference)}`,
        );
      });
    });
    this.failed += wrong.size;
    return expected.map(({ ending }) => ending.kind);
  }

  /** Returns the operations of a batch that also differ alone; all of them if none does. */
  private causesAmong(
    row: BoundaryRow,
    mask: ConstantMask,
    operations: readonly BoundaryCase[],
    input: BoundaryCase,
  ): readonly BoundaryCase[] {
    const found = operations.filter((operation) => {
      const module = boundaryProgram(row, mask, [operation]);
      const { results } = this.judge.judge({ module, inputs: [boundaryInput(mask, input, true)] });
      return results.some(({ judgements }) => judgements[0].verdict.kind === "different");
    });
    return found.length > 0 ? found : operations;
  }
}

/**
 * Returns the masks other than all constants and no constants. A row that reads is excluded: its address depends on the
 * other operands.
 */
function mixtures(row: BoundaryRow): ConstantMask[] {
  if (isAccess(row) && row.operands.length > 2) return [];
  return Array.from({ length: allConstant(row) }, (_, mask) => mask).slice(1);
}

const isAccess = ({ cases }: BoundaryRow): boolean => cases.some(({ offset }) => offset !== 0);

const isOfSlots = ({ opcode }: BoundaryRow): boolean => (EFFECTS[opcode] & ATOMIC) === 0;

/**
 * Returns cases of an access: one for each value of the operand, while the offset rotates through
 * all offsets.
 */
function diagonal({ cases }: BoundaryRow): BoundaryCase[] {
  const byOffset = groupedBy(cases, ({ offset }) => offset);
  return byOffset[0].map((_, d) => byOffset[d % byOffset.length][d]);
}

/** Returns the operands of the mask in all combinations; pairs out of three operands are thinned to some rotations. */
function side(row: BoundaryRow, mask: ConstantMask): BoundaryCase[] {
  const key = ({ words }: BoundaryCase): string =>
    words.filter((_, k) => isConstant(mask, k)).join();
  const distinct = groupedBy(row.cases, key).map(([first]) => first);
  const single = Math.ceil(Math.sqrt(row.cases.length));
  const step =
    distinct.length > 2 * single ? Math.floor(distinct.length / (ROTATIONS * single)) : 1;
  return distinct.filter((_, i) => i % step === 0);
}

function batches<T>(list: readonly T[]): T[][] {
  const found: T[][] = [];
  for (let i = 0; i < list.length; i += BATCH_MAX) found.push(list.slice(i, i + BATCH_MAX));
  return found;
}

function groupedBy<T, K>(list: readonly T[], key: (each: T) => K): T[][] {
  const groups = new Map<K, T[]>();
  for (const each of list) {
    const group = groups.get(key(each));
    if (group === undefined) groups.set(key(each), [each]);
    else group.push(each);
  }
  return [...groups.values()];
}

/** Describes an operation in a message: `Add(Int32 0x00000001, constant Int32 0x00000002)`. */
function describe(
  { name, operands }: BoundaryRow,
  mask: ConstantMask,
  operation: BoundaryCase,
  input: BoundaryCase,
): string {
  const values = operands.map((type, k) => {
    const isFixed = isConstant(mask, k);
    const [lo, hi] = (isFixed ? operation : input).words[k];
    const text = describeValue({ type, lo, hi });
    return isFixed ? `constant ${text}` : text;
  });
  const offset = operation.offset === 0 ? "" : `, offset = ${operation.offset}`;
  return `${name.split(" ")[0]}(${values.join(", ")}${offset})`;
}

/**
 * Describes the opcodes without a table, by effect: `7 opcodes without a boundary table: 2 call
 * (CCall, CallIndirect), ...`.
 */
export function describeUncovered(uncovered: BoundaryResult["uncovered"]): string {
  const parts = [...uncovered].map(
    ([effect, names]) => `${names.length} ${effect} (${names.join(", ")})`,
  );
  const count = [...uncovered.values()].flat().length;
  return `${count} opcodes without a boundary table: ${parts.join("; ")}`;
}

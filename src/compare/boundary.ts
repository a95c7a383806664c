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
import { Judge, type JudgeOptions, type ProgramResult } from "./judge-program.js";
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

export async function runBoundaryTables(
  options: BoundaryOptions,
  rows: readonly BoundaryRow[] = boundaryRows(),
): Promise<BoundaryResult> {
  const steps = boundarySteps(options, rows);
  let step = await steps.next(false);
  while (!step.done) step = await steps.next(false);
  return step.value;
}

/** Runs one row per step. It ends with the results so far when a step receives true. */
export async function* boundarySteps(
  options: BoundaryOptions,
  rows: readonly BoundaryRow[] = boundaryRows(),
): AsyncGenerator<undefined, BoundaryResult, boolean> {
  const judge = new Judge(options);
  const run = new BoundaryRun(judge, options.share);
  let done = 0;
  for (const row of rows) {
    await run.row(row, done++);
    if (yield) break;
  }
  judge.close();
  const { cases, failed, unjudged, failures } = run;
  return { rows: done, cases, failed, unjudged, failures, uncovered: uncoveredOpcodes() };
}

const FAILURES_KEPT = 3;
/** The number of values of the third operand that are combined with each pair of the first two. */
const ROTATIONS = 2;
/** The number of executions that are judged together: a remote subject starts a process for them. */
const EXECUTIONS_TOGETHER = 2000;

/** A program to be judged. */
interface BoundaryTask {
  readonly module: Module;
  readonly inputs: readonly Input[];
  /** Describes an operation on an input in a message. */
  readonly label: (operation: number, input: number) => string;
  readonly operationCount: number;
  /** Returns a program with one operation and one input; null if the program has only one. */
  readonly alone: ((operation: number, input: number) => BoundaryPart) | null;
}
type BoundaryPart = Pick<BoundaryTask, "module" | "inputs">;

class BoundaryRun {
  cases = 0;
  failed = 0;
  readonly unjudged = new Map<string, number>();
  readonly failures: string[] = [];
  private readonly judge: Judge;
  private readonly share: number;
  private tasks: BoundaryTask[] = [];

  constructor(judge: Judge, share: number) {
    this.judge = judge;
    this.share = share;
  }

  /**
   * Judges all cases of one row, in every form.
   * @param number the number of the row, so that rows omit different cases
   */
  async row(row: BoundaryRow, number: number): Promise<void> {
    const cases = this.sampled(row.cases, number);
    const groups = row.isLiteral ? [] : groupedBy(cases, ({ offset }) => offset);
    for (const group of groups) this.add(row, 0, [group[0]], group);
    if (isAccess(row) && isOfSlots(row)) this.addInSlot(row, cases);
    for (const mask of mixtures(row)) {
      if (row.isTotal) this.addMixedTotal(row, mask, number);
      else this.addMixedAlone(row, mask, number);
    }
    const kinds = await this.judgeTasks();
    // The first tasks are those of the groups.
    const endings = new Map(
      groups.flatMap((group, g) => group.map((each, i) => [each, kinds[g][i]])),
    );
    this.addConstants(row, cases, (each) => (row.isLiteral ? "return" : endings.get(each)));
    await this.judgeTasks();
  }

  private sampled<T>(list: readonly T[], number: number): T[] {
    const { share } = this;
    return list.filter((_, i) => (i + number) % share === 0);
  }

  // Adds the accesses of the row again in a stack slot, with the same data and offsets.
  private addInSlot(row: BoundaryRow, cases: readonly BoundaryCase[]): void {
    const inside = cases.filter(({ offset }) => isSlotOffset(offset));
    const data = dataOperand(row);
    for (const group of groupedBy(inside, ({ offset }) => offset)) {
      const { offset } = group[0];
      const inputs = group.map(({ words }): Input => {
        return { words: Int32Array.from(words[data]), heapSeed: 0 };
      });
      this.tasks.push({
        module: slotProgram(row, offset),
        inputs,
        label: (_, i) => `in a slot: ${describe(row, 0, group[i], group[i])}`,
        operationCount: 1,
        alone: null,
      });
    }
  }

  private addConstants(
    row: BoundaryRow,
    cases: readonly BoundaryCase[],
    endingOf: (each: BoundaryCase) => string | undefined,
  ): void {
    const mask = allConstant(row);
    const returning = cases.filter((each) => endingOf(each) === "return");
    for (const batch of batches(returning)) this.add(row, mask, batch, [batch[0]]);
    for (const each of cases) if (endingOf(each) === "exit") this.add(row, mask, [each], [each]);
  }

  // Adds the row with some operands constant: each constant with each value of the parameters.
  private addMixedTotal(row: BoundaryRow, mask: ConstantMask, number: number): void {
    const operations = side(row, mask);
    const inputs = side(row, ~mask);
    const some = this.sampled(inputs, number);
    for (const batch of batches(operations)) {
      this.add(row, mask, batch, some.length > 0 ? some : [inputs[number % inputs.length]]);
    }
  }

  private addMixedAlone(row: BoundaryRow, mask: ConstantMask, number: number): void {
    const key = ({ words, offset }: BoundaryCase): string =>
      [offset, ...words.filter((_, k) => isConstant(mask, k))].join();
    const groups = groupedBy(isAccess(row) ? diagonal(row) : row.cases, key);
    for (const group of this.sampled(groups, number)) this.add(row, mask, [group[0]], group);
  }

  /** Adds a program with these operations, on all inputs. */
  private add(
    row: BoundaryRow,
    mask: ConstantMask,
    operations: readonly BoundaryCase[],
    inputs: readonly BoundaryCase[],
  ): void {
    const isAlone = operations.length === 1;
    this.tasks.push({
      module: boundaryProgram(row, mask, operations),
      inputs: inputs.map((each) => boundaryInput(mask, each, isAlone)),
      label: (o, i) => describe(row, mask, operations[o], inputs[i]),
      operationCount: operations.length,
      alone: isAlone
        ? null
        : (o, i) => ({
            module: boundaryProgram(row, mask, [operations[o]]),
            inputs: [boundaryInput(mask, inputs[i], true)],
          }),
    });
  }

  /** Judges all added tasks; returns how each execution of each task ended in the oracle. */
  private async judgeTasks(): Promise<string[][]> {
    const { tasks } = this;
    this.tasks = [];
    const kinds: string[][] = [];
    for (const group of together(tasks)) {
      const results = await this.judge.judgeAll(group);
      for (const [t, result] of results.entries()) {
        await this.record(group[t], result);
        kinds.push(result.expected.map(({ ending }) => ending.kind));
      }
    }
    return kinds;
  }

  /** Counts the executions of a task, and records its differences. */
  private async record(task: BoundaryTask, { results }: ProgramResult): Promise<void> {
    this.cases += task.operationCount * task.inputs.length;
    const wrong = new Set<number>();
    for (const [s, { subject, judgements }] of results.entries()) {
      let reported = 0;
      for (const [i, { verdict }] of judgements.entries()) {
        if (verdict.kind === "unjudged" && s === 0) {
          this.unjudged.set(verdict.reason, (this.unjudged.get(verdict.reason) ?? 0) + 1);
        }
        if (verdict.kind !== "different") continue;
        wrong.add(i);
        if (reported++ >= FAILURES_KEPT) continue;
        const all = (await this.causesIn(task, i)).map((o) => task.label(o, i));
        const calls = all.slice(0, FAILURES_KEPT);
        if (all.length > calls.length) calls.push(`${all.length - calls.length} more`);
        this.failures.push(
          `${calls.join("; ")}: ${subject}: ${describeDifference(verdict.difference)}`,
        );
      }
    }
    this.failed += wrong.size;
  }

  /** Returns the operations of a task that also differ alone; all of them if none does. */
  private async causesIn(task: BoundaryTask, input: number): Promise<readonly number[]> {
    const { operationCount, alone } = task;
    const all = Array.from({ length: operationCount }, (_, o) => o);
    if (alone === null) return all;
    const parts = await this.judge.judgeAll(all.map((o) => alone(o, input)));
    const found = all.filter((o) =>
      parts[o].results.some(({ judgements }) => judgements[0].verdict.kind === "different"),
    );
    return found.length > 0 ? found : all;
  }
}

/** Splits tasks into groups of a limited number of executions. */
function together(tasks: readonly BoundaryTask[]): BoundaryTask[][] {
  const groups: BoundaryTask[][] = [];
  let left = 0;
  for (const task of tasks) {
    if (left <= 0) {
      groups.push([]);
      left = EXECUTIONS_TOGETHER;
    }
    groups[groups.length - 1].push(task);
    left -= task.inputs.length;
  }
  return groups;
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

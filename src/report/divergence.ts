// Finds where the executions of two equivalent programs diverge. The oracle traces both, value by
// value. Two events match if their values have the same id and were executed the same number of
// times before.

import type { Input } from "../ir/outcome.js";
import type { Module, Value } from "../ir/procedure.js";
import { printLiteral } from "../ir/text/literals.js";
import { printValue } from "../ir/text/print.js";
import { Void } from "../ir/types.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { ExecutionTrace } from "../oracle/fast/trace.js";

/** One executed value: its text, and its result in the correct and in the wrong execution. */
interface TraceRow {
  readonly procedure: string;
  readonly id: number;
  /** The value in text form. */
  readonly text: string;
  /** The oracle's result; "" for a value without result. */
  readonly expected: string;
  /** The result in the other program; null if it has no such execution. */
  readonly got: string | null;
}

export interface TraceDivergence {
  readonly rows: readonly TraceRow[];
  /** Index of the first row that differs; -1 if all common executions are equal. */
  readonly first: number;
  /** Number of earlier rows that are left out. */
  readonly skipped: number;
}

/**
 * The number of rows that are shown before the first difference; the next constant is for those
 * after it.
 */
const BEFORE = 30;
const AFTER = 30;

export function findDivergence(
  right: Module,
  wrong: Module,
  input: Input,
  fuelMax: number,
): TraceDivergence {
  const oracle = new Oracle();
  const expected = executionsOf(right, oracle, input, fuelMax);
  const got = new Map(executionsOf(wrong, oracle, input, fuelMax).map((each) => [each.key, each]));
  const rows = expected.map(({ key, procedure, value, result }): TraceRow => {
    const other = got.get(key)?.result ?? null;
    return { procedure, id: value.id, text: printValue(value), expected: result, got: other };
  });
  return around(
    rows,
    rows.findIndex(({ got: other, expected: own }) => other !== null && other !== own),
  );
}

/** A value that machine code, or LIR, computes wrong. */
interface WrongValue {
  readonly procedure: string;
  readonly value: number;
  readonly expected: string;
  readonly got: string;
}

/** Returns the oracle's executions of a program, with the wrong result of the code in one row. */
export function traceWithWrongValue(
  module: Module,
  input: Input,
  fuelMax: number,
  seen: WrongValue,
): TraceDivergence {
  const rows = executionsOf(module, new Oracle(), input, fuelMax).map(
    ({ procedure, value, result }): TraceRow => ({
      procedure,
      id: value.id,
      text: printValue(value),
      expected: result,
      got: null,
    }),
  );
  const first = rows.findIndex(
    ({ procedure, id, expected }) =>
      procedure === seen.procedure && id === seen.value && expected === seen.expected,
  );
  if (first >= 0) rows[first] = { ...rows[first], got: seen.got };
  return around(rows, first);
}

/**
 * Selects the rows near a difference.
 * @param first index of the row that differs; -1 for none
 */
function around(rows: readonly TraceRow[], first: number): TraceDivergence {
  const at = first < 0 ? rows.length : first;
  const skipped = Math.max(0, at - BEFORE);
  return {
    rows: rows.slice(skipped, at + AFTER),
    first: first < 0 ? -1 : first - skipped,
    skipped,
  };
}

interface ValueExecution {
  /**
   * The identity of the execution: procedure, value, and how often the value was executed before.
   */
  readonly key: string;
  readonly procedure: string;
  readonly value: Value;
  readonly result: string;
}

function executionsOf(
  module: Module,
  oracle: Oracle,
  input: Input,
  fuelMax: number,
): ValueExecution[] {
  const { trace } = oracle.runTraced(decodeModule(module), input, fuelMax);
  const values = module.procedures.map(({ blocks, parameters }) => {
    const byId = new Map<number, Value>();
    for (const value of [...parameters, ...blocks.flatMap((block) => block.values)]) {
      byId.set(value.id, value);
    }
    return byId;
  });
  const counts = new Map<string, number>();
  const executions: ValueExecution[] = [];
  for (let e = 0; e < trace.length; e++) {
    const { name } = module.procedures[trace.procedures[e]];
    const value = values[trace.procedures[e]].get(trace.ids[e]);
    if (value === undefined) continue; // the end of an activation, which has no value
    const place = `${trace.procedures[e]} ${value.id}`;
    const before = counts.get(place) ?? 0;
    counts.set(place, before + 1);
    const key = `${place} ${before}`;
    executions.push({ key, procedure: name, value, result: resultOf(trace, e, value) });
  }
  return executions;
}

const resultOf = ({ results }: ExecutionTrace, e: number, { type }: Value): string =>
  type === Void ? "" : printLiteral(type, results[2 * e], results[2 * e + 1]);

// Selects the active mutant in a process of a copy that contains all mutants (schemata.ts). The
// option --import loads this module before the copy's modules.
//
// A mutant is tried only with programs in which it may differ from the original. For a binary operator
// this module evaluates both operators; the mutant differs if the results are not the same.

import { MUTANT_VARIABLE, MUTANTS_MAX, NONE } from "./mutant-task.js";

/**
 * By number: whether the mutated code was executed, and whether it would have had another result.
 */
export const reached = new Uint8Array(MUTANTS_MAX);
export const differed = new Uint8Array(MUTANTS_MAX);
let active = Number(process.env[MUTANT_VARIABLE] ?? NONE);

/** Activates this mutant, and deactivates any other. */
export function activate(number: number): void {
  active = number;
}

function mutantIs(number: number): boolean {
  reached[number] = 1;
  differed[number] = 1;
  return number === active;
}

function mutantOperator(
  left: never,
  right: never,
  plain: string,
  ...others: readonly (string | number)[]
): unknown {
  const result = apply(plain, left, right);
  let chosen = result;
  for (let o = 0; o < others.length; o += 2) {
    const number = others[o + 1] as number;
    reached[number] = 1;
    let other: unknown;
    try {
      other = apply(others[o] as string, left, right);
    } catch (error) {
      // Some operators do not accept a bigint.
      differed[number] = 1;
      if (number === active) throw error;
      continue;
    }
    if (!Object.is(result, other)) differed[number] = 1;
    if (number === active) chosen = other;
  }
  return chosen;
}

const OPERATORS: Readonly<Record<string, (left: number, right: number) => unknown>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
  "&": (left, right) => left & right,
  "|": (left, right) => left | right,
  "<<": (left, right) => left << right,
  ">>": (left, right) => left >> right,
  ">>>": (left, right) => left >>> right,
};

const apply = (operator: string, left: never, right: never): unknown =>
  OPERATORS[operator](left, right);

// Defined as globals, because the modules of the copy do not import them.
Object.assign(globalThis, { mutantIs, mutantOperator });

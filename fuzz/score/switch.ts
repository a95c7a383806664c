// What the places of mutants ask, in a process of a copy that has them all (schemata.ts): which mutant is
// on, if any. It is loaded before the copy's own modules, by --import.
//
// A mutant that no execution of its place could tell from the original is not tried: an operator of two
// values is asked for both results, and a mutant has differed where these are not the same.

import { MUTANT_VARIABLE, MUTANTS_MAX, NONE } from "./mutant-task.js";

/** By number: whether its place was executed, and whether it would have had another result there. */
export const reached = new Uint8Array(MUTANTS_MAX);
export const differed = new Uint8Array(MUTANTS_MAX);
let active = Number(process.env[MUTANT_VARIABLE] ?? NONE);

/** From now on this mutant is on, and no other. */
export function turnOn(number: number): void {
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
      // Some operators do not take a bigint.
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

// Written into sources as globals: a copy's modules import nothing for it.
Object.assign(globalThis, { mutantIs, mutantOperator });

// A file with all of its mutants in it, each behind a question that switch.ts answers: one build and one
// process have them all, and most of what judging costs is paid once. (Untch, Offutt and Harrold, Mutation
// analysis using mutant schemata, ISSTA 1993.)

import { assert } from "../../src/support/assert.js";
import { DROPPED, type Mutant, type Stretch } from "./mutants.js";

/** A mutant and its number, by which it is asked for. */
export interface Numbered {
  readonly mutant: Mutant;
  readonly number: number;
}

/** What is mutated at one place, and what within it. */
interface Place extends Stretch {
  readonly own: Numbered[];
  readonly inner: Numbered[];
}

/** @param mutants of this file, in any order */
export function withAll(text: string, mutants: readonly Numbered[]): string {
  for (const { mutant } of mutants) {
    const { from, to, before, id } = mutant;
    assert(text.slice(from, to) === before, () => `${id} is not where it was`);
  }
  return rendered(text, { from: 0, to: text.length }, mutants);
}

function rendered(text: string, { from, to }: Stretch, mutants: readonly Numbered[]): string {
  const parts: string[] = [];
  let at = from;
  for (const place of placesOf(mutants)) {
    parts.push(text.slice(at, place.from), placeOf(text, place));
    at = place.to;
  }
  return parts.join("") + text.slice(at, to);
}

/** The outermost places, in their order; stretches of nodes contain each other, or are apart. */
function placesOf(mutants: readonly Numbered[]): Place[] {
  const sorted = mutants.toSorted(({ mutant: x }, { mutant: y }) => x.from - y.from || y.to - x.to);
  const places: Place[] = [];
  for (const numbered of sorted) {
    const { from, to } = numbered.mutant;
    const last = places.at(-1);
    if (last === undefined || from >= last.to) {
      places.push({ from, to, own: [numbered], inner: [] });
    } else {
      const isSame = from === last.from && to === last.to;
      (isSame ? last.own : last.inner).push(numbered);
    }
  }
  return places;
}

const isWithin = (stretch: Stretch, { mutant }: Numbered): boolean =>
  stretch.from <= mutant.from && mutant.to <= stretch.to;

function placeOf(text: string, place: Place): string {
  const { own, inner } = place;
  let changed = binaryOf(text, place) ?? rendered(text, place, inner);
  for (const { mutant, number } of own) {
    if (mutant.binary !== null) continue;
    changed =
      mutant.after === DROPPED
        ? `{ if (!mutantIs(${number})) ${changed} }`
        : `(mutantIs(${number}) ? (${mutant.after}) : (${changed}))`;
  }
  return changed;
}

/** Null where no operator of two values is swapped. */
function binaryOf(text: string, { own, inner }: Place): string | null {
  const swaps = own.flatMap(({ mutant: { binary }, number }) =>
    binary === null ? [] : [{ binary, number }],
  );
  if (swaps.length === 0) return null;
  const [{ binary }] = swaps;
  const operands = [binary.left, binary.right].map((operand) => {
    const within = inner.filter((numbered) => isWithin(operand, numbered));
    return `(${rendered(text, operand, within)})`;
  });
  const others = swaps.map(({ binary: { swapped }, number }) => `"${swapped}", ${number}`);
  return `mutantOperator(${operands.join(", ")}, "${binary.plain}", ${others.join(", ")})`;
}

// Combines all mutants of a file in one text, in which active-mutant.ts selects one. One
// build and one process serve all mutants, so most of the cost of judging is paid once. (Untch,
// Offutt and Harrold, Mutation analysis using mutant schemata, ISSTA 1993.)

import { assert } from "../../../src/support/assert.js";
import type { Mutant, MutantForm, TextRange } from "./mutants.js";

/** A mutant with the number that selects it. */
export interface NumberedMutant {
  readonly mutant: Mutant;
  readonly number: number;
}

/** A mutated range: its own mutants, and the mutants inside it. */
interface MutatedRange extends TextRange {
  readonly own: NumberedMutant[];
  readonly inner: NumberedMutant[];
}

/**
 * Returns the text with all mutants.
 * @param mutants the mutants of this file, in any order
 */
export function withMutants(text: string, mutants: readonly NumberedMutant[]): string {
  for (const { mutant } of mutants) {
    const { from, to, before, id } = mutant;
    assert(text.slice(from, to) === before, () => `${id} is missing at its position`);
  }
  return renderMutants(text, { from: 0, to: text.length }, mutants);
}

function renderMutants(
  text: string,
  { from, to }: TextRange,
  mutants: readonly NumberedMutant[],
): string {
  const parts: string[] = [];
  let at = from;
  for (const range of mutatedRanges(mutants)) {
    parts.push(text.slice(at, range.from), renderRange(text, range));
    at = range.to;
  }
  return parts.join("") + text.slice(at, to);
}

/** Returns the outermost ranges in order. Ranges of nodes are nested or disjoint. */
function mutatedRanges(mutants: readonly NumberedMutant[]): MutatedRange[] {
  const sorted = mutants.toSorted(({ mutant: x }, { mutant: y }) => x.from - y.from || y.to - x.to);
  const ranges: MutatedRange[] = [];
  for (const numbered of sorted) {
    const { from, to } = numbered.mutant;
    const last = ranges.at(-1);
    if (last === undefined || from >= last.to) {
      ranges.push({ from, to, own: [numbered], inner: [] });
    } else {
      const isSame = from === last.from && to === last.to;
      (isSame ? last.own : last.inner).push(numbered);
    }
  }
  return ranges;
}

const isWithin = (range: TextRange, { mutant }: NumberedMutant): boolean =>
  range.from <= mutant.from && mutant.to <= range.to;

function renderRange(text: string, range: MutatedRange): string {
  const { own, inner } = range;
  let changed = renderSwap(text, range) ?? renderMutants(text, range, inner);
  for (const { mutant, number } of own) {
    if (mutant.binary === null)
      changed = SWITCHED_TEXTS[mutant.form](number, mutant.after, changed);
  }
  return changed;
}

/** By form: the text that selects between a mutant and the text without it. */
const SWITCHED_TEXTS: Readonly<
  Record<MutantForm, (number: number, after: string, plain: string) => string>
> = {
  expression: (number, after, plain) => `(mutantIs(${number}) ? (${after}) : (${plain}))`,
  dropped: (number, _, plain) => `{ if (!mutantIs(${number})) ${plain} }`,
  block: (number, after, plain) => `{ if (mutantIs(${number})) ${after} else ${plain} }`,
  // Two changes may insert the same import.
  inserted: (_, after, plain) => (plain.includes(after) ? plain : after + plain),
};

/** Returns the call that evaluates both operators of a swap; null unless a binary operator is swapped. */
function renderSwap(text: string, { own, inner }: MutatedRange): string | null {
  const swaps = own.flatMap(({ mutant: { binary }, number }) =>
    binary === null ? [] : [{ binary, number }],
  );
  if (swaps.length === 0) return null;
  const [{ binary }] = swaps;
  const operands = [binary.left, binary.right].map((operand) => {
    const within = inner.filter((numbered) => isWithin(operand, numbered));
    return `(${renderMutants(text, operand, within)})`;
  });
  const others = swaps.map(({ binary: { swapped }, number }) => `"${swapped}", ${number}`);
  return `mutantOperator(${operands.join(", ")}, "${binary.plain}", ${others.join(", ")})`;
}

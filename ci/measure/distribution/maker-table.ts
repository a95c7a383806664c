// A table of the distribution: for each maker of the generator, the number of programs in which it
// made something, and in which some of that mattered or steered.

import { FOLDED_OPERANDS } from "../../../src/generate/contents/folded-operands.js";
import { IDIOMS } from "../../../src/generate/contents/idioms.js";
import { RELATIONS } from "../../../src/generate/contents/relations.js";
import { SHAPES } from "../../../src/generate/control/shape.js";
import type { MakerSpan } from "../../../src/generate/maker/maker.js";
import { RULE_PATTERNS } from "../../../src/generate/rule-patterns.js";
import type { Module } from "../../../src/ir/procedure.js";

/** One line of the table: numbers of programs. */
export interface MakerCounts {
  readonly name: string;
  made: number;
  /** Programs in which some value by the maker mattered or steered, in a compiled procedure. */
  mattered: number;
}

/** Nested structures, by the makers of the outer and the inner. */
const NESTS = [
  { name: "loop in a loop", outer: /loop/, inner: /loop/ },
  { name: "branch in a loop", outer: /loop/, inner: /^(diamond|chain|switch|corner join)$/ },
];

export class MakerTable {
  private readonly counts = new Map<string, MakerCounts>();

  constructor() {
    const names = [
      ...SHAPES,
      ...NESTS.map(({ name }) => name),
      ITERATED,
      "forced guards",
      ...FOLDED_OPERANDS.map(({ name }) => name),
      ...[...IDIOMS, ...RELATIONS].map(({ name }) => name),
      ...RULE_PATTERNS.map(({ name }) => `rule ${name}`),
    ];
    for (const name of names) this.counts.set(name, { name, made: 0, mattered: 0 });
  }

  get rows(): MakerCounts[] {
    return [...this.counts.values()];
  }

  /**
   * Counts one program.
   * @param useful executions in which a value mattered or steered, by procedure and id of the value;
   * all executions for type Void
   */
  addProgram(
    { procedures }: Module,
    made: readonly MakerSpan[],
    useful: readonly Int32Array[],
  ): void {
    const [seen, mattering] = [new Set<string>(), new Set<string>()];
    const note = (name: string, matters: boolean): void => {
      seen.add(name);
      if (matters) mattering.add(name);
    };
    const live: MakerSpan[] = [];
    for (const span of made) {
      const counts = useful[procedures.indexOf(span.proc)];
      const most = mostIn(counts, span);
      note(span.maker, most > 0);
      if (span.maker === IRREDUCIBLE) note(ITERATED, isIterated(counts, span));
      if (most > 0) live.push(span);
    }
    for (const inner of live) {
      for (const outer of live) {
        if (outer === inner || outer.proc !== inner.proc) continue;
        if (outer.from > inner.from || outer.to < inner.to || isSame(outer, inner)) continue;
        for (const nest of NESTS) {
          if (nest.outer.test(outer.maker) && nest.inner.test(inner.maker)) note(nest.name, true);
        }
      }
    }
    for (const name of seen) this.of(name).made++;
    for (const name of mattering) this.of(name).mattered++;
  }

  private of(name: string): MakerCounts {
    const known = this.counts.get(name);
    if (known !== undefined) return known;
    const added = { name, made: 0, mattered: 0 };
    this.counts.set(name, added);
    return added;
  }
}

const IRREDUCIBLE = "irreducible loop";
const ITERATED = "irreducible loop, iterated";

/** Two spans of the same values: a row of a table of rows is one structure with it. */
const isSame = (outer: MakerSpan, inner: MakerSpan): boolean =>
  outer.from === inner.from && outer.to === inner.to;

type ValueIdRange = Pick<MakerSpan, "from" | "to">;

function mostIn(counts: Int32Array, { from, to }: ValueIdRange): number {
  let most = 0;
  for (let id = from; id < to; id++) if (counts[id] > most) most = counts[id];
  return most;
}

/** Returns whether some value of the range runs more often than the least executed one. */
function isIterated(counts: Int32Array, range: ValueIdRange): boolean {
  let least = Number.POSITIVE_INFINITY;
  for (let id = range.from; id < range.to; id++) {
    if (counts[id] > 0) least = Math.min(least, counts[id]);
  }
  return mostIn(counts, range) > least;
}

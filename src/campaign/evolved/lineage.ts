// A lineage: the seeds that rebuild a program anywhere. The first names a usual program, and each seed
// behind it mutates what those before it have made. A donor follows from the seed that mutates, so the
// seeds are all that has to be said.

import type { Program } from "../../generate/generate-program.js";
import { assert } from "../../support/assert.js";
import { mutatedStock, type Stock, stockOf } from "../mutated-program.js";

export type Lineage = readonly bigint[];

/** Seeds of a program that may be a parent; its child has one more. To rebuild it is to mutate so often. */
export const PARENTS_MAX = 6;

const SEED_END = 1n << 64n;

/** As commands and findings have it: decimal, between commas; empty where there are no parents. */
export const printLineage = (lineage: Lineage): string => lineage.join(",");

/** Null if it is none: seeds of 64 bits between commas, PARENTS_MAX of them at most. */
export function parseLineage(text: string): Lineage | null {
  if (!/^\d{1,20}(,\d{1,20})*$/.test(text)) return null;
  const seeds = text.split(",").map(BigInt);
  const isLineage = seeds.length <= PARENTS_MAX && seeds.every((seed) => seed < SEED_END);
  return isLineage ? seeds : null;
}

/** Programs that were made lately; so many of each kind are kept. */
const KEPT = { stocks: 256, donors: 16 } as const;

/** Rebuilds programs. What it keeps makes it faster, and changes nothing. */
export class Breeder {
  private readonly usual: (seed: bigint) => Program;
  private readonly stocks = new Recent<Stock>(KEPT.stocks);
  private readonly donors = new Recent<Program>(KEPT.donors);

  /** @param usual the program of a seed that nobody has mutated */
  constructor(usual: (seed: bigint) => Program) {
    this.usual = usual;
  }

  /** @param lineage one seed or more; the last is the program's own */
  programOf(lineage: Lineage): Program {
    const seed = lineage.at(-1);
    assert(seed !== undefined, () => "a program without a seed");
    return lineage.length === 1 ? this.usual(seed) : this.mutated(lineage, seed).program;
  }

  private mutated(lineage: Lineage, seed: bigint): Stock {
    const parent = this.stock(lineage.slice(0, -1));
    return mutatedStock(parent, seed, (other) =>
      this.donors.get(String(other), () => this.usual(other)),
    );
  }

  private stock(lineage: Lineage): Stock {
    return this.stocks.get(printLineage(lineage), () =>
      lineage.length === 1
        ? stockOf(this.usual(lineage[0]))
        : this.mutated(lineage, lineage[lineage.length - 1]),
    );
  }
}

/** Of what was asked for, the last few. */
class Recent<T> {
  private readonly max: number;
  /** The one that was asked for last stands last. */
  private readonly items = new Map<string, T>();

  constructor(max: number) {
    this.max = max;
  }

  get(key: string, make: () => T): T {
    const item = this.items.get(key) ?? make();
    this.items.delete(key);
    this.items.set(key, item);
    if (this.items.size > this.max) {
      const [oldest] = this.items.keys();
      this.items.delete(oldest);
    }
    return item;
  }
}

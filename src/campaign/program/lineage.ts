// A lineage: the recipe to make a program again from seeds alone. It is a list of steps:
//
//   12      the usual program of seed 12
//   m55     the previous program, with mutations drawn by seed 55
//   o3fa9c1d2e4b5   a program from outside, by its text (outside.ts)
//   x931    the last two programs: mutations of the one before the last, which begin with a stretch
//           of the last; seed 931 draws which
//
// So `12,m55,7,x931` is the program of seed 12, mutated, with a stretch of the program of seed 7.
// The parents of a seed have the same form: one program, or two that are mixed.

import type { Program } from "../../generate/generate-program.js";
import { assert } from "../../support/assert.js";
import { mutatedStock, type ParentProgram, stockOf } from "./mutated-program.js";
import { isOutsideName, NO_OUTSIDE, type OutsidePrograms } from "./outside.js";

/**
 * The steps by which a program is made, separated by commas: `12,m55` is the program of seed 12,
 * mutated by seed 55.
 */
export type Lineage = string;

/** The programs that a seed mutates: a lineage, two lineages separated by a comma, or nothing. */
export type ParentLineages = string;

/** The parents of a usual program. */
export const NO_PARENTS: ParentLineages = "";

/** The largest number of steps in parents: each step is a program that must be made first. */
export const STEPS_MAX = 12;

export const stepCount = (lineage: Lineage): number =>
  lineage === "" ? 0 : lineage.split(",").length;

/**
 * Joins lineages to parents.
 * @param lineages none, one or two
 */
export const parentsOf = (lineages: readonly Lineage[]): ParentLineages => lineages.join(",");

/** Returns the lineage of the program that a seed makes from no, one or two parents. */
export const childOf = (lineages: readonly Lineage[], seed: bigint): Lineage =>
  [...lineages, `${["", "m", "x"][lineages.length]}${seed}`].join(",");

const SEED_END = 1n << 64n;

/**
 * Returns whether a text is one or two lineages of at most STEPS_MAX steps, with seeds of 64 bits.
 */
export function isParents(text: string): boolean {
  const count = programCount(text);
  return count !== null && count > 0 && stepCount(text) <= STEPS_MAX;
}

/** Returns whether a text is one lineage that may be a parent. */
export const isLineage = (text: string): boolean => isParents(text) && programCount(text) === 1;

/**
 * Returns the number of programs that the steps leave: none, one or two; null if they are no valid
 * parents.
 */
function programCount(text: ParentLineages): number | null {
  let count = 0;
  for (const step of text === "" ? [] : text.split(",")) {
    const [kind, digits] = partsOf(step);
    const isNamed = kind === "o" ? isOutsideName(digits) : isSeed(digits);
    if (!isNamed) return null;
    if (count < NEEDS[kind]) return null;
    count += 1 - NEEDS[kind];
  }
  return count <= 2 ? count : null;
}

const isSeed = (digits: string): boolean => /^\d{1,20}$/.test(digits) && BigInt(digits) < SEED_END;

type LineageStepKind = "u" | "o" | "m" | "x";
/** The number of programs that a step of each kind takes; it leaves one. */
const NEEDS: Readonly<Record<LineageStepKind, number>> = { u: 0, o: 0, m: 1, x: 2 };

function partsOf(step: string): [LineageStepKind, string] {
  if (step.startsWith("m")) return ["m", step.slice(1)];
  if (step.startsWith("o")) return ["o", step.slice(1)];
  return step.startsWith("x") ? ["x", step.slice(1)] : ["u", step];
}

/** Number of recently made programs of each kind that are cached. */
const KEPT = { stocks: 256, donors: 16 } as const;

/** Makes programs of lineages. Its caches affect only the speed. */
export class ProgramBreeder {
  private readonly usual: (seed: bigint) => Program;
  private readonly outside: OutsidePrograms;
  private readonly stocks = new RecentCache<ParentProgram>(KEPT.stocks);
  private readonly donors = new RecentCache<Program>(KEPT.donors);

  /**
   * Makes a breeder with empty caches.
   * @param usual returns the program of a seed, without mutation
   * @param outside all programs from outside that lineages may name
   */
  constructor(usual: (seed: bigint) => Program, outside = NO_OUTSIDE) {
    this.usual = usual;
    this.outside = outside;
  }

  /**
   * Makes the program of a seed.
   * @param parents none, or parents that `isParents` accepts
   */
  childOf(parents: ParentLineages, seed: bigint): Program {
    if (parents === NO_PARENTS) return this.usual(seed);
    const [first, second = null] = this.lineagesIn(parents);
    return this.mutated(first, second, seed).program;
  }

  private mutated(first: Lineage, second: Lineage | null, seed: bigint): ParentProgram {
    const usual = (other: bigint): Program =>
      this.donors.get(String(other), () => this.usual(other));
    const mate = second === null ? null : this.stock(second).program;
    return mutatedStock(this.stock(first), seed, usual, mate);
  }

  private stock(lineage: Lineage): ParentProgram {
    return this.stocks.get(lineage, () => {
      const at = lineage.lastIndexOf(",") + 1;
      const [kind, digits] = partsOf(lineage.slice(at));
      if (kind === "u") return stockOf(this.usual(BigInt(digits)));
      if (kind === "o") return stockOf(this.outsideNamed(digits));
      const [first, second = null] = this.lineagesIn(lineage.slice(0, at - 1));
      return this.mutated(first, second, BigInt(digits));
    });
  }

  private outsideNamed(name: string): Program {
    const program = this.outside.get(name);
    assert(program !== undefined, () => `no program from outside is named ${name}`);
    return program;
  }

  /** Splits parents into lineages. */
  private lineagesIn(parents: ParentLineages): Lineage[] {
    const found: Lineage[] = [];
    for (const step of parents.split(",")) {
      const needs = NEEDS[partsOf(step)[0]];
      const taken = needs === 0 ? [] : found.splice(-needs);
      assert(taken.length === needs, () => `'${parents}' is not a list of parents`);
      found.push([...taken, step].join(","));
    }
    return found;
  }
}

/** A cache of the most recently used items. */
class RecentCache<T> {
  private readonly max: number;
  /** The most recently used item is last. */
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

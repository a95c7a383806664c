// Makes worlds that are one expression of one, two or three operations: all opcodes at all types.
// Each operand is an operation, an operand of the world, a constant or a load.
//
// Trees are numbered by groups; all trees of a group have the same places for leaves. A world's
// number determines a group, a tree in it, and an arrangement of leaves. Two symmetries are not
// removed: trees with two equal operations under a commuting one, and exchanges that only a
// renaming undoes.

import { chance } from "../generate/maker/odds.js";
import type { Instance } from "../generate/maker/swarm.js";
import type { Value } from "../ir/procedure.js";
import { type Type, VALUE_TYPES } from "../ir/types.js";
import type { Code, LeafPlace } from "./arrangements.js";
import { ARRANGEMENTS, emitLeaf, type LeafSet, leafSetOf } from "./leaves.js";
import { commutes, emitOperation, OPERATIONS } from "./operations.js";
import { CROWD, digitsOf, product, type Site, type WorldKind } from "./world.js";

/** An operation whose operands are trees, or leaves if null. */
interface Tree {
  readonly instance: Instance;
  readonly operands: readonly (Tree | null)[];
}

interface TypedPlace {
  readonly type: Type;
  readonly place: LeafPlace;
}

/** Trees with the same places, in the order of emission. */
interface Group {
  readonly places: readonly TypedPlace[];
  readonly count: number;
  readonly at: (index: number) => Tree;
  /** The number of orders of commuting operands, of which one is counted. */
  readonly orders: number;
}

/** Operations with the same operand and result types. */
interface Class {
  readonly instances: readonly Instance[];
  readonly operands: readonly Type[];
  readonly result: Type;
  readonly commutes: boolean;
}

const CLASSES: readonly Class[] = classesOf(OPERATIONS);

function classesOf(operations: readonly Instance[]): Class[] {
  const classes = new Map<string, Instance[]>();
  for (const instance of operations) {
    const { operands, result } = instance;
    const key = `${operands.join()} ${result} ${commutes(instance)}`;
    const list = classes.get(key);
    if (list === undefined) classes.set(key, [instance]);
    else list.push(instance);
  }
  return [...classes.values()].map((instances) => {
    const { operands, result } = instances[0];
    return { instances, operands, result, commutes: commutes(instances[0]) };
  });
}

const leafPlaces = (types: readonly Type[], isPair: boolean): TypedPlace[] =>
  isPair
    ? [{ type: types[0], place: "pair" }]
    : types.map((type): TypedPlace => ({ type, place: "one" }));

/** Returns the trees of a class whose operands belong to the given groups, or are leaves. */
function groupOf(row: Class, inner: readonly (Group | null)[]): Group {
  const isBare = inner.every((group) => group === null);
  const radices = [row.instances.length, ...inner.map((group) => group?.count ?? 1)];
  return {
    places: isBare
      ? leafPlaces(row.operands, row.commutes)
      : inner.flatMap((group, i) => group?.places ?? leafPlaces([row.operands[i]], false)),
    count: product(radices),
    at: (index) => {
      const [instance, ...digits] = digitsOf(index, radices);
      return {
        instance: row.instances[instance],
        operands: inner.map((group, i) => group?.at(digits[i]) ?? null),
      };
    },
    orders: product(inner.map((group) => group?.orders ?? 1)) * (row.commutes && !isBare ? 2 : 1),
  };
}

/** By result type: the groups of trees of one, two or three operations. */
type ByType = readonly (readonly Group[])[];

const byType = (make: (row: Class) => Group[]): ByType =>
  [0, ...VALUE_TYPES].map((type) => CLASSES.filter(({ result }) => result === type).flatMap(make));

/** Returns trees with one operand that is a tree. */
function chains(inner: ByType): ByType {
  return byType((row) => {
    const positions = row.commutes ? [0] : row.operands.map((_, i) => i);
    return positions.flatMap((at) =>
      inner[row.operands[at]].map((group) =>
        groupOf(
          row,
          row.operands.map((_, i) => (i === at ? group : null)),
        ),
      ),
    );
  });
}

/** Returns trees with two operands that are trees. */
function forks(inner: ByType): ByType {
  return byType((row) => {
    const made: Group[] = [];
    const { operands } = row;
    for (let second = 1; second < operands.length; second++) {
      for (let first = 0; first < second; first++) {
        for (const x of inner[operands[first]]) {
          for (const y of inner[operands[second]]) {
            made.push(
              groupOf(
                row,
                operands.map((_, i) => (i === first ? x : i === second ? y : null)),
              ),
            );
          }
        }
      }
    }
    return made;
  });
}

/** The places of one type, whose names are independent of other types. */
interface Part {
  readonly type: Type;
  readonly places: readonly LeafPlace[];
  /** The number of arrangements. */
  readonly count: number;
}

/** Numbers worlds group by group. */
class Expressions {
  private readonly groups: readonly Group[];
  private readonly operations: number;
  /** By group: the number of its first world; then the total. */
  private readonly starts: Float64Array;

  constructor(operations: number, groups: readonly Group[]) {
    this.operations = operations;
    this.groups = groups;
    this.starts = new Float64Array(groups.length + 1);
    groups.forEach((group, g) => {
      const counts = this.partsOf(group).map(({ count }) => count);
      this.starts[g + 1] = this.starts[g] + group.count * product(counts);
    });
  }

  get count(): number {
    return this.starts[this.groups.length];
  }

  get named(): number {
    return this.groups.reduce((sum, group) => {
      const set = ARRANGEMENTS[this.setOf(group)];
      const counts = this.partsOf(group).map(({ type, places }) => set[type].named(places));
      return sum + group.count * group.orders * product(counts);
    }, 0);
  }

  make(index: number, site: Site): Value {
    const g = this.groupAt(index);
    const group = this.groups[g];
    const [set, parts] = [this.setOf(group), this.partsOf(group)];
    const radices = [group.count, ...parts.map(({ count }) => count)];
    const [tree, ...digits] = digitsOf(index - this.starts[g], radices);
    const codes: Code[][] = [[], [], [], [], []];
    parts.forEach(({ type, places }, p) => {
      codes[type] = ARRANGEMENTS[set][type].at(places, digits[p]);
    });
    return emitTree(site, group.at(tree), codes, set);
  }

  private groupAt(index: number): number {
    let [low, high] = [0, this.groups.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private setOf({ places }: Group): LeafSet {
    const count = places.reduce((sum, { place }) => sum + (place === "pair" ? 2 : 1), 0);
    return leafSetOf(this.operations, count);
  }

  private partsOf(group: Group): Part[] {
    const set = ARRANGEMENTS[this.setOf(group)];
    return VALUE_TYPES.flatMap((type) => {
      const places = group.places.filter((p) => p.type === type).map(({ place }) => place);
      return places.length === 0 ? [] : [{ type, places, count: set[type].count(places) }];
    });
  }
}

/** Emits operands first; it consumes `codes` from the front, by type. */
function emitTree(site: Site, tree: Tree, codes: Code[][], set: LeafSet): Value {
  const { instance, operands } = tree;
  const given = operands.map((operand, i) => {
    if (operand !== null) return emitTree(site, operand, codes, set);
    const type = instance.operands[i];
    const [code] = codes[type].splice(0, 1);
    return emitLeaf(site, set, type, code);
  });
  // One of the two orders is counted, and the seed selects which is made.
  if (commutes(instance) && chance(site.source, 50)) given.reverse();
  return emitOperation(site.maker, instance, given);
}

const one = byType((row) => [
  groupOf(
    row,
    row.operands.map(() => null),
  ),
]);

function kindOf(name: string, says: string, operations: number, make: () => ByType): WorldKind {
  let made: Expressions | null = null;
  const expressions = (): Expressions => {
    made ??= new Expressions(operations, make().flat());
    return made;
  };
  return {
    ...CROWD,
    name,
    says,
    count: () => expressions().count,
    named: () => expressions().named,
    make: (index, site) => expressions().make(index, site),
  };
}

export const EXPRESSIONS: readonly WorldKind[] = [
  kindOf("one", "one operation, with all boundary constants and loads", 1, () => one),
  kindOf("two", "two operations, one on the other's result", 2, () => chains(one)),
  kindOf("three", "three operations", 3, () => {
    const [long, wide] = [chains(chains(one)), forks(one)];
    return long.map((groups, type) => [...groups, ...wide[type]]);
  }),
];

// Makes worlds that are one expression of one, two or three operations: all opcodes at all types.
// Each operand is an operation, an operand of the world, a constant or a load.
//
// Trees are numbered by groups; all trees of a group have the same positions for leaves. A world's
// number determines a group, a tree in it, and an arrangement of leaves. Two symmetries are not
// removed: trees with two equal operations under a commuting one, and exchanges that only a
// renaming undoes.

import { chance } from "../generate/maker/odds.js";
import type { OpcodeInstance } from "../generate/maker/swarm.js";
import type { Value } from "../ir/procedure.js";
import { type Type, VALUE_TYPES } from "../ir/types.js";
import type { ArrangementCode, LeafPosition } from "./arrangements.js";
import { type CountedSet, choice, lazy, list, product, sumOver, withNames } from "./counted.js";
import { ARRANGEMENTS, emitLeaf, type LeafSet, leafSetOf } from "./leaves.js";
import { commutes, emitOperation, OPERATIONS } from "./operations.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

/** An operation whose operands are trees, or leaves if null. */
interface OperationTree {
  readonly instance: OpcodeInstance;
  readonly operands: readonly (OperationTree | null)[];
}

interface TypedPosition {
  readonly type: Type;
  readonly position: LeafPosition;
}

/** Trees with the same positions, in the order of emission. */
interface TreeGroup {
  readonly positions: readonly TypedPosition[];
  readonly trees: CountedSet<OperationTree>;
}

/** Operations with the same operand and result types. */
interface OperationClass {
  readonly instances: readonly OpcodeInstance[];
  readonly operands: readonly Type[];
  readonly result: Type;
  readonly commutes: boolean;
}

const CLASSES: readonly OperationClass[] = classesOf(OPERATIONS);

function classesOf(operations: readonly OpcodeInstance[]): OperationClass[] {
  const classes = new Map<string, OpcodeInstance[]>();
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

const leafPositions = (types: readonly Type[], isPair: boolean): TypedPosition[] =>
  isPair
    ? [{ type: types[0], position: "pair" }]
    : types.map((type): TypedPosition => ({ type, position: "one" }));

const LEAF: CountedSet<OperationTree | null> = choice([null]);

/** Returns the trees of a class whose operands belong to the given groups, or are leaves. */
function groupOf(row: OperationClass, inner: readonly (TreeGroup | null)[]): TreeGroup {
  const isBare = inner.every((group) => group === null);
  const trees = product<OperationTree>({
    instance: choice(row.instances),
    operands: list(inner.map((group) => group?.trees ?? LEAF)),
  });
  return {
    positions: isBare
      ? leafPositions(row.operands, row.commutes)
      : inner.flatMap((group, i) => group?.positions ?? leafPositions([row.operands[i]], false)),
    // One order of the operands is counted.
    trees: row.commutes && !isBare ? withNames(trees, 2 * trees.named) : trees,
  };
}

/** By result type: the groups of trees of one, two or three operations. */
type GroupsByType = readonly (readonly TreeGroup[])[];

const byType = (make: (row: OperationClass) => TreeGroup[]): GroupsByType =>
  [0, ...VALUE_TYPES].map((type) => CLASSES.filter(({ result }) => result === type).flatMap(make));

/** Returns trees with one operand that is a tree. */
function chains(inner: GroupsByType): GroupsByType {
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
function forks(inner: GroupsByType): GroupsByType {
  return byType((row) => {
    const made: TreeGroup[] = [];
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

interface WorldExpression {
  readonly tree: OperationTree;
  readonly set: LeafSet;
  /** The leaves, by type from Int32. */
  readonly codes: ArrangementCode[][];
}

/** Returns the trees of a group, each with all arrangements of leaves. */
function expressionsOf(
  { positions, trees }: TreeGroup,
  operations: number,
): CountedSet<WorldExpression> {
  const count = positions.reduce((sum, { position }) => sum + (position === "pair" ? 2 : 1), 0);
  const set = leafSetOf(operations, count);
  const positionsOf = (type: Type): LeafPosition[] =>
    positions.filter((p) => p.type === type).map(({ position }) => position);
  return product<WorldExpression>({
    tree: trees,
    set: choice([set]),
    codes: list(VALUE_TYPES.map((type) => ARRANGEMENTS[set][type](positionsOf(type)))),
  });
}

/** Emits operands first; it consumes `codes` from the front, by type. */
function emitTree(
  site: WorldSite,
  tree: OperationTree,
  codes: ArrangementCode[][],
  set: LeafSet,
): Value {
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

function expressionKind(
  name: string,
  description: string,
  operations: number,
  make: () => GroupsByType,
): WorldKind {
  const worlds = lazy(() => sumOver(make().flat(), (group) => expressionsOf(group, operations)));
  return kindOf(name, description, worlds, ({ tree, codes, set }, site) =>
    emitTree(site, tree, [[], ...codes], set),
  );
}

export const EXPRESSIONS: readonly WorldKind[] = [
  expressionKind("one", "one operation, with all boundary constants and loads", 1, () => one),
  expressionKind("two", "two operations, one on the other's result", 2, () => chains(one)),
  expressionKind("three", "three operations", 3, () => {
    const [long, wide] = [chains(chains(one)), forks(one)];
    return long.map((groups, type) => [...groups, ...wide[type]]);
  }),
];

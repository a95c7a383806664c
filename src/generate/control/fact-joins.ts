// Emits points where values with different facts meet: a join, a loop, a Select, a memory cell. A
// fact about the resulting value must hold for each of them, in any order of the edges.

import { CALLS, EFFECTS, Op, READS_MEMORY, WRITES_MEMORY } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../../ir/types.js";
import type { WordPair } from "../../ir/words.js";
import { drawFacts, type MakeFact, useFact } from "../contents/facts.js";
import { aimAt, aimAtEqual, compare, drawComparison } from "../maker/conditions.js";
import { drawBoundary } from "../maker/constants.js";
import { guardAgainst } from "../maker/exits.js";
import { enter, twoArms } from "../maker/joins.js";
import type { MakerRow, ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn } from "../maker/memory.js";
import { observe } from "../maker/observe.js";
import { oneOf } from "../maker/rows.js";
import { hasRoomForSmallLoop, makeSmallLoop } from "../maker/small-loops.js";
import { drawInteger, drawType } from "../maker/swarm.js";
import { switchArms } from "../maker/switches.js";

// biome-ignore format: a table
export const FACT_JOINS: readonly MakerRow[] = [
  { name: "facts joined by a Phi",   weight: 5, make: atJoin },
  { name: "facts joined in a loop",   weight: 3, make: inLoop },
  { name: "facts joined by a Select", weight: 2, make: inSelect },
  { name: "facts joined in memory",   weight: 2, make: inMemory },
  { name: "fact implied by an edge",   weight: 4, make: onEdge },
  { name: "fact implied by a Switch",  weight: 3, make: onKeys },
];

const EDGES_MAX = 4;
const drawCount = (maker: ProcedureMaker): number => 2 + maker.below(EDGES_MAX - 1);

function atJoin(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  const facts = drawFacts(maker, type, drawCount(maker));
  const phi = maker.proc.newValue(Op.Phi, type);
  onEdges(maker, facts, (value) => maker.upsilon(value, phi));
  enter(maker, maker.block, [phi]);
  useFact(maker, phi);
}

/**
 * Emits a chain of branches whose edges meet in one block, which follows. Values are created on
 * their edges, or all before the first branch.
 * @param useOnEdge appends the code of an edge that uses its value
 */
function onEdges(
  maker: ProcedureMaker,
  facts: readonly MakeFact[],
  useOnEdge: (value: Value) => void,
): void {
  const { proc } = maker;
  const early = maker.chance(40) ? facts.map((fact) => fact(maker)) : null;
  const join = proc.newBlock();
  const scope = maker.mark();
  facts.forEach((fact, i) => {
    const isLast = i === facts.length - 1;
    const arm = isLast ? maker.block : proc.newBlock();
    const next = isLast ? arm : proc.newBlock();
    if (!isLast) {
      const flag = compare(maker);
      if (maker.chance(50)) maker.branch(flag, arm, next);
      else maker.branch(flag, next, arm);
    }
    const inside = maker.mark();
    maker.block = arm;
    useOnEdge(early?.[i] ?? fact(maker));
    maker.jump(join);
    maker.release(inside);
    maker.block = next;
  });
  maker.release(scope);
  maker.block = join;
}

// Emits a loop with different facts about the initial value and about the value of the next
// iteration.
function inLoop(maker: ProcedureMaker): void {
  if (!hasRoomForSmallLoop(maker)) {
    atJoin(maker);
    return;
  }
  const type = drawType(maker.source, maker.swarm);
  const [first, next] = drawFacts(maker, type, 2);
  let last: Value | null = null;
  makeSmallLoop(maker, [first(maker)], ({ carried: [phi], leave }) => {
    last = phi;
    if (maker.chance(60)) useFact(maker, phi);
    if (maker.chance(40)) leave(compare(maker));
    return [next(maker)];
  });
  if (last !== null) useFact(maker, last);
}

function inSelect(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  const [first, ...others] = drawFacts(maker, type, drawCount(maker));
  let chosen = first(maker);
  for (const fact of others) {
    const other = fact(maker);
    const [a, b] = maker.chance(50) ? [chosen, other] : [other, chosen];
    chosen = maker.emit(Op.Select, type, compare(maker), a, b);
  }
  useFact(maker, chosen);
}

// Emits edges that store to one location, which is loaded after the join; at times an edge stores
// nothing.
function inMemory(maker: ProcedureMaker): void {
  const { heapBase } = maker;
  if (heapBase === null) {
    inSelect(maker);
    return;
  }
  const type: Type = drawType(maker.source, maker.swarm);
  const facts = drawFacts(maker, type, drawCount(maker));
  const { value: address, ...range } = pickAddress(maker, heapBase);
  const offset = placeIn(maker, { value: address, ...range }, 8);
  const store = (value: Value): void => {
    maker.append(Op.Store, Void, maker.closed(value), address).offset = offset;
  };
  if (maker.chance(40)) store(facts[0](maker));
  onEdges(maker, facts, (value) => {
    if (maker.chance(90)) store(value);
  });
  const loaded = maker.emit(Op.Load, type, address);
  loaded.offset = offset;
  useFact(maker, loaded);
}

const TAKES_ADDRESS = CALLS | READS_MEMORY | WRITES_MEMORY;

// Emits a branch or a guard on a value, and uses the value or its operands where the result is
// known.
function onEdge(maker: ProcedureMaker): void {
  const type = drawType(maker.source, maker.swarm);
  const [fact] = drawFacts(maker, type, 1);
  const x = fact(maker);
  const c = maker.constantOf(type, ...drawBoundary(maker.source, type));
  const flag = maker.markFree(maker.append(drawComparison(maker, type), Int32, x, c));
  aimAtEqual(maker, x, c);
  // Operands of a call or an access may be addresses of procedures or slots, which no other
  // operation may use.
  const operands = (EFFECTS[x.opcode] & TAKES_ADDRESS) === 0 ? [x.a, x.b] : [];
  const parts = [x, ...operands].filter((part) => part !== null && !part.isConstant);
  const use = (): void => {
    for (let count = 1 + maker.below(2); count > 0; count--) {
      useFact(maker, parts[maker.below(Math.max(1, parts.length))] ?? x);
    }
  };
  if (maker.dials.guards > 0 && maker.chance(25)) {
    guardAgainst(maker, flag);
    use();
    return;
  }
  const usesOnBoth = maker.chance(50);
  const arms = [true, false].map((isTaken) => () => {
    if (isTaken || usesOnBoth) use();
    return [maker.pick(type)];
  });
  twoArms(maker, flag, arms, [type]);
}

/** Distances of a key from the previous one. */
const KEY_STEPS = [1, 1, 1, 2, 5, 100];

// Emits a Switch whose arms use its operand: there it is one of the arm's keys, or none of the
// others.
function onKeys(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const [fact] = drawFacts(maker, type, 1);
  const x = fact(maker);
  const keys: WordPair[] = [];
  let key = maker.below(6) - 3;
  for (let count = 2 + maker.below(4); count > 0; count--) {
    const words: WordPair = [key, type === Int64 && key < 0 ? -1 : 0];
    keys.push(words);
    aimAt(maker, x, words);
    key += oneOf(maker, KEY_STEPS);
  }
  const result = switchArms(maker, x, keys, 1 + maker.below(keys.length), () => {
    useFact(maker, x);
    return maker.pick(Int32);
  });
  observe(maker, result);
}

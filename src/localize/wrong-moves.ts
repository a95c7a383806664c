// Finds wrong moves, and their edge: a parallel move whose single moves have another effect, or a move that clean-up
// must not have dropped or changed. Both are found in the compiled code alone, without an execution: a group of moves
// is right if every location has the right value at the end.

import { Compiler, type GenerateOptions } from "../../reference/compile.js";
import { isSlot, type Lir, SLOT, typeOfWord } from "../../reference/lir/lir.js";
import { locationName, TYPE_LETTERS } from "../../reference/lir/text/text-form.js";
import type { Parts } from "../../reference/parts.js";
import {
  Allocation,
  MOVE_STRIDE,
  MoveOrder,
  orderOf,
} from "../../reference/regalloc/allocation.js";
import { AllocationChecker } from "../../reference/regalloc/check/check.js";
import { MoveList } from "../../reference/regalloc/parallel-moves.js";
import type { LoweringPlan } from "../../reference/target/plan.js";
import type { TargetName } from "../../reference/target/target.js";
import { isWide, type Type } from "../ir/types.js";

export interface WrongMoves {
  readonly procedure: string;
  /** `on the edge from B1 to B3`, `at the start of B3`, or `before instruction 12, addq`. */
  readonly place: string;
  /**
   * The parallel move, and the single moves that are written instead, in this order: `rbx -> rcx<i>, [8] -> rax<l>`.
   */
  readonly meant: string;
  readonly made: string;
  /** The location of a wrong value after the moves, its expected value, and its actual one: `what rbx held`. */
  readonly location: string;
  readonly expected: string;
  readonly got: string;
}

/** Compiles the wrong subject with these parts and options. */
export type Generate = (
  compiler: Compiler,
  options: Pick<GenerateOptions, "checkAllocation" | "onLir">,
) => unknown;

export interface Move {
  /** The first word of Allocation.moves. */
  readonly word: number;
  readonly from: number;
  readonly to: number;
  readonly type: Type;
}

/** Returns the first parallel move whose single moves have another effect; null if there is none. */
export function wrongInSequence(parts: Parts, generate: Generate): WrongMoves | null {
  let found: WrongMoves | null = null;
  const singles = new MoveList();
  const onLir: GenerateOptions["onLir"] = (stage, lir, allocation, plan, { name }) => {
    if (stage === "lower") return;
    for (const { first, end, moves } of groupsOf(allocation)) {
      const { registers } = plan.target;
      parts.sequentialize(allocation.moves, first, end, registers, singles);
      const made = singlesOf(singles, moves[0].word);
      const scratch = [registers.generalScratch, registers.vectorScratch];
      found ??= differenceOfMoves(moves, made, scratch, { lir, plan, name });
    }
  };
  generate(new Compiler(parts), { checkAllocation: false, onLir });
  return found;
}

/**
 * Returns the first move that clean-up drops or changes although the allocation needs it; null if the checker accepts
 * all changes.
 */
export function wrongByCleanUp(parts: Parts, generate: Generate): WrongMoves | null {
  let name = "";
  let found: WrongMoves | null = null;
  let known: LoweringPlan | null = null;
  const watched: Parts = {
    ...parts,
    cleanUp: () => {
      const cleanUp = parts.cleanUp();
      return (lir, rows, registers, allocation) => {
        const before = movesOf(allocation);
        cleanUp(lir, rows, registers, allocation);
        if (found !== null || known === null) return;
        const changes = changesOf(before, movesOf(allocation));
        const isRight = (count: number): boolean => {
          const tried = withMoves(allocation, applied(before, changes.slice(0, count)));
          return new AllocationChecker().check(lir, rows, registers, tried).length === 0;
        };
        const guilty = firstWrong(changes.length, isRight);
        if (guilty === 0) return;
        found = describeChange(before, changes[guilty - 1], { lir, plan: known, name });
      };
    },
  };
  generate(new Compiler(watched), {
    checkAllocation: false,
    onLir: (stage, _lir, _allocation, plan, proc) => {
      if (stage === "allocate") return;
      ({ name } = proc);
      known = plan;
    },
  });
  return found;
}

/**
 * Describes the moves in one line: `in main the moves on the edge from B1 to B3, at once ..., become ...: rcx should
 * hold what rbx held, ...`.
 */
export function describeMoves(wrong: WrongMoves): string {
  const { procedure, place, meant, made, location, expected, got } = wrong;
  const done = made === "" ? "nothing" : made;
  const moves = `in ${procedure} the moves ${place}, at once ${meant}, become ${done}`;
  return `${moves}: ${location} should hold ${expected}, but holds ${got}`;
}

// --- groups ---

interface Group {
  readonly first: number;
  readonly end: number;
  readonly moves: readonly Move[];
}

export function movesOf({ moves, moveCount }: Allocation): Move[] {
  return Array.from({ length: moveCount }, (_, m): Move => {
    const [word, from, to, type] = moves.subarray(m * MOVE_STRIDE, (m + 1) * MOVE_STRIDE);
    return { word, from, to, type: typeOfWord(type) };
  });
}

function groupsOf(allocation: Allocation): Group[] {
  const all = movesOf(allocation);
  const groups: Group[] = [];
  for (let first = 0; first < all.length; ) {
    let end = first;
    while (end < all.length && all[end].word === all[first].word) end++;
    groups.push({ first, end, moves: all.slice(first, end) });
    first = end;
  }
  return groups;
}

const singlesOf = ({ from, to, type, count }: MoveList, word: number): Move[] =>
  Array.from({ length: count }, (_, k) => {
    return { word, from: from[k], to: to[k], type: typeOfWord(type[k]) };
  });

// --- what moves do ---

/** A value that is in no location before the moves. */
const NOTHING = -1;

/**
 * By half of a location (halfOf): the half whose contents before the moves it holds now. Missing halves are unchanged.
 */
type LocationContents = Map<number, number>;

/**
 * Returns the index of a half: either half of a register; for the spill area a unit, which is the lower half of a slot.
 */
const halfOf = (location: number, half: 0 | 1): number =>
  isSlot(location) ? 2 * (location + half) : 2 * location + half;

const contentsAt = (held: LocationContents, at: number): number => held.get(at) ?? at;

/** Applies all moves at once. */
function applyMoves(held: LocationContents, moves: readonly Move[]): void {
  const read = moves.map(({ from, type }) => [
    contentsAt(held, halfOf(from, 0)),
    isWide(type) ? contentsAt(held, halfOf(from, 1)) : NOTHING,
  ]);
  moves.forEach(({ to, type }, m) => {
    held.set(halfOf(to, 0), read[m][0]);
    if (isWide(type) || !isSlot(to)) held.set(halfOf(to, 1), read[m][1]);
  });
}

/** The procedure, for names. */
interface ProcedureContext {
  readonly lir: Lir;
  readonly plan: LoweringPlan;
  readonly name: string;
}

function differenceOfMoves(
  meant: readonly Move[],
  made: readonly Move[],
  scratch: readonly number[],
  place: ProcedureContext,
): WrongMoves | null {
  const wanted: LocationContents = new Map();
  applyMoves(wanted, meant);
  const held: LocationContents = new Map();
  for (const single of made) applyMoves(held, [single]);
  const isScratch = (at: number): boolean => at < 2 * SLOT && scratch.includes(at >> 1);
  for (const at of new Set([...wanted.keys(), ...held.keys()])) {
    const [expected, got] = [contentsAt(wanted, at), contentsAt(held, at)];
    if (expected === got || expected === NOTHING || isScratch(at)) continue;
    const name = place.plan.target.name;
    return {
      ...namesOf(meant, made, place),
      location: halfName(name, at),
      expected: describeContents(name, expected),
      got: describeContents(name, got),
    };
  }
  return null;
}

// --- clean-up ---

interface Change {
  /** Index among the moves before clean-up. */
  readonly at: number;
  /** Its source after clean-up; null if it is dropped. */
  readonly from: number | null;
}

/** Returns the changes. Moves keep their order, and no two of a group have the same target. */
function changesOf(before: readonly Move[], after: readonly Move[]): Change[] {
  const keyOf = ({ word, to }: Move): string => `${word} ${to}`;
  const left = new Map(after.map((move) => [keyOf(move), move.from]));
  return before.flatMap((move, at) => {
    const from = left.get(keyOf(move)) ?? null;
    return from === move.from ? [] : [{ at, from }];
  });
}

function applied(before: readonly Move[], changes: readonly Change[]): Move[] {
  const fresh = new Map(changes.map(({ at, from }) => [at, from]));
  return before.flatMap((move, at) => {
    const from = fresh.get(at);
    if (from === undefined) return [move];
    return from === null ? [] : [{ ...move, from }];
  });
}

/** Returns the same allocation with other moves. */
export function withMoves(
  { spillUnits, usedRegisters }: Allocation,
  moves: readonly Move[],
): Allocation {
  const tried = new Allocation();
  tried.spillUnits = spillUnits;
  tried.usedRegisters.set(usedRegisters);
  for (const { word, from, to, type } of moves) {
    tried.addMove(word >> 2, orderOf(word), from, to, type);
  }
  return tried;
}

/**
 * Returns the least number of changes that are wrong, while one fewer is right; 0 if all are right, or none makes the
 * difference.
 */
function firstWrong(count: number, isRight: (count: number) => boolean): number {
  if (count === 0 || isRight(count) || !isRight(0)) return 0;
  let [right, wrong] = [0, count];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (isRight(middle)) right = middle;
    else wrong = middle;
  }
  return wrong;
}

function describeChange(
  before: readonly Move[],
  change: Change,
  place: ProcedureContext,
): WrongMoves {
  const { word } = before[change.at];
  const meant = before.filter((move) => move.word === word);
  const made = applied(meant, [{ at: meant.indexOf(before[change.at]), from: change.from }]);
  return describeGroup(meant, made, before[change.at], change.from, place);
}

/** Describes a group in which one move is missing, or has the source `from` instead of the intended one. */
export function describeGroup(
  meant: readonly Move[],
  made: readonly Move[],
  wrong: Move,
  from: number | null,
  place: ProcedureContext,
): WrongMoves {
  const name = place.plan.target.name;
  return {
    ...namesOf(meant, made, place),
    location: locationName(name, wrong.to),
    expected: `what ${locationName(name, wrong.from)} held`,
    got: `what ${locationName(name, from ?? wrong.to)} held`,
  };
}

// --- names ---

function namesOf(
  meant: readonly Move[],
  made: readonly Move[],
  { lir, plan, name }: ProcedureContext,
) {
  const { word } = meant[0];
  return {
    procedure: name,
    place: placeName(lir, plan, word),
    meant: movesText(plan.target.name, meant),
    made: movesText(plan.target.name, made),
  };
}

const movesText = (target: TargetName, moves: readonly Move[]): string =>
  moves
    .map(({ from, to, type }) => {
      return `${locationName(target, from)} -> ${locationName(target, to)}<${TYPE_LETTERS[type]}>`;
    })
    .join(", ");

/** Names the position of moves. Moves of an edge are at the end of its source block, or at the start of its target. */
function placeName(lir: Lir, plan: LoweringPlan, word: number): string {
  const i = word >> 2;
  let b = 0;
  while (lir.blockStart[b + 1] <= i) b++;
  const successors = lir.successors.subarray(lir.successorStart[b], lir.successorStart[b + 1]);
  if (orderOf(word) === MoveOrder.Resolve) {
    if (i === lir.blockStart[b + 1] - 1 && successors.length === 1) {
      return `on the edge from B${b} to B${successors[0]}`;
    }
    if (i === lir.blockStart[b]) return `at the start of B${b}`;
  }
  return `before instruction ${i}, ${plan.rows[lir.opcode[i]].name}`;
}

function halfName(target: TargetName, at: number): string {
  const name = locationName(target, at >> 1);
  return (at & 1) === 1 ? `the upper half of ${name}` : name;
}

const describeContents = (target: TargetName, at: number): string =>
  at === NOTHING ? "nothing known" : `what ${halfName(target, at)} held`;

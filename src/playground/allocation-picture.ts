// Draws the live intervals of a procedure after allocation: a row for each virtual register, a column
// for each instruction, and in the row the registers and slots that hold the value.

import type { VirtualRegister } from "../../reference/lir/indices.js";
import { isSlot, type Lir, NOWHERE, OperandRole, roleOf, vregOf } from "../../reference/lir/lir.js";
import { locationName } from "../../reference/lir/text/text-form.js";
import {
  type Allocation,
  gapOf,
  MOVE_STRIDE,
  MoveOrder,
  orderOf,
} from "../../reference/regalloc/allocation.js";
import { NONE } from "../../reference/regalloc/arenas.js";
import { LiveIntervals } from "../../reference/regalloc/live-intervals.js";
import type { LoweringPlan } from "../../reference/target/plan.js";
import { markup } from "../report/page/markup.js";

const COLUMN = 18;
const ROW = 16;
const LABEL = 84;
const HEAD = 34;
const CHAR_WIDTH = 6.7;
/** A larger procedure is not drawn. */
const INSTRUCTIONS_MAX = 400;
const VREGS_MAX = 300;
/** The number of colors; a register has the color of its number. */
const COLORS = 8;
/** Positions for each instruction (positions.ts). */
const PARTS = 4;

/** A part of a row, in columns. */
interface PicturedPiece {
  readonly from: number;
  readonly to: number;
  readonly location: number;
}

/** The location of a value at an operand. */
interface KnownLocation {
  /** In columns. */
  readonly at: number;
  readonly location: number;
}

interface PicturedMove {
  readonly order: MoveOrder;
  readonly from: number;
  readonly to: number;
}

/** The moves of each gap, by the instruction after it. */
type PicturedMoves = ReadonlyMap<number, readonly PicturedMove[]>;

/** Returns the picture of a procedure; null if it is too large. */
export function allocationPicture(
  lir: Lir,
  plan: LoweringPlan,
  allocation: Allocation,
  name: string,
): string | null {
  if (lir.instructionCount > INSTRUCTIONS_MAX || lir.vregCount > VREGS_MAX) return null;
  const live = new LiveIntervals();
  live.compute(lir, plan.rows, plan.target.registers);
  const moves = movesOf(allocation);
  const known = knownLocations(lir, moves);
  const roots = [...lir.vregRoot.subarray(0, lir.vregCount)].filter(
    (root, vreg) => root === vreg && live.firstRange[root] !== NONE,
  );
  const start = (vreg: VirtualRegister): number => live.rangeStart[live.firstRange[vreg]];
  roots.sort((x, y) => start(x) - start(y) || x - y);
  const target = plan.target.name;
  const rows = roots.map((vreg, row) => {
    const y = HEAD + row * ROW;
    const value = lir.vregValue[vreg] < 0 ? "" : ` @${lir.vregValue[vreg]}`;
    const pieces = piecesOf(live, vreg, known.get(vreg) ?? [], moves).map(
      ({ from, to, location }) => {
        const [x, width] = [LABEL + from * COLUMN, (to - from) * COLUMN];
        const place = location === NOWHERE ? "nowhere" : locationName(target, location);
        const kind = isSlot(location)
          ? "slot"
          : location === NOWHERE
            ? ""
            : `at${location % COLORS}`;
        const shown = place.length * CHAR_WIDTH < width ? place : "";
        return markup`<rect class="piece ${kind}" x="${fixed(x)}" y="${y + 1}" width="${fixed(Math.max(2, width - 1))}" height="${ROW - 3}"><title>v${vreg}${value} in ${place}</title></rect><text x="${fixed(x + 2)}" y="${y + ROW - 5}">${shown}</text>`;
      },
    );
    return markup`<text x="4" y="${y + ROW - 5}">v${vreg}${value}</text>${pieces}\n`;
  });
  const [width, height] = [
    LABEL + lir.instructionCount * COLUMN + 8,
    HEAD + roots.length * ROW + 6,
  ];
  return markup`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="live intervals of ${name}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${headOf(lir, height)}${rows}</svg>`
    .html;
}

/** Returns the numbers of instructions, and a line at the start of each block. */
function headOf(lir: Lir, height: number) {
  const blocks = [...lir.blockStart.subarray(0, lir.blockCount)].map((first, b) => {
    const x = LABEL + first * COLUMN;
    return markup`<path d="M${x},0V${height}"/><text x="${x + 2}" y="12">B${b}</text>`;
  });
  const numbers = Array.from(
    { length: lir.instructionCount },
    (_, i) => markup`<text class="number" x="${LABEL + i * COLUMN + 2}" y="26">${i}</text>`,
  );
  return markup`${blocks}${numbers}`;
}

function movesOf({ moves, moveCount }: Allocation): PicturedMoves {
  const byGap = new Map<number, PicturedMove[]>();
  for (let m = 0; m < moveCount; m++) {
    const [group, from, to] = moves.subarray(m * MOVE_STRIDE);
    const list = byGap.get(gapOf(group)) ?? [];
    byGap.set(gapOf(group), list);
    list.push({ order: orderOf(group), from, to });
  }
  return byGap;
}

/** Returns the row of a virtual register, and of those that rename it. */
function piecesOf(
  live: LiveIntervals,
  vreg: VirtualRegister,
  known: readonly KnownLocation[],
  moves: PicturedMoves,
): PicturedPiece[] {
  const pieces: PicturedPiece[] = [];
  for (let range = live.firstRange[vreg]; range !== NONE; range = live.rangeNext[range]) {
    const end = live.rangeEnd[range] / PARTS;
    let from = live.rangeStart[range] / PARTS;
    let location = (known.findLast(({ at }) => at <= from) ?? known[0])?.location ?? NOWHERE;
    for (const next of known) {
      if (next.at <= from || next.at >= end || next.location === location) continue;
      const to = moveBetween(moves, from, next) ?? next.at;
      if (to > from) pieces.push({ from, to, location });
      from = to;
      location = next.location;
    }
    if (end > from) pieces.push({ from, to: end, location });
  }
  return pieces;
}

/** Returns the last gap with a move to a location before an operand; null if there is none. */
function moveBetween(
  moves: PicturedMoves,
  from: number,
  { at, location }: KnownLocation,
): number | null {
  for (let gap = Math.floor(at); gap >= from; gap--) {
    if (moves.get(gap)?.some(({ to }) => to === location)) return gap;
  }
  return null;
}

/**
 * Returns the locations that operands state, in order, by virtual register. A location to which a
 * value is copied for one instruction is not among them.
 */
function knownLocations(
  lir: Lir,
  moves: PicturedMoves,
): ReadonlyMap<VirtualRegister, readonly KnownLocation[]> {
  const known = new Map<VirtualRegister, KnownLocation[]>();
  for (let i = 0; i < lir.instructionCount; i++) {
    const before = (moves.get(i) ?? []).filter(({ order }) => order === MoveOrder.BeforeUse);
    const after = (moves.get(i + 1) ?? []).filter(
      ({ order }) => order === MoveOrder.AfterDefinition,
    );
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      const role = roleOf(word);
      if (role === OperandRole.Temp) continue;
      const vreg = lir.vregRoot[vregOf(word)];
      const list = known.get(vreg) ?? [];
      known.set(vreg, list);
      const location: number = lir.location[o];
      if (role === OperandRole.Definition) {
        const moved = after.find(({ from }) => from === location);
        list.push({ at: i + 0.5, location: moved?.to ?? location });
      } else if (!before.some(({ to }) => to === location)) list.push({ at: i, location });
    }
  }
  return known;
}

const fixed = (x: number): string => x.toFixed(1);

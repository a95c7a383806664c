// Emits allocated LIR as machine code, for any target. The order of blocks is computed first; then
// each instruction is written by its row, after the moves of its gap.

import {
  isRemat,
  isSlot,
  type Lir,
  locationOfWord,
  NOWHERE,
  OperandPolicy,
  policyOf,
  REMAT,
  typeOfWord,
} from "../lir/lir.js";
import { isSafepoint } from "../lir/name-references.js";
import {
  type Allocation,
  derivingInstruction,
  MOVE_STRIDE,
  NO_DERIVATION,
  sourceType,
} from "../regalloc/allocation.js";
import { MoveList, type MoveSequentializer } from "../regalloc/parallel-moves.js";
import type { CodeBuffer, FetchLines } from "./code-buffer.js";
import type { EmitContext } from "./emit-context.js";
import { emitTables } from "./emit-switch.js";
import { FlagsTracker } from "./flags.js";
import { FramedBlocks, type FramePlacement } from "./framed-blocks.js";
import { BlockLayout } from "./layout.js";
import type { CodeWriter, EmittedRow } from "./machine-writer.js";
import { CodePart } from "./origins.js";
import { ShortLoops } from "./short-loops.js";

export interface EmitTools<Asm> {
  readonly target: CodeWriter<Asm>;
  readonly asm: Asm;
  readonly code: CodeBuffer;
  readonly sequentialize: MoveSequentializer;
  readonly arenas: EmitArenas;
  /**
   * Whether to write the blocks in an order that saves jumps, and to omit blocks that only jump.
   */
  readonly arranges: boolean;
  readonly placeFrame: FramePlacement;
  /**
   * Called before each part is written, with the index of its instruction and the step of a move
   * (origins.ts), for listings and origins. Null if neither is requested.
   */
  readonly onPart: ((part: CodePart, instruction: number, step: number) => void) | null;
}

/** The arenas that emission keeps from one procedure to the next. */
export class EmitArenas {
  readonly layout = new BlockLayout();
  readonly shortLoops = new ShortLoops();
  readonly flags = new FlagsTracker();
  readonly framed = new FramedBlocks();
  /** The single moves of a parallel move. */
  readonly singles = new MoveList();
  /** By block: the block that replaces it. */
  targets = new Int32Array(64);
  /** By block: the index of its first move. */
  firstMoves = new Int32Array(64);
}

/**
 * Writes one procedure; its first byte is that of the prologue. Labels of exit stubs are created,
 * but not bound.
 */
export function emitProcedure<Asm>(
  tools: EmitTools<Asm>,
  context: EmitContext,
  allocation: Allocation,
): void {
  const { target: machine, asm, code, arranges, onPart } = tools;
  const { lir, frame } = context;
  const { layout, shortLoops, framed } = tools.arenas;
  const { lines } = machine;
  tools.placeFrame(framed, lir, machine.rows, allocation, frame.saved);
  const target = targetBlocks(tools, lir, allocation);
  const { firstMoves } = tools.arenas; // targetBlocks has grown it
  labelBlocks(code, target, context);
  if (arranges) layout.compute(lir, target);
  const count = arranges ? layout.count : lir.blockCount;
  const loopLines = arranges && layout.hasLoops ? lines : null;
  if (loopLines !== null) shortLoops.compute(lir, layout.order, count, target);
  for (let g = 0; g < lir.guards.length; g++) {
    context.stubLabels[g] = code.newLabel();
    context.isBare[g] = false;
  }
  context.flags.begin(lir, arranges);
  for (let k = 0; k < count; k++) {
    const b = arranges ? layout.order[k] : k;
    const next = k + 1 === count ? lir.blockCount : arranges ? layout.order[k + 1] : k + 1;
    context.block = b;
    context.isFramed = framed.isFramedIn(b);
    context.nextLabel = context.blockLabels[next];
    if (loopLines !== null) beginLoop(tools, k, loopLines);
    code.bind(context.blockLabels[b]);
    context.flags.beginBlock(b);
    if (framed.isMadeAtStartOf(b)) makeFrame(tools, context);
    let move = firstMoves[b];
    for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
      move = emitMoves(tools, context, allocation, move, i);
      if (i + 1 === lir.blockStart[b + 1] && framed.isMadeAtEndOf(b)) makeFrame(tools, context);
      onPart?.(CodePart.Instruction, i, 0);
      if (lir.guard[i] >= 0) context.isBare[lir.guard[i]] = !context.isFramed;
      emitInstruction(machine.rows[lir.opcode[i]], asm, context, i);
      if (lir.referenceCount > 0 && isSafepoint(lir, machine.rows, i))
        labelSafepoint(code, context, i);
    }
    context.flags.endBlock(b);
    if (loopLines !== null) endLoop(tools, k);
  }
  code.bind(context.blockLabels[lir.blockCount]);
  if (context.tables.length > 0 || !context.constants.isEmpty) onPart?.(CodePart.Data, 0, 0);
  emitTables(code, context.tables);
  context.constants.write(code);
}

function makeFrame<Asm>({ target, asm, onPart }: EmitTools<Asm>, context: EmitContext): void {
  onPart?.(CodePart.Prologue, 0, 0);
  context.isFramed = true;
  context.flags.clear();
  target.writer.prologue(asm, context);
}

/** Marks the start of a short loop in the code, if one begins at that position of the order. */
function beginLoop<Asm>(
  { code, arenas, onPart }: EmitTools<Asm>,
  place: number,
  lines: FetchLines,
): void {
  const { shortLoops } = arenas;
  if (!shortLoops.beginsAt(place)) return;
  const end = shortLoops.endOf(place, () => code.newLabel());
  onPart?.(CodePart.Data, 0, 0);
  code.beginLoop(end, lines);
}

function endLoop<Asm>({ code, arenas }: EmitTools<Asm>, place: number): void {
  const end = arenas.shortLoops.endsAt(place);
  if (end !== null) code.bind(end);
}

function emitInstruction<Asm>(row: EmittedRow<Asm>, asm: Asm, c: EmitContext, i: number): void {
  if (!row.keepsFlags) c.flags.clear();
  row.emit(asm, c, i);
  c.flags.wroteDefinitions(c.lir, i);
}

function labelSafepoint(
  code: CodeBuffer,
  { safepoints, safepointLabels }: EmitContext,
  i: number,
): void {
  const label = code.newLabel();
  code.bind(label);
  safepoints.push(i);
  safepointLabels.push(label);
}

/**
 * Returns by block the block that replaces it: itself. From O1 on, a block that only jumps (a split
 * edge without moves) is omitted, and its target replaces it. Also fills `firstMoves`.
 */
function targetBlocks<Asm>(
  { target: { rows }, arranges, arenas }: EmitTools<Asm>,
  { blockCount, blockStart, successorStart, successors, opcode }: Lir,
  allocation: Allocation,
): Int32Array {
  if (arenas.targets.length < blockCount) {
    arenas.targets = new Int32Array(2 * blockCount);
    arenas.firstMoves = new Int32Array(2 * blockCount);
  }
  const { targets, firstMoves, framed } = arenas;
  let move = 0;
  for (let b = 0; b < blockCount; b++) {
    const i = blockStart[b];
    while (move < allocation.moveCount && gapOf(allocation, move) < i) move++;
    firstMoves[b] = move;
    targets[b] = b;
    if (!arranges || blockStart[b + 1] !== i + 1 || !rows[opcode[i]].isTerminator) continue;
    if (successorStart[b + 1] !== successorStart[b] + 1) continue;
    if (framed.isMadeIn(b)) continue;
    if (!hasRealMove(allocation, move, i)) targets[b] = successors[successorStart[b]];
  }
  for (let b = 0; b < blockCount; b++) {
    let end = targets[b];
    let steps = 0;
    while (targets[end] !== end && steps++ < blockCount) end = targets[end];
    // An endless loop of jumps needs at least one block.
    targets[b] = targets[end] === end ? end : b;
  }
  return targets;
}

function labelBlocks(
  code: CodeBuffer,
  target: Int32Array,
  { lir, blockLabels }: EmitContext,
): void {
  for (let b = 0; b <= lir.blockCount; b++) blockLabels[b] = code.newLabel();
  for (let b = 0; b < lir.blockCount; b++) blockLabels[b] = blockLabels[target[b]];
}

const gapOf = ({ moves }: Allocation, move: number): number => moves[move * MOVE_STRIDE] >> 2;

function hasRealMove({ moves, moveCount }: Allocation, first: number, gap: number): boolean {
  for (let m = first; m < moveCount && moves[m * MOVE_STRIDE] >> 2 === gap; m++) {
    const at = m * MOVE_STRIDE;
    if (moves[at + 1] !== moves[at + 2] || moves[at + 4] !== NO_DERIVATION) return true;
  }
  return false;
}

/**
 * Writes the moves of the gap before instruction i, group by group; returns the index of the next
 * move.
 */
function emitMoves<Asm>(
  tools: EmitTools<Asm>,
  context: EmitContext,
  { moves, moveCount }: Allocation,
  firstMove: number,
  i: number,
): number {
  let first = firstMove;
  let step = 0;
  while (first < moveCount && moves[first * MOVE_STRIDE] >> 2 === i) {
    const group = moves[first * MOVE_STRIDE];
    let end = first + 1;
    while (end < moveCount && moves[end * MOVE_STRIDE] === group) end++;
    step = emitParallelMove(tools, context, moves, first, end, step);
    first = end;
  }
  return first;
}

/**
 * Writes one parallel move; returns the number of moves written in the gap so far.
 *
 * @param step the number of moves written in the gap before
 */
function emitParallelMove<Asm>(
  tools: EmitTools<Asm>,
  context: EmitContext,
  moves: Int32Array,
  first: number,
  end: number,
  step: number,
): number {
  const { target, asm, onPart } = tools;
  const { singles } = tools.arenas;
  const gap = moves[first * MOVE_STRIDE] >> 2;
  tools.sequentialize(moves, first, end, target.registers, singles);
  let next = step;
  for (let m = 0; m < singles.count; m++) {
    const [from, to] = [singles.from[m], singles.to[m]];
    if (from === NOWHERE) continue;
    onPart?.(CodePart.Move, gap, next++);
    context.flags.wrote(to);
    if (isRemat(from)) rematerialize(tools, context, from - REMAT, to);
    else if (singles.derivation[m] !== NO_DERIVATION)
      derive(tools, context, from, to, singles.derivation[m]);
    // The list stores a type as its number.
    else target.writer.move(asm, context, from, to, typeOfWord(singles.type[m]));
  }
  return next;
}

/** Writes a derivable instruction again, with its use and its result in other locations. */
function derive<Asm>(
  tools: EmitTools<Asm>,
  context: EmitContext,
  from: number,
  to: number,
  derivation: number,
): void {
  const { target, asm } = tools;
  const { operandStart, operand, location, opcode } = context.lir;
  const i = derivingInstruction(derivation);
  const use = operandStart[i] + 1;
  const isLoaded = isSlot(from) && policyOf(operand[use]) !== OperandPolicy.Any;
  if (isLoaded) target.writer.move(asm, context, from, to, sourceType(0, derivation));
  if (!target.rows[opcode[i]].keepsFlags) context.flags.clear();
  const home = location[use];
  location[use] = locationOfWord(isLoaded ? to : from);
  rematerialize(tools, context, i, to);
  location[use] = home;
}

/** Writes a rematerializable instruction again, with its result in another register. */
function rematerialize<Asm>(
  { target, asm }: EmitTools<Asm>,
  context: EmitContext,
  instruction: number,
  to: number,
): void {
  const { operandStart, location, opcode } = context.lir;
  const definition = operandStart[instruction];
  const home = location[definition];
  location[definition] = locationOfWord(to);
  target.rows[opcode[instruction]].emit(asm, context, instruction);
  location[definition] = home;
}

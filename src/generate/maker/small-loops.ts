// Emits the frame of small loops: a few iterations, counted by a counter of their own, so that the
// loop ends independently of its body.

import { Op } from "../../ir/opcodes.js";
import type { BasicBlock, Value } from "../../ir/procedure.js";
import { Int32, isFloating } from "../../ir/types.js";
import { placeVariables, reserved } from "./joins.js";
import type { ProcedureMaker } from "./maker.js";
import { writtenInLoop, writtenOnBoth } from "./memory.js";
import { observePending } from "./observe.js";
import { LIMITS } from "./odds.js";

/** A loop under construction, as its body uses it. */
export interface SmallLoop {
  /** The counter of the loop, which counts down to 1. */
  readonly counter: Value;
  /** Values carried from the previous iteration, or the initial ones. */
  readonly carried: readonly Value[];
  /** Leaves the loop if the flag is not zero; the following code runs otherwise. */
  readonly leave: (flag: Value) => void;
  /**
   * Adds another back edge: begins the next iteration with these values if the flag is not zero.
   */
  readonly again: (flag: Value, next: readonly Value[]) => void;
}

interface SmallLoopOptions {
  /** The most iterations; 0 for as many as the limits allow, from 2 on. */
  readonly iterations?: number;
  /** Whether the carried values are shown after the loop. */
  readonly isShown?: boolean;
}

/** Returns whether the limits allow a loop here. */
export const hasRoomForSmallLoop = (maker: ProcedureMaker): boolean =>
  maker.proc.blocks.length + 4 < LIMITS.blocks && 3 * maker.iterations <= LIMITS.iterations;

/**
 * Appends a loop that carries values, initially `given`.
 * @param body returns the values for the next iteration
 */
export function makeSmallLoop(
  maker: ProcedureMaker,
  given: readonly Value[],
  body: (loop: SmallLoop) => readonly Value[],
  { iterations = drawIterations(maker), isShown = true }: SmallLoopOptions = {},
): void {
  const { proc } = maker;
  const counter = proc.newValue(Op.Phi, Int32);
  const phis = given.map(({ type }) => proc.newValue(Op.Phi, type));
  maker.upsilon(maker.integer(Int32, iterations), counter);
  given.forEach((value, i) => maker.upsilon(value, phis[i]));
  const [header, exit] = [proc.newBlock(), proc.newBlock()];
  maker.jump(header);
  maker.written = writtenInLoop(maker);
  const scope = maker.mark();
  maker.block = header;
  for (const phi of [counter, ...phis]) maker.place(phi, isFloating(phi.type));
  counter.uses++;
  maker.counters.push({ value: counter, iterations });
  maker.iterations *= iterations;
  const ways: number[][] = [];
  const leave = (flag: Value): void => leaveTo(maker, flag, exit, ways);
  const goBack = (given: readonly Value[]): void => {
    const left = maker.append(Op.Sub, Int32, counter, maker.integer(Int32, 1));
    given.forEach((value, i) => maker.upsilon(value, phis[i]));
    maker.upsilon(left, counter);
    endIteration(maker, left, header, exit);
  };
  const again = (flag: Value, given: readonly Value[]): void => {
    const [back, on] = [proc.newBlock(), proc.newBlock()];
    maker.branch(flag, back, on);
    ways.push(maker.written.slice());
    const mark = maker.mark();
    maker.block = back;
    goBack(given);
    maker.release(mark);
    maker.block = on;
  };
  const next = body({ counter, carried: phis, leave, again }).map(reserved);
  placeVariables(maker, scope.variables);
  observePending(maker, scope, null);
  goBack(next);
  maker.iterations /= iterations;
  maker.counters.length = scope.counters;
  for (const written of ways) maker.written = writtenOnBoth(written, maker.written);
  maker.block = exit;
  // After an exit from the middle, only the values of the header are defined.
  if (ways.length > 0) {
    maker.release(scope);
    for (const phi of phis) maker.live[phi.type].push(phi);
  }
  if (isShown) for (const value of ways.length > 0 ? phis : next) value.uses = 0;
}

/** Returns the number of iterations of a small loop, within the limits. */
export function drawIterations(maker: ProcedureMaker): number {
  const wanted = maker.chance(15) ? drawManyIterations(maker) : 2 + maker.below(5);
  return Math.min(wanted, Math.floor(LIMITS.iterations / maker.iterations));
}

/** Returns a number of iterations with a remainder after unrolling by four or eight. */
export const drawManyIterations = (maker: ProcedureMaker): number => 7 + maker.below(14);

function leaveTo(maker: ProcedureMaker, flag: Value, exit: BasicBlock, ways: number[][]): void {
  const next = maker.proc.newBlock();
  if (maker.chance(70)) maker.branch(flag, exit, next);
  else maker.branch(maker.append(Op.Equal, Int32, flag, maker.integer(flag.type, 0)), next, exit);
  ways.push(maker.written.slice());
  maker.block = next;
}

function endIteration(
  maker: ProcedureMaker,
  left: Value,
  header: BasicBlock,
  exit: BasicBlock,
): void {
  if (maker.chance(50)) maker.branch(left, header, exit);
  else {
    const zero = maker.integer(Int32, 0);
    maker.branch(maker.append(Op.GreaterThan, Int32, left, zero), header, exit);
  }
}

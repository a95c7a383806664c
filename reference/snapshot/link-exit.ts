// Links an exit to a trace: writes code that an exit's stub jumps to, and that enters other code
// with the state of the exit as its arguments. Nothing returns: the frame of the exit has been
// removed, and the other code will return, or exit, as the first would have.
//
// 1. The exit's record names the locations of the state; the calling convention names those of the
//    arguments. Stack arguments overwrite those of the first code: its caller has reserved the
//    space.
// 2. State in the first code's own stack arguments is copied to words below the frame first, because
//    halves of it may overlap the new arguments.
// 3. All other values in registers and slots are moved at once, with these copies. Constants follow,
//    when no location is read any more. Values in halves, and constants for vector registers, go
//    through words below the frame.
// 4. Callee-saved registers are restored last: they may hold state, and no argument goes there.

import type { Value } from "../../src/ir/procedure.js";
import { Int32, Int64, isWide, type Type } from "../../src/ir/types.js";
import { CodeBuffer } from "../emit/code-buffer.js";
import { INCOMING_OFFSET, ProcedureFrame } from "../emit/frame.js";
import { isGeneral, isSlot, isVector, NOWHERE, typeOfWord, VECTOR } from "../lir/lir.js";
import { MOVE_STRIDE, NO_DERIVATION } from "../regalloc/allocation.js";
import { MoveList, type MoveSequentializer } from "../regalloc/parallel-moves.js";
import { ON_STACK, placeArguments, STACK_ARGUMENT_SIZE } from "../target/arguments.js";
import type { Target } from "../target/target.js";
import { type ExitLocation, type ExitRecord, LocationKind } from "./exit-record.js";

/**
 * Returns the state that an exit passes on: the slots of all its frames that have a value,
 * innermost first.
 */
export const stateOf = ({ frames }: ExitRecord): readonly ExitLocation[] =>
  frames.flatMap(({ slots }) => slots.filter(({ place }) => place !== LocationKind.Dead));

/**
 * Returns whether machine code can pass the state on: the harness computes no part of it when the
 * exit is taken.
 */
export const canLink = (record: ExitRecord): boolean =>
  record.blockSize === 0 && stateOf(record).every(({ place }) => !COMPUTED_PLACES.has(place));

const COMPUTED_PLACES: ReadonlySet<LocationKind> = new Set([
  LocationKind.Result,
  LocationKind.Contents,
  LocationKind.Fields,
]);

/**
 * Returns the code of a link, which ends with a jump over `distance` bytes from its start.
 *
 * @param parameters parameters of the code that it enters, as many as the exit passes on
 */
export function generateLink(
  target: Target,
  sequentialize: MoveSequentializer,
  record: ExitRecord,
  parameters: readonly Value[],
  distance: number,
): Uint8Array {
  const link = new LinkWriter(target, record);
  link.write(sequentialize, stateOf(record), parameters);
  return link.jumpOver(distance);
}

/** Returns a jump over that many bytes from its own start. */
export function generateJump(target: Target, distance: number): Uint8Array {
  const code = new CodeBuffer();
  return endWithJump(target, code, target.assembler(code), distance);
}

/** Appends a jump over `distance` bytes from the start of the code, and returns the code. */
function endWithJump(target: Target, code: CodeBuffer, asm: unknown, distance: number): Uint8Array {
  const label = code.newLabel();
  code.bindOutside(label, distance);
  target.writer.jump(asm, label);
  code.resolve();
  return code.bytes.slice(0, code.size);
}

/** A constant, or halves in a word below the frame, that goes to its argument after all moves. */
interface DelayedMove {
  readonly to: number;
  readonly type: Type;
  /** The constant; null if the value is in `word`. */
  readonly constant: ExitLocation | null;
  readonly word: number;
}

/** A stack argument of the first code, which goes to a word below the frame before all moves. */
interface EarlyCopy {
  readonly from: number;
  readonly word: number;
  readonly type: Type;
}

const isOwnArgument = ({ place, index }: ExitLocation): boolean =>
  place === LocationKind.Frame && index < 0;

class LinkWriter {
  private readonly target: Target;
  private readonly frame: ProcedureFrame;
  private readonly below: number;
  private readonly code = new CodeBuffer();
  private readonly asm: unknown;
  private readonly moves: number[] = [];
  private readonly early: EarlyCopy[] = [];
  private readonly late: DelayedMove[] = [];
  private wordCount = 0;

  constructor(target: Target, record: ExitRecord) {
    const { frameSize, saved } = record;
    this.target = target;
    const words = target.integerArguments.length + target.floatArguments.length;
    const own = stateOf(record)
      .flatMap((from) => from.halves ?? [from])
      .filter(isOwnArgument);
    this.below = (WORD_SIZE * (words + own.length) + 15) & ~15;
    this.frame = ProcedureFrame.ofCode(frameSize + this.below, [...saved]);
    this.asm = target.assembler(this.code);
  }

  write(
    sequentialize: MoveSequentializer,
    state: readonly ExitLocation[],
    parameters: readonly Value[],
  ): void {
    const { target, asm, frame } = this;
    const places: number[] = [];
    placeArguments(parameters, target, places);
    state.forEach((from, i) => this.planMove(from, this.argumentAt(places[i])));
    const moves = Int32Array.from(this.moves);
    const singles = new MoveList();
    sequentialize(moves, 0, moves.length / MOVE_STRIDE, target.registers, singles);
    target.writer.lowerStack(asm, this.below);
    for (const { from, word, type } of this.early) {
      this.move(from, target.registers.generalScratch, type);
      this.move(target.registers.generalScratch, word, type);
    }
    for (let m = 0; m < singles.count; m++) {
      this.move(singles.from[m], singles.to[m], typeOfWord(singles.type[m]));
    }
    for (const late of this.late) this.finish(late);
    target.writer.leave(asm, { frame });
  }

  jumpOver(distance: number): Uint8Array {
    return endWithJump(this.target, this.code, this.asm, distance);
  }

  private argumentAt(place: number): number {
    if (place < ON_STACK) return place;
    return this.frame.spillAt(INCOMING_OFFSET + STACK_ARGUMENT_SIZE * (place - ON_STACK));
  }

  /** Plans the moves of a value to its argument. */
  private planMove(from: ExitLocation, to: number): void {
    const { type, halves } = from;
    if (halves === null) this.planWhole(from, to, type);
    else if (isSlot(to)) this.planHalves(halves, to);
    else {
      const word = this.newWord();
      this.planHalves(halves, word);
      this.late.push({ to, type, constant: null, word });
    }
  }

  private planHalves([low, high]: readonly [ExitLocation, ExitLocation], to: number): void {
    this.planWhole(low, to, Int32);
    this.planWhole(high, to + 1, Int32);
  }

  private planWhole(from: ExitLocation, to: number, type: Type): void {
    if (from.place === LocationKind.Constant) {
      const word = isVector(to) ? this.newWord() : NOWHERE;
      this.late.push({ to, type, constant: from, word });
    } else this.moves.push(0, this.sourceOf(from), to, type, NO_DERIVATION);
  }

  private sourceOf(location: ExitLocation): number {
    const { place, index, type } = location;
    if (place === LocationKind.General) return index;
    if (place === LocationKind.Vector) return VECTOR + index;
    const from = this.frame.spillAt(-index);
    if (!isOwnArgument(location)) return from;
    const word = this.newWord();
    this.early.push({ from, word, type: isWide(type) ? Int64 : Int32 });
    return word;
  }

  private newWord(): number {
    return this.frame.spillAt(WORD_SIZE * this.wordCount++ - this.frame.size);
  }

  private finish({ to, type, constant, word }: DelayedMove): void {
    const { target, asm } = this;
    if (constant === null) {
      this.move(word, to, type);
      return;
    }
    const scratch = target.registers.generalScratch;
    target.writer.constant(asm, isGeneral(to) ? to : scratch, constant.lo, constant.hi);
    if (isSlot(to)) this.move(scratch, to, type);
    else if (isVector(to)) {
      this.move(scratch, word, Int64);
      this.move(word, to, type);
    }
  }

  private move(from: number, to: number, type: Type): void {
    this.target.writer.move(this.asm, { frame: this.frame }, from, to, type);
  }
}

const WORD_SIZE = 8;

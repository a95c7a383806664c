// Generates programs: start reading here. A program is drawn top down: its opcodes and types
// (swarm), its memory layout, and its entry (control, contents, exits). The callees and
// continuations of the entry follow, and then the inputs.

import { Op } from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import { Module, Procedure, type Value } from "../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating, type Type, Void } from "../ir/types.js";
import { type ChoiceSource, within } from "../support/source.js";
import { emitPlain } from "./contents/contents.js";
import { drawIdioms } from "./contents/idioms.js";
import { returnEarly } from "./control/early-returns.js";
import { emitReturn, makeRegion } from "./control/shape.js";
import { type ForcedGuard, forceGuards, forceInputs, SOME_GUARDS } from "./forced-guards.js";
import { makeFrame, readFrame } from "./frames.js";
import { drawInputs } from "./inputs.js";
import { drawRecursion, drawTailCalls, emitRecursion } from "./maker/calls.js";
import { stateClasses } from "./maker/classes.js";
import { pickParameter, pickSpecial } from "./maker/conditions.js";
import { emitCheck, emitCrowdedCheck } from "./maker/exits.js";
import { drawLayout, OBJECT_BYTES } from "./maker/heap-layout.js";
import { placeVariables } from "./maker/joins.js";
import { useKeptAddress } from "./maker/kept-slots.js";
import {
  type CallableProcedure,
  type MakerSpan,
  type ModuleContext,
  type PendingProcedure,
  ProcedureMaker,
} from "./maker/maker.js";
import { pickAddress, placeIn, writeFixed } from "./maker/memory.js";
import { setPointer } from "./maker/objects.js";
import { mixInto, observe, observePending } from "./maker/observe.js";
import { chance, type GeneratorProfile, LIMITS } from "./maker/odds.js";
import type { PatternRule } from "./maker/patterns.js";
import { drawResult } from "./maker/results.js";
import { repeat } from "./maker/rows.js";
import { isCrowdDue, makeCrowd } from "./maker/slots.js";
import { drawSwarm, drawType, type Swarm } from "./maker/swarm.js";

export interface Program {
  readonly module: Module;
  /** The inputs of the program, four or more. */
  readonly inputs: Input[];
  /** The values of each maker, for measuring the distribution. */
  readonly made: readonly MakerSpan[];
}

/** A program with information from its generation. */
export interface GeneratedProgram extends Program {
  /** Operations whose constant operands may be any constant. */
  readonly free: readonly Value[];
}

/**
 * Generates a random program that is valid, ends, and is defined in every execution. The same
 * choices give the same program.
 * @param inputSource the source of the inputs, if not `source`: a change of the program's choices
 * then leaves the inputs as they are
 * @param patterns rules of an optimizer to instantiate
 */
export function generateProgram(
  source: ChoiceSource,
  profile: GeneratorProfile = {},
  inputSource: ChoiceSource = source,
  patterns: readonly PatternRule[] = [],
): GeneratedProgram {
  return generateAround(makeContents, source, profile, inputSource, patterns);
}

/**
 * Generates a program whose entry has the given contents, so that a test can draw one shape alone.
 * @param makeContents appends the contents; returns values to use at the end
 */
export function generateAround(
  makeContents: (maker: ProcedureMaker) => readonly Value[],
  source: ChoiceSource,
  profile: GeneratorProfile = {},
  inputSource: ChoiceSource = source,
  patterns: readonly PatternRule[] = [],
): GeneratedProgram {
  const swarm = within(source, "swarm", () => drawSwarm(source, profile));
  const layout = within(source, "layout", () => drawLayout(source));
  const idioms = within(source, "idioms", () => drawIdioms(source, swarm.dials));
  const module = new Module();
  const objectBytes = swarm.storesOpenNaN && chance(source, swarm.dials.objects) ? OBJECT_BYTES : 0;
  module.heapSize = layout.heapSize + objectBytes;
  const context: ModuleContext = {
    source,
    swarm,
    module,
    layout,
    classes: null,
    aims: [],
    free: [],
    made: [],
    patterns,
    idioms,
    pending: [],
    callees: [],
    nextExit: source.below(4),
    crowds: chance(source, swarm.dials.crowd) ? 1 + source.below(2) : 0,
    nextCell: 0,
    nextOpenCell: 0,
    objectBytes,
    keepsSlots: false,
  };
  const entry = new Procedure("main", drawResult(source, swarm));
  module.procedures.push(entry);
  const heapBaseAt = addParameters(source, entry, swarm);
  within(source, "entry", () => {
    const maker = new ProcedureMaker(context, entry, heapBaseAt);
    finish(maker, makeContents(maker));
  });
  // Continuations may have guards and request more continuations, up to the limit of procedures.
  for (let next = context.pending.pop(); next !== undefined; next = context.pending.pop()) {
    const { callee } = next;
    if (callee === null) within(source, "continuation", () => makeContinuation(context, next));
    else within(source, "callee", () => makeCallee(context, next, callee));
  }
  for (const proc of module.procedures) arrangeBlocks(source, swarm, proc);
  const drawn = within(inputSource, "inputs", () =>
    drawInputs(inputSource, entry, heapBaseAt, context.aims, swarm.dials),
  );
  const forced = chance(source, swarm.dials.forced) ? force(context) : null;
  const inputs = forced === null ? drawn : forceInputs(drawn, forced, inputSource);
  return { module, inputs, free: context.free, made: context.made };
}

// Forces guards of all compiled procedures, that is, of all except continuations.
function force({ module, callees, made, source }: ModuleContext): readonly ForcedGuard[] {
  const compiled = [module.entry, ...callees.map(({ proc }) => proc)];
  const starts = compiled.map(({ valueIdEnd }) => valueIdEnd);
  const forced = forceGuards(module, compiled, source, SOME_GUARDS);
  compiled.forEach((proc, p) => {
    made.push({ maker: "forced guards", proc, from: starts[p], to: proc.valueIdEnd });
  });
  return forced;
}

// Adds parameters of the types in use, at times more than registers hold; returns the position of
// the heap base.
function addParameters(source: ChoiceSource, entry: Procedure, swarm: Swarm): number {
  const types: Type[] = [Int32];
  let integers = LIMITS.integerParameters - 2; // one exists already, one is the heap base
  let floats = LIMITS.floatParameters;
  const count = source.below(swarm.dials.parameters + 1);
  for (let i = 0; i < count; i++) {
    const type = drawType(source, swarm);
    if ((isFloating(type) ? floats-- : integers--) > 0) types.push(type);
  }
  const heapBaseAt = chance(source, 25) ? source.below(types.length + 1) : 0;
  types.splice(heapBaseAt, 0, Int64);
  for (const type of types) entry.newParameter(type);
  return heapBaseAt;
}

// Appends the contents of an entry; returns the values that are used at its end.
function makeContents(maker: ProcedureMaker): readonly Value[] {
  const { dials } = maker;
  const hasPointer = setPointer(maker);
  // Invariant loads require that their bytes are never written again, and the pointer must not be
  // set back, so the entry must not restart.
  if (!writeFixed(maker) && !hasPointer) drawTailCalls(maker, dials.tailCall, CALLED);
  const written = maker.chance(dials.bigFrame) ? makeFrame(maker) : [];
  const kept = makeKept(maker);
  // The sizes are uniform over a factor of two.
  const size = (dials.size >> 1) + maker.below(dials.size);
  if (isCrowdDue(maker)) {
    makeCrowd(maker);
    makeRegion(maker, size >> 1, dials.depth);
    while (isCrowdDue(maker)) emitCrowdedCheck(maker);
    makeRegion(maker, size >> 1, dials.depth);
  } else {
    makeRegion(maker, size, dials.depth);
  }
  readFrame(maker, written);
  return kept;
}

function makeContinuation(
  context: ModuleContext,
  { proc, heapBaseAt, rank }: PendingProcedure,
): void {
  const maker = new ProcedureMaker(context, proc, heapBaseAt);
  maker.rank = rank;
  maker.isCompiled = false;
  const { resumeSize } = maker.dials;
  makeRegion(maker, (resumeSize >> 1) + maker.below(resumeSize), 1);
  observeParameters(maker);
  finish(maker, []);
}

function makeCallee(
  context: ModuleContext,
  { proc, heapBaseAt, rank }: PendingProcedure,
  callee: CallableProcedure,
): void {
  const maker = new ProcedureMaker(context, proc, heapBaseAt);
  maker.rank = rank;
  maker.iterations = callee.iterations;
  const mask = drawRecursion(maker, callee);
  if (callee.isPlain) {
    if (maker.chance(EARLY_RETURN)) returnEarly(maker);
    makePlain(maker, callee, mask);
    return;
  }
  if (mask === 0) drawTailCalls(maker, maker.dials.tailCall, CALLED);
  if (maker.chance(EARLY_RETURN)) returnEarly(maker);
  const kept = makeKept(maker);
  const calleeSize = maker.dials.calleeSize * (maker.chance(maker.dials.bulk) ? BULK_FACTOR : 1);
  makeRegion(maker, (calleeSize >> 1) + maker.below(calleeSize), 1);
  if (maker.chance(maker.dials.calleeGuard)) emitCheck(maker);
  if (context.keepsSlots && maker.chance(35)) useKeptAddress(maker);
  if (mask > 0) emitRecursion(maker, callee, mask);
  if (maker.chance(40)) makeRegion(maker, maker.below(calleeSize), 1);
  observeParameters(maker);
  finish(maker, kept);
}

// Emits a callee whose activations are all alike, to enable optimizations of recursion: most such
// callees call themselves.
function makePlain(maker: ProcedureMaker, callee: CallableProcedure, mask: number): void {
  if (mask === 0) drawTailCalls(maker, PLAIN.tailCall, PLAIN.called);
  for (let steps = 1 + maker.below(maker.dials.calleeSize); steps > 0; steps--) emitPlain(maker);
  if (mask > 0) emitRecursion(maker, callee, mask);
  observeParameters(maker);
  finish(maker, []);
}
const PLAIN = { tailCall: 75, called: 90 };
/** Percentage of restarting procedures that call themselves and return the result. */
const CALLED = 40;

/** Percentage of callees that may return at once. */
const EARLY_RETURN = 20;

/** The factor for the size of a callee that should not be inlined. */
const BULK_FACTOR = 4;

// Shows each slot or argument, so that a wrong one is detected; of hundreds, a sample.
function observeParameters(maker: ProcedureMaker): void {
  const { parameters } = maker.proc;
  const percent = parameters.length > PARAMETERS_ALL_SEEN ? 20 : 100;
  for (const parameter of parameters) {
    if (parameter === maker.heapBase || parameter.uses > 0) continue;
    if (percent === 100 || maker.chance(percent)) observe(maker, parameter);
  }
}
const PARAMETERS_ALL_SEEN = 30;

// Emits values that are defined first and used last: together more than any bank has registers.
function makeKept(maker: ProcedureMaker): Value[] {
  const { heapBase, swarm, dials } = maker;
  const kept: Value[] = [];
  const count = maker.below(dials.keep + 1);
  const banks = maker.below(3);
  repeat(maker, count, () => {
    const isInteger = banks === 0 || (banks === 2 && maker.chance(50));
    const type = keptType(maker, swarm, isInteger);
    if (heapBase !== null && maker.chance(50)) {
      const address = pickAddress(maker, heapBase);
      const load = maker.emit(Op.Load, type, address.value);
      load.offset = placeIn(maker, address, 8);
      kept.push(load);
    } else {
      kept.push(
        maker.emit(
          KEPT[maker.below(KEPT.length)],
          type,
          pickParameter(maker, type),
          maker.pick(type),
        ),
      );
    }
    kept[kept.length - 1].uses++; // at the end
  });
  return kept;
}
const KEPT = [Op.Add, Op.Sub, Op.Mul];

function keptType(maker: ProcedureMaker, swarm: Swarm, isInteger: boolean): Type {
  const { hasType } = swarm;
  const [narrow, wide] = isInteger ? [Int32, Int64] : [Float, Double];
  if (hasType[narrow] && hasType[wide]) return maker.chance(50) ? narrow : wide;
  return hasType[wide] ? wide : hasType[narrow] ? narrow : Int32;
}

// Uses the kept values, shows unused results, and returns.
function finish(maker: ProcedureMaker, kept: readonly Value[]): void {
  const { result } = maker.proc;
  placeVariables(maker, 0);
  let sum = drawSum(maker, result);
  for (let i = kept.length - 1; i >= 0; i--) {
    if (sum !== null && (!isFloating(kept[i].type) || maker.chance(30))) {
      sum = mixInto(maker, sum, kept[i]);
    } else {
      observe(maker, kept[i]);
    }
  }
  const last = drawLast(maker, result);
  if (last !== null) last.uses++;
  sum = observePending(maker, null, sum);
  if (sum !== null && (last !== null || sum.type !== result)) observe(maker, sum);
  emitReturn(maker, last ?? sum);
  stateClasses(maker);
}

// Returns the result. A float result is returned directly, not as a sum of bits, since such sums
// are rarely special values.
function drawLast(maker: ProcedureMaker, result: Type): Value | null {
  if (result === Void) return null;
  if (maker.chance(4)) return pickSpecial(maker, result);
  return isFloating(result) && maker.chance(50) ? arithmetic(maker, result) : null;
}

function arithmetic(maker: ProcedureMaker, type: Type): Value {
  const opcodes = [Op.Add, Op.Sub, Op.Mul, Op.Div];
  const x = maker.pickValue(type);
  return maker.emit(opcodes[maker.below(4)], type, x, maker.pickBeside(type, x));
}

// Returns the value to which bits are added: the result if it is an integer, otherwise at times one
// that is stored.
function drawSum(maker: ProcedureMaker, result: Type): Value | null {
  if (result === Int32 || result === Int64) return maker.pickValue(result);
  return maker.chance(40) ? maker.pickValue(Int32) : null;
}

// At times shuffles the blocks; only the first must stay. Frequencies are hints, so any values will
// do.
function arrangeBlocks(source: ChoiceSource, swarm: Swarm, proc: Procedure): void {
  const { blocks } = proc;
  if (chance(source, swarm.dials.shuffle)) {
    for (let i = blocks.length - 1; i > 1; i--) {
      const j = 1 + source.below(i);
      [blocks[i], blocks[j]] = [blocks[j], blocks[i]];
    }
  }
  if (!chance(source, 20)) return;
  for (const block of blocks) block.frequency = FREQUENCIES[source.below(FREQUENCIES.length)];
}
const FREQUENCIES = [1, 1, 2, 10, 100];

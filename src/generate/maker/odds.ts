// Defines all probabilities of the generator. Each program draws every dial: mostly its `usual`
// value, sometimes an extreme. Odds that vary between programs find more bugs than the best fixed
// ones.
//
// Three things never occur: executed accesses outside the heap, loads of unwritten slot bytes, and
// uses of the bits of an open NaN. Such an execution is not judged, so its time would be wasted.

import type { Opcode } from "../../ir/opcodes.js";
import type { SubsetRules } from "../../ir/subset.js";
import type { ChoiceSource } from "../../support/source.js";

/** The range of a probability. Values are percentages, unless `why` names another unit. */
interface DialRange {
  readonly low: number;
  readonly usual: number;
  readonly high: number;
  readonly why: string;
}

// biome-ignore format: a table
const DIALS = {
  size:          { low: 35,  usual: 76,  high: 190, why: "values drawn for the entry; folding them at the end adds a fifth" },
  resumeSize:    { low: 3,   usual: 8,   high: 24,  why: "values drawn for a continuation: few, since it only checks that the slots arrived" },
  calleeSize:    { low: 4,   usual: 14,  high: 50,  why: "values drawn for a callee, at times twice" },
  plainCallee:   { low: 0,   usual: 14,  high: 50,  why: "callees without exit, slot, patchpoint or branch of their own, whose activations are indistinguishable" },
  bulk:          { low: 0,   usual: 4,   high: 30,  why: "callees several times as large, which compilers do not inline" },
  depth:         { low: 1,   usual: 3,   high: 4,   why: "levels of nesting; deeper leaves too few values for each block" },
  off:           { low: 0,   usual: 14,  high: 45,  why: "opcodes switched off, so that the others are combined more often" },
  typeOff:       { low: 0,   usual: 8,   high: 40,  why: "types switched off, except Int32" },

  constant:      { low: 6,   usual: 17,  high: 34,  why: "operands that are constants" },
  tame:          { low: 30,  usual: 60,  high: 85,  why: "float constants and inputs that are ordinary numbers: otherwise all sums end as NaN" },
  pending:       { low: 20,  usual: 50,  high: 75,  why: "operands taken from unused values, which makes deep trees" },
  same:          { low: 1,   usual: 4,   high: 10,  why: "second operands that repeat the first: x - x, x == x" },
  idiom:         { low: 3,   usual: 17,  high: 36,  why: "steps that emit a pattern which optimizers and encoders treat specially" },
  rule:          { low: 0,   usual: 7,   high: 20,  why: "steps that emit an instance of a rule, or nearly one: there are hundreds of rules to cover" },
  forms:         { low: 0,   usual: 5,   high: 40,  why: "steps that emit an operand which an instruction computes itself: there are hundreds of forms to cover" },
  repeat:        { low: 0,   usual: 5,   high: 16,  why: "steps that repeat an expression: common subexpressions and near misses" },
  relation:      { low: 0,   usual: 20,  high: 60,  why: "steps that relate a value to one that another maker left; comparisons and repeated constants next to another" },
  procedures:    { low: 0,   usual: 7,   high: 16,  why: "steps that call a procedure of the module" },
  argument:      { low: 0,   usual: 2,   high: 8,   why: "steps that read a parameter from its register" },
  terminal:      { low: 0,   usual: 8,   high: 30,  why: "procedures and arms that end in a patchpoint" },
  tailCall:      { low: 0,   usual: 20,  high: 70,  why: "procedures that call themselves where they return, until a parameter is counted down" },
  deoptCalls:    { low: 0,   usual: 16,  high: 60,  why: "calls of procedures that check the callee's deoptimization flag" },
  results:       { low: 0,   usual: 22,  high: 80,  why: "callees and inner continuations with more than one result" },
  variable:      { low: 0,   usual: 4,   high: 14,  why: "steps that write or read a Phi out of edge form" },

  memory:        { low: 30,  usual: 108, high: 260, why: "weight of loads and stores, in percent of the table's" },
  calls:         { low: 0,   usual: 185,  high: 260, why: "weight of host calls, in percent of the table's" },
  patchpoints:   { low: 0,   usual: 312, high: 400, why: "weight of patchpoints, in percent of the table's" },
  guards:        { low: 0,   usual: 330, high: 500, why: "weight of guards, in percent of the table's" },
  stack:         { low: 0,   usual: 22,  high: 65,  why: "accesses to a stack slot" },
  index:         { low: 15,  usual: 40,  high: 80,  why: "heap addresses with a computed index, which may alias, overlap or miss" },
  stepped:       { low: 0,   usual: 25,  high: 60,  why: "addresses derived from another one by a further index or a distance" },

  structure:     { low: 12,  usual: 54,  high: 64,  why: "steps of a region that are control flow, if depth and room allow" },
  loop:          { low: 12,  usual: 104, high: 120,  why: "weight among structures" },
  diamond:       { low: 10,  usual: 26,  high: 60,  why: "weight among structures; half of them without else" },
  choice:        { low: 0,   usual: 16,  high: 60,  why: "weight among structures: diamonds that only select, and flags that a later branch tests" },
  chain:         { low: 0,   usual: 9,   high: 40,  why: "weight among structures: chains of comparisons and branches, as for a switch" },
  switches:      { low: 0,   usual: 17,  high: 45,  why: "weight among structures: a Switch with consecutive or scattered keys" },
  irreducible:   { low: 0,   usual: 5,   high: 30,  why: "weight among structures: loops with two entries" },
  decoy:         { low: 0,   usual: 14,  high: 50,  why: "weight among structures: edges that are never taken, to any block that dominance allows" },
  leave:         { low: 0,   usual: 8,   high: 25,  why: "arms that return" },
  leaveLoop:     { low: 0,   usual: 20,  high: 50,  why: "loops with a second exit" },
  arrayLoop:     { low: 0,   usual: 26,  high: 60,  why: "loops over an array with a bounds check for each access" },
  quietLoop:     { low: 0,   usual: 8,   high: 30,  why: "loops of one block that only compute" },
  cornerLoop:    { low: 0,   usual: 45,  high: 90,  why: "weight among structures: small loops in forms that are easily moved or analyzed wrongly" },
  cornerJoin:    { low: 0,   usual: 24,  high: 80,  why: "weight among structures: branches and joins in such forms; long, deep and wide straight-line code" },
  iterations:    { low: 3,   usual: 7,   high: 14,  why: "the most iterations of one loop" },
  longLoop:      { low: 0,   usual: 18,  high: 50,  why: "loops of few values with 7 iterations or more" },
  carried:       { low: 1,   usual: 3,   high: 7,   why: "the most values carried by one loop" },
  facts:         { low: 0,   usual: 14,  high: 60,  why: "weight among structures: values with different facts meet in a Phi, a Select or memory" },
  comparisons:   { low: 0,   usual: 8,   high: 45,  why: "weight among structures: one comparison is a number and a condition, in chains and in branches" },
  boxes:         { low: 0,   usual: 6,   high: 60,  why: "weight among structures: boxes of tag and payload, in loops, choices and memory, with guards on the tag" },
  shuffle:       { low: 0,   usual: 30,  high: 100, why: "procedures whose blocks are in random order" },

  failing:       { low: 10,  usual: 55,  high: 80,  why: "guards that fail for some input or visit; too many would end each run at its start" },
  visit:         { low: 0,   usual: 16,  high: 45,  why: "loops with a guard that fails on some visit, first or late" },
  forced:        { low: 0,   usual: 4,   high: 25,  why: "programs that take each guard's exit in turn, on first, second and later visits, selected by a number in each input" },
  share:         { low: 0,   usual: 22,  high: 60,  why: "guards that share an earlier snapshot" },
  exitBlock:     { low: 5,   usual: 35,  high: 80,  why: "snapshots that compute something when the exit is taken" },
  resume:        { low: 10,  usual: 60,  high: 95,  why: "exits with continuations, up to the limit of procedures" },
  calleeGuard:   { low: 0,   usual: 60,  high: 100, why: "callees with a guard in addition to those of the table: the caller continues after the exit" },
  frames:        { low: 10,  usual: 30,  high: 60,  why: "snapshots with a second frame, and of these with a third" },
  crowd:         { low: 0,   usual: 2,   high: 4,   why: "programs with exits of hundreds of slots, in up to four frames" },
  slots:         { low: 2,   usual: 6,   high: 12,  why: "the most slots of one frame" },

  bigFrame:      { low: 0,   usual: 2,   high: 6,   why: "programs with hundreds of stack slots, or with slots larger than displacements reach" },

  contents:      { low: 0,   usual: 18,  high: 60,  why: "snapshots that show the bytes of an anonymous slot" },
  deadHeap:      { low: 0,   usual: 12,  high: 45,  why: "snapshots that mark bytes of the heap as dead" },
  deadBytes:     { low: 0,   usual: 12,  high: 45,  why: "the same, counted from an address" },

  classes:       { low: 0,   usual: 20,  high: 100, why: "accesses that state their class of memory, if it is known" },

  objects:       { low: 0,   usual: 24,  high: 80,  why: "programs that create objects, among those in which no host function reads the heap" },

  keep:          { low: 0,   usual: 4,   high: 36,  why: "the most values defined first and used last: more than any bank has registers" },
  parameters:    { low: 2,   usual: 5,   high: 22,  why: "the most parameters besides the heap base: more than registers hold" },
  zeroHeap:      { low: 5,   usual: 25,  high: 60,  why: "inputs whose heap starts as zeroes" },
} as const satisfies Record<string, DialRange>;

export type DialName = keyof typeof DIALS;
export type DialValues = { readonly [D in DialName]: number };
/** Dials with a fixed value instead of a drawn one; and an opcode that is drawn more often. */
export type GeneratorProfile = Partial<DialValues> & {
  readonly favored?: Opcode;
  /** A subset of the language: other types and opcodes are not drawn by weight. */
  readonly within?: SubsetRules;
};

/** Profiles by name, for the command line. */
export const PROFILES: { readonly [name: string]: GeneratorProfile } = {
  usual: {},
  pressure: { keep: 24, carried: 6, parameters: 22, constant: 8 },
  memory: { memory: 260, index: 60, stack: 35 },
  exits: { guards: 280, failing: 40, exitBlock: 60, resume: 90, frames: 50 },
  control: { structure: 55, depth: 4, irreducible: 25, decoy: 35, shuffle: 100 },
  patchpoints: { patchpoints: 900, argument: 8, terminal: 30, keep: 6 },
  // Programs that a trace recorder accepts: short loops and calls, few stack slots, exits with
  // continuations. Features that abort a recording are rare: tail calls, calls with a
  // deoptimization flag, guards that always fail.
  traced: {
    size: 30,
    calleeSize: 10,
    bulk: 0,
    tailCall: 4,
    deoptCalls: 4,
    stack: 0,
    contents: 0,
    bigFrame: 0,
    terminal: 0,
    patchpoints: 60,
    procedures: 16,
    failing: 20,
    resume: 95,
    crowd: 0,
    keep: 2,
  },
  objects: { objects: 100, calls: 60, guards: 400, failing: 45, stack: 8 },
  boxes: { boxes: 200, guards: 300, failing: 40, loop: 30 },
  small: { size: 18, depth: 1, keep: 0, resumeSize: 6 },
};

export const LIMITS = {
  /**
   * The product of the iterations of nested loops: an execution stays within a few thousand values.
   */
  iterations: 40,
  /** The entry and its continuations; callees; additional continuations of callees. */
  procedures: 7,
  callees: 4,
  calleeContinuations: 5,
  blocks: 60,
  /**
   * Frames of a snapshot; slots of a crowded one in total, with room for an inner frame's result.
   */
  frames: 4,
  slots: 500,
  /** Parameters: some more than either target passes in registers. */
  integerParameters: 10,
  floatParameters: 12,
  stackSlots: 4,
} as const;

const DIAL_NAMES = Object.keys(DIALS) as readonly DialName[]; // keys of the table, by construction

/** Sets each dial for one program: in six of eight cases to `usual`. */
export function drawDials(source: ChoiceSource, profile: GeneratorProfile): DialValues {
  const drawn: Partial<Record<DialName, number>> = {};
  for (const name of DIAL_NAMES) {
    const { low, usual, high } = DIALS[name];
    const roll = source.below(8);
    drawn[name] = profile[name] ?? (roll === 7 ? high : roll === 6 ? low : usual);
  }
  return drawn as DialValues; // every name was set
}

/**
 * Returns true in `percent` of a hundred cases; false if a source is exhausted, so that its
 * programs stay small.
 */
export const chance = (source: ChoiceSource, percent: number): boolean =>
  source.below(100) >= 100 - percent;

// Tests the law of rewrite rules: a program and its rewritten form have the same outcomes at
// boundary values. Does the same for whole phases. The test is in this folder because no other may
// import both the oracle and the rules.

import { readdirSync, readFileSync } from "node:fs";
import test, { type ExecutionContext } from "ava";
import {
  type ConstantChoice,
  type InstanceOptions,
  instantiate,
  literalWords,
  type TypedRule,
  type TypedTerm,
  typedRulesOf,
  valueVariablesOf,
} from "../../reference/optimize/rules/instantiate.js";
import {
  bindsConstant,
  isPattern,
  isVariable,
  type PatternVariable,
  type Rule,
  VARIABLES,
} from "../../reference/optimize/rules/patterns.js";
import { RULES } from "../../reference/optimize/rules/rules.js";
import { optimize } from "../../reference/optimize.js";
import { PHASES } from "../../reference/pipeline.js";
import { Builder } from "../ir/builder.js";
import { cloneModule } from "../ir/clone.js";
import { type HostFunction, hostFunctionNamed } from "../ir/host-functions.js";
import { EFFECTS, Op, READS_MEMORY, WRITES_MEMORY } from "../ir/opcodes.js";
import {
  HEAP_BASE,
  HEAP_BASE_HI,
  HEAP_BASE_LO,
  type Input,
  isBits,
  isJudged,
  type ObservedBits,
  type Outcome,
  type SlotBits,
} from "../ir/outcome.js";
import { type BasicBlock, Module, Procedure, type Value } from "../ir/procedure.js";
import { isNaNBits } from "../ir/text/literals.js";
import { parseModule } from "../ir/text/parse.js";
import { printModule } from "../ir/text/print.js";
import { checkExpectation, printOutcome, runLines } from "../ir/text/run-line.js";
import { Double, Float, Int32, isInteger, nameOfType, type Type, Void } from "../ir/types.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import type { WordPair } from "../ir/words.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { assert } from "../support/assert.js";
import { type ChoiceSource, SeedSource } from "../support/source.js";
import { trials } from "../support/trials.js";

const LOG_INT = hostFunction("logInt");
const MIX = hostFunction("mix32");
const FUEL_MAX = 1000;
/**
 * The greatest number of choices of constants that run for one shape: those that match the rule,
 * and those that miss it.
 */
const TAKEN_MAX = trials(14, 40);
const MISSED_MAX = 8;
/** The number of choices that are tried for one shape. */
const CHOICES_MAX = trials(150, 420);
/** Folding rules depend only on constants, so more of their choices run. */
const FOLDED_MAX = trials(90, 400);
const INPUTS_MAX = 30;

const oracle = new Oracle();

// biome-ignore format: a table
const INT32: readonly number[] = [
  0, 1, -1, 2, 3, 5, 7, 8, 16, 24, 31, 32, 33, 40, 63, 64, -2, -128, 127, 128, 255, 256, 32767, 65535, 65536, 0x7fff_ffff, -0x8000_0000,
  0x5555_5555, -0x5555_5556,
];
const INT64: readonly WordPair[] = [
  ...INT32.map((word): WordPair => [word, word >> 31]),
  ...([
    [-1, 0],
    [0, 1],
    [0, -1],
    [0, -0x8000_0000],
    [-1, 0x7fff_ffff],
    [-2, 0x7fff_ffff],
  ] as const),
  [HEAP_BASE_LO + 64, HEAP_BASE_HI],
  [0x89ab_cdef | 0, 0x0123_4567],
];
// biome-ignore format: a table
const NUMBERS: readonly number[] = [
  0, -0, 1, -1, 2, -2, 0.5, -0.5, 1.5, 3, 7, -1.25, 0.1, 1e10, 2 ** 31, -(2 ** 31), 2 ** 63, 2 ** 24 + 1, 2 ** -149, 2 ** -127, 2 ** 127,
  2 ** -1074, 2 ** 1023, 3.4028234663852886e38, Number.MAX_VALUE, 1.1754943508222875e-38, 2.2250738585072014e-308, Infinity, -Infinity,
];
const FLOATS: readonly WordPair[] = [
  ...NUMBERS.map(floatWords),
  ...([
    [0x7fc0_0000, 0],
    [0x7f80_0001, 0],
    [-1, 0],
  ] as const), // quiet, signalling, negative NaN
];
const DOUBLES: readonly WordPair[] = [
  ...NUMBERS.map(doubleWords),
  ...([
    [0, 0x7ff8_0000],
    [1, 0x7ff0_0000],
    [-1, -1],
  ] as const),
];

function floatWords(x: number): WordPair {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, x);
  return [view.getInt32(0), 0];
}

function doubleWords(x: number): WordPair {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return [view.getInt32(4), view.getInt32(0)];
}

function boundaryOf(type: Type): readonly WordPair[] {
  if (type === Int32) return INT32.map((word) => [word, 0]);
  if (type === Float) return FLOATS;
  return type === Double ? DOUBLES : INT64;
}

/**
 * Returns up to `count` of all tuples, spread evenly; the first and the diagonal are always among
 * them.
 */
function tuples(lists: readonly (readonly WordPair[])[], count: number): WordPair[][] {
  let total = 1;
  for (const list of lists) total *= list.length;
  // A step without a common factor with the lengths visits all combinations.
  const step = total <= count ? 1 : Math.floor(total / count) | 1;
  const found: WordPair[][] = [];
  for (let i = 0; i < total && found.length < count; i += step) {
    let rest = i;
    found.push(
      lists.map((list) => {
        const at = rest % list.length;
        rest = Math.floor(rest / list.length);
        return list[at];
      }),
    );
  }
  const diagonal = Math.max(...lists.map((list) => list.length));
  for (let i = 0; lists.length > 1 && i < diagonal && i < count; i += 3) {
    found.push(lists.map((list) => list[i % list.length]));
  }
  return found;
}

/** @param words the constants c and d, if they occur */
function inputsFor(shape: TypedRule, proc: Procedure, words: readonly WordPair[]): Input[] {
  const variables = valueVariablesOf(shape);
  const lists = proc.parameters.map(({ type }, p) =>
    p < variables.length && isAddress(variables[p], shape.root)
      ? addressesFor(words)
      : boundaryOf(type),
  );
  return tuples(lists, INPUTS_MAX).map((tuple) => ({
    words: Int32Array.from(tuple.flat()),
    heapSeed: 5,
  }));
}

/** Returns true if the variable is used as an address, alone or in a sum. */
function isAddress(variable: PatternVariable, { opcode, operands }: TypedTerm): boolean {
  if (opcode === null) return false;
  const effects = EFFECTS[opcode];
  const at = (effects & WRITES_MEMORY) !== 0 ? 1 : (effects & READS_MEMORY) !== 0 ? 0 : -1;
  return operands.some(
    (operand, i) => (i === at && mentions(variable, operand)) || isAddress(variable, operand),
  );
}

const mentions = (variable: PatternVariable, { term, operands }: TypedTerm): boolean =>
  term === variable || operands.some((operand) => mentions(variable, operand));

/** Returns addresses in the heap, and addresses that are in the heap after a constant is added. */
function addressesFor(constants: readonly WordPair[]): WordPair[] {
  const address = HEAP_BASE + 64n;
  const bases = constants.map(([lo, hi]) => address - ((BigInt(hi) << 32n) | BigInt(lo >>> 0)));
  return [address, address + 1000n, ...bases].map((base) => [
    Number(BigInt.asIntN(32, base)),
    Number(BigInt.asIntN(32, base >> 32n)),
  ]);
}

interface Candidate {
  readonly choose: ConstantChoice;
  readonly options: InstanceOptions;
  readonly words: readonly WordPair[];
}

function candidatesOf(shape: TypedRule): Candidate[] {
  const constants = VARIABLES.filter((v) => bindsConstant(v) && shape.types[v] !== Void);
  const { opcode } = shape.root;
  const places = opcode === Op.Branch || opcode === Op.Switch ? [false, true] : [false];
  const lists = constants.map((v) => boundaryOf(shape.types[v]));
  return tuples(lists, CHOICES_MAX).flatMap((words) => {
    const choose: ConstantChoice = (place, _type, literal) =>
      literal ?? words[constants.findIndex((v) => v === place)];
    return places.map((hasOneTarget) => ({ choose, options: { hasOneTarget }, words }));
  });
}

/**
 * Returns the pattern with one literal changed a little, or with two variables in place of a
 * repeated one.
 */
function nearMissesOf(shape: TypedRule): Candidate[] {
  const misses: Candidate[] = [];
  const words = [boundaryOf(Int32)[3]];
  leavesOf(shape.root).forEach(({ place, literal }) => {
    const plain: ConstantChoice = (_at, type, known) => known ?? boundaryOf(type)[3];
    if (literal === null) {
      misses.push({ choose: plain, options: { apartAt: place }, words });
      return;
    }
    const [lo, hi] = literal;
    for (const near of [lo ^ 1, lo + 1, ~lo, lo ^ 0x8000_0000]) {
      const choose: ConstantChoice = (at, type, known) =>
        at === place ? [near | 0, hi] : plain(at, type, known);
      misses.push({ choose, options: {}, words });
    }
  });
  return misses;
}

/** Returns the leaves in preorder: the bits of a literal, or null for a variable. */
function leavesOf(root: TypedTerm): { place: number; literal: WordPair | null }[] {
  const found: { place: number; literal: WordPair | null }[] = [];
  let place = 0;
  const visit = ({ term, type, operands }: TypedTerm): void => {
    place++;
    if (isVariable(term)) found.push({ place, literal: null });
    else if (!isPattern(term)) found.push({ place, literal: literalWords(term, type) });
    operands.forEach(visit);
  };
  visit(root);
  return found;
}

/** A program, and the result of the rule. */
interface Run {
  readonly shape: TypedRule;
  readonly candidate: Candidate;
  readonly after: Module;
}

function applyToAll(
  shape: TypedRule,
  rules: readonly Rule[],
  candidates: readonly Candidate[],
): { taken: Run[]; missed: Run[] } {
  const taken: Run[] = [];
  const missed: Run[] = [];
  for (const candidate of candidates) {
    const after = instantiate(shape, candidate.choose, candidate.options).module;
    const { fired } = optimize(after, { level: "O1", rules, phases: ["reduce-strength"] });
    (fired[0] > 0 ? taken : missed).push({ shape, candidate, after });
  }
  return { taken, missed };
}

/** Returns the number of judged executions; fails on a difference. */
function compareRuns(t: ExecutionContext, { shape, candidate, after }: Run): number {
  const { module } = instantiate(shape, candidate.choose, candidate.options);
  const faults = [...verify(module), ...verify(after)].map(describeFault);
  const texts = (): string => `${printModule(module)}\nbecame\n${printModule(after)}`;
  if (faults.length > 0) t.deepEqual(faults, [], texts());
  const before = decodeModule(module);
  const program = decodeModule(after);
  let judged = 0;
  for (const input of inputsFor(shape, module.entry, candidate.words)) {
    const expected = oracle.run(before, input, FUEL_MAX);
    if (!isJudged(expected)) continue;
    judged++;
    const actual = oracle.run(program, input, FUEL_MAX);
    if (isSame(expected, actual)) continue;
    const [wanted, found] = [printOutcome(expected), printOutcome(actual)];
    t.is(found, wanted, `${texts()}\non ${input.words}: equal texts may have different heaps`);
    t.true(false, "the outcomes differ");
  }
  return judged;
}

/** Conditions that hold for some types only, with those types: at others the row never matches. */
const TYPE_CONDITIONS: Readonly<Record<string, (type: Type) => boolean>> = {
  isOfIntegers: isInteger,
  isInt32: (type) => type === Int32,
  areOrdered: isInteger,
  differInOneBit: isInteger,
};

/** Returns true if the conditions of the row accept the types. */
function canFire({ where = [] }: Rule, { types }: TypedRule): boolean {
  return where.every(({ name, on }) => {
    const holdsAt = TYPE_CONDITIONS[name.slice(0, name.indexOf("("))];
    return holdsAt === undefined || on.every((variable) => holdsAt(types[variable]));
  });
}

for (const rule of RULES) {
  test(`rule ${rule.name} preserves the behavior of the program`, (t) => {
    const rules = [rule]; // one array, because the matcher is compiled once for each
    const isFolding = rule.name.startsWith("fold-");
    const judgedBy = new Map<string, number>();
    for (const shape of typedRulesOf(rule)) {
      const { taken, missed } = applyToAll(shape, rules, candidatesOf(shape));
      const near = applyToAll(shape, rules, nearMissesOf(shape));
      let judged = 0;
      for (const run of spread(taken, isFolding ? FOLDED_MAX : TAKEN_MAX)) {
        judged += compareRuns(t, run);
      }
      for (const run of [...spread(missed, MISSED_MAX), ...near.taken, ...near.missed]) {
        compareRuns(t, run);
      }
      const types = VARIABLES.map((variable) => nameOfType(shape.types[variable])).join(" ");
      const key = `${shape.option} at ${types}`;
      if (canFire(rule, shape)) judgedBy.set(key, (judgedBy.get(key) ?? 0) + judged);
    }
    for (const [key, judged] of judgedBy) {
      t.true(judged > 0, `reading ${key} of the row never fired in a judged execution`);
    }
  });
}

function spread<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  return Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)]);
}

function isSame(expected: Outcome, actual: Outcome): boolean {
  const e = expected.ending;
  const a = actual.ending;
  if (expected.events.length !== actual.events.length) return false;
  for (const [i, { name, args }] of expected.events.entries()) {
    const other = actual.events[i];
    if (name !== other.name || !args.every((arg, p) => isSameSlot(arg, other.args[p])))
      return false;
  }
  if (e.kind === "return" && a.kind === "return") {
    return isSameSlot(e.result, a.result) && isSameHeap(e.heap, a.heap);
  }
  if (e.kind !== "exit" || a.kind !== "exit" || e.exit !== a.exit) return false;
  if (e.frames.length !== a.frames.length || !isSameHeap(e.heap, a.heap)) return false;
  return e.frames.every(({ slots }, f) =>
    slots.every((slot, s) => isSameSlot(slot, a.frames[f].slots[s])),
  );
}

type Heap = Extract<Outcome["ending"], { kind: "return" }>["heap"];

function isSameHeap(expected: Heap, actual: Heap): boolean {
  if (expected.anyNaN.length + actual.anyNaN.length === 0) {
    return Buffer.compare(expected.bytes, actual.bytes) === 0;
  }
  const open = new Set<number>();
  for (let i = 0; i < expected.anyNaN.length; i += 2) {
    for (let b = 0; b < expected.anyNaN[i + 1]; b++) open.add(expected.anyNaN[i] + b);
  }
  const isOpen = (at: number): boolean => open.has(at);
  for (let i = 0; i < actual.anyNaN.length; i += 2) if (!isOpen(actual.anyNaN[i])) return false;
  return expected.bytes.every((byte, at) => byte === actual.bytes[at] || isOpen(at));
}

function isSameSlot(expected: SlotBits, actual: SlotBits): boolean {
  if (expected === null || actual === null) return expected === actual;
  if (!isBits(expected) || !isBits(actual)) return false; // no program here has the contents of a slot in a frame
  if (expected.type !== actual.type) return false;
  if (expected.anyNaN) return actual.anyNaN || isAnyNaN(actual);
  return !actual.anyNaN && expected.lo === actual.lo && expected.hi === actual.hi;
}

const isAnyNaN = ({ type, lo, hi }: ObservedBits): boolean => isNaNBits(type, lo, hi);

test("run lines of golden files hold, before the optimizer and after it", (t) => {
  let lines = 0;
  for (const { name: phase } of PHASES) {
    for (const file of readdirSync(`corpus/golden/${phase}`)) {
      const text = readFileSync(`corpus/golden/${phase}/${file}`, "utf8");
      for (const level of [null, "O0", "O1"] as const) {
        const module = parseModule(text);
        const runs = runLines(text, module);
        if (level !== null) optimize(module, { level });
        for (const { line, input, expected } of runs) {
          if (expected === null) continue;
          const { kind } = expected.ending;
          if (level !== null && kind !== "return" && kind !== "exit") continue; // not judged
          const outcome = oracle.run(decodeModule(module), input, FUEL_MAX);
          const difference = checkExpectation(expected, outcome);
          t.is(difference, null, `${file}, line ${line}, ${level ?? "as written"}`);
          lines++;
        }
      }
    }
  }
  t.true(lines >= 60, `${lines} lines`);
});

test("phases preserve the behavior of Upsilons and Phis in any position", (t) => {
  let judged = 0;
  for (let seed = 0n; seed < 400n; seed++) {
    const module = randomVariables(new SeedSource(seed, "variables"));
    t.deepEqual(verify(module).map(describeFault), []);
    const after = cloneModule(module);
    optimize(after, { level: seed % 2n === 0n ? "O0" : "O1" });
    t.deepEqual(verify(after).map(describeFault), [], `seed ${seed}`);
    for (const words of [
      [0, 0, 0, 0],
      [1, 0, -7, -1],
      [12345, 0, 3, 0],
    ]) {
      const input = { words: Int32Array.from(words), heapSeed: 0 };
      const expected = oracle.run(decodeModule(module), input, FUEL_MAX);
      if (!isJudged(expected)) continue;
      judged++;
      const actual = oracle.run(decodeModule(after), input, 16 * FUEL_MAX);
      t.true(
        isSame(expected, actual),
        `seed ${seed}\n${printModule(module)}\n${printModule(after)}`,
      );
    }
  }
  t.true(judged > 400, `${judged} judged`);
});

// Returns a random graph of blocks, which may be irreducible. Each block has any number of writes
// and reads of variables, and the entry writes all variables once. The values that are read are
// logged, and control the branches; because they are mixed, most executions end.
function randomVariables(source: ChoiceSource): Module {
  const module = new Module();
  const proc = new Procedure("f", Int32);
  module.procedures.push(proc);
  const parameters = [proc.newParameter(Int32), proc.newParameter(Int32)];
  const builder = new Builder(proc);
  const blocks = [builder.block];
  for (let b = 0; b < 2 + source.below(6); b++) blocks.push(proc.newBlock());
  const variables = Array.from({ length: 1 + source.below(4) }, () => {
    const phi = proc.newValue(Op.Phi, Int32);
    phi.block = blocks[source.below(blocks.length)];
    return phi;
  });
  for (const block of blocks) fillBlock(source, builder, block, blocks, parameters, variables);
  return module;
}

function fillBlock(
  source: ChoiceSource,
  builder: Builder,
  block: BasicBlock,
  blocks: readonly BasicBlock[],
  parameters: readonly Value[],
  variables: readonly Value[],
): void {
  builder.block = block;
  const { emit } = builder;
  const known = [...parameters];
  const pick = (): Value => known[source.below(known.length)];
  const write = (phi: Value, value: Value): void => {
    const upsilon = builder.proc.newValue(Op.Upsilon, Void);
    upsilon.block = block;
    upsilon.a = value;
    upsilon.extra = phi;
    block.values.push(upsilon);
  };
  if (block === blocks[0]) for (const phi of variables) write(phi, pick());
  for (const phi of variables) {
    for (let i = source.below(3); i > 0; i--)
      write(variables[source.below(variables.length)], pick());
    if (phi.block !== block) continue;
    block.values.push(phi);
    known.push(phi);
    emit.CCall(LOG_INT, [phi]);
  }
  const mixed = emit.CCall(MIX, [pick(), pick()]);
  known.push(mixed);
  for (let i = source.below(3); i > 0; i--)
    write(variables[source.below(variables.length)], pick());
  const control = builder.proc.newValue(source.below(4) === 0 ? Op.Return : Op.Branch, Void);
  control.block = block;
  control.a = mixed;
  block.values.push(control);
  if (control.opcode === Op.Return) return;
  for (let i = 0; i < 2; i++) block.successors.push(blocks[1 + source.below(blocks.length - 1)]);
}

function hostFunction(name: string): HostFunction {
  const host = hostFunctionNamed(name);
  assert(host !== null, () => `no host function is named ${name}`);
  return host;
}

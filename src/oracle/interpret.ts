// Interprets a program: this is the plain interpreter, which defines what programs do. Read it beside docs/language.md,
// section by section: computing.ts (3, 8), memory.ts and accesses.ts (5), calls.ts (6), exits.ts (7), state.ts (9).
//
// It walks the procedures of a module without decoding them, and keeps nothing between two executions.

import { guardsResult, isReturn, Op, specOf } from "../ir/opcodes.js";
import {
  type Ending,
  heapContents,
  type Input,
  isBits,
  type ObservedBits,
  type Outcome,
  resultsOf,
  returnOf,
} from "../ir/outcome.js";
import type { Snapshot, Value } from "../ir/procedure.js";
import { BasicBlock, type Module, type Procedure } from "../ir/procedure.js";
import { bitsOf, wideBits } from "../ir/words.js";
import { assert } from "../support/assert.js";
import { allocate, atomic, bulk, fence, load, store } from "./accesses.js";
import { type CallResult, callHost, patchpoint } from "./calls.js";
import { compute, isMove, isNonZero, lookAtIntegers, move, type ValueResult } from "./computing.js";
import { type ExitEnding, observeExit } from "./exits.js";
import { datumOf, imageOf, newMemory, type StoredBits, show } from "./memory.js";
import {
  activate,
  type CallerTotals,
  consumeFuel,
  endIfUndefined,
  type InputExecution,
  newRun,
  operandsOf,
  type ProcedureActivation,
  type ProcedureRun,
  RunEnd,
} from "./state.js";

/** The greatest number of continuations of one execution (language.md, section 7). */
const CONTINUATIONS_MAX = 63;
/** The greatest number of live activations, and of bytes of their stack slots (language.md, section 6). */
const ACTIVATIONS_MAX = 64;
const SLOT_BYTES_MAX = 1 << 20;

/** Returns the outcome of a module on an input (language.md, sections 1 and 9). */
export function interpret(
  module: Module,
  { words, heapSeed }: Input,
  fuelMax: number,
  observe: InputExecution["observe"] = () => {},
): Outcome {
  const heap = newMemory(null, module.heapSize);
  heapContents(heap.bytes, heapSeed);
  const execution = { module, heap, fuelMax, kept: [], continuations: 0, observe };
  const args = module.entry.parameters.map(({ type }, i) =>
    datumOf(type, wideBits(words[2 * i], words[2 * i + 1])),
  );
  return outcomeOf(execution, module.entry, args, { count: 0, slotBytes: 0 });
}

/** Runs the entry or a continuation, and the continuations of its exit (language.md, sections 7 and 9). */
function outcomeOf(
  execution: InputExecution,
  proc: Procedure,
  args: StoredBits[],
  callers: CallerTotals,
): Outcome {
  const run = newRun(execution);
  let ending: Ending;
  try {
    const activationEnd = runProcedure(activate(run, proc, args, callers));
    ending =
      activationEnd.kind === "exit"
        ? runContinuations(run, activationEnd, callers)
        : returnEnding(run, activationEnd);
  } catch (error) {
    if (!(error instanceof RunEnd)) throw error;
    ending = error.cause;
  }
  run.isOver = true;
  const { events, volatileLoads, fences, calleeExits } = run;
  const passed = fences.length === 0 ? {} : { fences };
  const exits = calleeExits.length === 0 ? {} : { calleeExits };
  return { events, volatileLoads, ...passed, ...exits, ending };
}

type ReturnResult = CallResult & { readonly kind: "return" };

/** Returns the ending of an entry or continuation that has returned (language.md, sections 5 and 9). */
function returnEnding({ heap }: ProcedureRun, { results }: ReturnResult): Ending {
  show(heap, results);
  const [result = null, ...further] = results;
  const others = further.length === 0 ? {} : { further };
  return { kind: "return", result, ...others, heap: imageOf(heap) };
}

/** Runs an activation to its end: a return, or an exit whose continuations have not run (language.md, section 1). */
function runProcedure(first: ProcedureActivation): ReturnResult | ExitEnding {
  let activation = first;
  let [block] = activation.procedure.blocks;
  for (;;) {
    const next = runBlock(activation, block);
    if (next instanceof BasicBlock) {
      block = next;
      continue;
    }
    for (const slot of activation.slots.values()) slot.isGone = true;
    if ("kind" in next) return next;
    activation = next; // a TailCall replaces the activation
    [block] = activation.procedure.blocks;
  }
}

type NextAction = BasicBlock | ProcedureActivation | ReturnResult | ExitEnding;

/** Executes the values of a block in order (language.md, section 1). A guard that fails takes its exit (section 7). */
function runBlock(
  activation: ProcedureActivation,
  { values, successors, last }: BasicBlock,
): NextAction {
  for (const value of values) {
    if (value === last) break;
    if (execute(activation, value) === "exits") return takeExit(activation, value.snapshot);
  }
  return executeControl(activation, last, successors);
}

/** Executes a value other than a control value, and stores its result (language.md, section 1). */
function execute(activation: ProcedureActivation, value: Value): ValueResult {
  beginValue(activation.run, value);
  const result = evaluate(activation, value, operandsOf(activation, value));
  if (result === null || result === "exits") return result;
  activation.values.set(value, result);
  activation.run.execution.observe(activation.procedure, value, result);
  return result;
}

/** Starts the execution of a value, which costs a unit of fuel (language.md, section 9). */
function beginValue(run: ProcedureRun, { id }: Value): void {
  run.valueId = id;
  consumeFuel(run, 1);
}

type AccessFunction = (
  activation: ProcedureActivation,
  value: Value,
  operands: readonly StoredBits[],
) => ValueResult;

/** Functions that execute accesses to memory, by effect (language.md, sections 3 and 5). */
const ACCESSES: { readonly [effect: string]: AccessFunction } = {
  ...{ read: load, volatile: load, write: store, atomic, bulk, allocate, fence },
};

/** Returns the result of a value, by its effect (language.md, sections 3 to 7). */
function evaluate(
  activation: ProcedureActivation,
  value: Value,
  operands: readonly StoredBits[],
): ValueResult {
  const { opcode, patchpoint: kind } = value;
  const { effect } = specOf(opcode);
  if (kind !== null) return patchpoint(activation.run, kind, operands);
  if (effect in ACCESSES) return ACCESSES[effect](activation, value, operands);
  if (effect === "constant") return constant(activation, value);
  if (effect === "call" || effect === "deoptCall") return call(activation, value, operands);
  if (opcode === Op.Extract)
    return activation.results.get(value.a ?? value)?.[value.resultIndex] ?? null;
  if (opcode === Op.Phi) return activation.variables.get(value) ?? null; // section 4
  if (opcode === Op.Upsilon) activation.variables.set(value.phi, operands[0]);
  if (opcode === Op.Upsilon || opcode === Op.Nop) return null;
  if (opcode === Op.Check) return isNonZero(activation.run, operands[0]) ? "exits" : null;
  return isMove(value) ? move(activation, value, operands) : compute(activation, value, operands);
}

/**
 * Returns a constant; the address of a slot or procedure contains that slot or procedure (language.md, sections 3, 5,
 * 6).
 */
function constant(activation: ProcedureActivation, value: Value): StoredBits {
  const { type, opcode, procedure } = value;
  if (opcode === Op.FramePointer) return datumOf(type, 0n);
  const slot = opcode === Op.SlotBase ? activation.slots.get(value.slot) : undefined;
  if (slot !== undefined) return { ...datumOf(type, 0n), slot };
  return procedure === null
    ? datumOf(type, bitsOf(type, value.constantLow, value.constantHigh))
    : { ...datumOf(type, 0n), procedure };
}

/**
 * Calls a host function or a procedure, by name or address. A guard exits if the callee requests it (language.md,
 * section 6).
 */
function call(
  activation: ProcedureActivation,
  value: Value,
  operands: readonly StoredBits[],
): ValueResult {
  const { host, procedure, rest } = value;
  const args = operands.slice(operands.length - (rest?.length ?? 0));
  const { results, asks } =
    host === null
      ? callProcedure(activation, procedure ?? operands[0].procedure, args)
      : callHost(activation.run, host, args);
  activation.results.set(value, results);
  const [result = null] = results;
  if (result !== null) activation.values.set(value, result);
  return asks && guardsResult(value.opcode) ? "exits" : result;
}

/** Calls a procedure. If it exits, its continuations return in its place (language.md, sections 6 and 7). */
function callProcedure(
  activation: ProcedureActivation,
  callee: Procedure | undefined,
  args: StoredBits[],
): CallResult {
  const { run, procedure, callers } = activation;
  assert(callee !== undefined, () => `@${run.valueId} has no procedure to call`);
  const slotBytes = callers.slotBytes + slotBytesOf(procedure);
  const callees = { count: callers.count + 1, slotBytes };
  const isRefused =
    callees.count >= ACTIVATIONS_MAX || slotBytes + slotBytesOf(callee) > SLOT_BYTES_MAX;
  if (isRefused) consumeFuel(run, Infinity);
  const activationEnd = runProcedure(activate(run, callee, args, callees));
  if (activationEnd.kind === "return") return activationEnd;
  const whole = runContinuations(run, activationEnd, callees);
  const end = returnOf(whole);
  if (end === null) throw new RunEnd("", { cause: whole });
  run.calleeExits.push({ after: run.events.length, ending: whole });
  return { results: resultsOf(end), asks: false };
}

/** Returns the bytes of the stack slots of a procedure (language.md, section 6). */
const slotBytesOf = ({ slots }: Procedure): number =>
  slots.reduce((sum, { size }) => sum + size, 0);

/** Runs the exit block of a snapshot, and records the state (language.md, section 7, steps 1 and 2). */
function takeExit(activation: ProcedureActivation, snapshot: Snapshot): ExitEnding {
  for (const value of snapshot.values) execute(activation, value);
  return observeExit(activation, snapshot);
}

/** Calls the continuations of an exit, innermost frame first (language.md, section 7, step 3). */
function runContinuations(
  { execution }: ProcedureRun,
  ending: ExitEnding,
  callers: CallerTotals,
): ExitEnding {
  const continuations = execution.module.continuations.get(ending.exit);
  const resumed: Outcome[] = [];
  let inner: readonly ObservedBits[] = [];
  for (const [f, { slots }] of ending.frames.entries()) {
    if (continuations === undefined) break;
    const args = [...slots.filter(isBits), ...inner];
    const isRefused = execution.continuations++ >= CONTINUATIONS_MAX;
    const outcome: Outcome = isRefused
      ? { events: [], ending: { kind: "out-of-fuel" } }
      : outcomeOf(execution, continuations[f], args, callers);
    resumed.push(outcome);
    const end = returnOf(outcome.ending);
    if (end === null) break;
    inner = resultsOf(end);
  }
  return { ...ending, resumed };
}

/** Executes a control value. Returns its successor, or how the activation ends (language.md, section 3). */
function executeControl(
  activation: ProcedureActivation,
  value: Value,
  successors: readonly BasicBlock[],
): NextAction {
  const { run } = activation;
  beginValue(run, value);
  const { opcode, patchpoint: kind } = value;
  const operands = operandsOf(activation, value);
  const [x] = operands;
  if (opcode === Op.Jump) return successors[0];
  if (opcode === Op.Branch) return successors[isNonZero(run, x) ? 0 : 1];
  if (opcode === Op.TailCall)
    return activate(run, activation.procedure, operands, activation.callers);
  const asks = opcode === Op.ReturnDeopt;
  if (isReturn(opcode)) return { kind: "return", results: operands, asks };
  const result = kind === null ? null : patchpoint(run, kind, operands);
  if (result !== null && result !== "exits") return { kind: "return", results: [result], asks };
  endIfUndefined(run, opcode === Op.Oops, "Oops reached");
  lookAtIntegers(run, operands);
  const { lo, hi, count } = value.cases;
  const found = lo.findIndex((key, k) => key === x.lo && hi[k] === x.hi);
  return successors[found < 0 ? count : found];
}

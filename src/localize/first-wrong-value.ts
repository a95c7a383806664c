// Finds the first value that differs between the oracle, which runs the optimized program, and LIR in its interpreter.
// Each instruction that makes a value, or selects a successor, is matched with its event in the oracle's trace, so both
// run side by side. Before an instruction reads, every operand that holds a value of the program is compared in its
// location; afterwards its definitions are compared.
//
// Two kinds of values are not compared: values that their users compute, which have no location, and addresses of slots
// and procedures, which the oracle represents differently. For a value in halves, each half is compared.
//
// If an instruction makes a wrong value, the optimizer's own arithmetic folds its operands: an implementation
// independent of the oracle. For values that calls pass on, the value before the call is used instead (passed-values.ts).

import type { ExecutionObserver, LirMachine } from "../../reference/lir/interpret/lir-machine.js";
import type { LirProcedure, LirStage } from "../../reference/lir/interpret/lir-procedure.js";
import { NOWHERE, OperandRole, roleOf, ValueHalf, vregOf } from "../../reference/lir/lir.js";
import { locationName } from "../../reference/lir/text/text-form.js";
import { foldValue } from "../../reference/optimize/rules/fold.js";
import { PARTS } from "../../reference/parts.js";
import { Judge, type JudgeOptions } from "../compare/judge-program.js";
import { fuelFor } from "../execute/fuel.js";
import { openLir } from "../execute/lir-subject.js";
import { type ReferenceSubject, referenceSubject } from "../execute/reference-subject.js";
import { CompilationUnit, DEFAULT_SETTINGS } from "../execute/unit.js";
import { CONSTANT, EFFECTS, Op, READS_MEMORY, WRITES_MEMORY } from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import { CONSTANT_OPCODES, type Module, type Procedure, Value } from "../ir/procedure.js";
import { isNaNBits, printLiteral } from "../ir/text/literals.js";
import { printValue } from "../ir/text/print.js";
import { Int32, isFloating, isWide, type Type, Void } from "../ir/types.js";
import type { WordPair } from "../ir/words.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { NO_SLOT } from "../oracle/fast/program.js";
import { slotsOfAddresses } from "../oracle/fast/slot-addresses.js";
import type { ExecutionTrace } from "../oracle/fast/trace.js";
import { PassedValues } from "./passed-values.js";

export interface WrongValue {
  /**
   * value: an instruction makes it wrong; operand: it was right when made and is wrong when an instruction reads it;
   * control: execution continues at another successor than in the oracle.
   */
  readonly kind: "value" | "operand" | "control";
  readonly procedure: string;
  /** Id of the value, and its line in the optimized program. */
  readonly value: number;
  readonly text: string;
  /** The LIR instruction: its number in the procedure, and its row. */
  readonly instruction: number;
  readonly row: string;
  /** The location of the value: a virtual register, or a register or spill slot. */
  readonly location: string;
  /**
   * The expected and the actual value as literals (32 bits for a half). For `control`: the fault,
   * or "".
   */
  readonly expected: string;
  readonly got: string;
  /**
   * The side that a second computation confirms: the optimizer's arithmetic or, for values that
   * calls pass on, the value before the call. For `control` it computes the condition. Null if
   * there is none.
   */
  readonly agreesWith: "oracle" | "code" | null;
}

export function firstWrongValue(
  module: Module,
  input: Input,
  subject: ReferenceSubject,
  stage: LirStage,
  options: Pick<JudgeOptions, "settings" | "parts" | "fuelMax">,
): WrongValue | null {
  const { settings = DEFAULT_SETTINGS, parts = PARTS, fuelMax } = options;
  const { target } = subject;
  if (target === null) return null;
  const optimized = new CompilationUnit(module, settings, parts).optimized(subject);
  const { trace } = new Oracle().runTraced(optimized.program(), input, fuelFor(fuelMax));
  if (!trace.isJudged) return null;
  const comparison = new TraceComparison(optimized.module, trace);
  const watched = referenceSubject(subject, openLir(stage, undefined, comparison));
  const judge = new Judge({ ...options, subjects: [watched], checkAllocation: false });
  try {
    const [{ judgements }] = judge.judge({ module, inputs: [input] }).results;
    const ending = judgements[0].outcome?.ending;
    if (ending?.kind === "fault") comparison.reportFault(ending.fault);
  } finally {
    judge.close();
  }
  if (comparison.found === null) return null;
  const { procedure, operand, ...found } = comparison.found;
  const { lir } = procedure;
  const nameOfLocation = (): string => {
    if (operand < 0) return "";
    if (stage === "lower") return `v${vregOf(lir.operand[operand])}`;
    return locationName(target, lir.location[operand]);
  };
  return {
    ...found,
    procedure: optimized.module.procedures[procedure.index].name,
    row: parts.plans[target].rows[lir.opcode[found.instruction]].name,
    location: nameOfLocation(),
  };
}

/** A wrong value, before its parts are described by names. */
interface UnnamedWrongValue extends Pick<WrongValue, "kind" | "value" | "text" | "instruction"> {
  readonly procedure: LirProcedure;
  /** Index of the operand that is wrong; -1 if none is. */
  readonly operand: number;
  readonly expected: string;
  readonly got: string;
  readonly agreesWith: WrongValue["agreesWith"];
}

const NONE = -1;

/** Facts about a procedure of the program. */
interface ProcedureFacts {
  readonly values: ReadonlyMap<number, Value>;
  /** Ids of values that the oracle represents differently. */
  readonly incomparable: ReadonlySet<number>;
  /** By instruction: the id of the value whose event is matched with it; -1 if none. */
  events: Int32Array;
  /** Ids of the values whose events are still to be matched. */
  awaited: Set<number>;
}

interface MatchedInstruction {
  readonly procedure: LirProcedure;
  readonly instruction: number;
  readonly event: number;
}

/** A definition whose event has not been reached. */
interface PendingDefinition {
  readonly value: number;
  readonly frame: number;
  readonly instruction: number;
  readonly operand: number;
}

class TraceComparison implements ExecutionObserver {
  found: UnnamedWrongValue | null = null;
  private readonly trace: ExecutionTrace;
  private readonly known: readonly ProcedureFacts[];
  /** The next event of the trace. */
  private event = 0;
  /** The oracle's values, by frame and id: the last event of each. */
  private readonly current = new Map<number, Map<number, number>>();
  /** By frame: values whose events were skipped, to be matched with later instructions. */
  private readonly skipped = new Map<number, Set<number>>();
  /** The instruction whose operands were read last. */
  private at: { readonly procedure: LirProcedure; readonly instruction: number } | null = null;
  /** The last instruction that was matched with an event, and that event. */
  private last: MatchedInstruction | null = null;

  /** Definitions that are not compared yet. */
  private pending: PendingDefinition[] = [];
  /** True if a callee has taken an exit: only the oracle has the events of its continuations. */
  private hasExited = false;
  /** By event: 1 if it has open bits of a NaN, as an integer or in memory. */
  private readonly isOpen: Uint8Array;
  private readonly passedValues = new PassedValues();
  /** Events of guards by which the oracle has exited. */
  private readonly exits: ReadonlySet<number>;

  constructor(module: Module, trace: ExecutionTrace) {
    this.trace = trace;
    this.known = module.procedures.map((proc) => ({
      values: valuesOf(proc),
      incomparable: incomparableOf(proc),
      events: new Int32Array(0),
      awaited: new Set<number>(),
    }));
    this.isOpen = openEvents(trace, this.known);
    this.exits = new Set(trace.exits);
  }

  begin(procedures: readonly LirProcedure[]): void {
    this.event = 0;
    this.current.clear();
    this.skipped.clear();
    this.last = null;
    this.hasExited = false;
    this.pending = [];
    for (const procedure of procedures) {
      const known = this.known[procedure.index];
      known.events = eventsOf(procedure, known.values);
      known.awaited = new Set(known.events);
    }
  }

  before(m: LirMachine, procedure: LirProcedure, i: number): void {
    if (this.found !== null) return;
    this.at = { procedure, instruction: i };
    if (i === 0) {
      // Discard the values of an earlier activation that had the same frame.
      this.current.delete(m.frame);
      this.skipped.delete(m.frame);
      this.passedValues.enter(m.frame);
      this.skipParameters(m, procedure);
    }
    this.skipUnmatched(m, procedure);
    if (!procedure.isCall(i) && !this.advanceTo(m, procedure, i)) return;
    const { lir } = procedure;
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      if (roleOf(lir.operand[o]) <= OperandRole.Use) this.compare(m, procedure, i, o, "operand");
    }
    this.recordPassed(m, procedure, i);
  }

  private recordPassed(m: LirMachine, procedure: LirProcedure, i: number): void {
    const value = this.known[procedure.index].values.get(procedure.lir.origin[i]);
    if (value === undefined) return;
    const wordsOf = (operand: Value): WordPair | null => this.expectedOf(m, operand);
    if (procedure.isCall(i)) this.passedValues.call(value, wordsOf);
    else this.passedValues.execute(value, wordsOf);
  }

  exit(m: LirMachine): void {
    const { at, last } = this;
    const isMatched = at?.procedure === last?.procedure && at?.instruction === last?.instruction;
    if (this.found === null && isMatched && last !== null && !this.exits.has(last.event)) {
      this.reportControl(m, last.procedure, last.instruction);
    }
    this.hasExited = true;
    this.passedValues.exit();
  }

  wrote(): void {}

  after(m: LirMachine, procedure: LirProcedure, i: number): void {
    if (this.found !== null) return;
    if (procedure.isCall(i) && !this.advanceTo(m, procedure, i)) return;
    const { lir } = procedure;
    const { events, awaited } = this.known[procedure.index];
    this.skipExtracts(m, procedure, lir.origin[i]);
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      if (roleOf(word) !== OperandRole.Definition) continue;
      const id = lir.vregValue[vregOf(word)];
      if (this.isDefinedLater(m, procedure, id)) continue;
      // If a value becomes several instructions, the last is matched with its event. A half, and the result of a call
      // that is then tested, come before. In a cell, the comparison waits for the event.
      const isEarly = lir.origin[i] === id && events[i] !== id && awaited.has(id);
      if (!isEarly) this.compare(m, procedure, i, o, "value");
      else if (procedure.hasCells) {
        this.pending.push({ value: id, frame: m.frame, instruction: i, operand: o });
      }
    }
    if (this.pending.length > 0) this.comparePending(m, procedure, events[i]);
  }

  /** Skips the further results of the call, which its instruction defines, if their events follow immediately. */
  private skipExtracts(m: LirMachine, { index }: LirProcedure, call: number): void {
    const { procedures, ids, length } = this.trace;
    const { values } = this.known[index];
    for (; this.event < length && procedures[this.event] === index; this.event++) {
      const value = values.get(ids[this.event]);
      if (value?.opcode !== Op.Extract || value.a?.id !== call) return;
      this.currentOf(m).set(value.id, this.event);
    }
  }

  /**
   * Returns whether the value is a further result that comes later in its block. Its uses are
   * compared instead.
   */
  private isDefinedLater(m: LirMachine, { index }: LirProcedure, id: number): boolean {
    const value = this.known[index].values.get(id);
    if (value?.opcode !== Op.Extract || value.a === null) return false;
    const current = this.currentOf(m);
    return (current.get(id) ?? NONE) < (current.get(value.a.id) ?? NONE);
  }

  private comparePending(m: LirMachine, procedure: LirProcedure, event: number): void {
    const isNow = ({ value, frame }: PendingDefinition): boolean =>
      value === event && frame === m.frame;
    for (const half of this.pending.filter(isNow)) {
      this.compare(m, procedure, half.instruction, half.operand, "value");
    }
    this.pending = this.pending.filter((half) => !isNow(half));
  }

  /** Skips events that are matched with no instruction, such as those of Phis. */
  private skipUnmatched(m: LirMachine, { index }: LirProcedure): void {
    const { procedures, ids, length } = this.trace;
    const { awaited, values } = this.known[index];
    for (; this.event < length && procedures[this.event] === index; this.event++) {
      const id = ids[this.event];
      if (awaited.has(id) || values.get(id)?.opcode === Op.Parameter) return;
      this.currentOf(m).set(id, this.event);
    }
  }

  /**
   * Skips the parameters of the activation that begins, if the trace has reached them: events for a caller's later
   * instructions may come first.
   */
  private skipParameters(m: LirMachine, { index }: LirProcedure): void {
    const { procedures, ids, length } = this.trace;
    const { values } = this.known[index];
    for (; this.event < length && procedures[this.event] === index; this.event++) {
      const id = ids[this.event];
      if (values.get(id)?.opcode !== Op.Parameter) return;
      this.currentOf(m).set(id, this.event);
    }
  }

  /**
   * Advances the trace to the event of the instruction; returns false if there is none. Lowering may move a value to a
   * later position in its block: events that are skipped for it are not searched again.
   */
  private advanceTo(m: LirMachine, procedure: LirProcedure, i: number): boolean {
    const { events, values } = this.known[procedure.index];
    const id = events[i];
    if (id === NONE) return true;
    const skipped = this.skippedOf(m);
    if (skipped.delete(id)) return true;
    const block = values.get(id)?.block ?? null;
    const { procedures, ids, length } = this.trace;
    for (; this.event < length; this.event++) {
      const at = procedures[this.event];
      const other = ids[this.event];
      const isMatch = at === procedure.index && other === id;
      if (!isMatch && !this.hasExited && this.known[at].awaited.has(other)) {
        const value = values.get(other);
        const isHere = at === procedure.index && block !== null && value?.block === block;
        if (!isHere || value === block.last) break;
        skipped.add(other);
      }
      if (at === procedure.index) this.currentOf(m).set(other, this.event);
      if (!isMatch) continue;
      this.last = { procedure, instruction: i, event: this.event++ };
      this.hasExited = false;
      return true;
    }
    this.reportControl(m, procedure, i);
    return false;
  }

  private skippedOf({ frame }: LirMachine): Set<number> {
    let ids = this.skipped.get(frame);
    if (ids === undefined) {
      ids = new Set();
      this.skipped.set(frame, ids);
    }
    return ids;
  }

  private currentOf({ frame }: LirMachine): Map<number, number> {
    let values = this.current.get(frame);
    if (values === undefined) {
      values = new Map();
      this.current.set(frame, values);
    }
    return values;
  }

  private compare(
    m: LirMachine,
    procedure: LirProcedure,
    i: number,
    operand: number,
    kind: "value" | "operand",
  ): void {
    const { lir } = procedure;
    const id = lir.vregValue[vregOf(lir.operand[operand])];
    const { values, incomparable } = this.known[procedure.index];
    const value = values.get(id);
    if (this.found !== null || value === undefined) return;
    if (incomparable.has(id) || lir.location[operand] === NOWHERE) return;
    const wanted = this.expectedOf(m, value);
    if (wanted === null) return;
    const half = lir.vregHalf[vregOf(lir.operand[operand])];
    const isWhole = half === ValueHalf.Whole;
    const type = isWhole ? value.type : Int32;
    const [wantedLo, wantedHi] = isWhole ? wanted : [wanted[half], 0];
    const [lo, hi] = m.wordsOf(procedure, operand);
    if (isSameValue(type, wantedLo, wantedHi, lo, hi)) return;
    const gotHi = isWide(type) ? hi : 0;
    this.found = {
      kind,
      procedure,
      value: id,
      text: printValue(value),
      instruction: i,
      operand,
      expected: printLiteral(type, wantedLo, wantedHi),
      got: printLiteral(type, lo, gotHi),
      agreesWith:
        kind === "value"
          ? this.agreementOnValue(m, value, wanted, isWhole ? [lo, gotHi] : null)
          : null,
    };
  }

  /**
   * Returns the side that the optimizer's arithmetic confirms for a wrong value.
   * @param got null: one half is wrong, and the other is unknown
   */
  private agreementOnValue(
    m: LirMachine,
    value: Value,
    wanted: WordPair,
    got: WordPair | null,
  ): WrongValue["agreesWith"] {
    const passed = this.passedValues.wordsOf(value, m.frame);
    if (passed === null) return got === null ? null : this.agreementOf(m, value, wanted, got);
    if (isSameValue(value.type, ...wanted, ...passed)) return "oracle";
    return got !== null && isSameValue(value.type, ...got, ...passed) ? "code" : null;
  }

  /** Returns the side with which the optimizer agrees on the value of these operands. */
  private agreementOf(
    m: LirMachine,
    value: Value,
    wanted: WordPair,
    got: WordPair,
  ): WrongValue["agreesWith"] {
    const folded = new Value(value.id, value.opcode, value.type);
    folded.takeImmediates(value);
    folded.a = this.constantOf(m, value.a);
    folded.b = this.constantOf(m, value.b);
    const out = { lo: 0, hi: 0 };
    const lacks =
      (value.a !== null && folded.a === null) || (value.b !== null && folded.b === null);
    if (lacks || value.c !== null || !foldValue(folded, out)) return null;
    if (isSameValue(value.type, ...wanted, out.lo, out.hi)) return "oracle";
    return isSameValue(value.type, ...got, out.lo, out.hi) ? "code" : null;
  }

  /** Returns an operand with the oracle's value; null if it has none. */
  private constantOf(m: LirMachine, operand: Value | null): Value | null {
    const words = operand === null ? null : this.expectedOf(m, operand);
    if (operand === null || words === null) return null;
    const constant = new Value(NONE, CONSTANT_OPCODES[operand.type], operand.type);
    [constant.constantLow, constant.constantHigh] = words;
    return constant;
  }

  /** Returns the oracle's bits of the value; null if it has none yet, or leaves them open. */
  private expectedOf(m: LirMachine, value: Value): WordPair | null {
    if (value.isConstant) return [value.constantLow, value.constantHigh];
    const event = this.currentOf(m).get(value.id);
    if (event === undefined || this.isOpen[event] !== 0) return null;
    const { results } = this.trace;
    return [results[2 * event], results[2 * event + 1]];
  }

  /**
   * Reports wrong control flow: at the last matched instruction, which selected a wrong successor; or, if there is none,
   * at the current instruction, which belongs to no value of the program.
   */
  private reportControl(m: LirMachine, procedure: LirProcedure, instruction: number): void {
    const { last } = this;
    const found = this.controlAt(last ?? { procedure, instruction }, "", "");
    const agreesWith = last?.procedure === procedure ? this.agreementOnDecision(m, last) : null;
    this.found = { ...found, agreesWith };
  }

  /**
   * Returns the side that the optimizer's arithmetic confirms for a branch condition, which the
   * code evaluated otherwise; or for the callee's request to exit.
   */
  private agreementOnDecision(
    m: LirMachine,
    { procedure, instruction, event }: MatchedInstruction,
  ): WrongValue["agreesWith"] {
    const value = this.known[procedure.index].values.get(procedure.lir.origin[instruction]);
    const hasRequestedExit = value === undefined ? null : this.passedValues.hasRequestedExit(value);
    if (hasRequestedExit !== null)
      return hasRequestedExit === this.exits.has(event) ? "oracle" : "code";
    if (value?.opcode !== Op.Branch && value?.opcode !== Op.Check) return null;
    const wanted = value.a === null ? null : this.expectedOf(m, value.a);
    if (value.a === null || wanted === null) return null;
    return this.agreementOf(m, value.a, wanted, [(wanted[0] | wanted[1]) === 0 ? 1 : 0, 0]);
  }

  /** Reports a fault of the program at the current instruction, whose operands were right. */
  reportFault(got: string): void {
    if (this.at !== null) this.found ??= this.controlAt(this.at, "no fault", got);
  }

  private controlAt(
    at: { readonly procedure: LirProcedure; readonly instruction: number },
    expected: string,
    got: string,
  ): UnnamedWrongValue {
    const { lir, index } = at.procedure;
    const { values } = this.known[index];
    const value = values.get(lir.origin[at.instruction]);
    return {
      kind: "control",
      ...at,
      value: value?.id ?? NONE,
      text: value === undefined ? "" : printValue(value),
      operand: NONE,
      expected,
      got,
      agreesWith: null,
    };
  }
}

/**
 * Returns the events whose results depend on the bits of a NaN: those that copy such bits, and their dependents, unless
 * these only test whether a float is a NaN.
 */
function openEvents(trace: ExecutionTrace, known: readonly ProcedureFacts[]): Uint8Array {
  const { length, procedures, ids, results, starts, dependences } = trace;
  const isOpen = new Uint8Array(length);
  const valueAt = (e: number): Value | undefined => known[procedures[e]].values.get(ids[e]);
  const isNaNAt = (e: number): boolean => {
    const type = valueAt(e)?.type ?? Void;
    return isFloating(type) && isNaNBits(type, results[2 * e], results[2 * e + 1]);
  };
  for (let e = 0; e < length; e++) {
    const value = valueAt(e);
    const takesBits =
      value === undefined ||
      value.opcode === Op.BitwiseCast ||
      (EFFECTS[value.opcode] & (READS_MEMORY | WRITES_MEMORY)) !== 0;
    for (let d = starts[e]; d < starts[e + 1]; d++) {
      const from = dependences[d];
      if (isOpen[from] !== 0 || (takesBits && isNaNAt(from))) isOpen[e] = 1;
    }
  }
  return isOpen;
}

/**
 * Compares two values. Any two NaNs count as equal; if their bits matter, a later use shows the
 * difference.
 */
function isSameValue(
  type: Type,
  wantedLo: number,
  wantedHi: number,
  lo: number,
  hi: number,
): boolean {
  if (type === Void || (wantedLo === lo && (!isWide(type) || wantedHi === hi))) return true;
  return isFloating(type) && isNaNBits(type, wantedLo, wantedHi) && isNaNBits(type, lo, hi);
}

function valuesOf({ parameters, blocks }: Procedure): Map<number, Value> {
  const values = new Map<number, Value>();
  for (const value of parameters) values.set(value.id, value);
  for (const block of blocks) for (const value of block.values) values.set(value.id, value);
  return values;
}

function incomparableOf(proc: Procedure): Set<number> {
  const incomparable = new Set<number>();
  const slots = slotsOfAddresses(proc);
  const isAddress = (value: Value | null): boolean =>
    value !== null && (value.opcode === Op.FunctionAddress || incomparable.has(value.id));
  for (const { values } of proc.blocks) {
    for (const value of values) {
      const { id, opcode, a, b, c } = value;
      const passesOn = opcode === Op.Identity || opcode === Op.Select;
      const isCode = opcode === Op.FunctionAddress || (passesOn && [a, b, c].some(isAddress));
      if (isCode || slots[id] !== NO_SLOT) incomparable.add(id);
    }
  }
  return incomparable;
}

/**
 * Returns the matched value by instruction. If a value becomes several instructions, the last is matched with its
 * event.
 */
function eventsOf({ lir }: LirProcedure, values: ReadonlyMap<number, Value>): Int32Array {
  const events = new Int32Array(lir.instructionCount).fill(NONE);
  const lastOf = new Map<number, number>();
  for (let i = 0; i < lir.instructionCount; i++) {
    const value = values.get(lir.origin[i]);
    if (value === undefined || !hasEvent(value)) continue;
    const before = lastOf.get(value.id);
    if (before !== undefined) events[before] = NONE;
    events[i] = value.id;
    lastOf.set(value.id, i);
  }
  return events;
}

const WITHOUT_EVENT: ReadonlySet<number> = new Set<number>([
  Op.Parameter,
  Op.Return,
  Op.ReturnDeopt,
  Op.PatchpointReturn,
  Op.TailCall,
  Op.Oops,
]);
const hasEvent = ({ opcode }: Value): boolean =>
  !WITHOUT_EVENT.has(opcode) && (EFFECTS[opcode] & CONSTANT) === 0;

// Compares machine code with the LIR for which it was written, part by part: the origin map assigns each instruction of
// the processor to a part. Whenever the processor leaves a part, the LIR interpreter executes it, and three things are
// compared: every known location (known-locations.ts), the bytes that were written, and where execution continues. The LIR is
// right, so the first part after which they differ is written wrong.
// 1. Parts without code (a move from a location to itself, a jump to the next block) are executed by the interpreter
// alone, and compared too: code may be missing.
// 2. Bits of a NaN are open. The interpreter copies those of the machine, so that later results are equal
// (machine-pair.ts).
// 3. Above 32 bits in a general register the machine must have zeroes if a row or a move guarantees them: later code
// may rely on them.
// 4. An address of code equals the other side's address of the same procedure.

import { CodeOrigins } from "../../reference/emit/origins.js";
import { type LirProcedure, placeInFrame } from "../../reference/lir/interpret/lir-procedure.js";
import { isRemat, OperandRole, REMAT, roleOf, VECTOR, vregOf } from "../../reference/lir/lir.js";
import type { LoweringPlan } from "../../reference/target/plan.js";
import type { EmulatedCpu } from "../execute/emulator/emulated-cpu.js";
import { type CallingConvention, CONVENTIONS } from "../execute/machine/conventions.js";
import type { MachineEnding } from "../execute/machine/cpu.js";
import { REGISTERS, type RegisterLayout } from "../execute/machine/guest.js";
import type { JunkRun } from "../execute/machine/junk.js";
import type { LirCpu } from "../execute/machine/lir-cpu.js";
import { Double, Int64 } from "../ir/types.js";
import { END, type ImagePart, ImagePartFinder } from "./image-parts.js";
import { KnownLocations, NO_VALUE, readRegisters } from "./known-locations.js";
import { type MachineDifference, MachinePair, NO_PLACE } from "./machine-pair.js";

/** A part of the code whose effect differs from its LIR, and the difference. */
export interface WrongPart extends MachineDifference {
  /** Its index in the origin map; -1 if nothing was written for it. */
  readonly mark: number;
  /** The row of the instruction, or `move`, `prologue`, `exit stub`. */
  readonly row: string;
  /** Index of the procedure in the module, and of the instruction in it; -1 for a stub. */
  readonly procedure: number;
  readonly instruction: number;
}

/** The greatest number of code parts that are compared in one run. */
const PARTS_MAX = 200_000;
/** The greatest number of successive parts without code: a program of these alone does not end. */
const EMPTY_MAX = 10_000;
const NONE = -1;

interface LockstepActivation {
  /** The frame pointer, as an offset in the stack memory. */
  readonly frame: number;
  readonly known: KnownLocations;
}

export class LockstepComparison {
  found: WrongPart | null = null;
  private readonly plan: LoweringPlan;
  private readonly lir: LirCpu;
  private readonly machine: EmulatedCpu;
  private readonly pair: MachinePair;
  private readonly at: RegisterLayout;
  private readonly convention: CallingConvention;
  /**
   * Register words that a call preserves. The next fields contain those that it destroys, and
   * scratch registers.
   */
  private readonly preserved: readonly number[];
  private readonly destroyed: readonly number[];
  private readonly scratch: readonly number[];

  private parts = new ImagePartFinder(new CodeOrigins(), []);
  /** By procedure: its virtual registers that are read. */
  private readonly isRead = new Map<LirProcedure, Uint8Array>();
  /** The code part that is being executed, or is next. */
  private part: ImagePart = END;
  private isEntered = false;
  /** The part with code that was executed last: it is wrong if execution continues at a wrong place. */
  private last: ImagePart = END;
  private activations: LockstepActivation[] = [];
  private written: [address: number, size: number][] = [];
  private count = 0;
  /** True if nothing more is compared in this run. */
  private isFinished = true;

  constructor(plan: LoweringPlan, lir: LirCpu, machine: EmulatedCpu) {
    const { registers } = plan.target;
    const at = REGISTERS[lir.architecture];
    const convention = CONVENTIONS[lir.architecture];
    const wordOf = (register: number): number =>
      register < VECTOR ? 2 * register : at.vectors + 4 * (register - VECTOR);
    this.plan = plan;
    this.lir = lir;
    this.machine = machine;
    this.pair = new MachinePair(lir, machine);
    this.at = at;
    this.convention = convention;
    this.preserved = [
      ...convention.calleeSaved.map((register) => 2 * register),
      ...convention.calleeSavedVectors.map((register) => at.vectors + 4 * register),
    ];
    this.destroyed = [...registers.callerSaved.keys()]
      .filter((register) => registers.callerSaved[register] !== 0)
      .map(wordOf);
    this.scratch = [registers.generalScratch, registers.vectorScratch].map(wordOf);
    lir.machine.watch = {
      begin: () => {},
      before: () => {},
      after: () => {},
      exit: () => {},
      wrote: (address, size) => this.written.push([address, size]),
    };
  }

  /** Starts with a new image, for interpreter and machine. */
  load(origins: CodeOrigins): void {
    const { procedures } = this.lir.program;
    this.parts = new ImagePartFinder(origins, procedures);
    this.pair.load(this.parts.addresses);
    this.isRead.clear();
    for (const procedure of procedures) this.isRead.set(procedure, readRegisters(procedure));
    this.isFinished = true;
  }

  /** Starts a run of the machine at the start of the image, with registers, stack and heap as set. */
  begin(poison: JunkRun): void {
    const { at, convention } = this;
    this.pair.copyState();
    this.lir.start(poison);
    const known = new KnownLocations();
    for (const register of convention.calleeSaved) known.set(2 * register, Int64);
    for (const v of convention.calleeSavedVectors) known.set(at.vectors + 4 * v, Double);
    known.set(at.stackPointer, Int64);
    this.activations = [{ frame: Number.POSITIVE_INFINITY, known }];
    this.start();
    this.enterProcedure();
  }

  /** Continues after a call whose callee has taken an exit. */
  resume(): void {
    if (this.activations.length === 0) return;
    const { lir, pair, activations } = this;
    pair.copyAllButStack();
    this.start();
    const { machine } = lir;
    machine.restart(pair.returnAddress(), lir.heap);
    while (activations.length > 1 && this.innermost().frame < machine.frame) activations.pop();
    if (machine.ending === null && this.innermost().frame === machine.frame) {
      this.part = this.parts.restOfCall(machine.procedure, machine.next - 1);
    } else {
      this.isFinished = true;
    }
  }

  private start(): void {
    this.isFinished = this.found !== null;
    this.count = 0;
    this.isEntered = false;
    this.written = [];
    this.last = END;
  }

  /** Called before the machine executes the code at that offset of the image. */
  step(offset: number): void {
    const { start, end } = this.part;
    if (this.isFinished || (this.isEntered && offset > start && offset < end)) return;
    if (++this.count > PARTS_MAX) {
      this.isFinished = true;
      return;
    }
    this.machine.look();
    if (this.isEntered) this.complete();
    let unwritten: ImagePart | null = null;
    for (let empty = 0; !this.isFinished && empty < EMPTY_MAX; empty++) {
      const { part } = this;
      if (isAt(part, offset)) {
        this.isEntered = true;
        this.last = part;
        return;
      }
      if (hasCode(part)) {
        this.reportWrongControl(`at ${hex(offset)}`, unwritten ?? this.last);
        return;
      }
      // The machine has passed this part without executing code for it.
      if (part.kind === "instruction" && part.start === offset) unwritten ??= part;
      this.complete();
    }
  }

  /** Called when the run has ended; the registers are those at its end. */
  end(ending: MachineEnding): void {
    if (this.isFinished) return;
    const { kind } = ending;
    if (kind !== "return" && kind !== "exit") {
      this.reportFault(ending);
      return;
    }
    if (this.isEntered) this.complete();
    for (let empty = 0; !this.isFinished && !hasCode(this.part) && empty < EMPTY_MAX; empty++) {
      this.complete();
    }
    const isRight = this.part.kind === "end" && this.lir.machine.ending?.kind === kind;
    if (!this.isFinished && !isRight) this.reportWrongControl(kind, this.last);
    this.isFinished = true;
  }

  private innermost(): LockstepActivation {
    return this.activations[this.activations.length - 1];
  }

  // --- from one part to the next ---

  /**
   * Completes the current part: the interpreter executes it, both are compared, and the next part becomes current.
   */
  private complete(): void {
    const { part } = this;
    const { procedure, instruction } = part;
    this.isEntered = false;
    if (procedure === null) this.completeStub(part);
    else if (part.kind === "prologue") this.completePrologue(part, procedure);
    else if (part.kind === "moves") this.completeMoves(part, procedure);
    else if (part.kind === "instruction") this.completeInstruction(part, procedure);
    else this.completeExecuted(part, procedure, instruction);
  }

  private completePrologue(part: ImagePart, procedure: LirProcedure): void {
    const { known } = this.innermost();
    procedure.saved.forEach((word, n) => {
      const held = known.held.get(word);
      if (held !== undefined)
        known.set(placeInFrame(procedure.frame.offsetOfSaved(n)), held.type, held.value);
    });
    known.set(2 * this.convention.framePointer, Int64);
    known.set(this.at.stackPointer, Int64);
    // The arguments are in the locations in which the first instruction defines them.
    const { lir, conventional } = procedure;
    for (let o = 0; o < lir.operandStart[1]; o++) {
      if (roleOf(lir.operand[o]) === OperandRole.Definition) this.addFixed(lir, o, conventional[o]);
    }
    this.compare(part);
    this.selectNext();
  }

  private addFixed(lir: LirProcedure["lir"], operand: number, word: number): void {
    if (word < 0) return;
    const vreg = vregOf(lir.operand[operand]);
    this.innermost().known.set(word, lir.typeOf(vreg), lir.vregValue[vreg]);
  }

  private completeMoves(part: ImagePart, procedure: LirProcedure): void {
    const { known } = this.innermost();
    this.lir.machine.move();
    known.move(procedure, part.instruction);
    for (const place of this.scratch) known.forget(place);
    this.compare(part);
    this.part = this.parts.instruction(procedure, part.instruction);
  }

  private completeInstruction(part: ImagePart, procedure: LirProcedure): void {
    const { machine } = this.lir;
    const { instruction } = part;
    const { frame } = machine;
    machine.execute();
    const { ending } = machine;
    const { known } = this.innermost();
    if (ending === null && machine.frame === frame) {
      this.completeExecuted(part, procedure, instruction);
    } else if (ending === null && machine.frame < frame) {
      known.destroy(procedure, instruction, []);
      this.enterProcedure();
    } else if (ending === null || ending.kind === "return") {
      this.leaveProcedure(part, procedure);
    } else if (ending.kind === "exit") {
      known.destroy(procedure, instruction, []);
      known.forgetDefined(procedure, instruction);
      this.compare(part);
      this.part = this.parts.stub(ending.index);
    } else {
      this.isFinished = true; // the interpreter has continued at a wrong place itself
    }
  }

  private completeStub(part: ImagePart): void {
    const { ending } = this.lir.machine;
    if (part.kind === "stub") {
      this.part = this.parts.common();
    } else if (part.kind === "common" && ending?.kind === "exit") {
      const { held } = this.innermost().known;
      const number = this.pair.differenceOfExit(ending.index);
      if (number !== null) this.report(this.parts.stub(ending.index), number);
      else this.report(part, this.pair.differenceInSaved(held));
      this.part = END;
    } else {
      this.reportWrongControl("further", this.last);
    }
  }

  /** Completes an instruction after which execution continues at the next one or elsewhere in its procedure. */
  private completeExecuted(part: ImagePart, procedure: LirProcedure, instruction: number): void {
    const { known } = this.innermost();
    const { zeroExtends } = this.plan.rows[procedure.lir.opcode[instruction]];
    const isRead = this.isRead.get(procedure) ?? new Uint8Array(0);
    known.destroy(procedure, instruction, procedure.isCall(instruction) ? this.destroyed : []);
    known.define(procedure, isRead, instruction, zeroExtends);
    this.compare(part);
    this.selectNext();
  }

  /** Enters the procedure that the interpreter has entered; it begins with its prologue. */
  private enterProcedure(): void {
    const { procedure, frame } = this.lir.machine;
    const { held } = this.innermost().known;
    const known = new KnownLocations();
    for (const place of this.preserved) {
      const contents = held.get(place);
      const isFrame = place === 2 * this.convention.framePointer;
      if (contents !== undefined && !isFrame) known.set(place, contents.type, contents.value);
    }
    this.activations.push({ frame, known });
    this.part = this.parts.prologue(procedure);
  }

  /** Completes a return of the interpreter, out of the image or to a call. */
  private leaveProcedure(part: ImagePart, procedure: LirProcedure): void {
    const { machine } = this.lir;
    const { lir, conventional } = procedure;
    this.activations.pop();
    const { known } = this.innermost();
    for (const place of this.destroyed) known.forget(place);
    if (machine.ending === null) {
      this.compare(part);
      this.part = this.parts.restOfCall(machine.procedure, machine.next - 1);
      return;
    }
    // The result is in its register.
    const { instruction } = part;
    for (let o = lir.operandStart[instruction]; o < lir.operandStart[instruction + 1]; o++) {
      if (roleOf(lir.operand[o]) <= OperandRole.Use) this.addFixed(lir, o, conventional[o]);
    }
    this.compare(part);
    this.part = END;
  }

  /** Makes the next instruction of the interpreter current, with the moves before it. */
  private selectNext(): void {
    const { procedure, next } = this.lir.machine;
    this.part = this.parts.moves(procedure, next);
  }

  // --- reports ---

  private compare(part: ImagePart): void {
    const { pair, written } = this;
    const { held } = this.innermost().known;
    const isEnding = this.lir.machine.ending !== null;
    this.written = [];
    const wrong = pair.differenceIn(held, this.lir.machine.frame);
    this.report(part, wrong ?? pair.differenceOfBytes(written, isEnding));
  }

  /** Reports the part after which execution continues at a wrong place. */
  private reportWrongControl(got: string, wrongPart: ImagePart): void {
    const { part } = this;
    const ending = this.lir.machine.ending?.kind ?? "nothing";
    const expected = part.kind === "end" ? ending : `at ${hex(Math.max(part.start, 0))}`;
    const where = { place: NO_PLACE, value: NO_VALUE, location: "" };
    this.report(wrongPart.kind === "end" ? part : wrongPart, {
      kind: "control",
      ...where,
      expected,
      got,
    });
  }

  /** Reports that the machine has ended, although the interpreter continues. */
  private reportFault(ending: MachineEnding): void {
    const where = { place: NO_PLACE, value: NO_VALUE, location: "" };
    const part = this.last.kind === "end" ? this.part : this.last;
    this.report(part, {
      kind: "control",
      ...where,
      expected: "no fault",
      got: describeFault(ending),
    });
  }

  private report(
    { kind, procedure, instruction, mark }: ImagePart,
    wrong: MachineDifference | null,
  ): void {
    if (wrong === null || this.isFinished) return;
    this.isFinished = true;
    const move =
      kind === "moves" && procedure !== null ? moveTo(procedure, instruction, wrong.place) : 0;
    this.found = {
      ...wrong,
      mark: mark === NONE ? NONE : mark + move,
      row: this.rowOf(kind, procedure, instruction, move),
      procedure: procedure?.index ?? NONE,
      instruction: procedure === null ? NONE : instruction,
    };
  }

  private rowOf(
    part: ImagePart["kind"],
    procedure: LirProcedure | null,
    instruction: number,
    move: number,
  ): string {
    if (procedure === null) return "exit stub";
    if (part === "prologue") return part;
    const { lir, firstGroup, groupStart, from } = procedure;
    const nameOf = (i: number): string => this.plan.rows[lir.opcode[i]].name;
    if (part !== "moves") return nameOf(instruction);
    const m = groupStart[firstGroup[instruction]] + move;
    return m < from.length && isRemat(from[m]) ? nameOf(from[m] - REMAT) : "move";
  }
}

/**
 * Returns whether the machine is at the start of the code part or, for the rest of a call, at the
 * return address.
 */
const isAt = ({ kind, start, end }: ImagePart, offset: number): boolean =>
  offset < end && (kind === "rest of call" ? offset > start : offset === start);

/** Returns whether the code part is not empty, so that the machine must execute it. */
const hasCode = ({ kind, start, end }: ImagePart): boolean =>
  kind === "end" || (kind !== "rest of call" && start < end);

function describeFault(ending: MachineEnding): string {
  if (ending.kind === "fault") return `${ending.fault} at 0x${ending.address.toString(16)}`;
  if (ending.kind === "escaped") return `an escape to 0x${ending.pc.toString(16)}`;
  return `a ${ending.kind}`;
}

const hex = (offset: number): string => offset.toString(16).padStart(4, "0");

/** Returns the index of the last single move before instruction `i` that writes the place; 0 if there is none. */
function moveTo({ firstGroup, groupStart, to }: LirProcedure, i: number, place: number): number {
  const first = groupStart[firstGroup[i]];
  for (let m = groupStart[firstGroup[i + 1]] - 1; m >= first; m--) {
    if (to[m] === place) return m - first;
  }
  return 0;
}

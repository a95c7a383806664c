// Which part makes a difference whose optimized program is right in the oracle. The same program goes
// through one part of code generation after the other in the LIR interpreter, and the first that is
// wrong is named:
//
//   lowering        the LIR is wrong over virtual registers, or its verifier says so
//   allocation      it is right there, and wrong over registers and slots; or the checker says so
//   clean-up        the same, but the allocation was right before moves were dropped from it
//   exit records    what is recorded of an exit is not where its values are
//   moves           parallel moves are right at once, and wrong as the single moves that are written
//   exit table      the table does not say what was recorded for it
//   frame placement code is right where its frame is made at the entry
//   emission        LIR is right to the end, and the code that is written for it is not
//   emulator        the processor and the emulator disagree on the same code, a disassembler reads what was
//                   meant, and the code asks for no flag that the architecture leaves undefined; else it is emission
//   oracle          whatever is compiled agrees, with itself, on another outcome
//
// Both targets may be lowered wrong alike. Then there is a third witness of the first value that differs
// (first-wrong-value.ts): the optimizer's arithmetic, which is written independently of either, or, of values that are
// handed on, what they were before. If it agrees with the oracle, lowering is wrong; the oracle is named where it
// agrees with the code, or where there is none.
//
// Continuations that ran as machine code of another subject go through the same parts with it.

import { isDeepStrictEqual } from "node:util";
import { Compiler, type GenerateOptions, type Image } from "../../reference/compile.js";
import { placeFrameAtEntry } from "../../reference/emit/framed-blocks.js";
import type { Watch } from "../../reference/lir/interpret/lir-machine.js";
import type { LirStage } from "../../reference/lir/interpret/lir-procedure.js";
import { PARTS, type Parts } from "../../reference/parts.js";
import { LEVEL_ALLOCATORS } from "../../reference/pipeline.js";
import type { AllocatorName } from "../../reference/regalloc/allocator-names.js";
import type { ExitRecord } from "../../reference/snapshot/exit-record.js";
import { TARGET_NAMES, type TargetName } from "../../reference/target/target.js";
import { judge } from "../compare/compare.js";
import { describeSeen } from "../compare/describe-difference.js";
import {
  Judge,
  type Judgement,
  type JudgeOptions,
  type ProgramResult,
  type ReferenceJudgeOptions,
} from "../compare/judge-program.js";
import { openEmulated, openNative } from "../execute/compiled-subject.js";
import type { ResumeMode } from "../execute/continuations.js";
import { openLir } from "../execute/lir-subject.js";
import { decodeExits } from "../execute/machine/decode-exits.js";
import { hostMissing } from "../execute/missing.js";
import { type ReferenceSubject, referenceSubject } from "../execute/reference-subject.js";
import { DEFAULT_SETTINGS, Unit } from "../execute/unit.js";
import type { Input, Outcome } from "../ir/outcome.js";
import { Module } from "../ir/procedure.js";
import { describeError, InternalError } from "../support/assert.js";
import { firstWrongInstruction, type WrongInstruction } from "./first-wrong-instruction.js";
import { firstWrongValue, type WrongValue } from "./first-wrong-value.js";
import { lostByAllocator } from "./lost-moves.js";
import { misreadIn } from "./misread-code.js";
import { openAs } from "./open-as.js";
import { undefinedFlagIn } from "./undefined-flags.js";
import { type WrongMoves, wrongByCleanUp, wrongInSequence } from "./wrong-moves.js";
import { Recorded } from "./wrong-record.js";

export interface Behind {
  readonly stage:
    | "lowering"
    | "allocation"
    | "clean-up"
    | "moves"
    | "exit records"
    | "exit table"
    | "frame placement"
    | "emission"
    | "emulator"
    | "oracle"
    /** Traces are wrong as they were recorded, or the way into and out of them is. */
    | "recorder"
    /** Traces are right while no exit is linked in code. */
    | "links"
    /** The difference does not show again in any part. */
    | "code generation";
  /** What is wrong there, in a sentence. */
  readonly detail: string;
  /** Of allocation: the allocator. */
  readonly allocator: AllocatorName | null;
  /**
   * Of lowering, allocation and clean-up: what the verifier or the checker says; of emission, what a
   * disassembler reads where it should not.
   */
  readonly faults: readonly string[];
  /** The subject whose code a continuation ran as that makes the difference; null: it is not there. */
  readonly resumedBy: string | null;
  /** The instruction that emission writes wrong, whose row is a part of the cause, or that the emulator runs wrong. */
  readonly instruction: WrongInstruction | null;
  /** Of emission, where that is not known: the LIR rows that the wrong execution goes through. */
  readonly rows: readonly string[];
  /** The first value that differs, with the LIR instruction; null where it was not looked for. */
  readonly wrong: WrongValue | null;
  /**
   * Of moves and clean-up: the moves that are wrong; of allocation: where one is missing. Null where that was not
   * found, or not looked for.
   */
  readonly moves: WrongMoves | null;
}

export interface LocateOptions extends ReferenceJudgeOptions {
  /**
   * The program may run on the processor itself, where this machine can: it is one of ours, or a native
   * subject among `subjects` was named.
   */
  readonly mayRunNatively?: boolean;
}

/** Locates behind the optimizer, for one program after another; judges stay open between them. */
export class BehindOptimizer {
  private readonly subject: ReferenceSubject;
  private readonly options: LocateOptions;
  private readonly judges = new Map<string, Judge>();
  private module = new Module();
  private inputs: readonly Input[] = [];
  private looksFor = false;

  constructor(subject: ReferenceSubject, options: LocateOptions) {
    this.subject = subject;
    this.options = { ...options, checkAllocation: false };
  }

  /**
   * @param looksFor the first wrong value and the bytes of the first wrong instruction too, which takes more runs
   */
  locate(module: Module, inputs: readonly Input[], looksFor: boolean): Behind {
    this.module = module;
    this.inputs = inputs;
    this.looksFor = looksFor;
    if (this.subject.target === null) return behindIn("code generation", "it is not compiled");
    return this.crashed() ?? this.inLir() ?? this.behindLir();
  }

  close(): void {
    for (const judge of this.judges.values()) judge.close();
    this.judges.clear();
  }

  /** The part of the compiler that stopped with an error. */
  private crashed(): Behind | null {
    const at: { stage: "lowering" | "allocation" | "emission" } = { stage: "lowering" };
    const error = this.compile(false, (shown) => {
      at.stage = shown === "lower" ? "allocation" : "emission";
    });
    if (error === null) return null;
    // Code that cannot be emitted may be invalid for the verifier or the checker: they come first.
    const fault = at.stage === "emission" ? this.rejected() : null;
    if (fault === null) return behindIn(at.stage, error);
    const rejected = { ...behindIn(fault.of, error), faults: [fault.says] };
    return fault.of === "lowering" ? rejected : this.allocatedOrCleaned(rejected);
  }

  /** Of a wrong allocation: whether the allocator or clean-up made it wrong. */
  private allocatedOrCleaned(wrong: Behind): Behind {
    const { module, inputs, subject, options } = this;
    const { parts = PARTS } = options;
    const before = new BehindOptimizer(subject, {
      ...options,
      parts: { ...parts, cleanUp: () => () => {} },
    });
    const isRight = before.isAllocationRight(module, inputs);
    before.close();
    if (isRight) return { ...wrong, stage: "clean-up", moves: this.wrongMoves(wrongByCleanUp) };
    const { allocator, level } = subject;
    const moves = this.wrongMoves(lostByAllocator);
    return { ...wrong, allocator: allocator ?? LEVEL_ALLOCATORS[level], moves };
  }

  private isAllocationRight(module: Module, inputs: readonly Input[]): boolean {
    this.module = module;
    this.inputs = inputs;
    return this.rejected() === null && this.differenceIn("allocate") === null;
  }

  private inLir(): Behind | null {
    // What the verifier rejects may run anywhere, and is not interpreted.
    const fault = this.rejected();
    if (fault?.of === "lowering") {
      return { ...behindIn("lowering", fault.says), faults: [fault.says] };
    }
    const exits = this.faultOfExits();
    if (exits !== null) return exits;
    const lowered = this.differenceIn("lower");
    if (lowered !== null) {
      return this.isAgreedAgainst()
        ? this.againstAll(lowered)
        : this.wrongIn("lowering", "lower", lowered);
    }
    const faults = fault === null ? [] : [fault.says];
    const allocated = this.differenceIn("allocate");
    if (allocated !== null || faults.length > 0) {
      const found = allocated ?? { input: 0, detail: faults[0], resumedBy: null };
      return this.allocatedOrCleaned({ ...this.wrongIn("allocation", "allocate", found), faults });
    }
    const moved = this.differenceIn("moves");
    if (moved === null) return null;
    return { ...this.wrongIn("moves", "moves", moved), moves: this.wrongMoves(wrongInSequence) };
  }

  private wrongMoves(find: typeof wrongByCleanUp): WrongMoves | null {
    const { parts = PARTS } = this.options;
    if (!this.looksFor) return null;
    return find(parts, (compiler, options) => this.generated(compiler, options));
  }

  /** Every target does what the oracle does not: what does the optimizer agree with? */
  private againstAll(lowered: Difference): Behind {
    const { module, inputs, subject, options } = this;
    const wrong = firstWrongValue(module, inputs[lowered.input], subject, "lower", options);
    const all = `all targets agree on another outcome, unoptimized too: ${lowered.detail}`;
    if (wrong?.witness === "oracle") {
      const detail = `${all}; but the third witness agrees with the oracle`;
      return { ...behindIn("lowering", detail), wrong };
    }
    const said = wrong?.witness === "code" ? `${all}; so does the third witness` : all;
    return { ...behindIn("oracle", said), wrong };
  }

  private behindLir(): Behind {
    const { subject } = this;
    const { resumes = "drawn" } = this.options;
    const plain = this.differenceOf(subject, { resumes }, "as it is");
    if (plain === null) return behindIn("code generation", "it does not show again");
    const { parts = PARTS } = this.options;
    const more = { resumes, parts: { ...parts, placeFrame: placeFrameAtEntry } };
    if (this.differenceOf(subject, more, "frames at entries") === null) {
      return behindIn("frame placement", `right with its frame at the entry: ${plain.detail}`);
    }
    const flag = this.undefinedFlag(plain);
    if (flag !== null) return flag;
    if (subject.native) {
      const emulated = referenceSubject({ ...subject, native: false }, openEmulated);
      if (this.differenceOf(emulated, { resumes }, "emulated") === null) {
        const detail = `the processor differs, emulation does not: ${plain.detail}`;
        return this.misread() ?? behindIn("emulator", detail);
      }
    } else if (this.mayRunNatively()) {
      const native = referenceSubject({ ...subject, native: true }, openNative);
      if (this.differenceOf(native, { resumes }, "native") === null) {
        const detail = `emulation differs, the processor does not: ${plain.detail}`;
        const misread = this.misread();
        if (misread !== null) return misread;
        const instruction = this.looksFor ? this.written(plain, null) : null;
        return { ...behindIn("emulator", detail), instruction };
      }
    }
    const behind = this.wrongIn("emission", null, plain);
    const instruction = this.written(plain, behind.resumedBy);
    const isNamed = instruction !== null || !this.looksFor;
    return { ...behind, instruction, rows: isNamed ? [] : this.rowsOf(plain) };
  }

  /** Code that two machines read differently may be encoded wrong: objdump is the third reader. */
  private misread(): Behind | null {
    const { code, listing } = this.listed();
    const fault = misreadIn(this.subject.target ?? "x64", code, listing);
    return fault === null ? null : { ...behindIn("emission", fault), faults: [fault] };
  }

  /** Code that asks for what the architecture leaves undefined is wrong, whatever the machines have there. */
  private undefinedFlag(plain: Difference): Behind | null {
    if (this.subject.target !== "x64") return null;
    const fault = undefinedFlagIn(this.listed().listing);
    if (fault === null) return null;
    const instruction = this.written(plain, null);
    return { ...behindIn("emission", fault), faults: [fault], instruction };
  }

  private listed(): Image {
    const compiler = new Compiler(this.options.parts);
    return this.generated(compiler, { checkAllocation: false, listing: true });
  }

  private written({ input }: Difference, resumedBy: string | null): WrongInstruction | null {
    const { module, inputs, subject, options, looksFor } = this;
    return firstWrongInstruction(module, inputs[input], subject, options, resumedBy, looksFor);
  }

  private mayRunNatively(): boolean {
    const { subjects, mayRunNatively = subjects.some(({ native }) => native) } = this.options;
    return this.subject.target === "x64" && mayRunNatively && hostMissing() === null;
  }

  private wrongIn(
    stage: Behind["stage"],
    lirStage: LirStage | null,
    { input, detail, resumedBy }: Difference,
  ): Behind {
    const { subject, looksFor } = this;
    const shown = lirStage === null ? subject : this.lir(lirStage);
    const where = lirStage ?? "as it is";
    const isElsewhere =
      resumedBy !== null && this.differenceOf(shown, { resumes: "interpreted" }, where) === null;
    const isShown = looksFor && lirStage !== null && !isElsewhere;
    const wrong = isShown ? this.wrongValue(input, lirStage) : null;
    return { ...behindIn(stage, detail), resumedBy: isElsewhere ? resumedBy : null, wrong };
  }

  /** Null where the compiler stops on its own, so that nothing can be watched. */
  private wrongValue(input: number, stage: LirStage): WrongValue | null {
    const { module, inputs, subject, options } = this;
    try {
      return firstWrongValue(module, inputs[input], subject, stage, options);
    } catch (error) {
      if (error instanceof InternalError) return null;
      throw error;
    }
  }

  /** By name, in the order of the alphabet. */
  private rowsOf({ input }: Difference): string[] {
    const { parts = PARTS } = this.options;
    const { rows } = parts.plans[this.subject.target ?? "x64"];
    const names = new Set<string>();
    const watch: Watch = {
      begin: () => {},
      before: (_m, { lir }, i) => names.add(rows[lir.opcode[i]].name),
      after: () => {},
      exit: () => {},
      wrote: () => {},
    };
    const { resumes } = this.options;
    const mode = resumes === "interpreted" ? resumes : "moves";
    const watched = this.open(this.lir("moves", watch), { resumes: mode });
    try {
      watched.judge(this.module, [this.inputs[input]]);
    } finally {
      watched.close();
    }
    return [...names].sort();
  }

  private lir(stage: LirStage, watch: Watch | null = null): ReferenceSubject {
    return referenceSubject({ ...this.subject, native: false }, openLir(stage, undefined, watch));
  }

  private differenceIn(stage: LirStage): Difference | null {
    const { resumes } = this.options;
    const more = { resumes: resumes === "interpreted" ? resumes : stage };
    return this.differenceOf(this.lir(stage), more, stage);
  }

  /**
   * The first input on which the subject differs from the oracle; null if it agrees.
   * @param where in a word: which of the subject's forms it is
   */
  private differenceOf(
    subject: ReferenceSubject,
    more: DifferenceOptions,
    where: string,
  ): Difference | null {
    try {
      const judgements = this.judged(subject, more, `${where}, ${more.resumes}`);
      for (const { verdict, input, outcome } of judgements) {
        if (verdict.kind !== "different") continue;
        const detail = describeSeen(verdict.difference);
        const resumedBy = outcome === null ? null : resumedByIn(outcome);
        return { input, detail, resumedBy };
      }
      return null;
    } catch (error) {
      if (error instanceof InternalError)
        return { input: 0, detail: error.message, resumedBy: null };
      throw error;
    }
  }

  /** A judge that has thrown may be in any state, and is closed. */
  private judged(
    subject: ReferenceSubject,
    more: Partial<JudgeOptions>,
    key: string,
  ): readonly Judgement[] {
    return this.result(subject, more, key).results[0].judgements;
  }

  private result(
    subject: ReferenceSubject,
    more: Partial<JudgeOptions>,
    key: string,
  ): ProgramResult {
    const judge = this.judges.get(key) ?? this.open(subject, more);
    this.judges.delete(key);
    try {
      const result = judge.judge(this.module, this.inputs);
      this.judges.set(key, judge);
      return result;
    } finally {
      if (!this.judges.has(key)) judge.close();
    }
  }

  private open(subject: ReferenceSubject, more: Partial<JudgeOptions>): Judge {
    return new Judge({ ...this.options, ...more, subjects: [subject] });
  }

  /** Both targets are wrong at O0 in the same way. */
  private isAgreedAgainst(): boolean {
    const [x64, arm64] = TARGET_NAMES.map((target) => this.unoptimized(target));
    if (x64 === null || arm64 === null) return false;
    let isDifferent = false;
    for (const [k, ours] of x64.results[0].judgements.entries()) {
      const theirs = arm64.results[0].judgements[k];
      if (ours.outcome === null || theirs.outcome === null) return false;
      if (ours.verdict.kind === "unjudged") continue;
      isDifferent ||= ours.verdict.kind === "different";
      const expected = openAs(x64.expected[k], ours.outcome);
      if (judge(expected, theirs.outcome).kind !== "equal") return false;
    }
    return isDifferent;
  }

  /** Null where it cannot be compiled. */
  private unoptimized(target: TargetName): ProgramResult | null {
    const plain = { level: "O0", allocator: null, chaos: false, pieces: false } as const;
    const facts = { ...this.subject, ...plain, target, native: false };
    const subject = referenceSubject(facts, openLir("lower"));
    try {
      const more = { resumes: "interpreted", keepOutcomes: true } as const;
      return this.result(subject, more, `O0 ${target}`);
    } catch (error) {
      if (error instanceof InternalError) return null;
      throw error;
    }
  }

  /** What the verifier of LIR says, or, if registers were allocated, the checker of that. */
  private rejected(): { readonly of: "lowering" | "allocation"; readonly says: string } | null {
    let of: "lowering" | "allocation" = "lowering";
    const says = this.compile(true, (shown) => {
      if (shown === "allocate") of = "allocation";
    });
    return says === null ? null : { of, says };
  }

  /**
   * Compares what is recorded of exits with a second derivation, and the exit table with the records. LIR is interpreted
   * with the same records and table: a wrong one would show there as a fault of another part.
   */
  private faultOfExits(): Behind | null {
    const { parts = PARTS } = this.options;
    const expected = new Recorded();
    let records: readonly ExitRecord[] = [];
    const watched: Parts = {
      ...parts,
      encodeExits: (exits) => {
        records = [...exits];
        return parts.encodeExits(exits);
      },
    };
    const { exits } = this.generated(new Compiler(watched), {
      checkAllocation: false,
      onLir: (stage, lir, allocation, plan) => {
        if (stage === "allocate") expected.add(lir, allocation, plan);
      },
    });
    const fault = expected.faultIn(records);
    if (fault !== null) return behindIn("exit records", fault);
    const table = faultOfTable(exits, records);
    return table === null ? null : behindIn("exit table", table);
  }

  /** What the compiler says when it stops on its own; null if it does not. */
  private compile(
    checkAllocation: boolean,
    onStage: (stage: "lower" | "allocate") => void = () => {},
  ): string | null {
    try {
      const compiler = new Compiler(this.options.parts);
      this.generated(compiler, { checkAllocation, onLir: (stage) => onStage(stage) });
      return null;
    } catch (error) {
      return describeError(error);
    }
  }

  private generated(
    compiler: Compiler,
    more: Pick<GenerateOptions, "checkAllocation" | "onLir"> & { readonly listing?: boolean },
  ) {
    const { subject, options } = this;
    const { settings = DEFAULT_SETTINGS, parts = PARTS } = options;
    const unit = new Unit(this.module, settings, parts);
    return compiler.generate(unit.optimized(subject).module, subject.target ?? "x64", {
      ...unit.generateOptions(subject, false),
      ...more,
    });
  }
}

/** Returns where the exit table differs from the records; null if it does not. */
function faultOfTable(exits: Image["exits"], records: readonly ExitRecord[]): string | null {
  try {
    const decoded = decodeExits(exits);
    const k = records.findIndex((record, i) => !isDeepStrictEqual(record, decoded[i]));
    if (k < 0) return null;
    return `of exit ${records[k].exit} it has other contents than were recorded`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The subject that ran continuations of the first exit for which it was not the oracle. */
function resumedByIn({ ending, calleeExits = [] }: Outcome): string | null {
  const exits = [...calleeExits.map((exit) => exit.ending), ending];
  for (const exit of exits) {
    if (exit.kind === "exit" && exit.resumedBy !== undefined) return exit.resumedBy;
  }
  return null;
}

/** As the difference was found, but for these. */
type DifferenceOptions = { readonly resumes: ResumeMode } & Pick<LocateOptions, "parts">;

interface Difference {
  /** Index of the input. */
  readonly input: number;
  readonly detail: string;
  readonly resumedBy: string | null;
}

/** The stage alone: where in it is not known. */
export function behindIn(stage: Behind["stage"], detail: string): Behind {
  const where = { instruction: null, wrong: null, moves: null };
  const unknown = { allocator: null, resumedBy: null, ...where };
  return { stage, detail, ...unknown, faults: [], rows: [] };
}

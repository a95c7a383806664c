// Locates the part that causes a difference if the optimized program is right in the oracle. The LIR interpreter runs
// the program after each part of code generation. The first wrong part is the cause:
//
//     lowering        the LIR is wrong over virtual registers, or its verifier rejects it
//     allocation      the LIR is right there, and wrong over registers and slots; or the checker rejects it
//     clean-up        likewise, but the allocation was right before clean-up dropped moves
//     exit records    the record of an exit does not contain the locations of its values
//     moves           parallel moves are right if simultaneous, and wrong as the single moves that are written
//     exit table      the table does not contain the records
//     frame placement code is right if its frame is made at the entry
//     emission        LIR is right to the end, and the code that is written for it is wrong
//     emulator        the processor and the emulator disagree on the same code, a disassembler decodes the
//                     intended instructions, and the code reads no flag that the architecture leaves
//                     undefined; otherwise the cause is emission
//     oracle          all compiled code agrees on another outcome
//
// Both targets may be lowered wrong in the same way. Then there is a third implementation on the first value that differs
// (first-wrong-value.ts): the optimizer's arithmetic, which is implemented independently, or, for values that calls
// pass on, the value before the call. If it agrees with the oracle, lowering is the cause. The oracle is the cause if
// it agrees with the code, or if there is no third implementation.
//
// Continuations that ran as machine code of another subject go through the same parts with it.

import { isDeepStrictEqual } from "node:util";
import { type CodeImage, Compiler, type GenerateOptions } from "../../reference/compile.js";
import { placeFrameAtEntry } from "../../reference/emit/framed-blocks.js";
import type { ExecutionObserver } from "../../reference/lir/interpret/lir-machine.js";
import type { LirStage } from "../../reference/lir/interpret/lir-procedure.js";
import { type CompilerParts, PARTS } from "../../reference/parts.js";
import { LEVEL_ALLOCATORS } from "../../reference/pipeline.js";
import type { AllocatorName } from "../../reference/regalloc/allocator-names.js";
import type { ExitRecord } from "../../reference/snapshot/exit-record.js";
import { TARGET_NAMES, type TargetName } from "../../reference/target/target.js";
import { judge } from "../compare/compare.js";
import { describeWithComparison } from "../compare/describe-difference.js";
import {
  type ExecutionJudgement,
  Judge,
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
import { CompilationUnit, DEFAULT_SETTINGS } from "../execute/unit.js";
import type { Input, MemoryImage, ObservedBits, Outcome } from "../ir/outcome.js";
import { Module } from "../ir/procedure.js";
import { isNaNBits } from "../ir/text/literals.js";
import { describeError, InternalError } from "../support/assert.js";
import { firstWrongInstruction, type WrongInstruction } from "./first-wrong-instruction.js";
import { firstWrongValue, type WrongValue } from "./first-wrong-value.js";
import { undefinedFlagIn } from "./undefined-flags.js";
import { wrongEncodingIn } from "./wrong-encoding.js";
import { ExpectedRecords } from "./wrong-record.js";

export interface LaterStageCause {
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
    /** The trace recorder: traces are wrong even if they are interpreted as recorded. */
    | "recorder"
    /** The linking of trace exits in code: traces are right if no exit is linked. */
    | "links"
    /** No single part: the difference does not recur when each part is tested. */
    | "code generation";
  /** A description of the fault, in one sentence. */
  readonly detail: string;
  /** The allocator, if allocation is the cause. */
  readonly allocator: AllocatorName | null;
  /**
   * For lowering, allocation and clean-up: the faults of the verifier or the checker; for emission, the instruction
   * that a disassembler decodes differently.
   */
  readonly faults: readonly string[];
  /** The subject whose code ran the continuation that differs; null if the difference is elsewhere. */
  readonly resumedBy: string | null;
  /**
   * The instruction that emission writes wrong, whose row is a part of the cause, or that the emulator executes wrong.
   */
  readonly instruction: WrongInstruction | null;
  /** For emission, if the instruction is unknown: the LIR rows that the wrong execution reaches. */
  readonly rows: readonly string[];
  /** The first value that differs, with the LIR instruction; null if it was not searched. */
  readonly wrong: WrongValue | null;
}

export interface LocateOptions extends ReferenceJudgeOptions {
  /**
   * True if the program may run on the processor, if this machine can: it is one of our own, or a native subject was
   * named in `subjects`.
   */
  readonly mayRunNatively?: boolean;
}

/** Locates causes after the optimizer, in one program after another; judges stay open in between. */
export class LaterStageSearch {
  private readonly subject: ReferenceSubject;
  private readonly options: LocateOptions;
  private readonly judges = new Map<string, Judge>();
  private module = new Module();
  private inputs: readonly Input[] = [];
  private findsDetails = false;

  constructor(subject: ReferenceSubject, options: LocateOptions) {
    this.subject = subject;
    this.options = { ...options, checkAllocation: false };
  }

  /**
   * Returns the part of the compiler, after the optimizer, that makes the program wrong.
   * @param findsDetails also search the first wrong value and the bytes of the first wrong instruction,
   * which needs more runs
   */
  locate(module: Module, inputs: readonly Input[], findsDetails: boolean): LaterStageCause {
    this.module = module;
    this.inputs = inputs;
    this.findsDetails = findsDetails;
    if (this.subject.target === null) return causeInStage("code generation", "it is not compiled");
    return this.locateCrash() ?? this.locateInLir() ?? this.locateAfterLir();
  }

  close(): void {
    for (const judge of this.judges.values()) judge.close();
    this.judges.clear();
  }

  /** Returns the part of the compiler that stopped with an error. */
  private locateCrash(): LaterStageCause | null {
    const at: { stage: "lowering" | "allocation" | "emission" } = { stage: "lowering" };
    const error = this.compile(false, (shown) => {
      at.stage = shown === "lower" ? "allocation" : "emission";
    });
    if (error === null) return null;
    // If emission fails, an earlier part may have made invalid LIR: the verifier and the checker
    // are tried first.
    const invalid = at.stage === "emission" ? this.invalidLir() : null;
    if (invalid === null) return causeInStage(at.stage, error);
    const rejectedBy = { ...causeInStage(invalid.stage, error), faults: [invalid.message] };
    return invalid.stage === "lowering" ? rejectedBy : this.locateWrongAllocation(rejectedBy);
  }

  /** Returns the cause with its stage: the allocator, or the clean-up of moves after it. */
  private locateWrongAllocation(wrong: LaterStageCause): LaterStageCause {
    const { module, inputs, subject, options } = this;
    const { parts = PARTS } = options;
    const before = new LaterStageSearch(subject, {
      ...options,
      parts: { ...parts, cleanUp: () => () => {} },
    });
    const isRight = before.isAllocationRight(module, inputs);
    before.close();
    if (isRight) return { ...wrong, stage: "clean-up" };
    const { allocator, level } = subject;
    return { ...wrong, allocator: allocator ?? LEVEL_ALLOCATORS[level] };
  }

  private isAllocationRight(module: Module, inputs: readonly Input[]): boolean {
    this.module = module;
    this.inputs = inputs;
    return this.invalidLir() === null && this.differenceIn("allocate") === null;
  }

  private locateInLir(): LaterStageCause | null {
    // LIR that the verifier rejects may be executed arbitrarily, so it is not interpreted.
    const invalid = this.invalidLir();
    if (invalid?.stage === "lowering") {
      return { ...causeInStage("lowering", invalid.message), faults: [invalid.message] };
    }
    const exits = this.faultOfExits();
    if (exits !== null) return exits;
    const lowered = this.differenceIn("lower");
    if (lowered !== null) {
      return this.doTargetsAgree()
        ? this.locateSharedDifference(lowered)
        : this.wrongIn("lowering", "lower", lowered);
    }
    const faults = invalid === null ? [] : [invalid.message];
    const allocated = this.differenceIn("allocate");
    if (allocated !== null || faults.length > 0) {
      const found = allocated ?? { input: 0, detail: faults[0], resumedBy: null };
      return this.locateWrongAllocation({
        ...this.wrongIn("allocation", "allocate", found),
        faults,
      });
    }
    const moved = this.differenceIn("moves");
    if (moved === null) return null;
    return this.wrongIn("moves", "moves", moved);
  }

  /**
   * Locates the cause if both targets differ from the oracle: lowering, or the oracle itself. The
   * optimizer's arithmetic decides.
   */
  private locateSharedDifference(lowered: ExecutionDifference): LaterStageCause {
    const { module, inputs, subject, options } = this;
    const wrong = firstWrongValue(module, inputs[lowered.input], subject, "lower", options);
    const all = `all targets agree on another outcome, unoptimized too: ${lowered.detail}`;
    if (wrong?.agreesWith === "oracle") {
      const detail = `${all}; but the third implementation agrees with the oracle`;
      return { ...causeInStage("lowering", detail), wrong };
    }
    const detail = wrong?.agreesWith === "code" ? `${all}; so does the third implementation` : all;
    return { ...causeInStage("oracle", detail), wrong };
  }

  private locateAfterLir(): LaterStageCause {
    const { subject } = this;
    const { resumes = "drawn" } = this.options;
    const plain = this.differenceOf(subject, { resumes }, "as it is");
    if (plain === null) return causeInStage("code generation", "it does not recur");
    const { parts = PARTS } = this.options;
    const more = { resumes, parts: { ...parts, placeFrame: placeFrameAtEntry } };
    if (this.differenceOf(subject, more, "frames at entries") === null) {
      return causeInStage("frame placement", `right with its frame at the entry: ${plain.detail}`);
    }
    const found = this.undefinedFlag(plain) ?? this.locateByOtherMachine(plain, resumes);
    if (found !== null) return found;
    const emission = this.wrongIn("emission", null, plain);
    const instruction = this.wrongInstruction(plain, emission.resumedBy);
    const isNamed = instruction !== null || !this.findsDetails;
    return { ...emission, instruction, rows: isNamed ? [] : this.rowsOf(plain) };
  }

  /** Returns the cause if the processor and the emulator disagree on the code; null if they agree or only one can run. */
  private locateByOtherMachine(
    plain: ExecutionDifference,
    resumes: ResumeMode,
  ): LaterStageCause | null {
    const { subject } = this;
    if (!subject.native && !this.mayRunNatively()) return null;
    const [where, open] = subject.native
      ? (["emulated", openEmulated] as const)
      : (["native", openNative] as const);
    const other = referenceSubject({ ...subject, native: !subject.native }, open);
    if (this.differenceOf(other, { resumes }, where) !== null) return null;
    const wrongEncoding = this.wrongEncoding();
    if (wrongEncoding !== null) return wrongEncoding;
    const which = subject.native
      ? "the processor differs, emulation does not"
      : "emulation differs, the processor does not";
    const isSearched = !subject.native && this.findsDetails;
    const instruction = isSearched ? this.wrongInstruction(plain, null) : null;
    return { ...causeInStage("emulator", `${which}: ${plain.detail}`), instruction };
  }

  /** Returns the fault of code that two machines decode differently and that may be encoded wrong: objdump decides. */
  private wrongEncoding(): LaterStageCause | null {
    const { code, listing } = this.compileWithListing();
    const fault = wrongEncodingIn(this.subject.target ?? "x64", code, listing);
    return fault === null ? null : { ...causeInStage("emission", fault), faults: [fault] };
  }

  /**
   * Returns the fault of code that reads flags which the architecture leaves undefined. Such code is wrong, whatever
   * the machines compute.
   */
  private undefinedFlag(plain: ExecutionDifference): LaterStageCause | null {
    if (this.subject.target !== "x64") return null;
    const fault = undefinedFlagIn(this.compileWithListing().listing);
    if (fault === null) return null;
    const instruction = this.wrongInstruction(plain, null);
    return { ...causeInStage("emission", fault), faults: [fault], instruction };
  }

  private compileWithListing(): CodeImage {
    const compiler = new Compiler(this.options.parts);
    return this.generated(compiler, { checkAllocation: false, listing: true });
  }

  private wrongInstruction(
    { input }: ExecutionDifference,
    resumedBy: string | null,
  ): WrongInstruction | null {
    const { module, inputs, subject, options, findsDetails } = this;
    return firstWrongInstruction(module, inputs[input], subject, options, resumedBy, findsDetails);
  }

  private mayRunNatively(): boolean {
    const { subjects, mayRunNatively = subjects.some(({ native }) => native) } = this.options;
    return this.subject.target === "x64" && mayRunNatively && hostMissing() === null;
  }

  private wrongIn(
    stage: LaterStageCause["stage"],
    lirStage: LirStage | null,
    { input, detail, resumedBy }: ExecutionDifference,
  ): LaterStageCause {
    const { subject, findsDetails } = this;
    const shown = lirStage === null ? subject : this.lir(lirStage);
    const where = lirStage ?? "as it is";
    const isElsewhere =
      resumedBy !== null && this.differenceOf(shown, { resumes: "interpreted" }, where) === null;
    const isShown = findsDetails && lirStage !== null && !isElsewhere;
    const wrong = isShown ? this.wrongValue(input, lirStage) : null;
    return { ...causeInStage(stage, detail), resumedBy: isElsewhere ? resumedBy : null, wrong };
  }

  /** Returns the first wrong value; null if the compiler stops with an error, so that it cannot be observed. */
  private wrongValue(input: number, stage: LirStage): WrongValue | null {
    const { module, inputs, subject, options } = this;
    try {
      return firstWrongValue(module, inputs[input], subject, stage, options);
    } catch (error) {
      if (error instanceof InternalError) return null;
      throw error;
    }
  }

  /** Returns the names of the LIR rows that the wrong execution reaches, in alphabetical order. */
  private rowsOf({ input }: ExecutionDifference): string[] {
    const { parts = PARTS } = this.options;
    const { rows } = parts.plans[this.subject.target ?? "x64"];
    const names = new Set<string>();
    const watch: ExecutionObserver = {
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
      watched.judge({ module: this.module, inputs: [this.inputs[input]] });
    } finally {
      watched.close();
    }
    return [...names].sort();
  }

  private lir(stage: LirStage, watch: ExecutionObserver | null = null): ReferenceSubject {
    return referenceSubject({ ...this.subject, native: false }, openLir(stage, undefined, watch));
  }

  private differenceIn(stage: LirStage): ExecutionDifference | null {
    const { resumes } = this.options;
    const more = { resumes: resumes === "interpreted" ? resumes : stage };
    return this.differenceOf(this.lir(stage), more, stage);
  }

  /**
   * Returns the first input on which the subject differs from the oracle; null if it agrees.
   * @param where the form of the subject, in one word
   */
  private differenceOf(
    subject: ReferenceSubject,
    more: DifferenceOptions,
    where: string,
  ): ExecutionDifference | null {
    try {
      const judgements = this.judged(subject, more, `${where}, ${more.resumes}`);
      for (const { verdict, input, outcome } of judgements) {
        if (verdict.kind !== "different") continue;
        const detail = describeWithComparison(verdict.difference);
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

  /**
   * Judges the program by one subject. A judge that throws is closed, because its state is unknown.
   */
  private judged(
    subject: ReferenceSubject,
    more: Partial<JudgeOptions>,
    key: string,
  ): readonly ExecutionJudgement[] {
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
      const result = judge.judge({ module: this.module, inputs: this.inputs });
      this.judges.set(key, judge);
      return result;
    } finally {
      if (!this.judges.has(key)) judge.close();
    }
  }

  private open(subject: ReferenceSubject, more: Partial<JudgeOptions>): Judge {
    return new Judge({ ...this.options, ...more, subjects: [subject] });
  }

  /** Returns whether both targets differ from the oracle at O0 in the same way. */
  private doTargetsAgree(): boolean {
    const [x64, arm64] = TARGET_NAMES.map((target) => this.unoptimized(target));
    if (x64 === null || arm64 === null) return false;
    let isDifferent = false;
    for (const [k, ours] of x64.results[0].judgements.entries()) {
      const theirs = arm64.results[0].judgements[k];
      if (ours.outcome === null || theirs.outcome === null) return false;
      if (ours.verdict.kind === "unjudged") continue;
      isDifferent ||= ours.verdict.kind === "different";
      const expected = withOpenParts(x64.expected[k], ours.outcome);
      if (judge(expected, theirs.outcome).kind !== "equal") return false;
    }
    return isDifferent;
  }

  /** Judges the program as code of level O0 for the target; null if it cannot be compiled. */
  private unoptimized(target: TargetName): ProgramResult | null {
    const plain = { level: "O0", allocator: null, chaos: false, halves: false } as const;
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

  /**
   * Returns the fault that the verifier of LIR reports, or, if registers were allocated, the checker of allocations.
   */
  private invalidLir(): {
    readonly stage: "lowering" | "allocation";
    readonly message: string;
  } | null {
    let stage: "lowering" | "allocation" = "lowering";
    const message = this.compile(true, (shown) => {
      if (shown === "allocate") stage = "allocation";
    });
    return message === null ? null : { stage, message };
  }

  /**
   * Compares the records of exits with a second derivation, and the exit table with the records. The LIR interpreter
   * uses the same records and table, so a wrong one would appear as a fault of another part.
   */
  private faultOfExits(): LaterStageCause | null {
    const { parts = PARTS } = this.options;
    const expected = new ExpectedRecords();
    let records: readonly ExitRecord[] = [];
    const watched: CompilerParts = {
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
    if (fault !== null) return causeInStage("exit records", fault);
    const table = faultOfTable(exits, records);
    return table === null ? null : causeInStage("exit table", table);
  }

  /** Returns the error with which the compiler stops; null if it does not. */
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
    const unit = new CompilationUnit(this.module, settings, parts);
    return compiler.generate(unit.optimized(subject).module, subject.target ?? "x64", {
      ...unit.generateOptions(subject, false),
      ...more,
    });
  }
}

/** Returns how the exit table differs from the records; null if it does not. */
function faultOfTable(exits: CodeImage["exits"], records: readonly ExitRecord[]): string | null {
  try {
    const decoded = decodeExits(exits);
    const k = records.findIndex((record, i) => !isDeepStrictEqual(record, decoded[i]));
    if (k < 0) return null;
    return `for exit ${records[k].exit} it differs from the record`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns the subject that ran continuations of the first exit whose continuations the oracle did not run. */
function resumedByIn({ ending, calleeExits = [] }: Outcome): string | null {
  const exits = [...calleeExits.map((exit) => exit.ending), ending];
  for (const exit of exits) {
    if (exit.kind === "exit" && exit.resumedBy !== undefined) return exit.resumedBy;
  }
  return null;
}

/**
 * The options of a run that repeats the difference: those that may differ from the original run.
 */
type DifferenceOptions = { readonly resumes: ResumeMode } & Pick<LocateOptions, "parts">;

interface ExecutionDifference {
  /** Index of the input. */
  readonly input: number;
  readonly detail: string;
  readonly resumedBy: string | null;
}

/** Returns a cause that names only the stage. */
export function causeInStage(stage: LaterStageCause["stage"], detail: string): LaterStageCause {
  const where = { instruction: null, wrong: null };
  const unknown = { allocator: null, resumedBy: null, ...where };
  return { stage, detail, ...unknown, faults: [], rows: [] };
}

/**
 * Marks parts of compiled code's outcome as open if the oracle leaves them open: bits of a NaN, unwritten bytes of a
 * slot. Then the outcomes of two targets can be compared, even if both differ from the oracle's.
 * @param oracles the oracle's outcome of the same execution; its parts that `outcome` lacks have no effect
 */
const withOpenParts = (oracles: Outcome, outcome: Outcome): Outcome =>
  // The cast is safe: `openedAs` copies data and keeps its shape.
  dataWithOpenParts(oracles, outcome) as Outcome;

type OutcomeData = Readonly<Record<string, unknown>>;

const isData = (given: unknown): given is OutcomeData =>
  typeof given === "object" && given !== null;
const isImage = (data: OutcomeData): data is OutcomeData & MemoryImage => "masked" in data;
const isValue = (data: OutcomeData): data is OutcomeData & ObservedBits =>
  "anyNaN" in data && !isImage(data);

function dataWithOpenParts(by: unknown, given: unknown): unknown {
  if (Array.isArray(by) && Array.isArray(given))
    return given.map((one, i) => dataWithOpenParts(by[i], one));
  if (!isData(by) || !isData(given)) return given;
  if (isImage(by) && isImage(given)) return imageWithOpenParts(by, given);
  if (isValue(by) && isValue(given)) {
    const isOpen = by.anyNaN && isNaNBits(given.type, given.lo, given.hi);
    return { ...given, anyNaN: isOpen };
  }
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, dataWithOpenParts(by[key], value)]),
  );
}

function imageWithOpenParts(by: MemoryImage, given: MemoryImage): MemoryImage {
  if (by.bytes.length !== given.bytes.length) return given;
  const ranges: [offset: number, size: number][] = [];
  for (const list of [by.masked, by.anyNaN]) {
    for (let i = 0; i < list.length; i += 2) ranges.push([list[i], list[i + 1]]);
  }
  return { ...given, masked: ranges.sort(([x], [y]) => x - y).flat() };
}

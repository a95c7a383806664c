// Finds the first part of the machine code that is written wrong. The program is compiled again with its origin map,
// and runs under emulation beside the LIR for which its code was written (lockstep.ts). Frames are made at the entry,
// as in the interpreter of LIR.

import { Compiler } from "../../reference/compile.js";
import { placeFrameAtEntry } from "../../reference/emit/framed-blocks.js";
import { CodeOrigins } from "../../reference/emit/origins.js";
import { LirProgram } from "../../reference/lir/interpret/lir-procedure.js";
import { type CompilerParts, PARTS } from "../../reference/parts.js";
import type { TargetName } from "../../reference/target/target.js";
import { Judge, type JudgeOptions } from "../compare/judge-program.js";
import {
  type CompilingMachine,
  openEmulated,
  openWithMachine,
} from "../execute/compiled-subject.js";
import {
  argumentsOf,
  CONTINUATION_COMPILATIONS,
  type ContinuationSettings,
} from "../execute/continuations.js";
import { EmulatedCpu } from "../execute/emulator/emulated-cpu.js";
import { checkSize } from "../execute/linker.js";
import type { Cpu } from "../execute/machine/cpu.js";
import { LirCpu, stackOf } from "../execute/machine/lir-cpu.js";
import { MachineRunner } from "../execute/machine/machine.js";
import type { TakenExit } from "../execute/machine/resume.js";
import { type ReferenceSubject, referenceSubject } from "../execute/reference-subject.js";
import { CompilationUnit, DEFAULT_SETTINGS } from "../execute/unit.js";
import type { ExecutionResources } from "../execute/workshop.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { printValue } from "../ir/text/print.js";
import { assert } from "../support/assert.js";
import { disassemble, listedInstructions } from "./disassemble.js";
import { LockstepComparison, type WrongPart } from "./lockstep.js";

/** One machine instruction in the wrong code: its bytes, the intended text and the decoded text. */
interface EncodedInstruction {
  /** In bytes from the start of the image. */
  readonly offset: number;
  /** The bytes of the code, in hexadecimal. */
  readonly bytes: string;
  /** The intended instruction, from the assembler's listing. */
  readonly meant: string;
  /** The instruction that objdump decodes there: "" if no instruction begins there, null if objdump was not run. */
  readonly read: string | null;
}

export interface WrongInstruction {
  readonly target: TargetName;
  /** The row of the LIR instruction that is written wrong; or `move`, `prologue`, `exit stub`. */
  readonly row: string;
  readonly procedure: string;
  /**
   * The number of the LIR instruction in its procedure; a move has the number of the instruction
   * after it.
   */
  readonly instruction: number;
  /**
   * The machine instructions that were written for the LIR instruction; empty if they were not
   * read.
   */
  readonly code: readonly EncodedInstruction[];
  /**
   * value: a register or spill slot is wrong after it; memory: bytes are wrong; control: execution continues elsewhere,
   * or ends.
   */
  readonly kind: "value" | "memory" | "control";
  /** Id of the wrong value, and its line in the optimized program; -1 and "" if there is none. */
  readonly value: number;
  readonly text: string;
  readonly location: string;
  readonly expected: string;
  readonly got: string;
}

/**
 * Executes code and its LIR side by side; returns the first LIR instruction whose code has another
 * effect. Returns null if there is none, or if the search takes too long.
 * @param resumedBy if not null, compares the code of continuations that ran as this subject,
 * instead of the subject's code
 * @param readsCode false: `code` is empty, which is faster
 */
export function firstWrongInstruction(
  module: Module,
  input: Input,
  subject: ReferenceSubject,
  options: Pick<JudgeOptions, "settings" | "parts" | "fuelMax" | "resumes">,
  resumedBy: string | null = null,
  readsCode = true,
): WrongInstruction | null {
  const { settings = DEFAULT_SETTINGS } = options;
  const parts = { ...(options.parts ?? PARTS), placeFrame: placeFrameAtEntry };
  const resuming = CONTINUATION_COMPILATIONS.find(({ name }) => name === resumedBy) ?? null;
  const configuration = resuming ?? subject;
  if (configuration.target === null || subject.target === null) return null;
  const beside = new SideBySideMachine(configuration.target, parts);
  const watched = referenceSubject({ ...subject, native: false }, (opened, workshop) =>
    resuming === null
      ? openWithMachine(beside, opened, workshop)
      : openEmulated(opened, withReplayedContinuations(beside, resuming, workshop)),
  );
  const judge = new Judge({ ...options, parts, subjects: [watched], checkAllocation: false });
  try {
    judge.judge({ module, inputs: [input] });
  } finally {
    judge.close();
    beside.end();
  }
  const { found } = beside.lockstep;
  if (found === null) return null;
  const optimized = new CompilationUnit(module, settings, parts).optimized(configuration).module;
  const procedure = optimized.procedures[found.procedure];
  const value = procedure?.blocks
    .flatMap(({ values }) => values)
    .concat(procedure.parameters)
    .find(({ id }) => id === found.value);
  const { row, instruction, kind, location, expected, got } = found;
  return {
    target: configuration.target,
    row,
    procedure: procedure?.name ?? "",
    instruction,
    code: readsCode ? beside.codeOf(found) : [],
    kind,
    value: found.value,
    text: value === undefined ? "" : printValue(value),
    location,
    expected,
    got,
  };
}

/** The origins and the listing of generated code. */
interface GeneratedCode {
  readonly origins: CodeOrigins;
  readonly listing: readonly string[];
}

/** A machine that executes each image twice: as code and, step by step, in the LIR interpreter. */
class SideBySideMachine implements CompilingMachine {
  readonly cpu: Cpu;
  readonly lockstep: LockstepComparison;
  private readonly target: TargetName;
  private readonly compiler: Compiler;
  private readonly lir: LirCpu;
  private readonly generated = new WeakMap<Uint8Array, GeneratedCode>();

  constructor(target: TargetName, parts: CompilerParts) {
    const lir = new LirCpu(target, "moves", parts);
    const emulated = new EmulatedCpu(target, (offset) => this.lockstep.step(offset));
    this.target = target;
    this.compiler = new Compiler(parts);
    this.lir = lir;
    this.lockstep = new LockstepComparison(parts.plans[target], lir, emulated);
    const originsOf = (code: Uint8Array): CodeOrigins => this.generatedFor(code).origins;
    this.cpu = sideBySide(emulated, lir, this.lockstep, originsOf);
  }

  readonly compile: CompilingMachine["compile"] = (module, options) => {
    const { compiler, target, lir, generated } = this;
    const origins = new CodeOrigins();
    const program = new LirProgram();
    const more = { listing: true, origins, onLir: lir.collect(program) };
    const image = compiler.generate(module, target, { ...options, ...more });
    checkSize(image);
    const { code, listing, stackSize } = image;
    generated.set(code, { origins, listing });
    lir.mapCode(code, program);
    return { image: { ...image, stackSize: stackOf(program, stackSize) }, counts: null };
  };

  private generatedFor(code: Uint8Array): GeneratedCode {
    const known = this.generated.get(code);
    assert(
      known !== undefined,
      () => `${code.length} bytes of code that this compiler did not write`,
    );
    return known;
  }

  codeOf({ mark }: WrongPart): EncodedInstruction[] {
    const { code } = this.cpu;
    if (mark < 0 || code === null) return [];
    const { origins, listing } = this.generatedFor(code);
    const [start, end] = [origins.startOf(mark), origins.endOf(mark)];
    const within = listedInstructions(listing).filter(
      ({ offset }) => offset >= start && offset < end,
    );
    const decoded = within.length === 0 ? null : disassemble(this.target, code, start, end);
    return within.map(({ offset, meant }, k) => {
      const bytes = code.subarray(offset, within[k + 1]?.offset ?? end);
      const read = decoded === null || decoded.size === 0 ? null : (decoded.get(offset) ?? "");
      return { offset, bytes: Buffer.from(bytes).toString("hex"), meant, read };
    });
  }

  /** Does nothing: `firstWrongInstruction` closes the machine after it has read the code. */
  end(): void {
    this.cpu.close();
  }
}

/**
 * Returns resources with which each continuation after an exit also runs side by side with its LIR,
 * on a copy of the heap.
 */
function withReplayedContinuations(
  beside: SideBySideMachine,
  configuration: ContinuationSettings,
  workshop: ExecutionResources,
): ExecutionResources {
  const { continuations, oracle, checkAllocation } = workshop;
  const runner = new MachineRunner(beside.cpu, oracle);
  const replay = (unit: CompilationUnit, taken: TakenExit, outcomes: readonly Outcome[]): void => {
    const { module, program } = unit.optimized(configuration);
    const procedures = module.continuations.get(taken.exit) ?? [];
    for (let f = 0; f < outcomes.length && beside.lockstep.found === null; f++) {
      const options = unit.generateOptions(configuration, checkAllocation);
      const { image } = beside.compile(module, { ...options, root: procedures[f] });
      const words = argumentsOf(taken.frames[f], outcomes[f - 1]);
      runner.call({ ...image, module, program }, words, taken.heap, taken);
    }
  };
  const watched: ExecutionResources["continuations"] = {
    resumeOf: (subject, unit) => {
      const resume = continuations.resumeOf(subject, unit, false);
      return (taken) => {
        const heap = taken.heap.slice();
        const resumption = resume(taken);
        if (resumption.by === configuration.name)
          replay(unit, { ...taken, heap }, resumption.outcomes);
        return resumption;
      };
    },
  };
  return { ...workshop, continuations: watched };
}

/** Returns the emulated machine, extended by the LIR interpreter that runs in step with it. */
function sideBySide(
  emulated: EmulatedCpu,
  lir: LirCpu,
  lockstep: LockstepComparison,
  originsOf: (code: Uint8Array) => CodeOrigins,
): Cpu {
  const { architecture, registers, stack, layout } = emulated;
  return {
    architecture,
    registers,
    stack,
    layout,
    get heap() {
      return emulated.heap;
    },
    get events() {
      return emulated.events;
    },
    get code() {
      return emulated.code;
    },
    load: (code, heapSize) => {
      emulated.load(code, heapSize);
      lir.load(code, heapSize);
      lockstep.load(originsOf(code));
    },
    run: (poison, instructionsMax) => {
      lockstep.begin(poison);
      const ending = emulated.run(poison, instructionsMax);
      lockstep.end(ending);
      return ending;
    },
    resume: (offset, instructionsMax) => {
      lockstep.resume();
      const ending = emulated.resume(offset, instructionsMax);
      lockstep.end(ending);
      return ending;
    },
    close: () => emulated.close(),
  };
}

// The first part of the machine code that is written wrong: the program is compiled once more, with
// its origin map, and runs under emulation beside the LIR that its code was written for (lockstep.ts).

import { Compiler, type GenerateOptions, type Image } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/code-buffer.js";
import { Origins } from "../../reference/emit/origins.js";
import { PARTS, type Parts } from "../../reference/parts.js";
import type { TargetName } from "../../reference/target/target.js";
import { Judge, type JudgeOptions } from "../compare/judge-program.js";
import {
  compileErrorOf,
  generateOptionsOf,
  instructionsFor,
  openEmulated,
} from "../execute/compiled-subject.js";
import { argumentsOf, WAYS, type Way } from "../execute/continuations.js";
import { EmulatedCpu } from "../execute/emulator/emulated-cpu.js";
import type { Cpu } from "../execute/machine/cpu.js";
import { POISONS } from "../execute/machine/junk.js";
import { LirCpu } from "../execute/machine/lir-cpu.js";
import { MachineRunner } from "../execute/machine/machine.js";
import type { Taken } from "../execute/machine/resume.js";
import type { OpenSubject, Subject, Workshop } from "../execute/subject.js";
import { DEFAULT_SETTINGS, Unit } from "../execute/unit.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { printValue } from "../ir/text/print.js";
import { type Guilty, Lockstep } from "./lockstep.js";
import { readBytes } from "./read-bytes.js";

/** One instruction of the processor. */
export interface WrittenInstruction {
  /** In bytes from the start of the image. */
  readonly offset: number;
  /** In hexadecimal, as they stand in the code. */
  readonly bytes: string;
  /** What the assembler was told to write. */
  readonly meant: string;
  /** What objdump reads there: "" if there nothing begins, null where it is not asked. */
  readonly read: string | null;
}

export interface WrongInstruction {
  readonly target: TargetName;
  /** The row of the LIR instruction that is written wrong; or `move`, `prologue`, `exit stub`. */
  readonly row: string;
  readonly procedure: string;
  /** Number of the LIR instruction in the procedure; of a move, the one behind it. */
  readonly instruction: number;
  /** What was written for it. */
  readonly code: readonly WrittenInstruction[];
  /**
   * value: it leaves a register or spill slot wrong; memory: bytes; control: after it execution goes
   * elsewhere, or ends.
   */
  readonly kind: "value" | "memory" | "control";
  /** Id of the value that is wrong, and its line in the optimized program; -1 and "" where none is. */
  readonly value: number;
  readonly text: string;
  readonly location: string;
  readonly expected: string;
  readonly got: string;
}

/**
 * Null where no part of the code does what its LIR does not, or where it takes too long to say.
 * @param resumedBy the code of continuations that ran as this subject is looked at, not the subject's
 */
export function firstWrongInstruction(
  module: Module,
  input: Input,
  subject: Subject,
  options: Pick<JudgeOptions, "settings" | "parts" | "fuelMax" | "resumes">,
  resumedBy: string | null = null,
): WrongInstruction | null {
  const { settings = DEFAULT_SETTINGS, parts = PARTS } = options;
  const resuming = WAYS.find(({ name }) => name === resumedBy) ?? null;
  const way = resuming ?? subject;
  if (way.target === null || subject.target === null) return null;
  const beside = new Beside(way.target, parts);
  const open: Subject["open"] = (opened, workshop) =>
    resuming === null
      ? openBeside(beside, opened, workshop)
      : openEmulated(opened, replaying(beside, resuming, workshop));
  const watched: Subject = { ...subject, native: false, open };
  const judge = new Judge({ ...options, subjects: [watched], checkAllocation: false });
  try {
    judge.judge(module, [input]);
  } finally {
    judge.close();
    beside.close();
  }
  const { found } = beside.lockstep;
  if (found === null) return null;
  const optimized = new Unit(module, settings, parts).optimized(way).module;
  const procedure = optimized.procedures[found.procedure];
  const value = procedure?.blocks
    .flatMap(({ values }) => values)
    .concat(procedure.parameters)
    .find(({ id }) => id === found.value);
  const { row, instruction, kind, location, expected, got } = found;
  return {
    target: way.target,
    row,
    procedure: procedure?.name ?? "",
    instruction,
    code: beside.codeOf(found),
    kind,
    value: found.value,
    text: value === undefined ? "" : printValue(value),
    location,
    expected,
    got,
  };
}

/** A machine with the interpreter of LIR at its side, and the image that both have. */
class Beside {
  readonly cpu: Cpu;
  readonly lockstep: Lockstep;
  private readonly target: TargetName;
  private readonly compiler: Compiler;
  private readonly origins = new Origins();
  private readonly lir: LirCpu;
  private code: Uint8Array = new Uint8Array(0);
  private listing: readonly string[] = [];

  constructor(target: TargetName, parts: Parts) {
    const lir = new LirCpu(target, "moves", parts);
    const emulated = new EmulatedCpu(target, (offset) => this.lockstep.step(offset));
    this.target = target;
    this.compiler = new Compiler(parts);
    this.lir = lir;
    this.lockstep = new Lockstep(parts.plans[target], lir, emulated, this.origins);
    this.cpu = sideBySide(emulated, lir, this.lockstep, this.origins);
  }

  /** Compiles what is to be loaded next. */
  generate(module: Module, options: GenerateOptions): Image {
    const { compiler, target, origins, lir } = this;
    lir.begin();
    const more = { listing: true, origins, onLir: lir.take };
    const image = compiler.generate(module, target, { ...options, ...more });
    this.code = image.code;
    this.listing = image.listing;
    return { ...image, stackSize: lir.imageOf(image).stackSize };
  }

  codeOf({ mark }: Guilty): WrittenInstruction[] {
    if (mark < 0) return [];
    const [start, end] = [this.origins.startOf(mark), this.origins.endOf(mark)];
    const lines = this.listing.flatMap((line) => {
      const [, offset, meant] = /^([0-9a-f]{4,}) {2}(.*)$/.exec(line) ?? [];
      return offset === undefined ? [] : [{ offset: Number.parseInt(offset, 16), meant }];
    });
    const within = lines.filter(({ offset }) => offset >= start && offset < end);
    const readings = within.length === 0 ? null : readBytes(this.target, this.code, start, end);
    return within.map(({ offset, meant }, k) => {
      const bytes = this.code.subarray(offset, within[k + 1]?.offset ?? end);
      const read = readings === null || readings.size === 0 ? null : (readings.get(offset) ?? "");
      return { offset, bytes: Buffer.from(bytes).toString("hex"), meant, read };
    });
  }

  close(): void {
    this.cpu.close();
  }
}

/** The subject itself runs beside its LIR. */
function openBeside(beside: Beside, subject: Subject, workshop: Workshop): OpenSubject {
  const { oracle, continuations, resumeFilter } = workshop;
  const resume = continuations.resumeOf(subject.name);
  const runner = new MachineRunner(beside.cpu, oracle, resume, resumeFilter);
  return {
    name: subject.name,
    prepare: (unit) => {
      const { module, program } = unit.optimized(subject);
      continuations.begin(unit);
      try {
        const image = beside.generate(module, generateOptionsOf(subject, workshop, unit));
        runner.load({ ...image, module, program });
      } catch (error) {
        if (error instanceof CompileError) return compileErrorOf(error);
        throw error;
      }
      return {
        poisons: POISONS,
        counts: null,
        run: (input, poison, fuelUsed, fuelMax) =>
          runner.run(input, poison, instructionsFor(fuelUsed), fuelMax),
      };
    },
    distrust: () => {},
    close: () => {},
  };
}

/** What a continuation did is done once more beside its LIR, on a copy of the heap that it had. */
function replaying(beside: Beside, way: Way, workshop: Workshop): Workshop {
  const { continuations, oracle } = workshop;
  const runner = new MachineRunner(beside.cpu, oracle);
  let unit: Unit | null = null;
  const replay = (taken: Taken, outcomes: readonly Outcome[]): void => {
    if (unit === null) return;
    const { module, program } = unit.optimized(way);
    const procedures = module.continuations.get(taken.exit) ?? [];
    const { heap, poison, instructionsMax, fuelMax } = taken;
    for (let f = 0; f < outcomes.length && beside.lockstep.found === null; f++) {
      const options = generateOptionsOf({ ...way, allocator: null }, workshop, unit);
      const image = beside.generate(module, { ...options, root: procedures[f] });
      runner.load({ ...image, module, program });
      const words = argumentsOf(taken.frames[f], outcomes[f - 1]);
      runner.call(words, heap, poison, instructionsMax, fuelMax);
    }
  };
  const watched: Workshop["continuations"] = {
    begin: (begun) => {
      unit = begun;
      continuations.begin(begun);
    },
    resumeOf: (subject) => {
      const resume = continuations.resumeOf(subject);
      return (taken) => {
        const heap = taken.heap.slice();
        const resumption = resume(taken);
        if (resumption.by === way.name) replay({ ...taken, heap }, resumption.outcomes);
        return resumption;
      };
    },
  };
  return { ...workshop, continuations: watched };
}

/** The machine, with the interpreter at its side. */
function sideBySide(emulated: EmulatedCpu, lir: LirCpu, lockstep: Lockstep, origins: Origins): Cpu {
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
    load: (code, heapSize) => {
      emulated.load(code, heapSize);
      lir.load(code, heapSize);
      lockstep.load(origins);
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

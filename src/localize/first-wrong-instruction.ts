// The first part of the machine code that is written wrong: the program is compiled once more, with
// its origin map, and runs under emulation beside the LIR that its code was written for (lockstep.ts).

import { Compiler } from "../../reference/compile.js";
import { CompileError } from "../../reference/lir/code-buffer.js";
import { Origins } from "../../reference/lir/origins.js";
import type { TargetName } from "../../reference/lower/target.js";
import { PARTS, type Parts } from "../../reference/parts.js";
import { Judge, type JudgeOptions } from "../compare/judge-program.js";
import { compileErrorOf, generateOptionsOf, instructionsFor } from "../execute/compiled-subject.js";
import type { Cpu } from "../execute/cpu.js";
import { EmulatedCpu } from "../execute/emulated-cpu.js";
import { POISONS } from "../execute/junk.js";
import { LirCpu } from "../execute/lir-cpu.js";
import { MachineRunner } from "../execute/machine.js";
import type { OpenSubject, Subject, Workshop } from "../execute/subject.js";
import { DEFAULT_SETTINGS, Unit } from "../execute/unit.js";
import type { Input } from "../ir/outcome.js";
import { printValue } from "../ir/print.js";
import type { Module } from "../ir/procedure.js";
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

/** Null where no part of the code does what its LIR does not, or where it takes too long to say. */
export function firstWrongInstruction(
  module: Module,
  input: Input,
  subject: Subject,
  options: Pick<JudgeOptions, "settings" | "parts" | "fuelMax" | "resumes">,
): WrongInstruction | null {
  const { settings = DEFAULT_SETTINGS, parts = PARTS } = options;
  const { target } = subject;
  if (target === null) return null;
  const beside = new Beside(target, parts);
  const watched: Subject = { ...subject, native: false, open: beside.open };
  const judge = new Judge({ ...options, subjects: [watched], checkAllocation: false });
  try {
    judge.judge(module, [input]);
  } finally {
    judge.close();
  }
  const { found } = beside;
  if (found === null) return null;
  const optimized = new Unit(module, settings, parts).optimized(subject).module;
  const procedure = optimized.procedures[found.procedure];
  const value = procedure?.blocks
    .flatMap(({ values }) => values)
    .concat(procedure.parameters)
    .find(({ id }) => id === found.value);
  const { row, instruction, kind, location, expected, got } = found;
  return {
    target,
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

/** A subject that runs beside its LIR. */
class Beside {
  readonly open: Subject["open"] = (subject, workshop) => this.openSubject(subject, workshop);
  private readonly target: TargetName;
  private readonly parts: Parts;
  private readonly origins = new Origins();
  private lockstep: Lockstep | null = null;
  private code: Uint8Array = new Uint8Array(0);
  private listing: readonly string[] = [];

  constructor(target: TargetName, parts: Parts) {
    this.target = target;
    this.parts = parts;
  }

  get found(): Guilty | null {
    return this.lockstep?.found ?? null;
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

  private openSubject(subject: Subject, workshop: Workshop): OpenSubject {
    const { target, parts, origins } = this;
    const { oracle, continuations, resumeFilter } = workshop;
    const compiler = new Compiler(parts);
    const lir = new LirCpu(target, "moves", parts);
    const emulated = new EmulatedCpu(target, (offset) => lockstep.step(offset));
    const lockstep: Lockstep = new Lockstep(parts.plans[target], lir, emulated, origins);
    this.lockstep = lockstep;
    const cpu = sideBySide(emulated, lir, lockstep, origins);
    const runner = new MachineRunner(
      cpu,
      oracle,
      continuations.resumeOf(subject.name),
      resumeFilter,
    );
    return {
      name: subject.name,
      prepare: (unit) => {
        const { module, program } = unit.optimized(subject);
        continuations.begin(unit);
        lir.begin();
        try {
          const options = generateOptionsOf(subject, workshop, unit);
          const more = { listing: true, origins, onLir: lir.take };
          const image = compiler.generate(module, target, { ...options, ...more });
          this.code = image.code;
          this.listing = image.listing;
          const { stackSize } = lir.imageOf(image);
          runner.load({ ...image, stackSize, module, program });
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
      close: () => emulated.close(),
    };
  }
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

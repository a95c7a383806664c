// Who runs the continuations of an exit that compiled code took: the oracle, or machine code of
// another subject, on the heap that the exit left. A slot that arrives wrong is seen by both; the
// second also does what deoptimized code does in earnest, and compiles procedures that nothing else
// would compile.
//
// Which of them is drawn from what the exit says of itself (its number, the points of its frames), so
// that every replay, every input and every smaller version of a program draws the same. A
// continuation that exits is continued in turn, each level in machines of its own, because the caller
// of a callee that has exited waits in the machine above; beyond the last level the oracle goes on.

import { Compiler } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/code-buffer.js";
import type { LirProgram, LirStage } from "../../reference/lir/interpret/lir-procedure.js";
import type { Parts } from "../../reference/parts.js";
import { LEVELS, type Level } from "../../reference/pipeline.js";
import type { TargetName } from "../../reference/target/target.js";
import { type Bits, type FrameState, isBits, type Outcome, returnOf } from "../ir/outcome.js";
import type { Procedure } from "../ir/procedure.js";
import type { Oracle } from "../oracle/oracle.js";
import { EmulatedCpu } from "./emulator/emulated-cpu.js";
import { ENVIRONMENT } from "./machine/environment.js";
import { IMAGE_SIZE_MAX } from "./machine/guest.js";
import { LirCpu } from "./machine/lir-cpu.js";
import { type LoadedImage, MachineRunner } from "./machine/machine.js";
import { interpretedBy, type Resume, type Taken } from "./machine/resume.js";
import { unicornMissing } from "./missing.js";
import type { Unit } from "./unit.js";

/**
 * Half of the exits draw machine code, by what they say of themselves; or none does; or those that
 * do run as the LIR that this code is made of, at a stage.
 */
export type ResumeMode = "drawn" | "interpreted" | LirStage;

export interface Way {
  readonly name: string;
  readonly target: TargetName;
  readonly level: Level;
  readonly chaos: boolean;
  readonly pieces: boolean;
}

const TARGETS: readonly TargetName[] = ["x64", "arm64"];
export const WAYS: readonly Way[] = TARGETS.flatMap((target) =>
  LEVELS.map((level) => ({
    name: `${target}-${level}`,
    target,
    level,
    chaos: false,
    pieces: false,
  })),
);

/** Levels of continuations that run as machine code. */
const DEPTH_MAX = 2;

interface Machine {
  readonly runner: MachineRunner;
  /** Null where it runs machine code. */
  readonly lir: LirCpu | null;
  loaded: LoadedImage | null;
}

/** The continuations of one program after the other, compiled when an exit asks for them. */
export class Continuations {
  /** Continuations that ran, by who ran them; to be emptied by whoever counts. */
  ran: Record<string, number> = {};
  private readonly oracle: Oracle;
  private readonly interpret: Resume;
  private readonly parts: Parts;
  private readonly compiler: Compiler;
  private readonly checkAllocation: boolean;
  private readonly isDrawn: boolean;
  private readonly stage: LirStage | null;
  /** By target and level of continuation. */
  private readonly machines = new Map<string, Machine>();
  /** Of the program at hand; a text says why there is none. */
  private images = new Map<string, LoadedImage | string>();
  /** What images are made of, where that runs. */
  private readonly programs = new Map<LoadedImage, LirProgram>();
  private unit: Unit | null = null;

  constructor(oracle: Oracle, parts: Parts, checkAllocation: boolean, mode: ResumeMode) {
    this.oracle = oracle;
    this.interpret = interpretedBy(oracle);
    this.parts = parts;
    this.compiler = new Compiler(parts);
    this.checkAllocation = checkAllocation;
    this.stage = mode === "drawn" || mode === "interpreted" ? null : mode;
    this.isDrawn = this.stage !== null || (mode === "drawn" && unicornMissing() === null);
  }

  /** How exits in code of the subject of that name go on: never by the same compilation. */
  resumeOf(subject: string): Resume {
    return this.resumeAt(
      WAYS.filter(({ name }) => name !== subject),
      0,
    );
  }

  /** From now on exits are of this program. */
  begin(unit: Unit): void {
    if (unit === this.unit) return;
    this.unit = unit;
    this.images.clear();
    this.programs.clear();
    for (const machine of this.machines.values()) machine.loaded = null;
  }

  close(): void {
    for (const { runner } of this.machines.values()) runner.close();
    this.machines.clear();
  }

  private resumeAt(ways: readonly Way[], depth: number): Resume {
    return (taken) => {
      const way = this.isDrawn && depth < DEPTH_MAX ? drawWay(ways, taken) : null;
      const resumption =
        way === null
          ? this.interpret(taken)
          : { by: way.name, outcomes: this.run(way, depth, taken) };
      const { by, outcomes } = resumption;
      if (outcomes.length > 0) this.ran[by] = (this.ran[by] ?? 0) + outcomes.length;
      return resumption;
    };
  }

  private run(way: Way, depth: number, taken: Taken): Outcome[] {
    const outcomes: Outcome[] = [];
    if (this.unit === null) return outcomes;
    const { module } = this.unit.optimized(way);
    const continuations = module.continuations.get(taken.exit) ?? [];
    for (let f = 0; f < continuations.length; f++) {
      const words = argumentsOf(taken.frames[f], outcomes[f - 1]);
      const outcome = this.call(way, depth, continuations[f], words, taken);
      outcomes.push(outcome);
      if (returnOf(outcome.ending) === null) break;
    }
    return outcomes;
  }

  private call(
    way: Way,
    depth: number,
    procedure: Procedure,
    words: Int32Array,
    { heap, poison, instructionsMax, fuelMax }: Taken,
  ): Outcome {
    const image = this.imageOf(way, procedure);
    if (typeof image === "string") {
      return { events: [], ending: { kind: "compile-error", message: image } };
    }
    const machine = this.machineAt(way.target, depth);
    if (machine.loaded !== image) {
      const program = this.programs.get(image);
      if (machine.lir !== null && program !== undefined) machine.lir.program = program;
      machine.runner.load(image);
      machine.loaded = image;
    }
    return machine.runner.call(words, heap, poison, instructionsMax, fuelMax);
  }

  private imageOf(way: Way, root: Procedure): LoadedImage | string {
    const key = `${way.name} ${root.name}`;
    const known = this.images.get(key);
    if (known !== undefined) return known;
    const image = this.compile(way, root);
    this.images.set(key, image);
    return image;
  }

  private compile(way: Way, root: Procedure): LoadedImage | string {
    const { unit, compiler, checkAllocation } = this;
    const { target, level } = way;
    if (unit === null) return "no program";
    const { module, program } = unit.optimized(way);
    const lir = this.stage === null ? null : new LirCpu(target, this.stage, this.parts);
    try {
      const image = compiler.generate(module, target, {
        environment: ENVIRONMENT,
        level,
        root,
        ...unit.generation(way),
        checkAllocation,
        listing: false,
        ...(lir === null ? {} : { onLir: lir.take }),
      });
      if (image.code.length > IMAGE_SIZE_MAX) return `an image of ${image.code.length} bytes`;
      const loaded = { ...image, ...lir?.imageOf(image), module, program };
      if (lir !== null) this.programs.set(loaded, lir.program);
      return loaded;
    } catch (error) {
      if (error instanceof CompileError) return error.message;
      throw error;
    }
  }

  private machineAt(target: TargetName, depth: number): Machine {
    const key = `${target} ${depth}`;
    const known = this.machines.get(key);
    if (known !== undefined) return known;
    const resume = this.resumeAt(WAYS, depth + 1);
    const lir = this.stage === null ? null : new LirCpu(target, this.stage, this.parts);
    const runner = new MachineRunner(lir ?? new EmulatedCpu(target), this.oracle, resume);
    const machine: Machine = { runner, lir, loaded: null };
    this.machines.set(key, machine);
    return machine;
  }
}

/**
 * What a continuation is called with: the slots of its frame, and what that of the next inner frame
 * returned, if there is one.
 */
export function argumentsOf({ slots }: FrameState, inner: Outcome | undefined): Int32Array {
  const args: Bits[] = slots.filter(isBits);
  const result = inner === undefined ? null : (returnOf(inner.ending)?.result ?? null);
  if (result !== null) args.push(result);
  const words = new Int32Array(2 * args.length);
  args.forEach(({ lo, hi }, i) => {
    words[2 * i] = lo;
    words[2 * i + 1] = hi;
  });
  return words;
}

function drawWay(ways: readonly Way[], { exit, frames }: Taken): Way | null {
  const hash = hashOf(exit, frames);
  return hash & 1 ? ways[(hash >>> 1) % ways.length] : null;
}

/** Murmur3's mixing of words. */
function hashOf(exit: number, frames: readonly FrameState[]): number {
  let h = mixed(0, exit);
  for (const { point } of frames) h = mixed(h, point);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function mixed(h: number, word: number): number {
  const k = Math.imul(word, 0xcc9e2d51);
  const x = h ^ Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  return (Math.imul((x << 13) | (x >>> 19), 5) + 0xe6546b64) | 0;
}

// Runs the continuations of an exit that compiled code took: in the oracle, or as machine code of another
// subject, on the heap that the exit left. Both show a slot that arrives wrong; the second also is what
// real deoptimization does, and compiles procedures that nothing else would compile.
//
// Which of them is drawn from the number of the exit and the points of its frames, so that every replay,
// every input and every smaller version of a program draws the same. A continuation that exits is
// continued likewise, each level in machines of its own, because the caller of a callee that has exited
// waits in the machine above; beyond the last level the oracle continues.

import { Compiler } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/compile-error.js";
import { LEVELS } from "../../reference/levels.js";
import { LirProgram, type LirStage } from "../../reference/lir/interpret/lir-procedure.js";
import type { Parts } from "../../reference/parts.js";
import { TARGET_NAMES, type TargetName } from "../../reference/target/target.js";
import {
  type Bits,
  type FrameState,
  isBits,
  type Outcome,
  resultsOf,
  returnOf,
} from "../ir/outcome.js";
import type { Procedure } from "../ir/procedure.js";
import type { Oracle } from "../oracle/fast/oracle.js";
import type { Compilation } from "./compilation.js";
import { EmulatedCpu } from "./emulator/emulated-cpu.js";
import { IMAGE_SIZE_MAX } from "./machine/guest.js";
import { LirCpu } from "./machine/lir-cpu.js";
import type { LoadedImage } from "./machine/loaded-image.js";
import { endsAsItShould, type MachineRunner } from "./machine/machine.js";
import { interpretedBy, type Resume, type Taken } from "./machine/resume.js";
import type { Runners } from "./machine/runners.js";
import { unicornMissing } from "./missing.js";
import { SimulatedCpu } from "./simulator/simulated-cpu.js";
import type { Unit } from "./unit.js";

/**
 * Half of the exits draw machine code, by what they say of themselves; or none does; or those that
 * do run as the LIR that this code is made of, at a stage.
 */
export type ResumeMode = "drawn" | "interpreted" | LirStage;

/** How a continuation is compiled: as the subject of that name compiles a program. */
export interface Way extends Compilation {
  readonly name: string;
  readonly target: TargetName;
}

export const WAYS: readonly Way[] = TARGET_NAMES.flatMap((target) =>
  LEVELS.map((level) => ({
    name: `${target}-${level}`,
    target,
    level,
    allocator: null,
    chaos: false,
    pieces: false,
  })),
);

/** Levels of continuations that run as machine code. */
const DEPTH_MAX = 2;

/** Where a continuation runs. */
interface Place {
  readonly depth: number;
  /** Simulated if that can be. */
  readonly isQuick: boolean;
}

/** The machine for continuations of a depth. */
interface Machine {
  readonly runner: MachineRunner;
  /** Null where it runs machine code. */
  readonly lir: LirCpu | null;
}

/** Runs continuations, which are compiled when an exit first needs them. */
export class Continuations {
  private readonly runners: Runners;
  private readonly interpret: Resume;
  private readonly parts: Parts;
  private readonly compiler: Compiler;
  private readonly checkAllocation: boolean;
  private readonly isDrawn: boolean;
  private readonly stage: LirStage | null;
  /** By target and depth. */
  private readonly machines = new Map<string, Machine>();
  /** By depth. */
  private readonly simulators: MachineRunner[] = [];

  constructor(
    oracle: Oracle,
    runners: Runners,
    parts: Parts,
    checkAllocation: boolean,
    mode: ResumeMode,
  ) {
    this.runners = runners;
    this.interpret = interpretedBy(oracle);
    this.parts = parts;
    this.compiler = new Compiler(parts);
    this.checkAllocation = checkAllocation;
    this.stage = mode === "drawn" || mode === "interpreted" ? null : mode;
    this.isDrawn = this.stage !== null || (mode === "drawn" && unicornMissing() === null);
  }

  /** How exits of code of the subject of that name are continued: never by the same compilation. */
  resumeOf(subject: string, unit: Unit, isQuick: boolean): Resume {
    const ways = WAYS.filter(({ name }) => name !== subject);
    return this.resumeAt(ways, { depth: 0, isQuick }, unit);
  }

  close(): void {
    for (const { runner } of this.machines.values()) runner.close();
    this.machines.clear();
  }

  private resumeAt(ways: readonly Way[], place: Place, unit: Unit): Resume {
    return (taken) => {
      const way = this.isDrawn && place.depth < DEPTH_MAX ? drawWay(ways, taken) : null;
      const resumption =
        way === null
          ? this.interpret(taken)
          : { by: way.name, outcomes: this.run(way, place, unit, taken) };
      const { by, outcomes } = resumption;
      const { ran } = unit.continued;
      if (outcomes.length > 0) ran[by] = (ran[by] ?? 0) + outcomes.length;
      return resumption;
    };
  }

  private run(way: Way, place: Place, unit: Unit, taken: Taken): Outcome[] {
    const outcomes: Outcome[] = [];
    const { module } = unit.optimizedWhenAsked(way);
    const continuations = module.continuations.get(taken.exit) ?? [];
    for (let f = 0; f < continuations.length; f++) {
      const words = argumentsOf(taken.frames[f], outcomes[f - 1]);
      const image = this.imageOf(way, continuations[f], place, unit);
      const outcome: Outcome =
        typeof image === "string"
          ? { events: [], ending: { kind: "compile-error", message: image } }
          : this.call(way.target, place, image, words, taken);
      outcomes.push(outcome);
      if (returnOf(outcome.ending) === null) break;
    }
    return outcomes;
  }

  /** Simulated where that may be and can be done; else emulated. */
  private call(
    target: TargetName,
    { depth, isQuick }: Place,
    image: LoadedImage,
    words: Int32Array,
    taken: Taken,
  ): Outcome {
    if (isQuick && target === "arm64" && this.stage === null) {
      const before = taken.heap.slice();
      const outcome = this.simulatorAt(depth).call(image, words, taken.heap, taken);
      if (endsAsItShould(outcome)) return outcome;
      taken.heap.set(before);
    }
    return this.machineAt(target, depth).runner.call(image, words, taken.heap, taken);
  }

  private imageOf(way: Way, root: Procedure, place: Place, unit: Unit): LoadedImage | string {
    const key = `${way.name} ${place.depth} ${place.isQuick} ${root.name}`;
    const { images } = unit.continued;
    const known = images.get(key);
    if (known !== undefined) return known;
    const image = this.compile(way, root, place, unit);
    images.set(key, image);
    return image;
  }

  private compile(way: Way, root: Procedure, place: Place, unit: Unit): LoadedImage | string {
    const { compiler } = this;
    const optimized = unit.optimizedWhenAsked(way);
    optimized.finish(root);
    const lir = this.stage === null ? null : this.machineAt(way.target, place.depth).lir;
    const collected = new LirProgram();
    try {
      const image = compiler.generate(optimized.module, way.target, {
        ...unit.generateOptions(way, this.checkAllocation),
        root,
        ...(lir === null ? {} : { onLir: lir.collect(collected) }),
      });
      if (image.code.length > IMAGE_SIZE_MAX) return `an image of ${image.code.length} bytes`;
      const made = lir === null ? image : lir.imageOf(collected, image);
      const { module, program: decoded } = optimized;
      const resume = this.resumeAt(WAYS, { ...place, depth: place.depth + 1 }, unit);
      return { ...made, module, program: decoded, resume };
    } catch (error) {
      if (error instanceof CompileError) return error.message;
      throw error;
    }
  }

  private simulatorAt(depth: number): MachineRunner {
    this.simulators[depth] ??= this.runners.make(new SimulatedCpu());
    return this.simulators[depth];
  }

  private machineAt(target: TargetName, depth: number): Machine {
    const key = `${target} ${depth}`;
    const known = this.machines.get(key);
    if (known !== undefined) return known;
    const lir = this.stage === null ? null : new LirCpu(target, this.stage, this.parts);
    const runner = this.runners.make(lir ?? new EmulatedCpu(target));
    const machine: Machine = { runner, lir };
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
  const returned = inner === undefined ? null : returnOf(inner.ending);
  if (returned !== null) args.push(...resultsOf(returned));
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

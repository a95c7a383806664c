// Runs the continuations of an exit of compiled code on the heap at the exit. Either the oracle
// runs them, or they run as machine code of another subject. Both show a wrong slot. Machine code
// also does what real deoptimization does, and compiles procedures that no other path compiles.
// The choice is drawn from the number of the exit and the points of its frames. So every replay,
// every input and every reduced program makes the same choice. A continuation that exits is
// continued in the same manner. Each level has machines of its own, because the caller of an exited
// callee waits in the machine above. Beyond the last level the oracle continues.

import { Compiler } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/compile-error.js";
import { LEVELS } from "../../reference/levels.js";
import { LirProgram, type LirStage } from "../../reference/lir/interpret/lir-procedure.js";
import type { CompilerParts } from "../../reference/parts.js";
import { TARGET_NAMES, type TargetName } from "../../reference/target/target.js";
import {
  type FrameState,
  isBits,
  type ObservedBits,
  type Outcome,
  resultsOf,
  returnOf,
} from "../ir/outcome.js";
import type { Procedure } from "../ir/procedure.js";
import type { Oracle } from "../oracle/fast/oracle.js";
import type { CompilationSettings } from "./compilation.js";
import { EmulatedCpu } from "./emulator/emulated-cpu.js";
import { IMAGE_SIZE_MAX } from "./machine/guest.js";
import { LirCpu } from "./machine/lir-cpu.js";
import type { LoadedImage } from "./machine/loaded-image.js";
import { isNormalEnding, type MachineRunner } from "./machine/machine.js";
import { interpretedBy, type ResumeFunction, type TakenExit } from "./machine/resume.js";
import type { MachineRunners } from "./machine/runners.js";
import { unicornMissing } from "./missing.js";
import { SimulatedCpu } from "./simulator/simulated-cpu.js";
import type { CompilationUnit } from "./unit.js";

/**
 * The continuations that run as machine code. `drawn`: those of half of the exits, chosen by the
 * exit's identity. `interpreted`: none. A stage: those of the same half run as LIR of that stage.
 */
export type ResumeMode = "drawn" | "interpreted" | LirStage;

/** How a continuation is compiled; the name is that of a subject. */
export interface ContinuationSettings extends CompilationSettings {
  readonly name: string;
  readonly target: TargetName;
}

export const CONTINUATION_COMPILATIONS: readonly ContinuationSettings[] = TARGET_NAMES.flatMap(
  (target) =>
    LEVELS.map((level) => ({
      name: `${target}-${level}`,
      target,
      level,
      allocator: null,
      chaos: false,
      halves: false,
    })),
);

/** The number of nested levels of continuations that run as machine code. */
const DEPTH_MAX = 2;

/** The machine that runs a continuation. */
interface MachineChoice {
  readonly depth: number;
  /** Simulated if possible. */
  readonly isQuick: boolean;
}

/** The machine for continuations of one depth. */
interface ContinuationMachine {
  readonly runner: MachineRunner;
  /** The processor that interprets LIR; null if machine code runs. */
  readonly lir: LirCpu | null;
}

/** Runs continuations; an exit that needs one first compiles it. */
export class ContinuationRunner {
  private readonly runners: MachineRunners;
  private readonly interpret: ResumeFunction;
  private readonly parts: CompilerParts;
  private readonly compiler: Compiler;
  private readonly checkAllocation: boolean;
  private readonly isDrawn: boolean;
  private readonly stage: LirStage | null;
  /** Keyed by target and depth. */
  private readonly machines = new Map<string, ContinuationMachine>();
  /** Indexed by depth. */
  private readonly simulators: MachineRunner[] = [];

  constructor(
    oracle: Oracle,
    runners: MachineRunners,
    parts: CompilerParts,
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

  /**
   * Returns the resumption for exits of code of the named subject. It never uses the same
   * compilation.
   */
  resumeOf(subject: string, unit: CompilationUnit, isQuick: boolean): ResumeFunction {
    const compilations = CONTINUATION_COMPILATIONS.filter(({ name }) => name !== subject);
    return this.resumeAt(compilations, { depth: 0, isQuick }, unit);
  }

  close(): void {
    for (const { runner } of this.machines.values()) runner.close();
    this.machines.clear();
  }

  private resumeAt(
    compilations: readonly ContinuationSettings[],
    choice: MachineChoice,
    unit: CompilationUnit,
  ): ResumeFunction {
    return (taken) => {
      const compilation =
        this.isDrawn && choice.depth < DEPTH_MAX ? drawCompilation(compilations, taken) : null;
      const resumption =
        compilation === null
          ? this.interpret(taken)
          : { by: compilation.name, outcomes: this.run(compilation, choice, unit, taken) };
      const { by, outcomes } = resumption;
      const { ran } = unit.continued;
      if (outcomes.length > 0) ran[by] = (ran[by] ?? 0) + outcomes.length;
      return resumption;
    };
  }

  private run(
    compilation: ContinuationSettings,
    choice: MachineChoice,
    unit: CompilationUnit,
    taken: TakenExit,
  ): Outcome[] {
    const outcomes: Outcome[] = [];
    const { module } = unit.optimizedLazily(compilation);
    const continuations = module.continuations.get(taken.exit) ?? [];
    for (let f = 0; f < continuations.length; f++) {
      const words = argumentsOf(taken.frames[f], outcomes[f - 1]);
      const image = this.imageOf(compilation, continuations[f], choice, unit);
      const outcome: Outcome =
        typeof image === "string"
          ? { events: [], ending: { kind: "compile-error", message: image } }
          : this.call(compilation.target, choice, image, words, taken);
      outcomes.push(outcome);
      if (returnOf(outcome.ending) === null) break;
    }
    return outcomes;
  }

  /** Runs a continuation: simulated if this is allowed and possible, else emulated. */
  private call(
    target: TargetName,
    { depth, isQuick }: MachineChoice,
    image: LoadedImage,
    words: Int32Array,
    taken: TakenExit,
  ): Outcome {
    if (isQuick && target === "arm64" && this.stage === null) {
      const before = taken.heap.slice();
      const outcome = this.simulatorAt(depth).call(image, words, taken.heap, taken);
      if (isNormalEnding(outcome)) return outcome;
      taken.heap.set(before);
    }
    return this.machineAt(target, depth).runner.call(image, words, taken.heap, taken);
  }

  private imageOf(
    compilation: ContinuationSettings,
    root: Procedure,
    choice: MachineChoice,
    unit: CompilationUnit,
  ): LoadedImage | string {
    const key = `${compilation.name} ${choice.depth} ${choice.isQuick} ${root.name}`;
    const { images } = unit.continued;
    const known = images.get(key);
    if (known !== undefined) return known;
    const image = this.compile(compilation, root, choice, unit);
    images.set(key, image);
    return image;
  }

  private compile(
    compilation: ContinuationSettings,
    root: Procedure,
    choice: MachineChoice,
    unit: CompilationUnit,
  ): LoadedImage | string {
    const { compiler } = this;
    const optimized = unit.optimizedLazily(compilation);
    optimized.finish(root);
    const lir = this.stage === null ? null : this.machineAt(compilation.target, choice.depth).lir;
    const collected = new LirProgram();
    try {
      const image = compiler.generate(optimized.module, compilation.target, {
        ...unit.generateOptions(compilation, this.checkAllocation),
        root,
        ...(lir === null ? {} : { onLir: lir.collect(collected) }),
      });
      if (image.code.length > IMAGE_SIZE_MAX)
        return `its code has ${image.code.length} bytes, expected at most ${IMAGE_SIZE_MAX}`;
      const made = lir === null ? image : lir.imageOf(collected, image);
      const { module, program: decoded } = optimized;
      const resume = this.resumeAt(
        CONTINUATION_COMPILATIONS,
        { ...choice, depth: choice.depth + 1 },
        unit,
      );
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

  private machineAt(target: TargetName, depth: number): ContinuationMachine {
    const key = `${target} ${depth}`;
    const known = this.machines.get(key);
    if (known !== undefined) return known;
    const lir = this.stage === null ? null : new LirCpu(target, this.stage, this.parts);
    const runner = this.runners.make(lir ?? new EmulatedCpu(target));
    const machine: ContinuationMachine = { runner, lir };
    this.machines.set(key, machine);
    return machine;
  }
}

/**
 * Returns the arguments of a continuation: the slots of its frame, and the results of the next
 * inner frame's continuation, if there is one.
 */
export function argumentsOf({ slots }: FrameState, inner: Outcome | undefined): Int32Array {
  const args: ObservedBits[] = slots.filter(isBits);
  const returned = inner === undefined ? null : returnOf(inner.ending);
  if (returned !== null) args.push(...resultsOf(returned));
  const words = new Int32Array(2 * args.length);
  args.forEach(({ lo, hi }, i) => {
    words[2 * i] = lo;
    words[2 * i + 1] = hi;
  });
  return words;
}

function drawCompilation(
  compilations: readonly ContinuationSettings[],
  { exit, frames }: TakenExit,
): ContinuationSettings | null {
  const hash = hashOf(exit, frames);
  return hash & 1 ? compilations[(hash >>> 1) % compilations.length] : null;
}

/** Hashes with the mixing steps of Murmur3. */
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

// Counts the cost of a kernel on a target at a level: bytes of code and executed instructions.

import { Compiler } from "../../../reference/compile.js";
import type { Level } from "../../../reference/levels.js";
import type { AllocatorName } from "../../../reference/regalloc/allocator-names.js";
import type { TargetName } from "../../../reference/target/target.js";
import { EmulatedCpu } from "../../../src/execute/emulator/emulated-cpu.js";
import { ENVIRONMENT } from "../../../src/execute/machine/environment.js";
import type { LoadedImage } from "../../../src/execute/machine/loaded-image.js";
import { MachineRunner } from "../../../src/execute/machine/machine.js";
import type { CompilationUnit } from "../../../src/execute/unit.js";
import { Oracle } from "../../../src/oracle/fast/oracle.js";
import { executedInstructions } from "../bench/executed.js";
import type { Kernel } from "./kernels.js";

export interface CodeFigures {
  /** Bytes of the image: every procedure, and exit stubs. */
  readonly codeBytes: number;
  /** Instructions that the counted call executes. */
  readonly instructions: number;
}

/** Compiles kernels for a target and counts under emulation. */
export class KernelCounter {
  private readonly compiler = new Compiler();
  private readonly runner: MachineRunner;
  private readonly target: TargetName;

  constructor(target: TargetName) {
    this.target = target;
    this.runner = new MachineRunner(new EmulatedCpu(target), new Oracle());
  }

  measure(kernel: Kernel, unit: CompilationUnit, level: Level): CodeFigures {
    const image = compileKernel(this.compiler, unit, this.target, level);
    return { codeBytes: image.code.length, instructions: this.executed(image, kernel) };
  }

  /** Returns the instructions that the counted call executes with that allocator. */
  instructionsBy(
    kernel: Kernel,
    unit: CompilationUnit,
    level: Level,
    allocator: AllocatorName,
  ): number {
    const image = compileKernel(this.compiler, unit, this.target, level, allocator);
    return this.executed(image, kernel);
  }

  private executed(image: LoadedImage, kernel: Kernel): number {
    return executedInstructions(this.runner, image, kernel.counted);
  }

  close(): void {
    this.runner.close();
  }
}

/** Compiles, with the allocator of the level if none is named. */
export function compileKernel(
  compiler: Compiler,
  unit: CompilationUnit,
  target: TargetName,
  level: Level,
  allocator?: AllocatorName,
): LoadedImage {
  const optimized = unit.optimized({ level, target, chaos: false });
  const image = compiler.generate(optimized.module, target, {
    environment: ENVIRONMENT,
    level,
    allocator,
    checkAllocation: true,
    listing: false,
  });
  return { ...image, ...optimized };
}

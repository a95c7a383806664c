// What a kernel costs on a target at a level: bytes of code, executed instructions, instructions of
// one iteration of the inner loop.

import { Compiler } from "../../reference/compile.js";
import type { Level } from "../../reference/levels.js";
import type { AllocatorName } from "../../reference/regalloc/allocator-names.js";
import type { TargetName } from "../../reference/target/target.js";
import { EmulatedCpu } from "../../src/execute/emulator/emulated-cpu.js";
import { ENVIRONMENT } from "../../src/execute/machine/environment.js";
import type { LoadedImage } from "../../src/execute/machine/loaded-image.js";
import { MachineRunner } from "../../src/execute/machine/machine.js";
import type { Unit } from "../../src/execute/unit.js";
import { Oracle } from "../../src/oracle/oracle.js";
import { executedInstructions } from "../bench/executed.js";
import { costsOfParts } from "./fit.js";
import { inputOf, type Kernel } from "./kernel.js";

export interface CodeFigures {
  /** Of the image: every procedure, exit stubs. */
  readonly codeBytes: number;
  /** Executed at the counted size. */
  readonly instructions: number;
  /** Executed by one more iteration of the inner loop; null where no loop decides. */
  readonly inner: number | null;
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

  measure(kernel: Kernel, unit: Unit, level: Level): CodeFigures {
    const image = compileKernel(this.compiler, unit, this.target, level);
    const executed = (size: number): number => this.executed(image, kernel, size);
    return {
      codeBytes: image.code.length,
      instructions: executed(kernel.counted),
      inner: innerCost(kernel, executed),
    };
  }

  /** Executed at the counted size, with registers given by that allocator. */
  instructionsBy(kernel: Kernel, unit: Unit, level: Level, allocator: AllocatorName): number {
    const image = compileKernel(this.compiler, unit, this.target, level, allocator);
    return this.executed(image, kernel, kernel.counted);
  }

  private executed(image: LoadedImage, kernel: Kernel, size: number): number {
    return executedInstructions(this.runner, image, inputOf(kernel, kernel.args(size)));
  }

  close(): void {
    this.runner.close();
  }
}

function innerCost({ inner }: Kernel, executed: (size: number) => number): number | null {
  if (inner === null) return null;
  const costs = costsOfParts(inner.sizes.map(inner.counts), inner.sizes.map(executed));
  return costs[costs.length - 1];
}

/** Compiles, with the allocator of the level if none is named. */
export function compileKernel(
  compiler: Compiler,
  unit: Unit,
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

// Compares the compiled code of the kernels in C with the code of other compilers, for each target.
// Executed instructions are counted by the same emulator. Seconds are measured on this processor in
// interleaved runs, each at several addresses, because the address of a loop changes its time by a
// quarter.

import { Compiler } from "../../../reference/compile.js";
import type { Level } from "../../../reference/levels.js";
import { TARGET_NAMES, type TargetName } from "../../../reference/target/target.js";
import { EmulatedCpu } from "../../../src/execute/emulator/emulated-cpu.js";
import type { LoadedImage } from "../../../src/execute/machine/loaded-image.js";
import { MachineRunner } from "../../../src/execute/machine/machine.js";
import { CompilationUnit, type OptimizeSettings } from "../../../src/execute/unit.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../../../src/ir/outcome.js";
import { Oracle } from "../../../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../../src/oracle/fuel.js";
import { assert } from "../../../src/support/assert.js";
import { executedInstructions } from "../bench/executed.js";
import { type CKernel, moduleOf, sourceOf } from "./c-kernels.js";
import { FOREIGN, type ForeignCompiler, foreignCode } from "./foreign-code.js";
import { compileKernel } from "./measure.js";
import { TimedCpu } from "./time.js";

export type CodeProducer = Level | ForeignCompiler;

/** The code of one compiler for one kernel; null if the compiler is missing. */
interface CompilerOutput {
  readonly by: CodeProducer;
  readonly image: LoadedImage | null;
}

interface AvailableOutput extends CompilerOutput {
  readonly image: LoadedImage;
}

interface ProducerCode {
  readonly by: CodeProducer;
  readonly codeBytes: number;
  /** Executed instructions at the counted size. */
  readonly instructions: number;
  /**
   * The time of a native run; null if native runs are not possible here, or the code has another
   * target.
   */
  readonly seconds: number | null;
}

export interface KernelComparison {
  readonly kernel: string;
  readonly target: TargetName;
  /** The reference compiler's code by level, then the code of installed compilers. */
  readonly code: readonly ProducerCode[];
}

/** The target that runs natively. */
const NATIVE: TargetName = "x64";
const ROUNDS = 12;
/** Multiples of the code alignment. */
const PLACES = [1, 2, 3, 4];
/**
 * An image of the reference compiler is aligned to 4096 bytes and keeps loops within cache lines.
 * Functions of other compilers are aligned to 16 bytes.
 */
const OUR_ALIGNMENT = 64;
const THEIR_ALIGNMENT = 16;
const LEVELS_COMPARED = ["O1", "O2"] as const;
/** Bytes of stack for code of other compilers. */
const STACK_SIZE = 1 << 16;

export class CodeComparison {
  private readonly compiler = new Compiler();
  private readonly counters = {
    x64: new MachineRunner(new EmulatedCpu("x64"), new Oracle()),
    arm64: new MachineRunner(new EmulatedCpu("arm64"), new Oracle()),
  } as const satisfies { readonly [N in TargetName]: MachineRunner };
  private readonly clock: { readonly cpu: TimedCpu; readonly runner: MachineRunner } | null;

  /** @param isTimed whether to run natively; requires that native runs are possible */
  constructor(isTimed: boolean) {
    const cpu = isTimed ? new TimedCpu() : null;
    this.clock = cpu === null ? null : { cpu, runner: new MachineRunner(cpu, new Oracle()) };
  }

  compare(kernel: CKernel, target: TargetName, settings: OptimizeSettings): KernelComparison {
    const unit = new CompilationUnit(moduleOf(kernel), settings);
    const made = [...this.ours(unit, target), ...theirs(kernel, target, unit)];
    const here = made.flatMap(({ by, image }) => (image === null ? [] : [{ by, image }]));
    const counter = this.counters[target];
    for (const { by, image } of here) check(counter, kernel, by, image);
    const seconds = target === NATIVE ? this.secondsOf(kernel, here) : null;
    const code = here.map(({ by, image }, i) => ({
      by,
      codeBytes: image.code.length,
      instructions: executedInstructions(counter, image, inputOf(kernel, kernel.counted)),
      seconds: seconds?.[i] ?? null,
    }));
    return { kernel: kernel.name, target, code };
  }

  close(): void {
    for (const target of TARGET_NAMES) this.counters[target].close();
    this.clock?.runner.close();
  }

  private ours(unit: CompilationUnit, target: TargetName): CompilerOutput[] {
    return LEVELS_COMPARED.map((by) => ({
      by,
      image: compileKernel(this.compiler, unit, target, by),
    }));
  }

  /** Returns for each image the mean over addresses of the minimum over rounds. */
  private secondsOf(kernel: CKernel, made: readonly AvailableOutput[]): number[] | null {
    const { clock } = this;
    if (clock === null) return null;
    const limits = { poison: 0, instructionsMax: DEFAULT_FUEL, fuelMax: DEFAULT_FUEL } as const;
    const input = inputOf(kernel, kernel.timed);
    const placed = made.map(({ by, image }) => {
      const step = isOurs(by) ? OUR_ALIGNMENT : THEIR_ALIGNMENT;
      return PLACES.map((place) => ({ ...image, code: movedTo(place * step, image.code) }));
    });
    const least = made.map(() => PLACES.map(() => Number.POSITIVE_INFINITY));
    for (let round = 0; round < ROUNDS; round++) {
      for (let p = 0; p < PLACES.length; p++) {
        for (let i = 0; i < made.length; i++) {
          const { ending } = clock.runner.run(placed[i][p], input, limits);
          assert(
            ending.kind === "return",
            () => `kernel ${kernel.name} ends as ${ending.kind}, expected a return`,
          );
          least[i][p] = Math.min(least[i][p], clock.cpu.milliseconds / 1000);
        }
      }
    }
    return least.map((times) => times.reduce((sum, time) => sum + time, 0) / times.length);
  }
}

const isOurs = (by: CodeProducer): boolean => LEVELS_COMPARED.some((level) => level === by);

/** Checks that the code returns the kernel's result. */
function check(
  counter: MachineRunner,
  kernel: CKernel,
  by: CodeProducer,
  image: LoadedImage,
): void {
  const limits = { poison: 0, instructionsMax: DEFAULT_FUEL, fuelMax: DEFAULT_FUEL } as const;
  const { ending } = counter.run(image, inputOf(kernel, kernel.counted), limits);
  const result = ending.kind === "return" ? ending.result : null;
  const given = result !== null && "lo" in result ? result.lo : null;
  assert(
    given === kernel.result,
    () => `${kernel.name} by ${by} gives ${JSON.stringify(ending.kind)} ${given}`,
  );
}

function theirs(kernel: CKernel, target: TargetName, unit: CompilationUnit): CompilerOutput[] {
  const optimized = unit.optimized({ level: "O2", target, chaos: false });
  return FOREIGN.map((by) => {
    const code = foreignCode(by, target, sourceOf(kernel));
    const rest = { root: 0, exits: new Uint8Array(), stackSize: STACK_SIZE };
    return { by, image: code === null ? null : { ...optimized, ...rest, code } };
  });
}

const JUMP = 0xe9;
const JUMP_SIZE = 5;

/** Returns the same code at that offset, after a jump to it. */
function movedTo(start: number, code: Uint8Array): Uint8Array {
  const moved = new Uint8Array(start + code.length);
  moved[0] = JUMP;
  new DataView(moved.buffer).setInt32(1, start - JUMP_SIZE, true);
  moved.set(code, start);
  return moved;
}

function inputOf({ fill }: CKernel, size: number): Input {
  return { words: Int32Array.of(HEAP_BASE_LO, HEAP_BASE_HI, size, 0), heapSeed: fill };
}

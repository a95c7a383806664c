// Times a kernel: compiled code on this processor, and the same program in C if gcc is installed.
// Both are warm. Each run starts with the same heap, which is not timed.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Compiler } from "../../../reference/compile.js";
import type { Level } from "../../../reference/levels.js";
import { HostCpu } from "../../../src/execute/host/host-cpu.js";
import type { Cpu, MachineEnding } from "../../../src/execute/machine/cpu.js";
import type { GuestLayout } from "../../../src/execute/machine/guest.js";
import type { JunkRun } from "../../../src/execute/machine/junk.js";
import { MachineRunner } from "../../../src/execute/machine/machine.js";
import type { CompilationUnit } from "../../../src/execute/unit.js";
import type { Input } from "../../../src/ir/outcome.js";
import { Oracle } from "../../../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../../src/oracle/fuel.js";
import { askProgram } from "../../../src/support/ask-program.js";
import { assert } from "../../../src/support/assert.js";
import { argumentsOf, KERNEL_FOLDER, type Kernel } from "./kernels.js";
import { compileKernel } from "./measure.js";

const ROUNDS = 25;
const COMPILE_MILLISECONDS = 60_000;

/** The processor of this machine, with a clock around each run. */
export class TimedCpu implements Cpu {
  readonly architecture = "x64";
  readonly layout: GuestLayout;
  readonly registers: Int32Array;
  readonly stack: Uint8Array;
  /** Duration of the last run. */
  milliseconds = 0;
  private readonly cpu = new HostCpu();

  constructor() {
    const { layout, registers, stack } = this.cpu;
    this.layout = layout;
    this.registers = registers;
    this.stack = stack;
  }

  get heap(): Uint8Array {
    return this.cpu.heap;
  }

  get events() {
    return this.cpu.events;
  }

  get code() {
    return this.cpu.code;
  }

  load(code: Uint8Array, heapSize: number): void {
    this.cpu.load(code, heapSize);
  }

  run(poison: JunkRun, instructionsMax: number): MachineEnding {
    const start = performance.now();
    const ending = this.cpu.run(poison, instructionsMax);
    this.milliseconds = performance.now() - start;
    return ending;
  }

  resume(offset: number, instructionsMax: number): MachineEnding {
    return this.cpu.resume(offset, instructionsMax);
  }

  close(): void {
    this.cpu.close();
  }
}

/** Runs kernels natively. Requires that `hostMissing` returns null. */
export class KernelClock {
  private readonly compiler = new Compiler();
  private readonly cpu = new TimedCpu();
  private readonly runner = new MachineRunner(this.cpu, new Oracle());

  /**
   * Returns the seconds of one timed call, including 20 µs for the messages to and from the child
   * process.
   */
  seconds(kernel: Kernel, unit: CompilationUnit, level: Level): number {
    const { runner, cpu } = this;
    const image = compileKernel(this.compiler, unit, cpu.architecture, level);
    const limits = { poison: 0, instructionsMax: DEFAULT_FUEL, fuelMax: DEFAULT_FUEL } as const;
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { ending } = runner.run(image, kernel.timed, limits);
      assert(
        ending.kind === "return",
        () => `kernel ${kernel.name} ends as ${ending.kind}, expected a return`,
      );
      times.push(cpu.milliseconds / 1000);
    }
    return leastOf(times);
  }

  close(): void {
    this.runner.close();
  }
}

interface CRun {
  /** Seconds of one round. */
  readonly seconds: number;
  readonly result: number;
}

/** Runs the C form of the kernel, compiled by `gcc -O1`. Returns null if gcc is not installed. */
export function runC(kernel: Kernel, input: Input): CRun | null {
  if (askProgram("gcc", ["--version"]).status !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), "touchstone-bench-"));
  try {
    const program = join(folder, kernel.name);
    const sources = [`${kernel.name}.c`, "harness.c"].map((name) => join(KERNEL_FOLDER, name));
    const limit = { timeMs: COMPILE_MILLISECONDS };
    const compiled = askProgram("gcc", ["-O1", "-o", program, ...sources], limit);
    assert(compiled.status === 0, () => `gcc: ${compiled.stderr}`);
    const args = [ROUNDS, input.heapSeed, ...argumentsOf(input)].map(String);
    const { status, stdout } = askProgram(program, args, limit);
    assert(status === 0, () => `${kernel.name} in C ends with status ${status}`);
    const lines = stdout.trimEnd().split("\n").map(Number);
    return { seconds: leastOf(lines.slice(0, ROUNDS)), result: lines[ROUNDS] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the minimum: other load on the machine only adds time. */
const leastOf = (times: readonly number[]): number => Math.min(...times);

// How long a kernel takes: compiled code on this processor, the same program in JavaScript on this
// Node, and in C by gcc where there is one. Each is warm, and each run finds the heap as the first
// did; filling it is not timed.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Compiler } from "../../reference/compile.js";
import type { Level } from "../../reference/levels.js";
import { HostCpu } from "../../src/execute/host/host-cpu.js";
import type { Cpu, MachineEnding } from "../../src/execute/machine/cpu.js";
import type { Layout } from "../../src/execute/machine/guest.js";
import type { Poison } from "../../src/execute/machine/junk.js";
import { MachineRunner } from "../../src/execute/machine/machine.js";
import type { Unit } from "../../src/execute/unit.js";
import { DEFAULT_FUEL } from "../../src/oracle/fuel.js";
import { Oracle } from "../../src/oracle/oracle.js";
import { askProgram } from "../../src/support/ask-program.js";
import { assert } from "../../src/support/assert.js";
import { projectRoot } from "../../src/support/project-root.js";
import { heapOf, inputOf, type Kernel } from "./kernel.js";
import { compileKernel } from "./measure.js";

const ROUNDS = 25;
/** JavaScript is compiled in the background: it takes a while until the code is the best. */
const WARM_ROUNDS = 30;
const COMPILE_MILLISECONDS = 60_000;

/** The processor of this machine, with a clock around each run. */
export class TimedCpu implements Cpu {
  readonly architecture = "x64";
  readonly layout: Layout;
  readonly registers: Int32Array;
  readonly stack: Uint8Array;
  /** Of the last run. */
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

  run(poison: Poison, instructionsMax: number): MachineEnding {
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

/** Runs kernels natively; only where `hostMissing` has nothing to say. */
export class KernelClock {
  private readonly compiler = new Compiler();
  private readonly cpu = new TimedCpu();
  private readonly runner = new MachineRunner(this.cpu, new Oracle());

  /** Seconds of one run at the timed size, and 20 µs for the way to the child process and back. */
  seconds(kernel: Kernel, unit: Unit, level: Level): number {
    const { runner, cpu } = this;
    const image = compileKernel(this.compiler, unit, cpu.architecture, level);
    const limits = { poison: 0, instructionsMax: DEFAULT_FUEL, fuelMax: DEFAULT_FUEL } as const;
    const input = inputOf(kernel, kernel.args(kernel.timed));
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { ending } = runner.run(image, input, limits);
      assert(ending.kind === "return", () => `${kernel.name} ends as ${ending.kind}`);
      times.push(cpu.milliseconds / 1000);
    }
    return leastOf(times);
  }

  close(): void {
    this.runner.close();
  }
}

/** Seconds of one run in JavaScript. */
export function secondsOfJavaScript(kernel: Kernel): number {
  const args = kernel.args(kernel.timed);
  const times: number[] = [];
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
    const heap = heapOf(kernel);
    const start = performance.now();
    kernel.javascript(heap, args);
    if (round >= WARM_ROUNDS) times.push((performance.now() - start) / 1000);
  }
  return leastOf(times);
}

interface CRun {
  /** Of one round. */
  readonly seconds: number;
  readonly result: number;
}

/** What corpus/bench has of the kernel in C, by `gcc -O1`; null where there is no gcc. */
export function runC(kernel: Kernel, size: number): CRun | null {
  if (askProgram("gcc", ["--version"]).status !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), "touchstone-bench-"));
  try {
    const program = join(folder, kernel.name);
    const sources = [`${kernel.name}.c`, "harness.c"].map((name) =>
      join(projectRoot(), "corpus", "bench", name),
    );
    const limit = { timeMs: COMPILE_MILLISECONDS };
    const compiled = askProgram("gcc", ["-O1", "-o", program, ...sources], limit);
    assert(compiled.status === 0, () => `gcc: ${compiled.stderr}`);
    const args = [ROUNDS, kernel.fill, ...kernel.args(size)].map(String);
    const { status, stdout } = askProgram(program, args, limit);
    assert(status === 0, () => `${kernel.name} in C ends with status ${status}`);
    const lines = stdout.trimEnd().split("\n").map(Number);
    return { seconds: leastOf(lines.slice(0, ROUNDS)), result: lines[ROUNDS] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The least: whatever else runs on the machine only adds. */
const leastOf = (times: readonly number[]): number => Math.min(...times);

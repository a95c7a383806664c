// Our code of the kernels in C beside that of other compilers, for each target: instructions executed,
// exactly, by the same emulator; and seconds of this processor, interleaved, each over several places in memory, because where a loop
// lies moves its time by a quarter.

import { Compiler } from "../../reference/compile.js";
import type { Level } from "../../reference/levels.js";
import { TARGET_NAMES, type TargetName } from "../../reference/target/target.js";
import { EmulatedCpu } from "../../src/execute/emulator/emulated-cpu.js";
import type { LoadedImage } from "../../src/execute/machine/loaded-image.js";
import { MachineRunner } from "../../src/execute/machine/machine.js";
import { type OptimizeSettings, Unit } from "../../src/execute/unit.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../../src/ir/outcome.js";
import { Oracle } from "../../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../src/oracle/fuel.js";
import { assert } from "../../src/support/assert.js";
import { executedInstructions } from "../bench/executed.js";
import { type CKernel, moduleOf, sourceOf } from "./c-kernels.js";
import { FOREIGN, type Foreign, foreignCode } from "./foreign-code.js";
import { compileKernel } from "./measure.js";
import { TimedCpu } from "./time.js";

export type By = Level | Foreign;

/** What one compiler makes of one kernel; null where there is no such compiler. */
interface Made {
  readonly by: By;
  readonly image: LoadedImage | null;
}

interface Placed extends Made {
  readonly image: LoadedImage;
}

interface CodeOf {
  readonly by: By;
  readonly codeBytes: number;
  /** Executed at the counted size. */
  readonly instructions: number;
  /** Null if native runs are missing here, or are of another target. */
  readonly seconds: number | null;
}

export interface Compared {
  readonly kernel: string;
  readonly target: TargetName;
  /** First ours, by level; then others as far as they are here. */
  readonly code: readonly CodeOf[];
}

/** What this processor runs. */
const NATIVE: TargetName = "x64";
const ROUNDS = 12;
/** In steps of what code is aligned to. */
const PLACES = [1, 2, 3, 4];
/** An image of ours lies at a multiple of 4096, and keeps loops within lines; functions of others lie at multiples of 16. */
const OUR_ALIGNMENT = 64;
const THEIR_ALIGNMENT = 16;
const LEVELS_COMPARED = ["O1", "O2"] as const;
/** Bytes of stack that code of others may take. */
const STACK_SIZE = 1 << 16;

export class CodeComparison {
  private readonly compiler = new Compiler();
  private readonly counters = {
    x64: new MachineRunner(new EmulatedCpu("x64"), new Oracle()),
    arm64: new MachineRunner(new EmulatedCpu("arm64"), new Oracle()),
  } as const satisfies { readonly [N in TargetName]: MachineRunner };
  private readonly clock: { readonly cpu: TimedCpu; readonly runner: MachineRunner } | null;

  /** @param isTimed that native runs are possible, and wanted */
  constructor(isTimed: boolean) {
    const cpu = isTimed ? new TimedCpu() : null;
    this.clock = cpu === null ? null : { cpu, runner: new MachineRunner(cpu, new Oracle()) };
  }

  compare(kernel: CKernel, target: TargetName, settings: OptimizeSettings): Compared {
    const unit = new Unit(moduleOf(kernel), settings);
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

  private ours(unit: Unit, target: TargetName): Made[] {
    return LEVELS_COMPARED.map((by) => ({
      by,
      image: compileKernel(this.compiler, unit, target, by),
    }));
  }

  /** Of each image, the mean over places of the least over rounds. */
  private secondsOf(kernel: CKernel, made: readonly Placed[]): number[] | null {
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
          assert(ending.kind === "return", () => `${kernel.name} ends as ${ending.kind}`);
          least[i][p] = Math.min(least[i][p], clock.cpu.milliseconds / 1000);
        }
      }
    }
    return least.map((times) => times.reduce((sum, time) => sum + time, 0) / times.length);
  }
}

const isOurs = (by: By): boolean => LEVELS_COMPARED.some((level) => level === by);

/** All code gives the one result. */
function check(counter: MachineRunner, kernel: CKernel, by: By, image: LoadedImage): void {
  const limits = { poison: 0, instructionsMax: DEFAULT_FUEL, fuelMax: DEFAULT_FUEL } as const;
  const { ending } = counter.run(image, inputOf(kernel, kernel.counted), limits);
  const result = ending.kind === "return" ? ending.result : null;
  const given = result !== null && "lo" in result ? result.lo : null;
  assert(
    given === kernel.result,
    () => `${kernel.name} by ${by} gives ${JSON.stringify(ending.kind)} ${given}`,
  );
}

function theirs(kernel: CKernel, target: TargetName, unit: Unit): Made[] {
  const optimized = unit.optimized({ level: "O2", target, chaos: false });
  return FOREIGN.map((by) => {
    const code = foreignCode(by, target, sourceOf(kernel));
    const rest = { root: 0, exits: new Uint8Array(), stackSize: STACK_SIZE };
    return { by, image: code === null ? null : { ...optimized, ...rest, code } };
  });
}

const JUMP = 0xe9;
const JUMP_SIZE = 5;

/** The same code at that offset, behind a jump to it. */
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

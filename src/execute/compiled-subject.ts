// Opens subjects that the reference compiler compiles. `x64-*` and `arm64-*` run under emulation,
// `host-*` runs natively in a child process, and the quick form of `arm64-*` is simulated. `openOn`
// is shared by all of them and by interpreted LIR (lir-subject.ts).

import { Compiler, type GenerateOptions } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/compile-error.js";
import type { CompilerParts } from "../../reference/parts.js";
import type { TargetName } from "../../reference/target/target.js";
import type { Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { assert } from "../support/assert.js";
import { HostCpu } from "./host/host-cpu.js";
import { LinkedTraces } from "./linked-traces.js";
import { checkSize, countsOf, linkerOf, type TraceLinker } from "./linker.js";
import type { Cpu } from "./machine/cpu.js";
import { NO_POISON, POISONS } from "./machine/junk.js";
import type { CompiledImage, LoadedImage } from "./machine/loaded-image.js";
import { type ExecutionLimits, isNormalEnding, type MachineRunner } from "./machine/machine.js";
import type { ReferenceSubject } from "./reference-subject.js";
import { SimulatedCpu } from "./simulator/simulated-cpu.js";
import type {
  CompiledCodeCounts,
  OpenLocalSubject,
  PreparedProgram,
  TraceCode,
} from "./subject.js";
import type { CompilationUnit } from "./unit.js";
import type { ExecutionResources } from "./workshop.js";

/** The greatest number of instructions for a judged execution of fuel F; more is a runaway. */
const instructionsFor = (fuelUsed: number): number => 64 * fuelUsed + 200_000;

/** A CPU that executes images, and the compiler that makes them. */
export interface CompilingMachine {
  readonly cpu: Cpu;
  /** Throws a CompileError if a limit is exceeded. */
  readonly compile: (module: Module, options: GenerateOptions) => CompiledProgram;
  /** Discards a machine that wrong code may have damaged: the next run starts a new one. */
  readonly discard?: () => void;
  /** Returns true if the next run starts a new machine; absent if none is ever new. */
  readonly isFresh?: () => boolean;
  /** Absent if code cannot be patched. */
  readonly linker?: TraceLinker;
  /** Returns the CPU that repeats a run if this one cannot make it. */
  readonly exact?: () => Cpu;
  readonly close?: () => void;
}

interface CompiledProgram {
  readonly image: CompiledImage;
  readonly counts: CompiledCodeCounts | null;
}

export function openEmulated(
  subject: ReferenceSubject,
  workshop: ExecutionResources,
): OpenLocalSubject {
  const target = targetOf(subject);
  const cpu = workshop.emulators.of(target);
  const linker = linkerOf(target, workshop.parts);
  return openWithMachine(
    { cpu, compile: compilerOf(target, workshop.parts), linker },
    subject,
    workshop,
  );
}

export function openNative(
  subject: ReferenceSubject,
  workshop: ExecutionResources,
): OpenLocalSubject {
  const target = targetOf(subject);
  const cpu = new HostCpu();
  const linker = linkerOf(target, workshop.parts);
  const compile = compilerOf(target, workshop.parts);
  const distrust = (): void => cpu.discardChild();
  const isFresh = (): boolean => cpu.isFresh;
  const close = (): void => cpu.close();
  return openWithMachine(
    { cpu, compile, linker, discard: distrust, isFresh, close },
    subject,
    workshop,
  );
}

/** The emulator repeats each run that ends abnormally, because it reports the reason. */
export function openSimulated(
  subject: ReferenceSubject,
  workshop: ExecutionResources,
): OpenLocalSubject {
  const target = targetOf(subject);
  const exact = (): Cpu => workshop.emulators.of(target);
  const cpu = new SimulatedCpu();
  return openWithMachine(
    { cpu, compile: compilerOf(target, workshop.parts), exact },
    subject,
    workshop,
  );
}

/**
 * Opens the subject for the steps of transcripts. If a step differs, the subject repeats the whole
 * execution elsewhere.
 * @param cpu may run other subjects too: one subject runs at a time, and loads its code first
 */
export function openSimulatedSteps(
  subject: ReferenceSubject,
  workshop: ExecutionResources,
  cpu: SimulatedCpu = new SimulatedCpu(),
): OpenLocalSubject {
  const target = targetOf(subject);
  const linker = linkerOf(target, workshop.parts);
  const compile = compilerOf(target, workshop.parts);
  return openWithMachine({ cpu, compile, linker }, subject, workshop);
}

export function targetOf({ target, name }: ReferenceSubject): TargetName {
  assert(target !== null, () => `${name} has no target`);
  return target;
}

function compilerOf(target: TargetName, parts: CompilerParts): CompilingMachine["compile"] {
  const compiler = new Compiler(parts);
  return (module, options) => {
    const image = compiler.generate(module, target, options);
    checkSize(image);
    return { image, counts: countsOf(image) };
  };
}

export function openWithMachine(
  machine: CompilingMachine,
  subject: ReferenceSubject,
  workshop: ExecutionResources,
): OpenLocalSubject {
  const { runners, continuations, isQuick = false, resumeFilter } = workshop;
  const { cpu, exact, linker } = machine;
  const runner = runners.make(cpu, resumeFilter);
  const again = repeatRunner(runner, machine, workshop);
  // A call is not repeated, because it changes the heap. A machine that cannot make every run makes
  // no calls.
  const caller = exact === undefined || again === null ? (): MachineRunner => runner : again;
  const traces = (unit: CompilationUnit, sharing: TraceLinker): TraceCode =>
    new LinkedTraces({
      cpu,
      runner,
      linker: sharing,
      instructionsFor,
      exchangesRegisters: unit.tracing.tracingFault === "exchanged-registers",
      units: unit.traces,
      unitOf: (trace) => {
        const traceUnit = unit.traces.of(trace);
        const optimized = traceUnit.optimizedLazily(subject);
        const { module, program } = optimized;
        optimized.finish(module.entry);
        const options = traceUnit.generateOptions(subject, workshop.checkAllocation);
        const resume = continuations.resumeOf(emulatedName(subject), traceUnit, isQuick);
        return { module, program, options, resume };
      },
    });
  return {
    poisons: POISONS,
    ...(linker === undefined ? {} : { traces: (unit: CompilationUnit) => traces(unit, linker) }),
    prepare: (unit) => {
      const optimized = unit.optimizedLazily(subject);
      const { module, program } = optimized;
      optimized.finish(module.entry);
      try {
        const options = unit.generateOptions(subject, workshop.checkAllocation);
        const { image, counts } = machine.compile(module, options);
        const resume = continuations.resumeOf(emulatedName(subject), unit, isQuick);
        const loaded = { ...image, module, program, resume };
        const run = running(runner, loaded, again, machine.isFresh);
        const call: PreparedProgram["call"] = (words, heap, poison, fuelUsed, fuelMax) => {
          const limits = { poison, instructionsMax: instructionsFor(fuelUsed), fuelMax };
          return caller().call(loaded, words, heap, limits);
        };
        const isBatched = cpu.batch !== undefined;
        const runAll = isBatched ? { runAll: runningAll(runner, loaded, run) } : {};
        return { poisons: POISONS, counts, run, call, ...runAll };
      } catch (error) {
        if (error instanceof CompileError) return compileErrorOf(error);
        throw error;
      }
    },
    discardMachine: () => machine.discard?.(),
    close: () => machine.close?.(),
  };
}

/** Returns the name of the emulated subject that compiles in the same way. */
const emulatedName = ({ name, where, target, native }: ReferenceSubject): string =>
  native ? `${target}${name.slice(where.length)}` : name;

/**
 * Returns a function that makes the runner for a repeated run: a machine that earlier runs cannot
 * have damaged, or one that can make every run. Null if runs are not repeated.
 */
function repeatRunner(
  runner: MachineRunner,
  { discard: distrust, exact }: CompilingMachine,
  { runners, resumeFilter }: ExecutionResources,
): (() => MachineRunner) | null {
  if (exact !== undefined) {
    let exactRunner: MachineRunner | null = null;
    return () => {
      exactRunner ??= runners.make(exact(), resumeFilter);
      return exactRunner;
    };
  }
  if (distrust === undefined) return null;
  return () => {
    distrust();
    return runner;
  };
}

function running(
  runner: MachineRunner,
  image: LoadedImage,
  again: (() => MachineRunner) | null,
  isFresh: CompilingMachine["isFresh"],
): PreparedProgram["run"] {
  return (input, poison, fuelUsed, fuelMax) => {
    const limits: ExecutionLimits = { poison, instructionsMax: instructionsFor(fuelUsed), fuelMax };
    // A second run in another new machine would have the same result, and an endless run costs its
    // whole limit.
    const wasFresh = isFresh?.() ?? false;
    const outcome = runner.run(image, input, limits);
    const isFinal = again === null || wasFresh || isNormalEnding(outcome);
    return isFinal ? outcome : again().run(image, input, limits);
  };
}

/** If any run of the batch ends abnormally, each run is repeated alone. */
function runningAll(
  runner: MachineRunner,
  image: LoadedImage,
  run: PreparedProgram["run"],
): NonNullable<PreparedProgram["runAll"]> {
  return (runs, fuelMax) => {
    const batched = runs.map(({ input, poison, fuelUsed }) => {
      return { input, limits: { poison, instructionsMax: instructionsFor(fuelUsed), fuelMax } };
    });
    const outcomes = runner.runAll(image, batched);
    if (outcomes?.every(isNormalEnding)) return outcomes;
    return runs.map(({ input, poison, fuelUsed }) => run(input, poison, fuelUsed, fuelMax));
  };
}

function compileErrorOf({ message }: CompileError): PreparedProgram {
  const ending = { kind: "compile-error", message } as const;
  const run = (): Outcome => ({ events: [], ending });
  return { poisons: NO_POISON, counts: null, run, call: run };
}

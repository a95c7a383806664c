// Compiled by the reference compiler: `x64-*` and `arm64-*` run under emulation, `host-*` natively, in
// a child process; where it is to be quick, `arm64-*` is simulated. `openOn` is what all of them share
// with interpreted LIR (lir-subject.ts).

import { Compiler, type GenerateOptions } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/compile-error.js";
import type { Parts } from "../../reference/parts.js";
import type { TargetName } from "../../reference/target/target.js";
import type { Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { assert } from "../support/assert.js";
import { HostCpu } from "./host/host-cpu.js";
import { LinkedTraces } from "./linked-traces.js";
import { checkSize, countsOf, type Linker, linkerOf } from "./linker.js";
import type { Cpu } from "./machine/cpu.js";
import { NO_POISON, POISONS } from "./machine/junk.js";
import type { CompiledImage, LoadedImage } from "./machine/loaded-image.js";
import { endsAsItShould, type Limits, type MachineRunner } from "./machine/machine.js";
import type { ReferenceSubject } from "./reference-subject.js";
import { SimulatedCpu } from "./simulator/simulated-cpu.js";
import type { CodeCounts, OpenLocal, Prepared, TraceCode } from "./subject.js";
import type { Unit } from "./unit.js";
import type { Workshop } from "./workshop.js";

/** A judged execution of fuel F ends in machine code within this; beyond it has run away. */
const instructionsFor = (fuelUsed: number): number => 64 * fuelUsed + 200_000;

/** What executes images, and what makes them. */
export interface Machine {
  readonly cpu: Cpu;
  /** Throws CompileError where a limit is exceeded. */
  readonly compile: (module: Module, options: GenerateOptions) => Compiled;
  /** Where code that went wrong may have damaged the machine: the next run begins with a new one. */
  readonly distrust?: () => void;
  /** Whether the next run begins with a new machine; absent where none is ever new. */
  readonly isFresh?: () => boolean;
  /** Absent where code cannot be patched. */
  readonly linker?: Linker;
  /** What a machine that cannot make every run leaves to another. */
  readonly exact?: () => Cpu;
  readonly close?: () => void;
}

interface Compiled {
  readonly image: CompiledImage;
  readonly counts: CodeCounts | null;
}

export function openEmulated(subject: ReferenceSubject, workshop: Workshop): OpenLocal {
  const target = targetOf(subject);
  const cpu = workshop.emulators.of(target);
  const linker = linkerOf(target, workshop.parts);
  return openOn({ cpu, compile: compilerOf(target, workshop.parts), linker }, subject, workshop);
}

export function openNative(subject: ReferenceSubject, workshop: Workshop): OpenLocal {
  const target = targetOf(subject);
  const cpu = new HostCpu();
  const linker = linkerOf(target, workshop.parts);
  const compile = compilerOf(target, workshop.parts);
  const distrust = (): void => cpu.distrust();
  const isFresh = (): boolean => cpu.isFresh;
  const close = (): void => cpu.close();
  return openOn({ cpu, compile, linker, distrust, isFresh, close }, subject, workshop);
}

/** Runs that do not end as they should are the emulator's, which can tell what went wrong. */
export function openSimulated(subject: ReferenceSubject, workshop: Workshop): OpenLocal {
  const target = targetOf(subject);
  const exact = (): Cpu => workshop.emulators.of(target);
  const cpu = new SimulatedCpu();
  return openOn({ cpu, compile: compilerOf(target, workshop.parts), exact }, subject, workshop);
}

/** For steps of transcripts, which are made again whole where anything is otherwise. */
export function openSimulatedSteps(subject: ReferenceSubject, workshop: Workshop): OpenLocal {
  const target = targetOf(subject);
  const linker = linkerOf(target, workshop.parts);
  const compile = compilerOf(target, workshop.parts);
  return openOn({ cpu: new SimulatedCpu(), compile, linker }, subject, workshop);
}

export function targetOf({ target, name }: ReferenceSubject): TargetName {
  assert(target !== null, () => `${name} has no target`);
  return target;
}

function compilerOf(target: TargetName, parts: Parts): Machine["compile"] {
  const compiler = new Compiler(parts);
  return (module, options) => {
    const image = compiler.generate(module, target, options);
    checkSize(image);
    return { image, counts: countsOf(image) };
  };
}

export function openOn(machine: Machine, subject: ReferenceSubject, workshop: Workshop): OpenLocal {
  const { runners, continuations, isQuick = false, resumeFilter } = workshop;
  const { cpu, exact, linker } = machine;
  const runner = runners.make(cpu, resumeFilter);
  const again = runsAgain(runner, machine, workshop);
  // A call is not made twice: a machine that cannot make every one makes none.
  const caller = exact === undefined || again === null ? (): MachineRunner => runner : again;
  const traces = (unit: Unit, sharing: Linker): TraceCode =>
    new LinkedTraces({
      cpu,
      runner,
      linker: sharing,
      instructionsFor,
      exchangesRegisters: unit.tracing.tracingFault === "exchanged-registers",
      units: unit.traces,
      unitOf: (trace) => {
        const of = unit.traces.of(trace);
        const optimized = of.optimizedWhenAsked(subject);
        const { module, program } = optimized;
        optimized.finish(module.entry);
        const options = of.generateOptions(subject, workshop.checkAllocation);
        const resume = continuations.resumeOf(compiledAs(subject), of, isQuick);
        return { module, program, options, resume };
      },
    });
  return {
    poisons: POISONS,
    ...(linker === undefined ? {} : { traces: (unit: Unit) => traces(unit, linker) }),
    prepare: (unit) => {
      const optimized = unit.optimizedWhenAsked(subject);
      const { module, program } = optimized;
      optimized.finish(module.entry);
      try {
        const options = unit.generateOptions(subject, workshop.checkAllocation);
        const { image, counts } = machine.compile(module, options);
        const resume = continuations.resumeOf(compiledAs(subject), unit, isQuick);
        const loaded = { ...image, module, program, resume };
        const run = running(runner, loaded, again, machine.isFresh);
        const call: Prepared["call"] = (words, heap, poison, fuelUsed, fuelMax) => {
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
    distrust: () => machine.distrust?.(),
    close: () => machine.close?.(),
  };
}

/** The subject that compiles as this one does, and is emulated. */
const compiledAs = ({ name, where, target, native }: ReferenceSubject): string =>
  native ? `${target}${name.slice(where.length)}` : name;

/**
 * What makes a run again that has not ended as it should: a machine that earlier runs cannot have
 * damaged, or one that can make every run. Null where the first run is to be believed.
 */
function runsAgain(
  runner: MachineRunner,
  { distrust, exact }: Machine,
  { runners, resumeFilter }: Workshop,
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
  isFresh: Machine["isFresh"],
): Prepared["run"] {
  return (input, poison, fuelUsed, fuelMax) => {
    const limits: Limits = { poison, instructionsMax: instructionsFor(fuelUsed), fuelMax };
    // An endless run costs its whole limit: a second run in another new machine would not differ.
    const wasFresh = isFresh?.() ?? false;
    const outcome = runner.run(image, input, limits);
    const isFinal = again === null || wasFresh || endsAsItShould(outcome);
    return isFinal ? outcome : again().run(image, input, limits);
  };
}

/** What does not end as it should is run again by itself, in a new machine. */
function runningAll(
  runner: MachineRunner,
  image: LoadedImage,
  run: Prepared["run"],
): NonNullable<Prepared["runAll"]> {
  return (runs, fuelMax) => {
    const batched = runs.map(({ input, poison, fuelUsed }) => {
      return { input, limits: { poison, instructionsMax: instructionsFor(fuelUsed), fuelMax } };
    });
    const outcomes = runner.runAll(image, batched);
    if (outcomes?.every(endsAsItShould)) return outcomes;
    return runs.map(({ input, poison, fuelUsed }) => run(input, poison, fuelUsed, fuelMax));
  };
}

function compileErrorOf({ message }: CompileError): Prepared {
  const ending = { kind: "compile-error", message } as const;
  const run = (): Outcome => ({ events: [], ending });
  return { poisons: NO_POISON, counts: null, run, call: run };
}

// Compiled by the reference compiler: `x64-*` and `arm64-*` run under emulation, `host-*` natively,
// in a child process.

import { Compiler, type GenerateOptions } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/code-buffer.js";
import { pieceCountsOf } from "../../reference/lower/piece-forms.js";
import type { TargetName } from "../../reference/target/target.js";
import { assert } from "../support/assert.js";
import { HostCpu } from "./host/host-cpu.js";
import type { Cpu } from "./machine/cpu.js";
import { ENVIRONMENT } from "./machine/environment.js";
import { IMAGE_SIZE_MAX } from "./machine/guest.js";
import { NO_POISON, POISONS } from "./machine/junk.js";
import { MachineRunner } from "./machine/machine.js";
import type { OpenSubject, Prepared, Subject, Workshop } from "./subject.js";
import type { Unit } from "./unit.js";

/** A judged execution of fuel F ends in machine code within this; beyond it has run away. */
export const instructionsFor = (fuelUsed: number): number => 64 * fuelUsed + 200_000;

export function openEmulated(subject: Subject, workshop: Workshop): OpenSubject {
  return openCompiled(subject, workshop, workshop.emulators.of(targetOf(subject)), null);
}

export function openNative(subject: Subject, workshop: Workshop): OpenSubject {
  const cpu = new HostCpu();
  return openCompiled(subject, workshop, cpu, cpu);
}

function targetOf({ target, name }: Subject): TargetName {
  assert(target !== null, () => `${name} has no target`);
  return target;
}

function openCompiled(
  subject: Subject,
  workshop: Workshop,
  cpu: Cpu,
  process: HostCpu | null,
): OpenSubject {
  const { name } = subject;
  const target = targetOf(subject);
  const compiler = new Compiler(workshop.parts);
  const { oracle, continuations, resumeFilter } = workshop;
  const runner = new MachineRunner(cpu, oracle, continuations.resumeOf(name), resumeFilter);
  const run: Prepared["run"] = (input, poison, fuelUsed, fuelMax) => {
    const instructionsMax = instructionsFor(fuelUsed);
    const outcome = runner.run(input, poison, instructionsMax, fuelMax);
    const { kind } = outcome.ending;
    if (process === null || kind === "return" || kind === "exit") return outcome;
    // A process that others have used may have been harmed by them, so a new one is asked.
    process.distrust();
    return runner.run(input, poison, instructionsMax, fuelMax);
  };
  return {
    name,
    prepare: (unit: Unit): Prepared => {
      const { module, program } = unit.optimized(subject);
      continuations.begin(unit);
      try {
        const image = compiler.generate(module, target, generateOptionsOf(subject, workshop, unit));
        if (image.code.length > IMAGE_SIZE_MAX) {
          const size = `an image of ${image.code.length} bytes, limit is ${IMAGE_SIZE_MAX}`;
          throw new CompileError(size);
        }
        runner.load({ ...image, module, program });
        return {
          poisons: POISONS,
          counts: {
            codeBytes: image.code.length,
            instructions: image.instructions,
            spillUnits: image.spillUnits,
            moves: image.moves,
            longBranches: image.longBranches,
            pieces: pieceCountsOf(image.pieces),
            happened: image.happened,
          },
          run,
        };
      } catch (error) {
        if (error instanceof CompileError) return compileErrorOf(error);
        throw error;
      }
    },
    distrust: () => process?.distrust(),
    close: () => process?.close(),
  };
}

/** How code of the subject is made of a program. */
export const generateOptionsOf = (
  subject: Pick<Subject, "level" | "allocator" | "chaos" | "pieces">,
  { checkAllocation }: Pick<Workshop, "checkAllocation">,
  unit: Unit,
): GenerateOptions => ({
  environment: ENVIRONMENT,
  level: subject.level,
  allocator: subject.allocator ?? undefined,
  ...unit.generation(subject),
  checkAllocation,
  listing: false,
});

export function compileErrorOf({ message }: CompileError): Prepared {
  const ending = { kind: "compile-error", message } as const;
  return { poisons: NO_POISON, counts: null, run: () => ({ events: [], ending }) };
}

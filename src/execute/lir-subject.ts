// LIR that is interpreted: `lir-*` before registers are allocated, `alloc-*` after it. They locate: a
// difference that shows in the one and not in the other, or in machine code and in neither, says
// where it comes from. They are no part of a campaign.

import { Compiler } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/code-buffer.js";
import type { Watch } from "../../reference/lir/interpret/lir-machine.js";
import type { LirStage } from "../../reference/lir/interpret/lir-procedure.js";
import { assert } from "../support/assert.js";
import { compileErrorOf, generateOptionsOf, instructionsFor } from "./compiled-subject.js";
import { POISONS } from "./machine/junk.js";
import { LirCpu, type MeaningTable } from "./machine/lir-cpu.js";
import { MachineRunner } from "./machine/machine.js";
import type { OpenSubject, Subject, Workshop } from "./subject.js";

/**
 * @param table instead of what the rows of the target mean; only to plant a bug
 * @param watch looks on
 */
export const openLir =
  (stage: LirStage, table?: MeaningTable, watch: Watch | null = null) =>
  (subject: Subject, workshop: Workshop): OpenSubject => {
    const { name, target } = subject;
    assert(target !== null, () => `${name} has no target`);
    const { parts, oracle, continuations, resumeFilter } = workshop;
    const compiler = new Compiler(parts);
    const cpu = new LirCpu(target, stage, parts, table);
    cpu.machine.watch = watch;
    const runner = new MachineRunner(cpu, oracle, continuations.resumeOf(name), resumeFilter);
    return {
      name,
      prepare: (unit) => {
        const { module, program } = unit.optimized(subject);
        continuations.begin(unit);
        cpu.begin();
        try {
          const options = generateOptionsOf(subject, workshop, unit);
          const image = compiler.generate(module, target, { ...options, onLir: cpu.take });
          runner.load({ root: image.root, ...cpu.imageOf(image), module, program });
        } catch (error) {
          if (error instanceof CompileError) return compileErrorOf(error);
          throw error;
        }
        return {
          poisons: POISONS,
          counts: null,
          run: (input, poison, fuelUsed, fuelMax) =>
            runner.run(input, poison, instructionsFor(fuelUsed), fuelMax),
        };
      },
      distrust: () => {},
      close: () => {},
    };
  };

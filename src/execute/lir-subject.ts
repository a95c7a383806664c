// LIR that is interpreted: `lir-*` before registers are allocated, `alloc-*` after it. They serve to
// locate a bug: a difference in one and not the other, or in machine code and in neither, tells where it
// comes from. They are no part of a campaign.

import { Compiler } from "../../reference/compile.js";
import type { Watch } from "../../reference/lir/interpret/lir-machine.js";
import { LirProgram, type LirStage } from "../../reference/lir/interpret/lir-procedure.js";
import { openOn, targetOf } from "./compiled-subject.js";
import { LirCpu, type MeaningTable } from "./machine/lir-cpu.js";
import type { Open } from "./reference-subject.js";

/**
 * @param table instead of what the rows of the target mean; only to plant a bug
 * @param watch looks on
 */
export const openLir =
  (stage: LirStage, table?: MeaningTable, watch: Watch | null = null): Open =>
  (subject, workshop) => {
    const target = targetOf(subject);
    const compiler = new Compiler(workshop.parts);
    const cpu = new LirCpu(target, stage, workshop.parts, table);
    cpu.machine.watch = watch;
    return openOn(
      {
        cpu,
        compile: (module, options) => {
          const program = new LirProgram();
          const onLir = cpu.collect(program);
          const image = compiler.generate(module, target, { ...options, onLir });
          return { image: cpu.imageOf(program, image), counts: null };
        },
      },
      subject,
      workshop,
    );
  };

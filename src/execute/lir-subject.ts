// Opens subjects that interpret LIR: `lir-*` before register allocation, `alloc-*` after it. They
// locate a bug: the first stage that differs contains its cause. If neither differs and machine
// code does, the cause is the emission. Campaigns do not run them.

import { Compiler } from "../../reference/compile.js";
import type { ExecutionObserver } from "../../reference/lir/interpret/lir-machine.js";
import { LirProgram, type LirStage } from "../../reference/lir/interpret/lir-procedure.js";
import { openWithMachine, targetOf } from "./compiled-subject.js";
import { LirCpu, type MeaningTable } from "./machine/lir-cpu.js";
import type { SubjectOpener } from "./reference-subject.js";

/**
 * @param table replaces the meanings of the target's rows; only to plant a bug
 * @param watch observer of the interpreted instructions
 */
export const openLir =
  (stage: LirStage, table?: MeaningTable, watch: ExecutionObserver | null = null): SubjectOpener =>
  (subject, workshop) => {
    const target = targetOf(subject);
    const compiler = new Compiler(workshop.parts);
    const cpu = new LirCpu(target, stage, workshop.parts, table);
    cpu.machine.watch = watch;
    return openWithMachine(
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

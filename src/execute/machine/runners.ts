// Holds the runners of one judge. Each subject has its own runner, and dozens of programs pass
// before it runs again. A runner that kept its last program would keep it alive for that time, in
// V8's old generation.

import type { Oracle } from "../../oracle/fast/oracle.js";
import type { Cpu } from "./cpu.js";
import { MachineRunner, type ResumeFilter } from "./machine.js";

export class MachineRunners {
  private readonly oracle: Oracle;
  private readonly all: MachineRunner[] = [];

  constructor(oracle: Oracle) {
    this.oracle = oracle;
  }

  make(cpu: Cpu, resumeFilter: ResumeFilter | null = null): MachineRunner {
    const runner = new MachineRunner(cpu, this.oracle, resumeFilter);
    this.all.push(runner);
    return runner;
  }

  /** Releases the judged program in every runner; an image that runs again is loaded again. */
  forget(): void {
    for (let r = 0; r < this.all.length; r++) this.all[r].forget();
  }
}

// The runners of one judge. Each subject has its own, and dozens of programs go by before it runs again: all that
// the last one reaches would live until then, in the old part of V8's heap, which is collected as a whole.

import type { Oracle } from "../../oracle/fast/oracle.js";
import type { Cpu } from "./cpu.js";
import { MachineRunner, type ResumeFilter } from "./machine.js";

export class Runners {
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

  /** Lets the program go that was judged: each image is placed again if it is run again. */
  forget(): void {
    for (let r = 0; r < this.all.length; r++) this.all[r].forget();
  }
}

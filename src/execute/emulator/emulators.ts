// One emulator a target, for all subjects of a process: one runs at a time, and each loads its code
// before it runs.

import type { TargetName } from "../../../reference/target/target.js";
import { EmulatedCpu } from "./emulated-cpu.js";

export class Emulators {
  private readonly open = new Map<TargetName, EmulatedCpu>();

  /** Throws MissingLibrary where libunicorn is not installed. */
  of(target: TargetName): EmulatedCpu {
    let cpu = this.open.get(target);
    if (cpu === undefined) {
      cpu = new EmulatedCpu(target);
      this.open.set(target, cpu);
    }
    return cpu;
  }

  close(): void {
    for (const cpu of this.open.values()) cpu.close();
    this.open.clear();
  }
}

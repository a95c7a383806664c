// Holds one emulator for each target, which all subjects of a process share. One subject runs at a
// time, and loads its code before it runs.

import type { TargetName } from "../../../reference/target/target.js";
import { EmulatedCpu } from "./emulated-cpu.js";

export class EmulatorCache {
  private readonly open = new Map<TargetName, EmulatedCpu>();

  /** Throws MissingLibrary if libunicorn is not installed. */
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

// Manages the temporary folder of this process and of its children. It disappears with the process, even if that is
// killed. A separate shell waits for the end of a pipe that this process holds, ends the processes registered by
// `enlist`, and removes the folder.

import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GroupCleaner } from "./group-cleaner.js";
import { codeOf, MachineError, machineErrorOf, reasonOf } from "./machine-error.js";

export class ScratchFolder {
  private readonly path: string;
  private readonly cleaner: GroupCleaner;
  private readonly before = process.env["TMPDIR"];

  /**
   * Makes a temporary folder, which `tmpdir()` returns from now on, in this process and its
   * children.
   * @throws MachineError
   */
  constructor() {
    this.path = join(tmpdir(), `touchstone-${randomUUID()}`);
    this.cleaner = new GroupCleaner(this.path);
    // The cleaner must exist before the folder, so that the folder is always removed.
    try {
      mkdirSync(this.path, { mode: 0o700 });
    } catch (error) {
      this.cleaner.dismiss();
      throw new MachineError(`the folder of temporary files, ${tmpdir()}: ${reasonOf(error)}`, {
        cause: error,
      });
    }
    process.env["TMPDIR"] = this.path;
  }

  /** Registers a child that leads a process group, so that the group ends with this process. */
  enlist(child: ChildProcess): void {
    this.cleaner.enlist(child);
  }

  close(): void {
    if (this.before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = this.before;
    try {
      rmSync(this.path, { recursive: true, force: true });
    } catch (error) {
      // A child still writes: the cleaner removes the folder after the end of this process.
      if (codeOf(error) === "ENOTEMPTY") return;
      if (machineErrorOf(error) === null) throw error; // the folder remains, without data of a campaign
    }
    this.cleaner.dismiss();
  }
}

// The temporary folder of this process and of its children. It disappears with the process, also if that is
// killed: a shell outside waits for the end of a pipe that this process holds, ends what was started with
// `enlist`, and removes the folder.

import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GroupCleaner } from "./group-cleaner.js";
import { machineErrorOf } from "./machine-error.js";

export class ScratchFolder {
  private readonly path: string;
  private readonly cleaner: GroupCleaner;
  private readonly before = process.env["TMPDIR"];

  /**
   * From now on it is what `tmpdir()` says, here and in children.
   * @throws MachineError
   */
  constructor() {
    this.path = join(tmpdir(), `touchstone-${randomUUID()}`);
    this.cleaner = new GroupCleaner(this.path);
    // Not before there is something to remove it.
    try {
      mkdirSync(this.path, { mode: 0o700 });
    } catch (error) {
      this.cleaner.dismiss();
      throw machineErrorOf(error) ?? error;
    }
    process.env["TMPDIR"] = this.path;
  }

  /** A child that leads a process group: the group is not to outlive this process either. */
  enlist(child: ChildProcess): void {
    this.cleaner.enlist(child);
  }

  close(): void {
    if (this.before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = this.before;
    this.cleaner.dismiss();
    try {
      rmSync(this.path, { recursive: true, force: true });
    } catch (error) {
      if (machineErrorOf(error) === null) throw error; // it stays; nothing of a campaign is in it
    }
  }
}

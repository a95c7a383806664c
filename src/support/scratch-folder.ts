// The temporary folder of this process and of its children. It disappears with the process, also if that is
// killed: a shell outside waits for the end of a pipe that this process holds, ends what was started with
// `enlist`, and removes the folder.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineErrorOf } from "./machine-error.js";

/**
 * Lines are `+ GROUP` and `- GROUP`: process groups that run, and that have ended. The signal is given by `-s`: behind
 * `-9 --` Debian's shell takes no group.
 */
const CLEANER = `
groups=" "
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
sleep 1 # until the children of a killed process are gone as well
rm -rf -- "$1"
`;

export class ScratchFolder {
  private readonly path: string;
  private readonly cleaner: ChildProcess;
  private readonly before = process.env["TMPDIR"];

  /**
   * From now on it is what `tmpdir()` says, here and in children.
   * @throws MachineError
   */
  constructor() {
    this.path = join(tmpdir(), `touchstone-${randomUUID()}`);
    // In a session of its own: what ends this process from the terminal leaves it alone.
    this.cleaner = spawn("sh", ["-c", CLEANER, "touchstone-cleaner", this.path], {
      cwd: "/",
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    // Where there is no shell, a process that is killed leaves its folder.
    this.cleaner.on("error", () => {});
    this.cleaner.stdin?.on("error", () => {});
    this.cleaner.unref();
    // Not before there is something to remove it.
    try {
      mkdirSync(this.path, { mode: 0o700 });
    } catch (error) {
      this.cleaner.kill("SIGKILL");
      throw machineErrorOf(error) ?? error;
    }
    process.env["TMPDIR"] = this.path;
  }

  /** A child that leads a process group: the group is not to outlive this process either. */
  enlist(child: ChildProcess): void {
    const { pid } = child;
    if (pid === undefined) return;
    this.cleaner.stdin?.write(`+ ${pid}\n`);
    child.once("close", () => this.cleaner.stdin?.write(`- ${pid}\n`));
  }

  close(): void {
    if (this.before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = this.before;
    this.cleaner.kill("SIGKILL");
    try {
      rmSync(this.path, { recursive: true, force: true });
    } catch (error) {
      if (machineErrorOf(error) === null) throw error; // it stays; nothing of a campaign is in it
    }
  }
}

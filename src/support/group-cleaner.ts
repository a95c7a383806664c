// Ends process groups that this process started, even if this process is killed. A separate shell waits for the end of
// a pipe that this process holds, and then kills the groups that still run.

import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";

/**
 * The shell's script. Its input lines are `+ GROUP` and `- GROUP`: a process group that runs, and one that has ended.
 * The signal is an argument of `-s`: after `-9 --`, Debian's shell accepts no group. The folder, if any, is removed
 * last.
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
[ -n "$1" ] || exit 0
sleep 1 # until the children of a killed process are gone as well
rm -rf -- "$1"
`;

export class GroupCleaner {
  private readonly shell: ChildProcess;

  /**
   * Starts the shell.
   * @param folder removed after the groups have ended; null: none
   */
  constructor(folder: string | null = null) {
    // The shell has a session of its own: a signal of the terminal that ends this process does not reach it.
    this.shell = spawn("sh", ["-c", CLEANER, "touchstone-cleaner", folder ?? ""], {
      cwd: "/",
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    // Errors of the shell are ignored: without it, only a killed process leaves its groups and
    // folder.
    this.shell.on("error", () => {});
    const { stdin } = this.shell;
    stdin?.on("error", () => {});
    // Neither the shell nor the pipe keeps this process alive.
    this.shell.unref();
    if (stdin instanceof Socket) stdin.unref();
  }

  /** Adds a child that leads a process group. */
  enlist(child: ChildProcess): void {
    const { pid } = child;
    if (pid === undefined) return;
    this.shell.stdin?.write(`+ ${pid}\n`);
    child.once("close", () => this.shell.stdin?.write(`- ${pid}\n`));
  }

  /** Ends the shell without killing or removing anything. */
  dismiss(): void {
    this.shell.kill("SIGKILL");
  }
}

// A child process that does not outlive this one, not even if this one is killed and the child spins: Node
// loads this module into it first, and the module asks the kernel for that.
//
// Linux only: elsewhere a child ends when it next looks at its channel to its parent.

import koffi from "koffi";

/** Of <sys/prctl.h>. */
const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;
const PARENT = "parent";

/** Options of Node for a child of this process. They must not be passed on to a grandchild. */
export function boundToThisProcess(): string[] {
  const module = new URL(import.meta.url);
  module.search = new URLSearchParams({ [PARENT]: String(process.pid) }).toString();
  return ["--import", module.href];
}

// In the child.
const parent = new URL(import.meta.url).searchParams.get(PARENT);
if (parent !== null && process.platform === "linux") {
  const prctl = koffi.load(null).func("int prctl(int, uint64_t, uint64_t, uint64_t, uint64_t)");
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  // The parent may have died before.
  if (process.ppid !== Number(parent)) process.kill(process.pid, "SIGKILL");
}

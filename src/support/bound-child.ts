// Ends a child process with this one, even if this process is killed and the child spins: Node loads this module into
// the child first, and the module requests this from the kernel.
//
// This works on Linux only. On other systems a child ends when it next reads its channel to its parent.

import koffi from "koffi";

/**
 * The option of prctl(2), from <sys/prctl.h>, that sends a signal to a process when its parent
 * dies.
 */
const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;
const PARENT = "parent";

/** Returns Node's options for a child of this process. They must not be passed on to a grandchild. */
export function boundToThisProcess(): string[] {
  const module = new URL(import.meta.url);
  module.search = new URLSearchParams({ [PARENT]: String(process.pid) }).toString();
  return ["--import", module.href];
}

// In the child, this module reads the id of its parent from its own URL.
const parent = new URL(import.meta.url).searchParams.get(PARENT);
if (parent !== null && process.platform === "linux") {
  const prctl = koffi.load(null).func("int prctl(int, uint64_t, uint64_t, uint64_t, uint64_t)");
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  // The parent may have died before the call.
  if (process.ppid !== Number(parent)) process.kill(process.pid, "SIGKILL");
}

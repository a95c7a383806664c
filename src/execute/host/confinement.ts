// Checks which parts of the native child's confinement this machine supports, for `fuzz doctor`.
// The filter of system calls is not among them: without it no native code runs at all.

import type { Confinement } from "./host-process.js";
import { NAMESPACE_LEVELS } from "./host-start.js";

interface ConfinementCheck {
  readonly name: string;
  /** Null if it is missing. */
  readonly found: string | null;
  /** The consequence and the remedy if it is missing. */
  readonly lack: string | null;
}

const FIX_NAMESPACES =
  "only its filter of system calls confines native code, without a second layer; the kernel refuses " +
  "user namespaces: sysctl user.max_user_namespaces=10000, kernel.unprivileged_userns_clone=1 and " +
  "kernel.apparmor_restrict_unprivileged_userns=0, as far as they exist; in a container also " +
  "--security-opt seccomp=unconfined";
const FIX_PRIVILEGES =
  "a hole in the filter of system calls would give access to root: run as an ordinary user, or give the " +
  "container a user 65534 and the right to become it (CAP_SETUID, CAP_SETGID)";

export function confinementChecks({
  namespaces,
  isPrivileged,
}: Confinement): readonly ConfinementCheck[] {
  const [all] = NAMESPACE_LEVELS;
  const missing = all.filter((name) => !namespaces.includes(name));
  // Root needs no user namespace to create the others, and has become an ordinary user.
  const isApart = missing.length === 0 || (missing.join() === "user" && !isPrivileged);
  return [
    {
      name: "native: namespaces",
      found: isApart ? namespaces.join(", ") : null,
      lack: isApart ? null : FIX_NAMESPACES,
    },
    {
      name: "native: privileges",
      found: isPrivileged ? null : "none",
      lack: isPrivileged ? FIX_PRIVILEGES : null,
    },
    {
      name: "native: system calls",
      found: "by number and place",
      lack: null,
    },
  ];
}

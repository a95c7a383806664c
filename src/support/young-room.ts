// Sets the size of V8's young generation in a child process that judges many programs. When it is full, V8 copies the
// live objects, which are those of the current program. So the more programs fit in, the less is copied
// (docs/performance.md, what V8 keeps).
//
// Up to Node 22, V8 accepts cached code only under the flags under which it was made (bundle.ts), and it reads these
// flags only when the process starts. So this module is loaded before all others, and resets them.

import { setFlagsFromString } from "node:v8";

/** The size of each of the two halves in megabytes; V8's own maximum is 16 in Node 20. */
const MEGABYTES = 32;
const FLAGS = ["--min-semi-space-size", "--max-semi-space-size"];
const RESETS = "resets";

/** Returns Node's options for such a child. */
export function withRoomForYoung(): string[] {
  const module = new URL(import.meta.url);
  module.search = RESETS;
  return [...FLAGS.map((flag) => `${flag}=${MEGABYTES}`), "--import", module.href];
}

// The code below runs in the child. 0 selects V8's default.
if (new URL(import.meta.url).search === `?${RESETS}`) {
  for (const flag of FLAGS) setFlagsFromString(`${flag}=0`);
}

// Room for young objects in a child process that judges many programs. V8 copies what lives when that room is full,
// which is the program at hand: so the more programs fit in, the less is copied (docs/performance.md, what V8 keeps).
//
// Up to Node 22, V8 takes code that it has kept only under the flags that it was made with (bundle.ts), and it looks at
// the room's flags when the process starts, never again. So this module is loaded before all others, and sets them
// back.

import { setFlagsFromString } from "node:v8";

/** Each of two halves; V8's own value is 16 in Node 20, from 1 on. */
const MEGABYTES = 32;
const FLAGS = ["--min-semi-space-size", "--max-semi-space-size"];
const RESETS = "resets";

/** Options of Node for such a child. */
export function withRoomForYoung(): string[] {
  const module = new URL(import.meta.url);
  module.search = RESETS;
  return [...FLAGS.map((flag) => `${flag}=${MEGABYTES}`), "--import", module.href];
}

// In the child. 0 is: as V8 thinks best.
if (new URL(import.meta.url).search === `?${RESETS}`) {
  for (const flag of FLAGS) setFlagsFromString(`${flag}=0`);
}

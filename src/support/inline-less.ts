// A process that judges many programs runs thousands of functions, each hot and none of them very hot. V8 takes so much
// of what they call into each that it compiles for most of the first minute, on another thread, which has no processor
// of its own where there are as many workers as processors (docs/performance.md, cold workers).

import { setFlagsFromString } from "node:v8";

/** Bytes of bytecode that one function takes in, all calls together; V8's own value is 920 in Node 20. */
const INLINED_MAX = 300;

/** To be called when modules are loaded: V8 takes code that it has kept only under the flags that it was made with. */
export function inlineLess(): void {
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_MAX}`);
}

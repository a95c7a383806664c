// What V8 is told of a process. V8 takes code that it has kept only under the flags that it was made with, so flags are
// set when the bundle is loaded (bundle.ts).

import { setFlagsFromString } from "node:v8";

/**
 * How much a function executes before it is considered, fifteen times what V8 itself takes: of Node 20, in bytes of
 * bytecode (67,584); from V8 12 on, which is that of Node 22, in calls and iterations (3,000). V8 complains of a flag that
 * it does not know, and goes on without it.
 */
const CONSIDERED_LATE =
  Number.parseInt(process.versions.v8, 10) < 12
    ? "--interrupt-budget=1000000"
    : "--invocation-count-for-turbofan=45000";

/**
 * A command that judges one program ends before most of what V8 would optimize for it has paid for itself. To be called
 * before a command's modules are loaded; wrong where many programs follow.
 */
export function optimizeLater(): void {
  setFlagsFromString(CONSIDERED_LATE);
}

/** Bytes of bytecode that one function takes in, all calls together; V8's own value is 920 in Node 20. */
const INLINED_MAX = 300;

/**
 * A process that judges many programs runs thousands of functions, each hot and none of them very hot. V8 takes so much
 * of what they call into each that it compiles for most of the first minute, on another thread, which has no processor
 * of its own where there are as many workers as processors (docs/performance.md, cold workers). And what lives as
 * long as a program it takes for what lives for ever, and makes it old at once.
 */
export function judgeMany(): void {
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_MAX}`);
  setFlagsFromString("--no-allocation-site-pretenuring");
}

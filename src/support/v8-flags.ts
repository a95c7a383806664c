// Sets V8's flags for a process. V8 accepts cached code only under the flags under which it was made, so flags are set
// when the bundle is loaded (bundle.ts).

import { setFlagsFromString } from "node:v8";

/**
 * How much a function executes before V8 considers optimizing it: fifteen times V8's default. In Node 20 the unit is
 * bytes of bytecode (default 67,584); from V8 12 on, which is that of Node 22, it is calls and iterations (default
 * 3,000). V8 reports a flag that does not exist, and continues without it.
 */
const LATE_OPTIMIZATION_FLAG =
  Number.parseInt(process.versions.v8, 10) < 12
    ? "--interrupt-budget=1000000"
    : "--invocation-count-for-turbofan=45000";

/**
 * Delays optimization. A command that judges one program ends before most of V8's optimizations pay off. Call it before
 * a command's modules are loaded, and not if the process judges many programs.
 */
export function optimizeLater(): void {
  setFlagsFromString(LATE_OPTIMIZATION_FLAG);
}

/** The bytecode that V8 inlines into one function, all calls together, in bytes; V8's default is 920 in Node 20. */
const INLINED_MAX = 300;

/**
 * Tunes V8 for a process that judges many programs. Such a process runs thousands of functions, each hot and none very
 * hot. With V8's default inlining, compilation takes most of the first minute. It runs on another thread, which has no
 * processor of its own if there are as many workers as processors (docs/performance.md, cold workers). The second flag
 * disables pretenuring: V8 would allocate objects that live as long as a program in old space.
 */
export function judgeMany(): void {
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_MAX}`);
  setFlagsFromString("--no-allocation-site-pretenuring");
}

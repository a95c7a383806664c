// Sets V8's flags for a process. V8 accepts cached code only under the flags under which it was made, so flags are set
// when the bundle is loaded (bundle.ts).

import { setFlagsFromString } from "node:v8";

/**
 * Returns the flag that sets how much a function executes before V8 considers optimizing it. In Node 20 the unit is
 * bytes of bytecode (V8's default is 67,584); from V8 12 on, which is that of Node 22, it is calls and iterations
 * (default 3,000). V8 reports a flag that does not exist, and continues without it.
 */
const budgetFlag = (bytes: number, calls: number): string =>
  Number.parseInt(process.versions.v8, 10) < 12
    ? `--interrupt-budget=${bytes}`
    : `--invocation-count-for-turbofan=${calls}`;

/**
 * Delays optimization. A command that judges one program ends before most of V8's optimizations pay off. Call it before
 * a command's modules are loaded, and not if the process judges many programs.
 */
export function optimizeLater(): void {
  setFlagsFromString(budgetFlag(1_000_000, 45_000));
}

/** The bytecode that V8 inlines into one function, all calls together, in bytes; V8's default is 920 in Node 20. */
const INLINED_MAX = 300;

/**
 * Tunes V8 for a process that judges many programs. Such a process runs thousands of functions, each hot and none very
 * hot. With V8's default inlining, compilation takes most of the first minute. It runs on another thread, which has no
 * processor of its own if there are as many workers as processors (docs/performance.md, cold workers). A larger budget
 * skips functions that are warm for the first programs only: two workers then judge the first 100 programs in three
 * quarters of the time. The last flag disables pretenuring: V8 would allocate objects that live as long as a program in
 * old space.
 */
export function judgeMany(): void {
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_MAX}`);
  setFlagsFromString(budgetFlag(500_000, 20_000));
  setFlagsFromString("--no-allocation-site-pretenuring");
}

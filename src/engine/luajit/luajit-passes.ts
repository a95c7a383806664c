// Treats the optimizations of LuaJIT as parts that can be switched off, by its options; each level
// includes the lower ones.

import { type BatchCompiler, batchSubject } from "../batch-subject.js";
import type { CompilerSteps } from "../engine-subject.js";

/** In the order in which `-O1`, `-O2` and `-O3` add them. */
export const LUAJIT_PASSES = [
  "fold",
  "cse",
  "dce",
  "narrow",
  "loop",
  "fwd",
  "dse",
  "abc",
  "sink",
  "fuse",
];

/** @param runner LuaJIT with its options */
export function luajitPasses(compiler: BatchCompiler, runner: readonly string[]): CompilerSteps {
  const names = LUAJIT_PASSES.filter((name) => !runner.includes(`-O-${name}`));
  return {
    list: async () => names,
    rest: "without optimizations",
    upTo: (count) => {
      const first = names.slice(0, count).map((name) => `-O+${name}`);
      return batchSubject({ ...compiler, runner: [...runner, "-O0", ...first] });
    },
  };
}

// Lists processors that code is compiled for. Code for a newer processor than this machine's would end by an illegal
// instruction, which is no bug of the compiler.

import { existsSync, readFileSync } from "node:fs";

/**
 * By the value of a compiler's `-march`: the features that its code needs, as Linux names them. GCC, clang and zig have
 * each of these names. They differ in the width of vectors, masks, and fused operations.
 */
const FEATURES: { readonly [processor: string]: string | undefined } = {
  native: "",
  nehalem: "sse4_2 popcnt",
  sandybridge: "avx",
  haswell: "avx2 bmi1 bmi2 fma f16c movbe abm",
  cannonlake:
    "avx2 bmi1 bmi2 fma f16c movbe abm adx avx512f avx512vl avx512bw avx512dq avx512cd avx512ifma avx512vbmi sha_ni",
};

const MARCH = /^march=(.+)$/;

/** The drawn flags, of which one is a compiler's argument without its dash. */
export const MARCHES: readonly string[] = Object.keys(FEATURES).map((name) => `march=${name}`);

let here: ReadonlySet<string> | null = null;

/** Returns the features of this machine's processor; none on a system without a list of them. */
function featuresHere(): ReadonlySet<string> {
  const list = "/proc/cpuinfo";
  const line = existsSync(list) ? /^flags\s*:(.*)$/m.exec(readFileSync(list, "utf8"))?.[1] : null;
  here ??= new Set(line?.split(" "));
  return here;
}

/** Returns whether a processor with these features runs the code of a `march=` flag; null for other flags. */
export function canRun(flag: string, features = featuresHere()): boolean | null {
  const needed = FEATURES[MARCH.exec(flag)?.[1] ?? ""];
  if (needed === undefined) return null;
  return needed.split(" ").every((feature) => feature === "" || features.has(feature));
}

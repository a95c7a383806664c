// Treats the compilers of one engine as its parts. If a program is wrong in one tier and right in
// the lower ones, that tier is the cause. If its compiler logs phases, the cause is the wrong
// phase. If the lowest tier is wrong, the cause is the engine's decoder or the module itself.

import type { EngineSubject } from "./engine-subject.js";
import type { SourceProgram } from "./sources.js";

/** By row, the rows that run the program first, in this order. */
const LOWER_TIERS: Readonly<Record<string, readonly string[]>> = {
  "v8-liftoff": ["v8-turbofan"],
  "v8-turbofan": ["v8-liftoff"],
  "v8-turboshaft": ["v8-liftoff", "v8-turbofan"],
  "jsc-bbq": ["jsc-llint"],
  "jsc-omg": ["jsc-llint", "jsc-bbq"],
  "jsc-b3": ["jsc-llint", "jsc-bbq"],
  ion: ["sm-baseline"],
  "sm-baseline": ["ion"],
};

/** Gives each engine the tiers of the same version as parts. */
export const withTiers = (engines: readonly EngineSubject[]): EngineSubject[] =>
  engines.map((engine) => {
    const [row, ...version] = engine.name.split("@");
    const names = (LOWER_TIERS[row] ?? []).map((name) => [name, ...version].join("@"));
    const below = names.flatMap((name) => engines.find((other) => other.name === name) ?? []);
    if (below.length === 0) return engine;
    const tiers = [...below, engine];
    const inside = async (part: string, program: SourceProgram): Promise<string | null> =>
      part === engine.name ? ((await engine.causingPhase?.(program)) ?? null) : null;
    const parts = {
      list: async () => tiers.slice(1).map(({ name }) => name),
      upTo: (count: number) => tiers[count],
      rest: `${tiers[0].name} too`,
      inside,
    };
    return { ...engine, parts };
  });

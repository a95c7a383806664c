// Computes the results that executions of a seed's program return. Subjects without exits run only
// these inputs, and tests use them to find seeds with or without results.

import type { ObservedBits } from "../../ir/outcome.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { programOf } from "./seeds.js";

/**
 * Returns one result for each input with which the usual program of the seed returns; null for
 * Void.
 */
export function returnedBy(seed: bigint): (ObservedBits | null)[] {
  const { module, inputs } = programOf(seed);
  const program = decodeModule(module);
  const oracle = new Oracle();
  return inputs.flatMap((input) => {
    const { ending } = oracle.run(program, input, DEFAULT_FUEL);
    return ending.kind === "return" ? [ending.result] : [];
  });
}

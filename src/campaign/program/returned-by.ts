// What executions of a seed's program return: subjects that are not asked for exits are asked about these alone, and
// tests look for seeds that have some, or none.

import type { Bits } from "../../ir/outcome.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { programOf } from "./seeds.js";

/** One for each input on which the usual program of the seed ends by returning; null of Void. */
export function returnedBy(seed: bigint): (Bits | null)[] {
  const { module, inputs } = programOf(seed);
  const program = decodeModule(module);
  const oracle = new Oracle();
  return inputs.flatMap((input) => {
    const { ending } = oracle.run(program, input, DEFAULT_FUEL);
    return ending.kind === "return" ? [ending.result] : [];
  });
}

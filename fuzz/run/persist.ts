// Writes the final files of a campaign on a machine that may refuse temporarily.

import { setTimeout as sleep } from "node:timers/promises";
import { Backoff } from "../../src/campaign/run/backoff.js";
import { machineErrorOf } from "../../src/support/machine-error.js";

/**
 * Writes until it succeeds, or until the machine has refused for half a minute.
 * @param onRefusal receives one line for each refusal
 * @returns whether it succeeded
 */
export async function persist(
  write: () => void,
  onRefusal: (line: string) => void,
): Promise<boolean> {
  for (const backoff = new Backoff(); ; ) {
    try {
      write();
      return true;
    } catch (error) {
      const refusal = machineErrorOf(error);
      if (refusal === null) throw error;
      onRefusal(refusal.message);
    }
    backoff.refuse(performance.now());
    if (backoff.isHopeless) return false;
    await sleep(backoff.waitMs(performance.now()));
  }
}

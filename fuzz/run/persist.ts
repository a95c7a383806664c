// What must be written at the end of a campaign, on a machine that may refuse it for a while.

import { setTimeout as sleep } from "node:timers/promises";
import { Backoff } from "../../src/campaign/run/backoff.js";
import { machineErrorOf } from "../../src/support/machine-error.js";

/**
 * Writes until it succeeds, or until half a minute of refusals says that it will not.
 * @param onRefusal is told each in one line
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

// Tests how long a campaign waits before it retries a refused operation.

import test from "ava";
import { RestartBackoff } from "./backoff.js";

test("a repeatedly refused operation is retried at growing intervals, and is hopeless after half a minute", (t) => {
  const backoff = new RestartBackoff();
  t.is(backoff.waitMs(0), 0);
  let now = 0;
  const waits: number[] = [];
  while (!backoff.isHopeless) {
    backoff.refuse(now);
    backoff.refuse(now); // by another worker at the same time
    waits.push(backoff.waitMs(now));
    now += backoff.waitMs(now);
  }
  t.deepEqual(waits, [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000]);
  backoff.succeed();
  t.false(backoff.isHopeless);
  t.is(backoff.waitMs(now), 0);
});

// Tests that the processor time of a process grows as it computes, and is that of the process itself.

import test from "ava";
import { processorSeconds } from "./process-stat.js";

test("the time is that of the given process", (t) => {
  if (process.platform !== "linux") {
    t.is(processorSeconds(process.pid), null);
    return;
  }
  const own = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
  const begin = own();
  while (own() - begin < 0.1);
  const seconds = processorSeconds(process.pid) ?? 0;
  t.true(Math.abs(seconds - own()) < 0.05, `${seconds} for ${own()}`);
  t.is(processorSeconds(2 ** 30), null);
});

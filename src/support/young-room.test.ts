import { spawnSync } from "node:child_process";
import test from "ava";
import { withRoomForYoung } from "./young-room.js";

const run = (options: readonly string[], code: string): string => {
  const { stdout, stderr } = spawnSync(process.execPath, [...options, "-p", code], {
    encoding: "utf8",
  });
  return stdout.trim() || stderr;
};

const SCRIPT = `const { Script } = require("node:vm"); const source = "(function f() { return 1; })()";`;

test("a child has room for young objects, and accepts code that V8 cached in a process without", (t) => {
  // Node 26 allocates this memory on demand, so its size is no evidence.
  const room = `const young = v8.getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
    young.space_used_size + young.space_available_size`;
  t.true(Number(run(withRoomForYoung(), room)) > 31 * 2 ** 20);
  t.true(Number(run([], room)) < 31 * 2 ** 20);
  const kept = run([], `${SCRIPT} new Script(source).createCachedData().toString("base64")`);
  const taking = `${SCRIPT} new Script(source, { cachedData: Buffer.from("${kept}", "base64") }).cachedDataRejected`;
  t.is(run(withRoomForYoung(), taking), "false");
  // V8 of Node 24 and later ignores these flags.
  const minds = Number.parseInt(process.versions.v8, 10) < 13;
  const isRefused = run(["--max-semi-space-size=32"], taking);
  t.is(isRefused, String(minds), "V8 refuses it under other flags");
});

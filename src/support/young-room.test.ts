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

test("a child has room for young objects, and takes code that V8 has kept of a process without", (t) => {
  const room = `v8.getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size`;
  t.is(run(withRoomForYoung(), room), String(32 * 2 ** 20));
  t.true(Number(run([], room)) < 32 * 2 ** 20);
  const kept = run([], `${SCRIPT} new Script(source).createCachedData().toString("base64")`);
  const taking = `${SCRIPT} new Script(source, { cachedData: Buffer.from("${kept}", "base64") }).cachedDataRejected`;
  t.is(run(withRoomForYoung(), taking), "false");
  t.is(run(["--max-semi-space-size=32"], taking), "true", "V8 refuses it under other flags");
});

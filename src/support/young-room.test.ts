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
  // Node 26 takes memory for it as it needs it, so its size says nothing.
  const room = `const young = v8.getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
    young.space_used_size + young.space_available_size`;
  t.true(Number(run(withRoomForYoung(), room)) > 31 * 2 ** 20);
  t.true(Number(run([], room)) < 31 * 2 ** 20);
  const kept = run([], `${SCRIPT} new Script(source).createCachedData().toString("base64")`);
  const taking = `${SCRIPT} new Script(source, { cachedData: Buffer.from("${kept}", "base64") }).cachedDataRejected`;
  t.is(run(withRoomForYoung(), taking), "false");
  // That of Node 24 does not mind these flags any more.
  const minds = Number.parseInt(process.versions.v8, 10) < 13;
  const isRefused = run(["--max-semi-space-size=32"], taking);
  t.is(isRefused, String(minds), "V8 refuses it under other flags");
});

// Tests that V8 accepts the flags in every version of Node.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import test from "ava";

const FLAGS = fileURLToPath(new URL("./v8-flags.js", import.meta.url));

for (const name of ["optimizeLater", "judgeMany"]) {
  test(`${name}: V8 accepts the flags`, (t) => {
    const script = `import { ${name} } from ${JSON.stringify(FLAGS)}; ${name}(); console.log("accepted");`;
    const words = ["--input-type=module", "--eval", script];
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    t.is(stderr, "");
    t.is(stdout, "accepted\n");
  });
}

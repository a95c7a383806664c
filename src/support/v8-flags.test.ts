// What V8 is told it understands, whichever Node this is.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import test from "ava";

const FLAGS = fileURLToPath(new URL("./v8-flags.js", import.meta.url));

for (const name of ["optimizeLater", "judgeMany"]) {
  test(`${name}: V8 knows the flags`, (t) => {
    const script = `import { ${name} } from ${JSON.stringify(FLAGS)}; ${name}(); console.log("told");`;
    const words = ["--input-type=module", "--eval", script];
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    t.is(stderr, "");
    t.is(stdout, "told\n");
  });
}

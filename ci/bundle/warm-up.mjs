// Judges programs as a worker and as the command, and then writes the code that V8 has compiled for the script of
// `build/bundle`.

import { writeFileSync } from "node:fs";
import v8 from "node:v8";
import { usualSettings } from "../../build/fuzz/run/usual-settings.js";
import { codeFile, openBundle } from "../../build/src/support/bundle.js";

const FIRST_SEED = 7n;
const COUNT = 5;

const [name] = process.argv.slice(2);
// V8 accepts code only under the flags that it was made with, and a command sets flags after the script is loaded.
v8.setFlagsFromString = () => {};
const bundle = openBundle(name);

bundle.load("src/campaign/run/worker.js");
const settings = usualSettings("usual");
process.emit("message", { kind: "open", settings, fault: null });
process.emit("message", { kind: "judge", first: FIRST_SEED, count: COUNT, breeding: null });

await bundle.load("fuzz/main.js").main(["--seed", String(FIRST_SEED)]);
writeFileSync(codeFile(name), bundle.code());
process.exit(0); // a worker waits for more

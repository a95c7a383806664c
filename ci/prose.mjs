// Prints the sentences and names that break a rule of prose: `node ci/prose.mjs [PATH...]`, after `npm run build`.
// A path is a file or a folder; without one, the whole project. Status 1 if there is a fault.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const load = (path) => import(join(ROOT, "build", path));
const { pathsBelow, read } = await load("ci/project-files.js");
const { proseFaults } = await load("ci/prose/check.js");

const asked = process.argv.slice(2).map((path) => path.replace(/\/$/, ""));
// The examples of the rules break them.
const checked = pathsBelow(".", /\.(ts|mjs|md)$/).filter((path) => !path.startsWith("ci/prose/"));
const paths = checked.filter(
  (path) =>
    asked.length === 0 || asked.some((each) => path === each || path.startsWith(`${each}/`)),
);
const faults = proseFaults(read(paths));
for (const fault of faults) console.log(fault);
console.log(`${faults.length} faults in ${paths.length} files`);
process.exit(faults.length === 0 ? 0 : 1);

// A hook of Node's loader: refuses to load one module, in the first process that imports it, as if there were no more
// files to open. TOUCHSTONE_REFUSE_MODULE is {module, once} in JSON: the end of the module's path, and a file that is
// made then.

import { existsSync, writeFileSync } from "node:fs";

const { module, once } = JSON.parse(process.env.TOUCHSTONE_REFUSE_MODULE);

export function load(url, context, next) {
  if (!url.endsWith(module) || existsSync(once)) return next(url, context);
  writeFileSync(once, "");
  const message = `EMFILE: refused for a test, open '${url}'`;
  throw Object.assign(new Error(message), {
    code: "EMFILE",
    errno: -24,
    syscall: "open",
    path: url,
  });
}

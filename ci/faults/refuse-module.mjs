// Loaded into every process of a command by NODE_OPTIONS: one module cannot be loaded, in the first process that asks,
// as if there were no more files to open.
//
// TOUCHSTONE_REFUSE_MODULE is {module, once} in JSON: the end of the module's path, and a file that is made then.

import { register } from "node:module";

const { module, once } = JSON.parse(process.env.TOUCHSTONE_REFUSE_MODULE);

/** Runs in the thread of Node's loader, which has nothing of this file. */
const hook = `
import { existsSync, writeFileSync } from "node:fs";
export function load(url, context, next) {
  if (!url.endsWith(${JSON.stringify(module)}) || existsSync(${JSON.stringify(once)})) return next(url, context);
  writeFileSync(${JSON.stringify(once)}, "");
  const message = "EMFILE: refused for a test, open '" + url + "'";
  throw Object.assign(new Error(message), { code: "EMFILE", errno: -24, syscall: "open", path: url });
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

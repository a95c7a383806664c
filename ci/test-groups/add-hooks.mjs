// Adds the hooks of a file to Node's loader: `registerHooks` if Node has it, in the thread that loads. Node 20 has
// `register` only, with a thread for hooks, of which newer ones warn.

import * as loader from "node:module";

/** @param url module that exports `resolve`, `load` or both, which may return the result of `next` unchanged */
export async function addHooks(url) {
  if (loader.registerHooks === undefined) loader.register(url);
  else loader.registerHooks({ ...(await import(url)) });
}

// Adds the hooks of a file to Node's loader: `registerHooks` where Node has it, in the thread that loads. Node 20 has
// `register` alone, with a thread for hooks, which newer ones warn of.

import * as loader from "node:module";

/** @param url of a module that exports `resolve`, `load` or both, which may give what `next` gives as it comes */
export async function addHooks(url) {
  if (loader.registerHooks === undefined) loader.register(url);
  else loader.registerHooks({ ...(await import(url)) });
}

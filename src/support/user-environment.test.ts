// Tests the environment of the user: it is without the additions of npx, and otherwise unchanged.

import test from "ava";
import { userEnvironment } from "./user-environment.js";

const OWN = {
  PATH: "/home/u/bin:/usr/bin:/p/node_modules/.bin",
  HOME: "/home/u",
  NODE_OPTIONS: "",
};

test("additions of npx are removed", (t) => {
  const before = "/p/node_modules/.bin:/node_modules/.bin:/npm/run-script/lib/node-gyp-bin";
  const changed = {
    ...OWN,
    PATH: `${before}:${OWN.PATH}`,
    npm_config_cache: "/home/u/.npm",
    npm_execpath: "/npm/npx",
    NODE: "/usr/bin/node",
    INIT_CWD: "/p",
    COLOR: "0",
  };
  t.deepEqual(userEnvironment(changed), OWN);
});

test("an environment without npm is unchanged", (t) => {
  const own = { ...OWN, NODE: "mine", PATH: `/p/node_modules/.bin:${OWN.PATH}` };
  t.deepEqual(userEnvironment(own), own);
});

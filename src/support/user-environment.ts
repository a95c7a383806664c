// Restores the environment of the user's shell. npx and npm put programs of packages before those of the user, so a
// compiler under test would differ from the one that the reproducer runs.

import { delimiter, join, sep } from "node:path";

/** The ends of the folders that npm puts before the user's own PATH. */
const OF_NPM = [join(sep, "node_modules", ".bin"), join(sep, "node-gyp-bin")];
/** The variables that npm sets in addition to `npm_*`. */
const SET_BY_NPM: ReadonlySet<string> = new Set(["INIT_CWD", "NODE", "COLOR"]);

/** Returns the environment without npm's additions. */
export function userEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const names = Object.keys(env);
  if (!names.some(isOfNpm)) return env;
  const kept = names.filter((name) => !isOfNpm(name) && !SET_BY_NPM.has(name));
  const own = Object.fromEntries(kept.map((name) => [name, env[name]]));
  return { ...own, PATH: userPath(env["PATH"] ?? "") };
}

const isOfNpm = (name: string): boolean => /^npm_/i.test(name);

function userPath(path: string): string {
  const folders = path.split(delimiter);
  const own = folders.findIndex((folder) => !OF_NPM.some((end) => folder.endsWith(end)));
  return folders.slice(own === -1 ? folders.length : own).join(delimiter);
}

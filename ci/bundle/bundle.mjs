// Makes `build/bundle` of the build: the modules of the programs below as one script, a file for each program, and V8's
// code for the script (`src/support/bundle.ts` loads them). Where the script comes out as it was, nothing is written.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(HERE));
const BUILD = join(ROOT, "build");
const BUNDLE = join(BUILD, "bundle");
const WARM_UP = join(HERE, "warm-up.mjs");
const LOADER = join(BUILD, "src", "support", "bundle.js");
/** Holds the name of the script. */
const NAME = join(BUNDLE, "name");
const DIGITS = 16;
/** What the worker writes its position to is the fifth. */
const STDIO = ["ignore", "ignore", "inherit", "ignore", "pipe"];

/** What runs as a process of its own and is often started, and what it exports. */
const PROGRAMS = [
  { program: "fuzz/main.js", exports: ["main"] },
  { program: "fuzz/reduce/reduce-worker.js", exports: [] },
  { program: "src/campaign/run/worker.js", exports: [] },
];

/** A module knows where it lies: other files are found from there. */
const PLACES = {
  name: "places",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]build[/\\].*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta.url")) return null;
      const module = relative(BUILD, path).replaceAll("\\", "/");
      return { contents: text.replaceAll("import.meta.url", `urlOf(${JSON.stringify(module)})`) };
    }),
};

/** The modules as they are now, as one script, and its source map. */
export async function scriptOfBuild() {
  const lines = PROGRAMS.map(
    ({ program }) => `programs["${program}"] = () => require("./${program}");`,
  );
  const { outputFiles } = await build({
    stdin: { contents: lines.join("\n"), resolveDir: BUILD },
    outfile: join(BUNDLE, "script.js"),
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    packages: "external",
    sourcemap: "external",
    sourcesContent: false,
    // The names that `Run` of src/support/bundle.ts has.
    banner: { js: "(function (programs, require, urlOf) {" },
    footer: { js: "})" },
    plugins: [PLACES],
    write: false,
    logLevel: "error",
  });
  const textOf = (end) => outputFiles.find(({ path }) => path.endsWith(end)).text;
  const script = ascii(textOf(".js"));
  const hash = createHash("sha256").update(script).digest("hex").slice(0, DIGITS);
  return { name: `script-${hash}.js`, script, map: textOf(".map") };
}

/** It is read as bytes. What else there is stands in comments. */
const ascii = (text) => text.replace(/[^\0-\x7f]/gu, "?");

/** Before a build: what is there is not of it. */
export const removeBundle = () => rmSync(BUNDLE, { recursive: true, force: true });

/** Whether there is one, for this Node. */
export async function isBundled() {
  if (!existsSync(NAME)) return false;
  const { codeFile } = await import(LOADER);
  return existsSync(codeFile(readFileSync(NAME, "utf8")));
}

/** After a build. */
export async function makeBundle() {
  const { name, script, map } = await scriptOfBuild();
  mkdirSync(BUNDLE, { recursive: true });
  writeFileSync(join(BUNDLE, name), script);
  writeFileSync(join(BUNDLE, `${name}.map`), map);
  const { status } = spawnSync(process.execPath, [WARM_UP, name], { stdio: STDIO });
  if (status !== 0)
    console.error("build: no code was made for the bundle: it is compiled at each start");
  for (const row of PROGRAMS) placeProgram(row, name);
  writeFileSync(NAME, name);
}

/** Only now is it there for those who look. */
function placeProgram({ program, exports }, name) {
  const file = join(BUNDLE, program);
  mkdirSync(dirname(file), { recursive: true });
  const loader = relative(dirname(file), LOADER);
  const lines = [
    `import { openBundle } from ${JSON.stringify(loader.replaceAll("\\", "/"))};`,
    `export const { ${exports.join(", ")} } = openBundle("${name}").load("${program}");`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
}

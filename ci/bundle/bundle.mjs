// Makes `build/bundle`: the modules of the programs below as one script, a file for each program, and V8's code for the
// script (`src/support/bundle.ts` loads them). If the script has not changed, nothing is written.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { playgroundScripts } from "./playground.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(HERE));
const BUILD = join(ROOT, "build");
const BUNDLE = join(BUILD, "bundle");
const WARM_UP = join(HERE, "warm-up.mjs");
const LOADER = join(BUILD, "src", "support", "bundle.js");
/** The file with the name of the script. */
const NAME = join(BUNDLE, "name");
const DIGITS = 16;
/** Standard streams, a position file, and a pipe as the fifth, which the worker expects. */
const STDIO = ["ignore", "ignore", "inherit", "ignore", "pipe"];

/** The programs that start often as processes of their own, with their exports. */
const PROGRAMS = [
  { program: "fuzz/main.js", exports: ["main"] },
  { program: "fuzz/reduce/reduce-worker.js", exports: [] },
  { program: "src/campaign/run/worker.js", exports: [] },
];

/** Packages of plain JavaScript that each start needs, with their dependencies: the script contains them. */
const INLINED = ["yargs", "wasmparser"];
/** The modules of these that only help texts need: evaluated at the first call. */
const LATE = ["cliui", "string-width"];

const isInPackage = (path) => path.includes("/node_modules/");

/** Bundles the packages above; the others are resolved when a program needs them. */
const PACKAGES = {
  name: "packages",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      const isLate = LATE.includes(path) && kind === "import-statement";
      if (isLate && isInPackage(importer)) {
        // Each of two packages may have a version of its own.
        return {
          path: `${path} of ${importer}`,
          namespace: "late",
          pluginData: { path, importer },
        };
      }
      const isInlined = INLINED.includes(path) || isInPackage(importer);
      return isInlined ? null : { path, external: true };
    });
    onLoad({ filter: /./, namespace: "late" }, ({ pluginData: { path, importer } }) => ({
      contents: `export default (...words) => require("${path}").default(...words);`,
      resolveDir: dirname(importer),
    }));
  },
};

/** Keeps `import.meta.url` of each module, which locates other files by it. */
const PLACES = {
  name: "places",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.m?js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta.url")) return null;
      const module = relative(BUILD, path).replaceAll("\\", "/");
      return { contents: text.replaceAll("import.meta.url", `urlOf(${JSON.stringify(module)})`) };
    }),
};

/** Returns the current modules as one script, and its source map. */
export async function scriptOfBuild() {
  const lines = PROGRAMS.map(
    ({ program }) => `programs["${program}"] = () => require("./${program}");`,
  );
  const { outputFiles, metafile } = await build({
    stdin: { contents: lines.join("\n"), resolveDir: BUILD },
    outfile: join(BUNDLE, "script.js"),
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    minifyWhitespace: true,
    legalComments: "none",
    sourcemap: "external",
    sourcesContent: false,
    // The names that `Run` of src/support/bundle.ts has.
    banner: { js: "(function (programs, require, urlOf) {" },
    footer: { js: "})" },
    plugins: [PACKAGES, PLACES],
    write: false,
    metafile: true,
    logLevel: "error",
    absWorkingDir: ROOT, // the paths of `metafile` start there, whatever the caller's folder is
  });
  const textOf = (end) => outputFiles.find(({ path }) => path.endsWith(end)).text;
  const script = ascii(textOf(".js"));
  const hash = createHash("sha256").update(script).digest("hex").slice(0, DIGITS);
  const modules = Object.keys(metafile.inputs);
  return { name: `script-${hash}.js`, script, map: textOf(".map"), modules };
}

/** Returns the licence texts of the packages of these modules. @param inputs paths from the project's root */
function licencesOf(inputs) {
  const files = inputs.filter((path) => !path.startsWith("late:"));
  const folders = files.flatMap((path) => {
    const [folder] = /^.*node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? [];
    return folder === undefined ? [] : [join(ROOT, folder)];
  });
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    if (file === undefined) throw new Error(`${folder} has no licence, so it cannot be bundled`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** Escapes other characters in comments: the script is read as bytes. */
const ascii = (text) => text.replace(/[^\0-\x7f]/gu, "?");

/** Removes the old bundle, before a build. */
export const removeBundle = () => rmSync(BUNDLE, { recursive: true, force: true });

/** True if there is a bundle for this Node. */
export async function isBundled() {
  if (!existsSync(NAME)) return false;
  const { codeFile } = await import(LOADER);
  return existsSync(codeFile(readFileSync(NAME, "utf8")));
}

/** Makes the bundle, after a build. */
export async function makeBundle() {
  const { name, script, map, modules } = await scriptOfBuild();
  mkdirSync(BUNDLE, { recursive: true });
  writeFileSync(join(BUNDLE, name), script);
  writeFileSync(join(BUNDLE, `${name}.map`), map);
  const page = await playgroundScripts();
  for (const [file, text] of Object.entries(page.scripts)) writeFileSync(join(BUNDLE, file), text);
  writeFileSync(join(BUNDLE, "LICENCES"), licencesOf([...modules, ...page.modules]));
  const { status } = spawnSync(process.execPath, [WARM_UP, name], { stdio: STDIO });
  if (status !== 0)
    console.error("build: no code was made for the bundle: it is compiled at each start");
  for (const row of PROGRAMS) placeProgram(row, name);
  writeFileSync(NAME, name);
}

/** Publishes it: readers find it from now on. */
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

// Makes the two scripts of the playground page: `playground-page.js` and `playground-worker.js`. A module that imports
// a module of Node is an error, unless the table below replaces it.

import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const BUILD = join(ROOT, "build");
const STAND_INS = join(BUILD, "src", "playground", "stand-ins");

/** Modules with native parts, or that search for the project's folder, and their stand-ins. */
const MODULES = {
  "src/execute/host/host-cpu.js": "host-cpu.js",
  "src/execute/emulator/emulated-cpu.js": "emulated-cpu.js",
  "src/execute/missing.js": "missing.js",
  "src/support/project-root.js": "project-root.js",
};

/** Modules of Node that single modules import, and their stand-ins. */
const OF_NODE = {
  "src/generate/rule-patterns.js": { "node:fs": "files.js", "node:path": "files.js" },
  "src/campaign/program/imported-program.js": { "node:fs": "files.js", "node:path": "files.js" },
  "src/campaign/program/outside.js": { "node:crypto": "crypto.js" },
  "src/engine/wasm-driver.js": { fs: "files.js" },
  "src/compare/interpreters.js": { "node:util": "util.js" },
};

/** Packages of plain JavaScript; a name that ends with `/` stands for all of its scope. */
const PACKAGES = ["@codemirror/", "@dagrejs/dagre", "@lezer/highlight", "diff", "wasmparser"];

/** The files that modules of the page read. */
const FILES = ["corpus/patterns/rules.json"];

/** The entries of the scripts, by name of the script. */
const SCRIPTS = {
  "playground-page.js": "src/playground/page/page.js",
  "playground-worker.js": "src/playground/worker.js",
};

const moduleOf = (path) => relative(BUILD, path).replaceAll("\\", "/");

const isPackage = (name) =>
  PACKAGES.some((known) => name === known || name.startsWith(known.replace(/\/?$/, "/")));

/** @param replaced as `OF_NODE`; a test passes less */
const standIns = (replaced) => ({
  name: "stand-ins",
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, async ({ path, importer, resolveDir, kind }) => {
      if (kind === "entry-point" || importer.includes("/node_modules/")) return null;
      const module = moduleOf(importer);
      if (path.startsWith(".")) {
        const standIn = MODULES[moduleOf(join(resolveDir, path))];
        return standIn === undefined ? null : { path: join(STAND_INS, standIn) };
      }
      const standIn = replaced[module]?.[path];
      if (standIn !== undefined) return { path: join(STAND_INS, standIn) };
      if (isPackage(path)) return null;
      return { errors: [{ text: `${module} imports ${path}, which no browser has` }] };
    }),
});

/**
 * Returns the scripts by name, and the paths of their modules from the project's root.
 * @throws if one imports a module of Node, with all such imports
 */
export async function playgroundScripts(replaced = OF_NODE) {
  const files = Object.fromEntries(
    FILES.map((path) => [path, JSON.stringify(JSON.parse(readFileSync(join(ROOT, path), "utf8")))]),
  );
  const scripts = {};
  const modules = [];
  for (const [name, entry] of Object.entries(SCRIPTS)) {
    const { outputFiles, metafile } = await build({
      entryPoints: [join(BUILD, entry)],
      bundle: true,
      platform: "browser",
      format: "iife",
      target: "es2022",
      minify: true,
      keepNames: false,
      charset: "ascii",
      legalComments: "none",
      define: { PAGE_FILES: JSON.stringify(files) },
      inject: [join(STAND_INS, "globals.js")],
      plugins: [standIns(replaced)],
      write: false,
      metafile: true,
      absWorkingDir: ROOT,
      logLevel: "silent",
      logOverride: { "empty-import-meta": "error" },
    }).catch((error) => {
      const texts = (error.errors ?? []).map(({ text }) => text);
      throw texts.length === 0 ? error : new Error(texts.join("\n"));
    });
    scripts[name] = outputFiles[0].text;
    modules.push(...Object.keys(metafile.inputs));
  }
  return { scripts, modules };
}

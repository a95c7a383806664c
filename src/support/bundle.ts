// Loads the build's modules as one script, `build/bundle`, which is faster than loading the modules. No module is
// resolved and none is compiled, because V8's code for them is stored beside it. `ci/bundle/` makes the script from the
// build. A build starts by removing it, so an existing bundle is of the same sources as the modules.
//
// `build/bundle` contains a file for each program, at the path that its module has in `build`. The file loads the
// module of that name from the script. With TOUCHSTONE_MODULES=1, the modules are loaded separately, for a debugger.

import { existsSync, readFileSync } from "node:fs";
import { createRequire, SourceMap } from "node:module";
import { arch, version } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Script } from "node:vm";

// The root of the build. This module is loaded before all others, so it imports none of them.
const BUILD = new URL("../../", import.meta.url);
const BUNDLE = new URL("bundle/", BUILD);

/**
 * Returns the file of a program for a child process: that of the bundle if it exists. A build removes the bundle for a
 * while.
 */
export function programFile(module: URL): string {
  const bundled = new URL(module.href.slice(BUILD.href.length), BUNDLE);
  const isBundled = process.env["TOUCHSTONE_MODULES"] === undefined && existsSync(bundled);
  return fileURLToPath(isBundled ? bundled : module);
}

/** The bundled script as a function: it fills `exports`, and receives its dependencies. */
type BundledScript = (
  exports: object,
  require: NodeJS.Require,
  urlOf: (module: string) => string,
) => void;

interface ScriptBundle {
  /** Loads a program: evaluates its module and all that the module imports. */
  readonly load: (program: string) => object;
  /** Returns V8's cached code for the functions that have run so far. */
  readonly code: () => Buffer;
}

/** Returns the file of the script's code for this Node; V8 rejects code of another version. */
export const codeFile = (name: string): URL => new URL(`${name}.${version}-${arch}`, BUNDLE);

/**
 * Opens the bundle.
 * @param name the name of the script's file, which contains its hash: V8 compares only its length
 */
export function openBundle(name: string): ScriptBundle {
  const file = new URL(name, BUNDLE);
  const filename = fileURLToPath(file);
  const known = codeFile(name);
  const script = new Script(readFileSync(file, "latin1"), {
    filename,
    ...(existsSync(known) && { cachedData: readFileSync(known) }),
  });
  showSources(filename);
  const programs: Record<string, () => object> = {};
  const run: BundledScript = script.runInThisContext();
  run(programs, createRequire(file), (module) => new URL(module, BUILD).href);
  return { load: (program) => programs[program](), code: () => script.createCachedData() };
}

/** Replaces locations in stacks of errors by those of the sources, with the names that functions have there. */
function showSources(filename: string): void {
  let map: SourceMap | null = null;
  const place = `${filename}:`;
  Error.prepareStackTrace = (error, sites) => {
    let frames = sites.map(String);
    try {
      if (existsSync(`${filename}.map`) && frames.some((frame) => frame.includes(place))) {
        map ??= new SourceMap(JSON.parse(readFileSync(`${filename}.map`, "utf8")));
        const known = map;
        frames = frames.map((frame) =>
          frame.includes(place) ? sourceFrame(frame, known, pathToFileURL(filename)) : frame,
        );
      }
    } catch {
      // If the source map cannot be read, stacks show locations in the bundled script.
    }
    return [String(error), ...frames.map((frame) => `    at ${frame}`)].join("\n");
  };
}

/** Maps a stack frame to the source. Names that clash in the script have digits at their ends, which are removed. */
function sourceFrame(frame: string, map: SourceMap, script: URL): string {
  const [, said, line, column] = /^(.*?)\(?\/[^()]*:(\d+):(\d+)\)?$/.exec(frame) ?? [];
  if (said === undefined) return frame;
  const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
  if (!("originalSource" in entry)) return frame;
  const source = fileURLToPath(new URL(entry.originalSource, script));
  const at = `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  if (said === "") return at;
  const text = existsSync(source) ? readFileSync(source, "utf8") : "";
  const names = said.replace(/\w+/g, (name) =>
    text.includes(name) ? name : name.replace(/\d+$/, ""),
  );
  return `${names}(${at})`;
}

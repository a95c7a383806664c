// The build's modules as one script, `build/bundle`, which loads faster than they do: no module is looked for and
// none is compiled, as V8's code for them lies beside. `ci/bundle/` makes it of the build. A build begins with
// removing it, so where it is, it is of the same sources as the modules.
//
// Below `build/bundle` there is a file for each program, where its module lies below `build`. It loads what has that
// name from the script. With TOUCHSTONE_MODULES=1 the modules are loaded as they are: for a debugger.

import { existsSync, readFileSync } from "node:fs";
import { createRequire, SourceMap } from "node:module";
import { arch, version } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Script } from "node:vm";

// This module is loaded before all others, and imports none.
const BUILD = new URL("../../", import.meta.url);
const BUNDLE = new URL("bundle/", BUILD);

/** A program for a child process: as the bundle has it, where there is one now. A build takes it away for a while. */
export function programFile(module: URL): string {
  const bundled = new URL(module.href.slice(BUILD.href.length), BUNDLE);
  const isBundled = process.env["TOUCHSTONE_MODULES"] === undefined && existsSync(bundled);
  return fileURLToPath(isBundled ? bundled : module);
}

/** The script as a function of what it needs. */
type Run = (exports: object, require: NodeJS.Require, urlOf: (module: string) => string) => void;

interface Bundle {
  /** Loads a program: evaluates its module and all that this imports. */
  readonly load: (program: string) => object;
  /** V8's code for what has run up to now. */
  readonly code: () => Buffer;
}

/** Of the script, for this Node: V8 takes no other's. */
export const codeFile = (name: string): URL => new URL(`${name}.${version}-${arch}`, BUNDLE);

/** @param name of the script's file, in which its hash is: V8 compares no more than its length */
export function openBundle(name: string): Bundle {
  const file = new URL(name, BUNDLE);
  const filename = fileURLToPath(file);
  const known = codeFile(name);
  const script = new Script(readFileSync(file, "latin1"), {
    filename,
    ...(existsSync(known) && { cachedData: readFileSync(known) }),
  });
  showSources(filename);
  const programs: Record<string, () => object> = {};
  const run: Run = script.runInThisContext();
  run(programs, createRequire(file), (module) => new URL(module, BUILD).href);
  return { load: (program) => programs[program](), code: () => script.createCachedData() };
}

/** The places in stacks of errors become those of the sources, and names what they were there. */
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
      // The machine refuses: places in the script are better than none.
    }
    return [String(error), ...frames.map((frame) => `    at ${frame}`)].join("\n");
  };
}

/** Names that clash with others of the script have digits at their ends there. */
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

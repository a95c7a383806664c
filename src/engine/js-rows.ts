// Lists the compilers of JavaScript in engines: each runs programs that are exported as one script.

import { exportJs } from "../export/js/export-js.js";
import { type BatchCompiler, batchSubject } from "./batch-subject.js";
import type { EngineSubject } from "./engine-subject.js";
import { pathOf } from "./path-of.js";
import { executableReproducer } from "./reproducer.js";
import type { Sources } from "./sources.js";
import { versionBy } from "./version-of.js";

const JS_SOURCES: Sources = (programs) => ({ "program.js": exportJs(programs) });

interface JsRow {
  readonly name: string;
  /** The program; null: the Node that runs Touchstone. */
  readonly program: string | null;
  readonly flags: readonly string[];
  /** The command that prints the version; empty for the V8 of the Node that runs Touchstone. */
  readonly version: readonly string[];
  readonly install: string;
}

/** With these, the main program marks functions for the compiler (../export/js/runtime.ts). */
const NATIVES = ["--allow-natives-syntax"];
/** The flags of V8 by tier. */
export const V8_TIERS = {
  ignition: ["--no-opt", "--no-sparkplug"],
  sparkplug: ["--no-opt", "--always-sparkplug"],
  turbofan: [...NATIVES],
} as const;
const MAGLEV = [...NATIVES, "--maglev", "--no-turbofan"];
/** The first major version of Node whose V8 has a complete Maglev. */
const MAGLEV_SINCE = 22;

const COPY = "/bin/cp";

function jsEngineOf({ name, program, flags, version, install }: JsRow): EngineSubject {
  const path = program === null ? process.execPath : pathOf(program);
  const runner = [path ?? program ?? "", ...flags];
  const compiler: BatchCompiler = {
    name,
    sources: JS_SOURCES,
    compile: (files, executable) => ({ path: COPY, args: [...files, executable] }),
    runner,
    limit: null,
    missing: () => (path === null ? `${name}: there is no ${program}: ${install}` : null),
  };
  return {
    ...batchSubject(compiler),
    batch: 8,
    version: () => (program === null ? `V8 ${process.versions.v8}` : versionBy(version)),
    reproducer: (shown) =>
      executableReproducer(
        shown,
        JS_SOURCES,
        (files, executable) => ["cp", ...files, executable].join(" "),
        [program ?? "node", ...flags],
      ),
  };
}

const NODE = { program: null, version: [], install: "it is the Node that runs Touchstone" };

export const JS_ENGINES: readonly EngineSubject[] = Object.entries(V8_TIERS).map(([tier, flags]) =>
  jsEngineOf({ name: `v8-js-${tier}`, flags, ...NODE }),
);

/** Returns the rows of another Node. */
export function nodeJsRows(path: string, version: string): EngineSubject[] {
  const hasMaglev = Number.parseInt(version, 10) >= MAGLEV_SINCE;
  const tiers = { ...V8_TIERS, ...(hasMaglev ? { maglev: MAGLEV } : {}) };
  return Object.entries(tiers).map(([tier, flags]) =>
    jsEngineOf({
      name: `v8-js-${tier}@${version}`,
      program: path,
      flags,
      version: [path, "-p", "'V8 ' + process.versions.v8"],
      install: path,
    }),
  );
}

// Lists the compilers of JavaScript in engines: each runs programs that are exported as one script.

import { PLAIN_FORM, type SourceForm } from "../export/forms.js";
import { exportJs } from "../export/js/export-js.js";
import { type BatchCompiler, batchSubject } from "./batch-subject.js";
import type { EngineSubject } from "./engine-subject.js";
import { pathOf } from "./path-of.js";
import { executableReproducer } from "./reproducer.js";
import type { ProgramSources } from "./sources.js";
import { versionBy } from "./version-of.js";

const sourcesOf =
  (form: SourceForm, warmUps: number | null): ProgramSources =>
  (programs) => ({ "program.js": exportJs(programs, { form, warmUps }) });

// JavaScriptCore and SpiderMonkey compile a function after a number of calls, in the main thread.
const JSC_SOON = [
  "--useConcurrentJIT=0",
  "--thresholdForJITAfterWarmUp=10",
  "--thresholdForJITSoon=10",
  "--thresholdForOptimizeAfterWarmUp=20",
  "--thresholdForOptimizeAfterLongWarmUp=20",
  "--thresholdForOptimizeSoon=20",
  "--thresholdForFTLOptimizeAfterWarmUp=60",
  "--thresholdForFTLOptimizeSoon=60",
];
const JSC_TIERS = {
  llint: ["--useJIT=0"],
  baseline: [...JSC_SOON, "--useDFGJIT=0"],
  dfg: [...JSC_SOON, "--useFTLJIT=0"],
  ftl: JSC_SOON,
} as const;
const SM_TIERS = {
  interpreter: ["--no-baseline", "--no-ion", "--no-blinterp"],
  baseline: ["--baseline-eager", "--no-ion"],
  ion: ["--ion-eager", "--ion-offthread-compile=off"],
} as const;

interface JsRow {
  readonly name: string;
  /** The program; null: the Node that runs Touchstone. */
  readonly program: string | null;
  readonly flags: readonly string[];
  /** The command that prints the version; empty for the V8 of the Node that runs Touchstone. */
  readonly version: readonly string[];
  readonly install: string;
  /** Settings of its environment, `NAME=value`. */
  readonly settings?: readonly string[];
  /** Whether the program is a shell, which reads and writes text. */
  readonly isShell?: boolean;
}

/** With these, the main program marks functions for the compiler (../export/js/runtime.ts). */
const NATIVES = ["--allow-natives-syntax"];
/** The flags of V8 by tier. */
const V8_TIERS = {
  ignition: ["--no-opt", "--no-sparkplug"],
  sparkplug: ["--no-opt", "--always-sparkplug"],
  turbofan: [...NATIVES],
} as const;
const MAGLEV = [...NATIVES, "--maglev", "--no-turbofan"];
/** The first major version of Node whose V8 has a complete Maglev. */
const MAGLEV_SINCE = 22;

const COPY = "/bin/cp";

/** Interpreters never compile, so they need no runs before an execution. */
const INTERPRETERS = /-js-(?:ignition|llint|interpreter)(?:@|$)/;

function jsEngineOf(row: JsRow, name = row.name, form = PLAIN_FORM): EngineSubject {
  const { program, flags, version, install, isShell = false, settings = [] } = row;
  const path = program === null ? process.execPath : pathOf(program);
  const prefix = settings.length === 0 ? [] : ["/usr/bin/env", ...settings];
  const runner = [...prefix, path ?? program ?? "", ...flags];
  const sources = sourcesOf(form, INTERPRETERS.test(row.name) ? 0 : null);
  const compiler: BatchCompiler = {
    name,
    sources,
    compile: (files, executable) => ({ path: COPY, args: [...files, executable] }),
    runner,
    isText: isShell,
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
        sources,
        (files, executable) => ["cp", ...files, executable].join(" "),
        [...settings, program ?? "node", ...flags],
      ),
    alterable: {
      command: [],
      format: "js",
      with: (altered) => jsEngineOf(row, altered.name, altered.form),
    },
  };
}

const JSC_PACKAGE = "libjavascriptcoregtk-4.0-bin";
const JSC = {
  program: "jsc",
  isShell: true,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a field of dpkg-query's
  version: ["dpkg-query", "--show", "--showformat=WebKitGTK ${Version}", JSC_PACKAGE],
  install: `apt-get install ${JSC_PACKAGE}`,
};
const SPIDERMONKEY = {
  program: "js102",
  isShell: true,
  version: ["js102", "--version"],
  install: "apt-get install libmozjs-102-dev",
};
const NODE = { program: null, version: [], install: "it is the Node that runs Touchstone" };

const rowsOf = (
  prefix: string,
  tiers: Readonly<Record<string, readonly string[]>>,
  engine: Omit<JsRow, "name" | "flags">,
): EngineSubject[] =>
  Object.entries(tiers).map(([tier, flags]) =>
    jsEngineOf({ ...engine, name: `${prefix}-js-${tier}`, flags }),
  );

export const JS_ENGINES: readonly EngineSubject[] = [
  ...rowsOf("v8", V8_TIERS, NODE),
  ...rowsOf("jsc", JSC_TIERS, JSC),
  ...rowsOf("sm", SM_TIERS, SPIDERMONKEY),
];

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

/** Returns the rows of bun, which reads the options of its JavaScriptCore from the environment. */
export const bunJsRows = (path: string, version: string): EngineSubject[] =>
  Object.entries(JSC_TIERS).map(([tier, options]) =>
    jsEngineOf({
      name: `jsc-js-${tier}@bun-${version}`,
      program: path,
      flags: [],
      settings: options.map((option) => option.replace("--", "BUN_JSC_")),
      version: [path, "--version"],
      install: path,
    }),
  );

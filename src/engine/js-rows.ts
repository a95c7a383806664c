// Lists the compilers of JavaScript in engines: each runs programs that are exported as one script.

import { PLAIN_FORM, type SourceForm } from "../export/forms.js";
import { exportJs } from "../export/js/export-js.js";
import { jsReport } from "../export/js/report.js";
import type { ExitCounting } from "../export/js/runtime.js";
import type { Input } from "../ir/outcome.js";
import { type BatchCompiler, batchSubject } from "./batch-subject.js";
import type { EngineSubject, FileContents, ReproducedExecution } from "./engine-subject.js";
import { leftCompiled } from "./left-compiled.js";
import { pathOf } from "./path-of.js";
import { scriptReproducer } from "./reproducer.js";
import type { ProgramSources } from "./sources.js";
import { versionBy } from "./version-of.js";

const sourcesOf =
  (form: SourceForm, warmUps: number | null, change: (text: string) => string): ProgramSources =>
  (programs) => ({ "program.js": change(exportJs(programs, { form, warmUps })) });

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

/**
 * A control: changes a script so that each exit records the value that a Phi had one iteration
 * before.
 */
const lateExits = (script: string): string =>
  script
    .split(/^(?=function )/m)
    .map((text) => {
      const phis = new Set([...text.matchAll(/var v(\d+) = p\1;/g)].map(([, id]) => id));
      return text
        .replace(/var v(\d+) = p\1;/g, "var o$1 = v$1 ?? p$1, v$1 = p$1;")
        .replace(/(put\w+\(q \+ \d+, )v(\d+)\)/g, (whole, start, id) =>
          phis.has(id) ? `${start}o${id})` : whole,
        );
    })
    .join("");

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
  /** How the engine reports that it leaves compiled code. */
  readonly counting: ExitCounting;
  /** Changes the script, for a control. */
  readonly change?: (script: string) => string;
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

/** Bun takes options of its JavaScriptCore from variables of its environment. */
const BUN_PREFIX = "BUN_JSC_";

/** By the start of a row's name: the options without compilers. */
const WITHOUT_COMPILERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^v8-/, V8_TIERS.ignition],
  [/^jsc-/, JSC_TIERS.llint],
  [/^sm-/, SM_TIERS.interpreter],
];

/** Returns a script for the engine's shell, and the command that runs it. */
function reproducerOf(row: JsRow, form: SourceForm, shown: ReproducedExecution): FileContents {
  const { program, flags, settings = [], change = (script: string) => script } = row;
  const { module, input, inputs = [input], expected, open } = shown;
  const words = (options: readonly string[]): string =>
    settings.length === 0
      ? [program ?? "node", ...options].join(" ")
      : [...options.map((option) => option.replace("--", BUN_PREFIX)), program ?? ""].join(" ");
  const options =
    settings.length === 0 ? flags : settings.map((word) => word.replace(BUN_PREFIX, "--"));
  const plain = WITHOUT_COMPILERS.find(([start]) => start.test(row.name))?.[1] ?? [];
  const isInput = (other: Input): boolean =>
    other.heapSeed === input.heapSeed && other.words.join() === input.words.join();
  const at = inputs.findIndex(isInput);
  const script = jsReport({
    module,
    before: inputs[(at + inputs.length - 1) % inputs.length] ?? input,
    input,
    form,
    command: words(options),
    interpreter: words(plain),
    expected: expected.records,
    open,
    status: expected.status,
  });
  return { "reproduce.js": change(script), ...scriptReproducer(words(options)) };
}

const SPECULATES = /-js-(?:turbofan|maglev|dfg|ftl|ion)(?:@|$)/;

function jsEngineOf(row: JsRow, name = row.name, form = PLAIN_FORM): EngineSubject {
  const { program, flags, version, install, isShell = false, settings = [] } = row;
  const { change = (script: string) => script } = row;
  const path = program === null ? process.execPath : pathOf(program);
  const prefix = settings.length === 0 ? [] : ["/usr/bin/env", ...settings];
  const runner = [...prefix, path ?? program ?? "", ...flags];
  const warmUps = INTERPRETERS.test(row.name) ? 0 : null;
  const sources = sourcesOf(form, warmUps, change);
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
    reproducer: (shown) => reproducerOf(row, form, shown),
    ...(SPECULATES.test(row.name)
      ? {
          leftCompiled: (program) =>
            leftCompiled(program, { runner, isText: isShell, form, counting: row.counting }),
        }
      : {}),
    alterable: {
      command: [],
      format: "js",
      with: (altered) => jsEngineOf(row, altered.name, altered.form),
    },
  };
}

const JSC_PACKAGE = "libjavascriptcoregtk-4.0-bin";
/** An option of JavaScriptCore that logs each exit. */
const LOGGED = { by: "log" } as const;
const JSC = {
  counting: LOGGED,
  program: "jsc",
  isShell: true,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a field of dpkg-query's
  version: ["dpkg-query", "--show", "--showformat=WebKitGTK ${Version}", JSC_PACKAGE],
  install: `apt-get install ${JSC_PACKAGE}`,
};
const SPIDERMONKEY = {
  counting: { by: "probe", probe: "inIon() === true" } as const,
  program: "js102",
  isShell: true,
  version: ["js102", "--version"],
  install: "apt-get install libmozjs-102-dev",
};
const NATIVE = { by: "natives" } as const;
const NODE = {
  counting: NATIVE,
  program: null,
  version: [],
  install: "it is the Node that runs Touchstone",
};

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
  ...[
    { ...NODE, name: "v8-js-late", flags: V8_TIERS.turbofan },
    { ...JSC, name: "jsc-js-late", flags: JSC_TIERS.ftl },
    { ...SPIDERMONKEY, name: "sm-js-late", flags: SM_TIERS.ion },
  ].map((row) => jsEngineOf({ ...row, change: lateExits })),
];

/** Returns the rows of another Node. */
export function nodeJsRows(path: string, version: string): EngineSubject[] {
  const hasMaglev = Number.parseInt(version, 10) >= MAGLEV_SINCE;
  const tiers = { ...V8_TIERS, ...(hasMaglev ? { maglev: MAGLEV } : {}) };
  return Object.entries(tiers).map(([tier, flags]) =>
    jsEngineOf({
      name: `v8-js-${tier}@${version}`,
      counting: NATIVE,
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
      counting: LOGGED,
      program: path,
      flags: [],
      settings: options.map((option) => option.replace("--", BUN_PREFIX)),
      version: [path, "--version"],
      install: path,
    }),
  );

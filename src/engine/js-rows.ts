// Lists the compilers of JavaScript in engines: each runs programs that are exported as one script.

import { PLAIN_FORM, type SourceForm } from "../export/forms.js";
import { exportJs } from "../export/js/export-js.js";
import { jsReport } from "../export/js/report.js";
import type { ExitCounting } from "../export/js/runtime.js";
import type { Input } from "../ir/outcome.js";
import { shellWord } from "../support/shell-word.js";
import { type BatchCompiler, batchSubject } from "./batch-subject.js";
import { BROWSER_COMMAND, browserFiles } from "./browsers/browser-reproducer.js";
import { type BrowserName, browserShell, ofBrowser } from "./browsers/browsers.js";
import type {
  EngineSubject,
  FileContents,
  KnownBugCures,
  ReproducedExecution,
} from "./engine-subject.js";
import { leftCompiled } from "./left-compiled.js";
import { lackOf, pathOf } from "./path-of.js";
import { scriptReproducer } from "./reproducer.js";
import type { ProgramSources } from "./sources.js";
import { jscVersion, versionBy } from "./version-of.js";

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
/** A tier of an engine, and the options that select it. An interpreter needs no runs before an execution. */
interface JsTier {
  readonly kind: "interpreter" | "baseline" | "speculative";
  readonly options: readonly string[];
}
const JSC_TIERS = {
  llint: { kind: "interpreter", options: ["--useJIT=0"] },
  baseline: { kind: "baseline", options: [...JSC_SOON, "--useDFGJIT=0"] },
  dfg: { kind: "speculative", options: [...JSC_SOON, "--useFTLJIT=0"] },
  ftl: { kind: "speculative", options: JSC_SOON },
} as const;
const SM_TIERS = {
  interpreter: { kind: "interpreter", options: ["--no-baseline", "--no-ion", "--no-blinterp"] },
  baseline: { kind: "baseline", options: ["--baseline-eager", "--no-ion"] },
  // Ion compiles after the baseline code has recorded types. In the main thread it refuses functions
  // of more than 2,000 bytes of bytecode (JitOptions.cpp), unless that limit is off.
  ion: {
    kind: "speculative",
    options: [
      ...["--baseline-warmup-threshold=5", "--ion-warmup-threshold=20"],
      ...["--ion-offthread-compile=off", "--ion-limit-script-size=off"],
    ],
  },
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
  readonly tier: JsTier;
  /** The engine's tier without compilers. */
  readonly interpreter: JsTier;
  /** The command that prints the version; empty for the V8 of the Node that runs Touchstone. */
  readonly version: readonly string[];
  readonly install: string;
  /** Returns the words that run the program with options; absent: the options follow it. */
  readonly words?: (program: string, options: readonly string[]) => readonly string[];
  /** The browser that it is. */
  readonly browser?: BrowserName | undefined;
  /** Whether the program is a shell, which reads and writes text. */
  readonly isShell?: boolean;
  /** How the engine reports that it leaves compiled code. */
  readonly counting: ExitCounting;
  /** Changes the script, for a control. */
  readonly change?: (script: string) => string;
  /** For each known bug, a script that avoids it. */
  readonly cures?: Readonly<Record<string, (script: string) => string>>;
}

/** A product of Numbers that is compared with its truncation. */
const MUL_OVERFLOWS = /([\w.]+) \* ([\w.]+) !== \(\1 \* \2 \| 0\)/g;
const JSC_CURES = {
  "jsc-ftl-overflow-check": (script: string): string =>
    script.replace(MUL_OVERFLOWS, "$1 * $2 !== Math.imul($1, $2)"),
};

/** With these, the main program marks functions for the compiler (../export/js/runtime.ts). */
const NATIVES = ["--allow-natives-syntax"];
const V8_TIERS = {
  ignition: { kind: "interpreter", options: ["--no-opt", "--no-sparkplug"] },
  sparkplug: { kind: "baseline", options: ["--no-opt", "--always-sparkplug"] },
  turbofan: { kind: "speculative", options: NATIVES },
} as const;
const MAGLEV: JsTier = {
  kind: "speculative",
  options: [...NATIVES, "--maglev", "--no-turbofan"],
};
const V8_WITH_MAGLEV = { ...V8_TIERS, maglev: MAGLEV };
/** The first major version of Node whose V8 has a complete Maglev. */
const MAGLEV_SINCE = 22;

const COPY = "/bin/cp";

/** Returns the words that run a row's program with the options of a tier. */
function runnerOf({ words, browser }: JsRow, program: string, { options }: JsTier): string[] {
  if (words !== undefined) return [...words(program, options)];
  return [...(browser === undefined ? [] : browserShell(browser)), program, ...options];
}

/** Returns a script for the engine's shell, and the command that runs it. */
function reproducerOf(row: JsRow, form: SourceForm, shown: ReproducedExecution): FileContents {
  const { program, tier, interpreter, browser, change = (script: string) => script } = row;
  const { module, input, inputs = [input], expected, open } = shown;
  const commandOf = (tier: JsTier): string =>
    runnerOf({ ...row, browser: undefined }, shellWord(program ?? "node"), tier).join(" ");
  const isInput = (other: Input): boolean =>
    other.heapSeed === input.heapSeed && other.words.join() === input.words.join();
  const at = inputs.findIndex(isInput);
  const script = jsReport({
    module,
    before: inputs[(at + inputs.length - 1) % inputs.length] ?? input,
    input,
    form,
    command: commandOf(tier),
    interpreter: commandOf(interpreter),
    expected: expected.records,
    open,
    status: expected.status,
  });
  const reproduce = { "reproduce.js": change(script) };
  if (browser === undefined) return { ...reproduce, ...scriptReproducer(commandOf(tier)) };
  const files = browserFiles(browser, program ?? "", tier.options);
  return { ...reproduce, ...scriptReproducer(BROWSER_COMMAND), ...files };
}

function jsEngineOf(row: JsRow, name = row.name, form = PLAIN_FORM): EngineSubject {
  const { program, tier, version, install, isShell = false, browser } = row;
  const { change = (script: string) => script } = row;
  const path = program === null ? process.execPath : pathOf(program);
  const runner = runnerOf(row, path ?? program ?? "", tier);
  const warmUps = tier.kind === "interpreter" ? 0 : null;
  const compiler: BatchCompiler = {
    name,
    sources: sourcesOf(form, warmUps, change),
    compile: (files, executable) => ({ path: COPY, args: [...files, executable] }),
    runner,
    isText: isShell,
    ...(browser === undefined ? {} : { startMs: BROWSER_START_MS }),
    limits: [],
    missing: () => (path === null ? lackOf(name, program ?? "", install) : null),
  };
  const curesBy = (cures: NonNullable<JsRow["cures"]>): KnownBugCures => ({
    bugs: Object.keys(cures),
    without: (bugs) => {
      const cured = (script: string): string =>
        [...bugs].reduce((made, bug) => cures[bug]?.(made) ?? made, change(script));
      return batchSubject({ ...compiler, sources: sourcesOf(form, warmUps, cured) });
    },
  });
  return {
    ...batchSubject(compiler),
    batch: browser === undefined ? 8 : BROWSER_BATCH,
    version: () => (program === null ? `V8 ${process.versions.v8}` : versionBy(version)),
    reproducer: (shown) => reproducerOf(row, form, shown),
    ...(row.cures === undefined ? {} : { cures: curesBy(row.cures) }),
    ...(tier.kind === "speculative"
      ? {
          leftCompiled: (program) =>
            leftCompiled(program, { runner, isText: isShell, form, counting: row.counting }),
        }
      : {}),
    alterable: {
      command: runner[0] === path && row.words === undefined ? [path] : [],
      format: "js",
      with: ({ name, words, form }) => {
        const options = [...tier.options, ...words];
        return jsEngineOf({ ...row, tier: { ...tier, options } }, name, form);
      },
    },
  };
}

const JSC_PACKAGE = "libjavascriptcoregtk-4.0-bin";
/** An option of JavaScriptCore that logs each exit. */
const LOGGED = { by: "log" } as const;
const JSC = {
  cures: JSC_CURES,
  counting: LOGGED,
  interpreter: JSC_TIERS.llint,
  program: "jsc",
  isShell: true,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a field of dpkg-query's
  version: ["dpkg-query", "--show", "--showformat=WebKitGTK ${Version}", JSC_PACKAGE],
  install: `apt-get install ${JSC_PACKAGE}`,
};
const SPIDERMONKEY = {
  counting: { by: "probe", probe: "inIon() === true" } as const,
  interpreter: SM_TIERS.interpreter,
  program: "js102",
  isShell: true,
  version: ["js102", "--version"],
  install: "apt-get install libmozjs-102-dev",
};
const NATIVE = { by: "natives" } as const;
const NODE = {
  counting: NATIVE,
  interpreter: V8_TIERS.ignition,
  program: null,
  version: [],
  install: "it is the Node that runs Touchstone",
};

const rowsAt = (
  at: string | null,
  prefix: string,
  tiers: Readonly<Record<string, JsTier>>,
  engine: Omit<JsRow, "name" | "tier">,
): EngineSubject[] =>
  Object.entries(tiers).map(([tierName, tier]) => {
    const name = `${prefix}-js-${tierName}${at === null ? "" : `@${at}`}`;
    return jsEngineOf({ ...engine, name, tier });
  });

export const JS_ENGINES: readonly EngineSubject[] = [
  ...rowsAt(null, "v8", V8_TIERS, NODE),
  ...rowsAt(null, "jsc", JSC_TIERS, JSC),
  ...rowsAt(null, "sm", SM_TIERS, SPIDERMONKEY),
  ...[
    { ...NODE, name: "v8-js-late", tier: V8_TIERS.turbofan },
    { ...JSC, name: "jsc-js-late", tier: JSC_TIERS.ftl },
    { ...SPIDERMONKEY, name: "sm-js-late", tier: SM_TIERS.ion },
  ].map((row) => jsEngineOf({ ...row, change: lateExits })),
];

export function nodeJsRows(path: string, version: string): EngineSubject[] {
  const hasMaglev = Number.parseInt(version, 10) >= MAGLEV_SINCE;
  const tiers = hasMaglev ? V8_WITH_MAGLEV : V8_TIERS;
  const node = { program: path, version: [path, "-p", "'V8 ' + process.versions.v8"] };
  return rowsAt(version, "v8", tiers, { ...NODE, ...node, install: path });
}

/** Returns the rows of another shell of JavaScriptCore. */
export const jscJsRows = (path: string, version: string): EngineSubject[] =>
  rowsAt(version, "jsc", JSC_TIERS, {
    ...{ ...JSC, program: path, install: path },
    version: jscVersion(path, version),
  });

/** Returns the rows of another shell of SpiderMonkey. */
export const smJsRows = (path: string, version: string): EngineSubject[] =>
  rowsAt(version, "sm", SM_TIERS, {
    ...{ ...SPIDERMONKEY, program: path, install: path },
    version: [path, "--version"],
  });

/** Returns the words after `deno` that run a script with flags of V8. */
export const denoFlags = (flags: readonly string[]): readonly string[] => [
  ...["run", "-A", "--no-lock"],
  `--v8-flags=${flags.join(",")}`,
];
export const denoVersion = (path: string): readonly string[] => [
  ...[path, "eval"],
  "console.log('V8 ' + Deno.version.v8)",
];

export const denoJsRows = (path: string, version: string): EngineSubject[] =>
  rowsAt(`deno-${version}`, "v8", V8_WITH_MAGLEV, {
    counting: NATIVE,
    interpreter: V8_TIERS.ignition,
    program: path,
    words: (program, flags) => [program, ...denoFlags(flags)],
    version: denoVersion(path),
    install: path,
  });

/** Returns the rows of bun, which reads the options of its JavaScriptCore from the environment. */
export const bunJsRows = (path: string, version: string): EngineSubject[] =>
  rowsAt(`bun-${version}`, "jsc", JSC_TIERS, {
    cures: JSC_CURES,
    counting: LOGGED,
    interpreter: JSC_TIERS.llint,
    program: path,
    words: (program, options) => [
      "/usr/bin/env",
      ...options.map((option) => option.replace("--", "BUN_JSC_")),
      program,
    ],
    version: [path, "--version"],
    install: path,
  });

/** Each batch starts a browser, which takes long on a busy machine. */
const BROWSER_BATCH = 40;
const BROWSER_START_MS = 60_000;

export const BROWSER_JS_ENGINES = rowsAt("chromium", "v8", V8_WITH_MAGLEV, {
  ...ofBrowser("chromium"),
  ...{ counting: NATIVE, interpreter: V8_TIERS.ignition, isShell: true },
});

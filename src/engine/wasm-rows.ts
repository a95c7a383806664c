// Lists engines of WebAssembly, and optimizers that run before one: how each is found, driven and
// installed, and the proof that the required compiler ran.

import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { RemoteSubject } from "../execute/subject.js";
import { type FormName, PLAIN_FORM, type SourceForm } from "../export/forms.js";
import { type InstructionsToHide, NOTHING_HIDDEN } from "../export/wasm/hidden.js";
import type { Mnemonic } from "../export/wasm/instructions.js";
import { shellWord } from "../support/shell-word.js";
import { LOG_PHASES } from "./b3/b3-log.js";
import { b3Subject, causingPhaseOf } from "./b3/b3-subject.js";
import type { ProcessCommand } from "./bound-process.js";
import { BROWSER_COMMAND, browserFiles } from "./browsers/browser-reproducer.js";
import { type BrowserName, browserShell } from "./browsers/browsers.js";
import type { AlterableEngine, EngineSubject, KnownBugCures } from "./engine-subject.js";
import { exportSubject } from "./export-subject.js";
import { binaryenPasses } from "./parts/binaryen-passes.js";
import { lackOf, pathOf } from "./path-of.js";
import { exportReproducer, optimizerReproducer, wasmReproducer } from "./reproducer.js";
import { jscVersion, versionBy } from "./version-of.js";
import { type TierProof, wasmSubject } from "./wasm-subject.js";

export interface EngineRow {
  readonly name: string;
  /** The program, found as a shell finds it; null: the Node that runs Touchstone. */
  readonly program: string | null;
  /** Arguments before the driver. */
  readonly flags: readonly string[];
  /** The proof that the required compiler ran. */
  readonly tier: TierProof;
  /** See WasmEngine. */
  readonly rounds?: number;
  /** For the Node that runs Touchstone: the required start of V8's version. */
  readonly only?: string;
  /** The words before the program, if another one starts it. */
  readonly before?: readonly string[];
  /** The browser that it is, whose shell starts it. */
  readonly browser?: BrowserName;
  /**
   * True if the driver is passed as text: an old Node has no modules, or requires a flag for them.
   */
  readonly driverAsText?: boolean;
  /** The command that prints its version; empty for the V8 of the Node that runs Touchstone. */
  readonly version: readonly string[];
  readonly install: string;
  readonly form?: SourceForm;
  /** Forms that this version does not support. */
  readonly lacks?: readonly FormName[];
  /** For each known bug, the instructions whose constants trigger it. */
  readonly cures?: Readonly<Record<string, readonly Mnemonic[]>>;
  /** JavaScriptCore that logs the phases of B3, which names the cause of a finding. */
  readonly b3?: B3Row;
}

/** JavaScriptCore as it logs the phases of B3. */
type B3Row = Pick<EngineRow, "program" | "flags" | "before" | "install" | "version">;

export const answers = (is: string): TierProof => ({ by: "answer", is });
const logs = (has: readonly string[], hasNot: readonly string[]): TierProof => ({
  by: "log",
  has,
  hasNot,
});

export const V8 = ["--no-wasm-lazy-compilation", "--allow-natives-syntax"]; // the driver queries V8 by native functions
const NODE = { install: "it is the Node that runs Touchstone", version: [] };

// JavaScriptCore logs each function that it compiles; the first one is the program's entry.
const JSC_LOG = ["logJIT=1", "useConcurrentJIT=0"];
const JSC_AT_ONCE = [
  "thresholdForBBQOptimizeAfterWarmUp=0",
  "thresholdForBBQOptimizeSoon=0",
  "thresholdForOMGOptimizeAfterWarmUp=0",
  "thresholdForOMGOptimizeSoon=0",
];
const OMG = "WebAssembly OMG function[";
const BBQ = "WebAssembly BBQ function[";

/**
 * Options of JavaScriptCore by tier, the proof of that tier, and the number of runs until it is
 * reached.
 */
export const JSC_TIERS = {
  omg: { options: [...JSC_LOG, ...JSC_AT_ONCE], tier: logs([`${OMG}0]`], []), rounds: 3 },
  bbq: {
    options: [...JSC_LOG, ...JSC_AT_ONCE, "useOMGJIT=0"],
    tier: logs([`${BBQ}0]`], [OMG]),
    rounds: 2,
  },
  llint: {
    options: [...JSC_LOG, "useBBQJIT=0", "useOMGJIT=0"],
    tier: logs([], [BBQ, OMG]),
    rounds: 1,
  },
} as const;

/** Newer releases print a function's index only above its disassembly. */
const DUMPED = ["useConcurrentJIT=0", "dumpBBQDisassembly=1", "dumpOMGDisassembly=1"];
const DUMPED_OMG = "Generated OMG functionIndexSpace:(";
const DUMPED_BBQ = "Generated BBQ functionIndexSpace:(";

/** The same tiers in releases whose tier log has no index, since the WebKit of 2025. */
export const NEWER_JSC_TIERS = {
  omg: { options: [...DUMPED, ...JSC_AT_ONCE], tier: logs([`${DUMPED_OMG}0)`], []), rounds: 3 },
  bbq: {
    options: [...DUMPED, ...JSC_AT_ONCE, "useOMGJIT=0"],
    tier: logs([`${DUMPED_BBQ}0)`], [DUMPED_OMG]),
    rounds: 2,
  },
  llint: {
    options: [...DUMPED, "useBBQJIT=0", "useOMGJIT=0"],
    tier: logs([], [DUMPED_BBQ, DUMPED_OMG]),
    rounds: 1,
  },
} as const;

// biome-ignore format: a table
const JSC_CURES: Readonly<Record<string, readonly Mnemonic[]>> = {
  "jsc-bbq-shr-u":    ["i32.shr_u", "i64.shr_u"],
  "jsc-bbq-rem-u":    ["i32.rem_u", "i64.rem_u", "i32.div_u", "i64.div_u"],
  "jsc-bbq-copysign": ["f32.copysign", "f64.copysign"],
  "jsc-omg-i64-keys": ["i64.eq", "i64.ne"],
};

const JSC_PACKAGE = "libjavascriptcoregtk-4.0-bin";
// biome-ignore lint/suspicious/noTemplateCurlyInString: a field of dpkg-query's
const JSC_VERSION = "WebKitGTK ${Version}";

const jscFlags = (options: readonly string[]): readonly string[] => [
  ...options.map((option) => `--${option}`),
  "-m",
];

const jsc = (tier: keyof typeof JSC_TIERS): EngineRow => {
  const { options, ...shown } = JSC_TIERS[tier];
  return {
    ...shown,
    name: `jsc-${tier}`,
    program: "jsc",
    flags: jscFlags(options),
    install: `apt-get install ${JSC_PACKAGE}`,
    // `jsc` itself prints no version.
    version: ["dpkg-query", "--show", `--showformat=${JSC_VERSION}`, JSC_PACKAGE],
    cures: JSC_CURES,
  };
};

/**
 * Returns the rows of another JavaScriptCore.
 * @param driven returns the words that set options
 */
export function jscRowsAt(
  at: string,
  tiers: typeof JSC_TIERS | typeof NEWER_JSC_TIERS,
  b3: B3Row,
  driven: (options: readonly string[]) => Pick<EngineRow, "before"> | Pick<EngineRow, "flags">,
): EngineSubject[] {
  const rows = Object.entries(tiers).map(([tier, { options, ...shown }]) =>
    engineOf({
      ...{ ...shown, ...b3, ...driven(options), cures: JSC_CURES },
      name: `jsc-${tier}@${at}`,
      ...(tier === "omg" ? { b3 } : {}),
    }),
  );
  return [...rows, b3Engine(`jsc-b3@${at}`, b3)];
}

/** Returns the rows of another shell of JavaScriptCore, of the WebKit of 2025 or newer. */
export function jscRows(path: string, version: string): EngineSubject[] {
  const flags = jscFlags(NEWER_JSC_TIERS.omg.options);
  const b3 = { program: path, install: path, flags, version: jscVersion(path, version) };
  return jscRowsAt(version, NEWER_JSC_TIERS, b3, (options) => ({ flags: jscFlags(options) }));
}

const JS102 = {
  program: "js102",
  install: "apt-get install libmozjs-102-dev",
  version: ["js102", "--version"],
};

const SM_TIERS = [
  { name: "ion", mode: "ion" },
  { name: "sm-baseline", mode: "baseline" },
];
/** @param mode the compiler, as `wasmCompileMode()` names it */
const smTier = (mode: string): Pick<EngineRow, "flags" | "tier"> => ({
  flags: [`--wasm-compiler=${mode}`, "-m"],
  tier: answers(mode),
});

/** Returns the rows of another shell of SpiderMonkey. */
export const smRows = (path: string, version: string): EngineSubject[] =>
  SM_TIERS.map(({ name, mode }) =>
    engineOf({
      ...{ ...smTier(mode), name: `${name}@${version}` },
      ...{ program: path, install: path, version: [path, "--version"] },
    }),
  );

// biome-ignore format: a table
const ROWS: readonly EngineRow[] = [
  { name: "v8-turbofan", program: null,    flags: [...V8, "--no-liftoff"],                      tier: answers("turbofan"), ...NODE },
  { name: "v8-liftoff",  program: null,    flags: [...V8, "--liftoff-only"],                    tier: answers("liftoff"),  ...NODE },
  { name: "v8-turboshaft", program: null,  flags: [...V8, "--no-liftoff", "--turboshaft-wasm"], tier: answers("turbofan"), ...NODE, install: "Node 20: its V8 has an unfinished compiler", only: "11.3." }, // a control: known to be wrong
  { ...jsc("omg"), b3: jsc("omg") },
  jsc("bbq"),
  jsc("llint"),
  ...SM_TIERS.map(({ name, mode }) => ({ ...JS102, ...smTier(mode), name })),
];

export const WASM_DRIVER = fileURLToPath(new URL("./wasm-driver.js", import.meta.url));
/** Returns the driver for `node -e`: no module, and nothing after its last statement. */
const driverText = (): string => readFileSync(WASM_DRIVER, "utf8").split("\nexport {")[0];

const thisNode = (only: string): string | null =>
  process.versions.v8.startsWith(only) ? process.execPath : null;

export function engineOf(row: EngineRow): EngineSubject {
  const { name, program, flags, tier, rounds = 1, only = "", browser, install, cures, form } = row;
  const before = browser === undefined ? (row.before ?? []) : browserShell(browser);
  const path = program === null ? thisNode(only) : pathOf(program);
  const lack = lackOf(name, program ?? "such V8", install);
  const driver = row.driverAsText === true ? ["-e", driverText()] : [WASM_DRIVER];
  const started = path ?? program ?? "";
  const [first, ...args] = [...before, started, ...flags, ...driver];
  const hiding = (hidden: InstructionsToHide): RemoteSubject =>
    wasmSubject({
      ...{ name, tier, rounds, hidden },
      ...(form === undefined ? {} : { form }),
      command: { path: first, args },
      missing: () => (path === null ? lack : null),
    });
  const subject = hiding(NOTHING_HIDDEN);
  const command =
    browser === undefined
      ? [...before, shellWord(program ?? "node"), ...flags].join(" ")
      : BROWSER_COMMAND;
  const files = browser === undefined ? {} : browserFiles(browser, program ?? "", flags);
  return {
    ...subject,
    batch: 1,
    version: () => (program === null ? `V8 ${process.versions.v8}` : versionBy(row.version)),
    reproducer: (shown) => ({ ...wasmReproducer(shown, command, rounds, form), ...files }),
    ...(cures === undefined ? {} : { cures: curesBy(cures, hiding) }),
    ...(row.b3 === undefined ? {} : b3Phases(row.b3, form)),
    alterable: alterableOf(row, started),
  };
}

const isStartedByAnother = ({ before, browser, flags }: EngineRow): boolean =>
  before !== undefined || browser !== undefined || flags[0] === "run";

const alterableOf = (row: EngineRow, started: string): AlterableEngine => ({
  // Flags of an engine that is started otherwise are no words of its command.
  command: isStartedByAnother(row) ? [] : [started],
  format: "wasm",
  ...(row.lacks === undefined ? {} : { lacks: row.lacks }),
  with: ({ name, words, form }) =>
    engineOf({ ...row, name, flags: [...words, ...row.flags], form }),
});

const curesBy = (
  rows: NonNullable<EngineRow["cures"]>,
  hiding: (hidden: InstructionsToHide) => RemoteSubject,
): KnownBugCures => ({
  bugs: Object.keys(rows),
  without: (bugs) => hiding(new Set([...bugs].flatMap((bug) => rows[bug] ?? []))),
});

const B3 = "jsc-b3";

const systemB3 = (): B3Row => jsc("omg");

/** Returns bun, which reads the options of its JavaScriptCore from its environment. */
export const bunB3 = (path: string): B3Row => ({
  program: path,
  flags: [],
  before: bunOptions(["useConcurrentJIT=0", ...JSC_AT_ONCE]),
  install: path,
  version: [path, "--version"],
});

/** Returns the row of a program: bun, or the shell of JavaScriptCore. */
export const b3RowAt = (path: string): B3Row =>
  basename(path).startsWith("bun") ? bunB3(resolve(path)) : { ...systemB3(), program: path };

/** Returns the words before bun that set options of JavaScriptCore. */
export const bunOptions = (options: readonly string[]): string[] => [
  "/usr/bin/env",
  ...options.map((option) => `BUN_JSC_${option}`),
];

/** Returns the words that start JavaScriptCore and log each phase of its best compiler. */
const b3Words = ({ flags, before }: B3Row, path: string): readonly string[] =>
  before === undefined
    ? [path, `--${LOG_PHASES}`, ...flags]
    : [...before, `BUN_JSC_${LOG_PHASES}`, path, ...flags];

/**
 * Returns JavaScriptCore with the driver, which logs each phase of its best compiler; or the
 * missing program.
 */
export function b3Command(
  row = systemB3(),
  name = B3,
): ProcessCommand | { readonly missing: string } {
  const path = pathOf(row.program ?? "");
  if (path === null) return { missing: lackOf(name, row.program ?? "", row.install) };
  const [first, ...args] = b3Words(row, path);
  return { path: first, args: [...args, WASM_DRIVER] };
}

function b3Engine(name = B3, row = systemB3()): EngineSubject {
  const { rounds } = JSC_TIERS.omg;
  const command = b3Command(row, name);
  const hiding = (hidden: InstructionsToHide): RemoteSubject =>
    b3Subject({
      ...{ name, hidden },
      command: "missing" in command ? { path: "", args: [] } : command,
      missing: () => ("missing" in command ? command.missing : null),
    });
  const words = b3Words(row, shellWord(row.program ?? "")).join(" ");
  return {
    ...hiding(NOTHING_HIDDEN),
    batch: 1,
    version: () => versionBy(row.version),
    reproducer: (shown) => wasmReproducer(shown, words, rounds),
    cures: curesBy(JSC_CURES, hiding),
    ...b3Phases(row),
  };
}

/** The log of B3 identifies the phase for every row that uses B3. */
function b3Phases(row: B3Row, form: SourceForm = PLAIN_FORM): Pick<EngineSubject, "causingPhase"> {
  const command = b3Command(row);
  return "missing" in command
    ? {}
    : { causingPhase: (program) => causingPhaseOf({ command, form }, program) };
}

interface OptimizerRow {
  readonly name: string;
  readonly program: string;
  readonly flags: readonly string[];
  readonly install: string;
  /** Forms and drawn flags that this version does not support. */
  readonly lacks?: readonly string[];
  readonly form?: SourceForm;
}

/** Binaryen before 122 reads no parameters of blocks and loops (WebAssembly/binaryen 7149). */
export const BINARYEN_LACKS: readonly FormName[] = ["block-params"];

// The features that exported modules have.
const FEATURES = ["bulk-memory", "mutable-globals", "nontrapping-float-to-int", "sign-ext"];
export const BINARYEN = FEATURES.map((name) => `--enable-${name}`);
/** Debian's Binaryen is 108. */
const GET_BINARYEN = { install: "apt-get install binaryen", lacks: BINARYEN_LACKS };

// The optimized modules run in V8's baseline compiler; v8-liftoff shows its result for the
// original.
// biome-ignore format: a table
const OPTIMIZERS: readonly OptimizerRow[] = [
  { name: "binaryen-O1", program: "wasm-opt", flags: [...BINARYEN, "-O1"], ...GET_BINARYEN },
  { name: "binaryen-O3", program: "wasm-opt", flags: [...BINARYEN, "-O3"], ...GET_BINARYEN },
];
const BASELINE = [...V8, "--liftoff-only"];

export function optimizerOf(row: OptimizerRow): EngineSubject {
  const { name, program, flags, install, form, lacks = [] } = row;
  const path = pathOf(program);
  const by = (given: readonly string[]): RemoteSubject =>
    wasmSubject({
      ...{ name, ...(form === undefined ? {} : { form }) },
      tier: answers("liftoff"),
      command: { path: process.execPath, args: [...BASELINE, WASM_DRIVER] },
      optimizer: { path: path ?? program, flags: given },
      missing: () => (path === null ? lackOf(name, program, install) : null),
    });
  const command = ["node", ...BASELINE].join(" ");
  return {
    ...by(flags),
    batch: 1,
    parts: binaryenPasses({ path: path ?? program, flags }, by, form),
    version: () => versionBy([program, "--version"]),
    reproducer: (shown) =>
      optimizerReproducer(shown, [shellWord(program), ...flags].join(" "), command, form),
    alterable: {
      command: [path ?? program],
      format: "wasm",
      lacks,
      with: (altered) =>
        optimizerOf({
          ...row,
          name: altered.name,
          flags: [...flags, ...altered.words],
          form: altered.form,
        }),
    },
  };
}

interface InterpreterRow {
  readonly name: string;
  readonly program: string;
  /** Arguments after the module, with which it calls every export and prints the results. */
  readonly flags: readonly string[];
  readonly install: string;
  readonly form?: SourceForm;
}

const INTERPRETERS: readonly InterpreterRow[] = [
  {
    name: "wasm-interp",
    program: "wasm-interp",
    flags: ["--run-all-exports"],
    install: "apt-get install wabt",
  },
];

function interpreterOf(row: InterpreterRow): EngineSubject {
  const { name, program, flags, install, form } = row;
  const path = pathOf(program);
  const subject = exportSubject({
    name,
    path: path ?? program,
    flags,
    ...(form === undefined ? {} : { form }),
    missing: () => (path === null ? lackOf(name, program, install) : null),
  });
  return {
    ...subject,
    batch: 8,
    version: () => versionBy([program, "--version"]),
    reproducer: (shown) =>
      exportReproducer(shown, [shellWord(program), "program.wasm", ...flags].join(" "), form),
    alterable: {
      command: [],
      format: "wasm",
      with: (altered) => interpreterOf({ ...row, name: altered.name, form: altered.form }),
    },
  };
}

export const WASM_ENGINES: readonly EngineSubject[] = [
  ...ROWS.map(engineOf),
  b3Engine(),
  ...OPTIMIZERS.map(optimizerOf),
  ...INTERPRETERS.map(interpreterOf),
];

// The table of engines: other people's compilers as subjects. A row says how the engine is found, how it is
// driven, how it is shown that the wanted compiler ran, and how to get it where it is missing.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RemoteSubject } from "../execute/subject.js";
import { type Tier, wasmSubject } from "./wasm-subject.js";

interface EngineRow {
  readonly name: string;
  /** The program, found as a shell finds it; null: the Node that runs us. */
  readonly program: string | null;
  /** In front of the path of the driver. */
  readonly flags: readonly string[];
  /** How it is shown that the wanted compiler ran. */
  readonly tier: Tier;
  /** What installs it. */
  readonly install: string;
}

const answers = (is: string): Tier => ({ by: "answer", is });
const logs = (has: readonly string[], hasNot: readonly string[]): Tier => ({
  by: "log",
  has,
  hasNot,
});

const V8 = ["--no-wasm-lazy-compilation", "--allow-natives-syntax"]; // by which the driver asks
const NODE = "it is the Node that runs Touchstone";

// JavaScriptCore logs each function that it compiles; the first one is the program's entry.
const JSC = ["--logJIT=1", "--useConcurrentJIT=0"];
const AT_ONCE = [
  "--thresholdForBBQOptimizeAfterWarmUp=0",
  "--thresholdForBBQOptimizeSoon=0",
  "--thresholdForOMGOptimizeAfterWarmUp=0",
  "--thresholdForOMGOptimizeSoon=0",
];
const OMG = "WebAssembly OMG function[";
const BBQ = "WebAssembly BBQ function[";
const GET_JSC = "apt-get install libjavascriptcoregtk-4.0-bin";
const GET_SM = "apt-get install libmozjs-102-dev";

// biome-ignore format: a table
const ROWS: readonly EngineRow[] = [
  { name: "v8-turbofan", program: null,    flags: [...V8, "--no-liftoff"],                                      tier: answers("turbofan"),      install: NODE },
  { name: "v8-liftoff",  program: null,    flags: [...V8, "--liftoff-only"],                                    tier: answers("liftoff"),       install: NODE },
  { name: "jsc-omg",     program: "jsc",   flags: [...JSC, ...AT_ONCE, "-m"],                                   tier: logs([`${OMG}0]`], []),   install: GET_JSC },
  { name: "jsc-bbq",     program: "jsc",   flags: [...JSC, ...AT_ONCE, "--useOMGJIT=0", "-m"],                  tier: logs([`${BBQ}0]`], [OMG]), install: GET_JSC },
  { name: "jsc-llint",   program: "jsc",   flags: [...JSC, "--useBBQJIT=0", "--useOMGJIT=0", "-m"],             tier: logs([], [BBQ, OMG]),     install: GET_JSC },
  { name: "ion",         program: "js102", flags: ["--wasm-compiler=ion", "-m"],                                tier: answers("ion"),           install: GET_SM },
  { name: "sm-baseline", program: "js102", flags: ["--wasm-compiler=baseline", "-m"],                           tier: answers("baseline"),      install: GET_SM },
];

const DRIVER = fileURLToPath(new URL("./wasm-driver.js", import.meta.url));

function pathOf(program: string): string | null {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(folder, program);
    if (folder !== "" && existsSync(path)) return path;
  }
  return null;
}

const subjectOf = ({ name, program, flags, tier, install }: EngineRow): RemoteSubject => {
  const path = program === null ? process.execPath : pathOf(program);
  return wasmSubject({
    name,
    tier,
    command: { path: path ?? program ?? "", args: [...flags, DRIVER] },
    missing: () => (path === null ? `${name}: there is no ${program}: ${install}` : null),
  });
};

/** Every engine that has a name, whether this machine has it or not. */
export const ENGINES: readonly RemoteSubject[] = ROWS.map(subjectOf);

export const engineNamed = (name: string): RemoteSubject | null =>
  ENGINES.find((engine) => engine.name === name) ?? null;

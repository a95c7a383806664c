// Lists the engines of browsers. They run the scripts of the other rows, in a worker of a page.

import type { EngineSubject } from "../engine-subject.js";
import { answers, type EngineRow, engineOf, V8 } from "../wasm-rows.js";
import { ofBrowser } from "./browsers.js";

const CHROMIUM = ofBrowser("chromium");
const FIREFOX = ofBrowser("firefox");

// biome-ignore format: a table
const ROWS: readonly EngineRow[] = [
  { name: "v8-turbofan@chromium", flags: [...V8, "--no-liftoff", "--no-wasm-tier-up"],       tier: answers("turbofan"),  ...CHROMIUM },
  { name: "v8-liftoff@chromium",  flags: [...V8, "--liftoff-only"],                          tier: answers("liftoff"),   ...CHROMIUM },
  { name: "ion@firefox",          flags: ["javascript.options.wasm_baselinejit=false"],      tier: answers("optimized"), ...FIREFOX },
  { name: "sm-baseline@firefox",  flags: ["javascript.options.wasm_optimizingjit=false"],    tier: answers("baseline"),  ...FIREFOX },
];

export const BROWSER_WASM_ENGINES: readonly EngineSubject[] = ROWS.map(engineOf);

// Runs exported WebAssembly modules in an engine that runs JavaScript: the same file in Node and in
// the shells of JavaScriptCore and SpiderMonkey. It imports nothing, because the shells have
// nothing to import. An old Node can parse it: no `?.`, no `??`, nothing younger than 2019.
// It prints one line that describes it, then answers each line of its input by one line, both in
// JSON: see wasm-protocol.ts. A failure of a module is part of an answer; a failure of the engine
// ends the process.

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
interface WasmGlobal {
  readonly value: unknown;
}
// The part of WebAssembly's own interface that this file needs.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};

interface ShellGlobals {
  readonly readline?: () => string | null;
  readonly print?: (text: string) => void;
  /** The compilers of WebAssembly that are on, in SpiderMonkey. */
  readonly wasmCompileMode?: () => string;
  /** The compiler of a function, in a newer SpiderMonkey: "baseline" or "optimized". */
  readonly wasmFunctionTier?: (run: unknown) => string;
  readonly process?: {
    readonly argv: readonly string[];
    readonly versions: { readonly v8: string };
    /** Absent in an old Node, which has `require` if this file is passed as text. */
    readonly getBuiltinModule?: (name: "fs") => typeof import("node:fs");
  };
}
// The border to the engine, which has some of these.
const host = globalThis as ShellGlobals;

interface RequestInput {
  readonly words: ArrayLike<number>;
  readonly seed: number;
}
type Exports = Readonly<Record<string, unknown>>;
interface Run {
  readonly status: number;
  readonly trap: string | null;
  /** A view of the memory: the next run overwrites it. */
  readonly records: Uint8Array;
}
interface RunRequest {
  readonly wasm: string;
  readonly inputs: readonly RequestInput[];
  /** The number of runs of each input; the answer has the result of the last. */
  readonly rounds: number;
}

const PAGE = 65536;
const STATUS = 0;
const RECORD_NEXT = 4;
const RECORD_LIMIT = 8;
const NO_ROOM = 2;
const ROOM_MAX = 1 << 28;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.substr(2 * i, 2), 16);
  return bytes;
}

function hexOf(bytes: Uint8Array): string {
  let hex = "";
  for (let i = 0; i < bytes.length; i++) hex += HEX[bytes[i]];
  return hex;
}

/** Does what heapContents of the language's surroundings does. */
function fill(words: Int32Array, seed: number): void {
  let x = seed | 0;
  for (let i = 0; i < words.length; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    words[i] = x;
  }
}

/** Returns V8's answer; null if it has no such function, or its syntax is not allowed. */
function queryV8(native: string, run: unknown): unknown {
  try {
    return new Function("f", `return %${native}(f)`)(run);
  } catch (_) {
    return null;
  }
}

/** Returns the compiler that made the function's code, if the engine reports it. */
function tierOf(run: unknown): string {
  if (host.wasmFunctionTier !== undefined) return host.wasmFunctionTier(run);
  if (host.wasmCompileMode !== undefined) return host.wasmCompileMode();
  const isLiftoff = queryV8("IsLiftoffFunction", run);
  if (isLiftoff !== false) return isLiftoff === true ? "liftoff" : "unknown";
  // An older V8 has no such query, and no third compiler.
  return queryV8("IsTurboFanFunction", run) === false ? "other" : "turbofan";
}

/** Runs on one input; the records did not fit if the status is NO_ROOM. */
function runOnce(exports: Exports, { words, seed }: RequestInput): Run {
  // The casts are the border to the module; export-wasm.ts lists its exports.
  const run = exports["run"] as () => void;
  const memory = exports["memory"] as WasmMemory;
  const place = (name: string): number => Number((exports[name] as WasmGlobal).value);
  const [heap, heapSize, records] = [place("heap"), place("heapSize"), place("records")];
  const view = new Int32Array(memory.buffer);
  view.set(words, place("arguments") / 4);
  fill(view.subarray(heap / 4, (heap + heapSize) / 4), seed);
  view[STATUS / 4] = 0;
  view[RECORD_NEXT / 4] = records;
  view[RECORD_LIMIT / 4] = memory.buffer.byteLength;
  let trap: string | null = null;
  try {
    run();
  } catch (error) {
    trap = String(error);
  }
  const end = Math.min(view[RECORD_NEXT / 4] >>> 0, memory.buffer.byteLength);
  const shown = new Uint8Array(memory.buffer).subarray(records, end);
  return { status: view[STATUS / 4], trap, records: shown };
}

function instantiate(bytes: Uint8Array<ArrayBuffer>): Exports {
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
}

/** Runs each input in each round, and returns what `see` makes of the last ones. */
function runAll<Seen>(
  exports: Exports,
  inputs: readonly RequestInput[],
  rounds: number,
  see: (run: Run) => Seen,
): Seen[] {
  const memory = exports["memory"] as WasmMemory; // as in runOnce
  for (let round = 1; round < rounds; round++) {
    for (const input of inputs) runOnce(exports, input);
  }
  return inputs.map((input) => {
    let run = runOnce(exports, input);
    while (run.status === NO_ROOM && memory.buffer.byteLength < ROOM_MAX) {
      memory.grow(memory.buffer.byteLength / PAGE);
      run = runOnce(exports, input);
    }
    return see(run);
  });
}

function answer({ wasm, inputs, rounds }: RunRequest): unknown {
  let exports: Exports;
  try {
    exports = instantiate(bytesOf(wasm));
  } catch (error) {
    return { error: String(error) };
  }
  const runs = runAll(exports, inputs, rounds, (run) => ({ ...run, records: hexOf(run.records) }));
  return { tier: tierOf(exports["run"]), runs };
}

function lines(): { readonly read: () => string | null; readonly write: (text: string) => void } {
  const { readline, print, process } = host;
  if (process === undefined && readline !== undefined && print !== undefined) {
    return { read: readline, write: print };
  }
  const builtin = process === undefined ? undefined : process.getBuiltinModule;
  // biome-ignore lint/style/useNodejsImportProtocol: an old Node does not know it
  const fs = builtin === undefined ? require("fs") : builtin("fs");
  const chunk = new Uint8Array(1 << 16);
  const decoder = new TextDecoder();
  let pending = "";
  const read = (): string | null => {
    const parts = [pending];
    for (;;) {
      const last = parts[parts.length - 1];
      const end = last.indexOf("\n");
      if (end >= 0) {
        pending = last.slice(end + 1);
        parts[parts.length - 1] = last.slice(0, end);
        return parts.join("");
      }
      const count = fs.readSync(0, chunk, 0, chunk.length, null);
      if (count === 0) return null;
      parts.push(decoder.decode(chunk.subarray(0, count), { stream: true }));
    }
  };
  const write = (text: string): void => {
    const bytes = new TextEncoder().encode(`${text}\n`);
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(1, bytes, at);
  };
  return { read, write };
}

/** Answers requests until the input ends. */
function serve(): void {
  Error.stackTraceLimit = 0;
  const { read, write } = lines();
  write(
    JSON.stringify({
      protocol: 1,
      engine: host.process === undefined ? "" : host.process.versions.v8,
    }),
  );
  for (let line = read(); line !== null && line !== ""; line = read()) {
    // The border to the parent, which writes requests in the form of wasm-protocol.ts.
    write(JSON.stringify(answer(JSON.parse(line) as RunRequest)));
  }
}

/** Returns whether an engine runs this file, and not a module that imports it. */
function isStarted(): boolean {
  const { process, readline } = host;
  if (process === undefined) return readline !== undefined; // a browser has neither
  const file = process.argv[1]; // absent if this file is passed as text
  return file === undefined || file.endsWith("wasm-driver.js");
}

if (isStarted()) serve();

export { instantiate, runAll };

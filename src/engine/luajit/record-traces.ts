// Runs a Lua program in LuaJIT with the trace driver, and reads what it recorded.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RecordedTraces, readEvents } from "../../import/luajit/recorded-trace.js";
import { userEnvironment } from "../../support/user-environment.js";
import { TRACE_DRIVER } from "./trace-driver.js";

/** LuaJIT is missing, cannot run the program, or is of another version. */
export class LuajitError extends Error {
  override readonly name = "LuajitError";
  readonly isMissing: boolean;

  constructor(message: string, isMissing = false) {
    super(message);
    this.isMissing = isMissing;
  }
}

export interface RecordOptions {
  readonly command: readonly string[];
  readonly flags: readonly string[];
  /** The number of states that are captured. */
  readonly states: number;
  /** The number of instructions after each that are interpreted. */
  readonly ticks: number;
  readonly timeMs: number;
  /** The standard input of the program; null for that of this process. */
  readonly input: Uint8Array | null;
}

/** The recorded traces of one run, and the folder with the captured states. */
export class TraceRecording {
  readonly recorded: RecordedTraces;
  private readonly folder: string;
  /** By state: the instructions before which the memory was copied. */
  readonly memories: ReadonlyMap<number, readonly number[]>;

  /** @throws LuajitError, ImportError */
  constructor(file: string, options: RecordOptions) {
    this.folder = mkdtempSync(join(tmpdir(), "touchstone-luajit-"));
    try {
      run(this.folder, file, options);
      this.recorded = readEvents(readFileSync(join(this.folder, "traces"), "utf8"));
      this.memories = memoriesIn(this.folder);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  ticks = (state: number): Buffer | null => this.read(`${state}.ticks`);
  exit = (state: number): Buffer | null => this.read(`${state}.exit`);
  memory = (state: number, tick: number): Buffer | null => this.read(`${state}.${tick}.memory`);

  private read(name: string): Buffer | null {
    const path = join(this.folder, name);
    return existsSync(path) ? readFileSync(path) : null;
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const ERRORS_MAX = 1 << 22;
const DRIVER_FAILED = 7;

function run(folder: string, file: string, options: RecordOptions): void {
  const driver = join(folder, "driver.lua");
  writeFileSync(driver, TRACE_DRIVER);
  const [program, ...first] = options.command;
  const numbers = [options.states, options.ticks].map(String);
  // A file, since the processes that capture states read on from where they began.
  const inputPath = join(folder, "input");
  if (options.input !== null) writeFileSync(inputPath, options.input);
  const input = options.input === null ? null : openSync(inputPath, "r");
  const { status, stderr, error } = spawnSync(
    program,
    [...first, ...options.flags, driver, folder, ...numbers, file],
    {
      ...{ encoding: "utf8", env: userEnvironment(), timeout: options.timeMs },
      ...{
        killSignal: "SIGKILL",
        maxBuffer: ERRORS_MAX,
        stdio: [input ?? "inherit", "ignore", "pipe"],
      },
    },
  );
  if (input !== null) closeSync(input);
  const last = stderr?.trim().split("\n").at(-1) ?? "";
  if (error !== undefined && "code" in error && error.code === "ENOENT")
    throw new LuajitError(`there is no ${program}: apt-get install luajit`, true);
  if (status === DRIVER_FAILED) throw new LuajitError(last);
  if (!existsSync(join(folder, "traces"))) throw new LuajitError(`luajit failed: ${last}`);
}

function memoriesIn(folder: string): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const name of readdirSync(folder)) {
    const match = /^(\d+)\.(\d+)\.memory$/.exec(name);
    if (match === null) continue;
    const ticks = found.get(Number(match[1])) ?? [];
    found.set(Number(match[1]), ticks);
    ticks.push(Number(match[2]));
  }
  for (const ticks of found.values()) ticks.sort((a, b) => a - b);
  return found;
}

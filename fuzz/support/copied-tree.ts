// Makes a copy of the project in which a bug may be planted: the sources that git tracks, the
// build, and links to the packages of the original. A rebuild takes as long as a small change.

import {
  type ChildProcess,
  type ChildProcessByStdio,
  execFileSync,
  spawn,
  spawnSync,
} from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";

/** Shared with the original, because nothing writes there. */
const LINKED = ["node_modules", ".touchstone"];
const OUTPUT_BYTES_MAX = 1 << 28;

/** Options for starting a script of the copy. */
export interface StartOptions {
  /** Flags of Node. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export class CopiedTree {
  readonly root: string;
  private readonly enlist: (child: ChildProcess) => void;

  /**
   * Copies the project.
   * @param root the folder to create
   * @param original the root of the project
   * @param enlist receives each started process, which leads a process group and must not outlive
   * this process
   */
  constructor(root: string, original: string, enlist: (child: ChildProcess) => void) {
    this.root = root;
    this.enlist = enlist;
    const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
      cwd: original,
      encoding: "utf8",
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    for (const file of listed.split("\0")) {
      if (file === "" || !existsSync(join(original, file))) continue;
      mkdirSync(dirname(join(root, file)), { recursive: true });
      cpSync(join(original, file), join(root, file));
    }
    cpSync(join(original, "build"), join(root, "build"), { recursive: true });
    for (const name of LINKED) {
      if (existsSync(join(original, name))) symlinkSync(join(original, name), join(root, name));
    }
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.root, file), text);
  }

  /**
   * Applies a patch, or reverts it.
   * @returns the error of git; null if there is none
   */
  apply(patch: string, options: readonly string[] = []): string | null {
    const { status, stderr } = spawnSync("git", ["apply", ...options, patch], {
      cwd: this.root,
      encoding: "utf8",
    });
    return status === 0 ? null : (stderr.trim().split("\n")[0] ?? "");
  }

  /**
   * Builds modules without bundles, because few processes run them.
   * @param options further options of ci/build.mjs
   * @returns the error of the compiler; null if there is none
   */
  build(options: readonly string[] = []): string | null {
    const { status, stdout, stderr } = this.run("ci/build.mjs", ["--no-bundle", ...options]);
    return status === 0 ? null : `${stdout}${stderr}`.trim().split("\n").slice(0, 2).join(" ");
  }

  /**
   * Runs a script of the copy.
   * @param options with the seconds after which it is killed
   */
  run(
    script: string,
    args: readonly string[],
    { flags = [], env = {}, seconds = 600 }: StartOptions & { readonly seconds?: number } = {},
  ) {
    return spawnSync(process.execPath, [...flags, join(this.root, script), ...args], {
      cwd: this.root,
      env: { ...process.env, ...env },
      encoding: "utf8",
      timeout: 1000 * seconds,
      maxBuffer: OUTPUT_BYTES_MAX,
    });
  }

  /** Starts a script of the copy. */
  start(
    script: string,
    args: readonly string[],
    { flags = [], env = {} }: StartOptions = {},
  ): ChildProcessByStdio<null, Readable, Readable> {
    const child = spawn(process.execPath, [...flags, join(this.root, script), ...args], {
      cwd: this.root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.enlist(child);
    return child;
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

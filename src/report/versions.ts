// Collects the versions and the machine of a finding, which a stranger needs to judge a replay.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cpus, release } from "node:os";
import { join } from "node:path";
import koffi from "koffi";
import { unicornCandidates } from "../execute/emulator/unicorn-library.js";
import { projectRoot } from "../support/project-root.js";

export interface ToolVersions {
  readonly touchstone: string;
  /** The commit of a git checkout, followed by `-dirty` if files differ; null elsewhere. */
  readonly commit: string | null;
  readonly node: string;
  readonly koffi: string;
  /** The version of libunicorn; null if it does not load. */
  readonly libunicorn: string | null;
  readonly cpu: string;
  readonly os: string;
}

let known: ToolVersions | null = null;

/** Returns the versions; collected once for each process. */
export function versions(): ToolVersions {
  known ??= {
    touchstone: ownVersion(),
    commit: commitOf(projectRoot()),
    node: process.versions.node,
    koffi: koffi.version,
    libunicorn: unicornVersion(),
    cpu: cpus()[0]?.model ?? "unknown",
    os: `${process.platform} ${release()} ${process.arch}`,
  };
  return known;
}

function ownVersion(): string {
  const text = readFileSync(join(projectRoot(), "package.json"), "utf8");
  const { version } = JSON.parse(text) as { version?: string }; // our own file
  return version ?? "unknown";
}

// Returns null for a package that is installed below another project's checkout: that commit is not
// its own.
function commitOf(root: string): string | null {
  if (!existsSync(join(root, ".git"))) return null;
  const args = ["describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"];
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

function unicornVersion(): string | null {
  for (const candidate of unicornCandidates()) {
    try {
      const version = koffi.load(candidate).func("uc_version", "uint32", ["void *", "void *"]);
      const packed = Number(version(null, null)); // major, minor, patch, extra: a byte each
      return [24, 16, 8].map((shift) => (packed >>> shift) & 255).join(".");
    } catch {}
  }
  return null;
}

// Starts a PostgreSQL server for a test: Debian's binaries, a new cluster in a temporary folder, a port on
// this machine only, and a user with a password.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InternalError } from "../src/support/assert.js";
import { childrenOf, statOf } from "../src/support/process-stat.js";

export const PASSWORD = "not-to-be-printed";
const USER = "fuzzer";

/** Returns the folder of the binaries; null if there are none. */
export function postgresBinaries(): string | null {
  const versions = "/usr/lib/postgresql";
  if (!existsSync(versions)) return null;
  const folders = readdirSync(versions).map((version) => join(versions, version, "bin"));
  return folders.find((folder) => existsSync(join(folder, "initdb"))) ?? null;
}

export class PostgresServer {
  private readonly binaries: string;
  private readonly folder: string;
  private readonly port: number;
  private child: ChildProcess | null = null;

  private constructor(binaries: string, folder: string, port: number) {
    this.binaries = binaries;
    this.folder = folder;
    this.port = port;
  }

  static async start(binaries: string): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), "touchstone-postgres-"));
    chmodSync(folder, 0o755);
    const server = new PostgresServer(binaries, folder, await freePort());
    const passwordFile = join(folder, "password");
    writeFileSync(passwordFile, PASSWORD);
    const owner = ownerOf();
    if (owner !== null) for (const path of [folder, passwordFile]) chownSync(path, ...owner);
    const { status, stderr } = spawnSync(
      join(binaries, "initdb"),
      [
        ...["-D", join(folder, "data"), "-U", USER, "--auth=scram-sha-256", "-E", "UTF8"],
        ...[`--pwfile=${passwordFile}`, "--no-sync", "--locale=C"],
      ],
      { encoding: "utf8", ...identity() },
    );
    if (status !== 0) throw new InternalError(`initdb: ${stderr}`);
    await server.resume();
    return server;
  }

  /** Returns the URL for the user that owns the cluster. */
  url(password = PASSWORD, database = "postgres"): string {
    return `postgres://${USER}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Starts it again. */
  async resume(): Promise<void> {
    const ready = join(this.binaries, "pg_isready");
    for (let tries = 0; tries < 200; tries++) {
      // While processes of a killed server still end, the next one refuses to start.
      if (this.child === null || this.child.exitCode !== null) this.child = this.spawn();
      if (spawnSync(ready, ["-h", "127.0.0.1", "-p", String(this.port)]).status === 0) return;
      await sleep(100);
    }
    throw new InternalError("postgres does not start");
  }

  private spawn(): ChildProcess {
    const options = { fsync: "off", listen_addresses: "127.0.0.1", max_connections: "40" };
    const settings = Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    return spawn(
      join(this.binaries, "postgres"),
      ["-D", join(this.folder, "data"), "-p", String(this.port), "-k", this.folder, ...settings],
      { stdio: "ignore", ...identity() },
    );
  }

  /** Kills the first process, by SIGKILL: the others notice it, and end; until then one may still answer. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === null) return;
    const others = childrenOf(child.pid ?? 0);
    const closed = new Promise((resolve) => child.on("close", resolve));
    child.kill("SIGKILL");
    await closed;
    this.child = null;
    for (let tries = 0; tries < 200 && others.some(lives); tries++) await sleep(50);
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** Returns false if the process has ended; a zombie counts as ended. */
function lives(pid: number): boolean {
  const stat = statOf(`/proc/${pid}`);
  return stat !== null && stat.state !== "Z";
}

/** Runs PostgreSQL, which refuses to be root, as the user `postgres` of the package. */
function ownerOf(): [uid: number, gid: number] | null {
  if (process.getuid?.() !== 0) return null;
  const ids = ["-u", "-g"].map((option) =>
    Number(spawnSync("id", [option, "postgres"], { encoding: "utf8" }).stdout),
  );
  return [ids[0], ids[1]];
}

function identity(): { readonly uid?: number; readonly gid?: number } {
  const owner = ownerOf();
  return owner === null ? {} : { uid: owner[0], gid: owner[1] };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

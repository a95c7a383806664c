// Installs compilers from a suite of Debian that is newer than the system, without root and without changes of the
// system: apt downloads and verifies the packages with folders of its own, dpkg unpacks them into one folder, and
// patchelf makes their programs use the libraries of that folder.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const LIBRARIES = join("usr", "lib", "x86_64-linux-gnu");
const LOADER = join(LIBRARIES, "ld-linux-x86-64.so.2");
/** The file with the name of the system. */
const SYSTEM = "/etc/os-release";
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const PATCHELF = join("usr", "bin", "patchelf");
/** Packages that would hide the headers and libraries of the system that runs the compiled programs. */
const OF_SYSTEM = /^(libc6-dev|libc-dev-bin|linux-libc-dev|libcrypt-dev)_/;
/** The folder in which GCC searches the assembler and the linker first. */
const GCC_TOOLS = join("usr", "x86_64-linux-gnu", "bin");

/** The types of ELF files that a loader reads. */
const LOADED_TYPES = new Set([2, 3]);

const run = (program, words) => spawnSync(program, words, { encoding: "utf8" });

/** Returns the address of a mirror: that of the environment, or the one of the system's packages; null if none. */
function mirrorOf() {
  if (process.env.TOUCHSTONE_DEBIAN !== undefined) return process.env.TOUCHSTONE_DEBIAN;
  if (!existsSync(SYSTEM)) return null;
  const system = readFileSync(SYSTEM, "utf8");
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(system)?.[1];
  if (!/^ID=debian$/m.test(system) || codename === undefined) return null;
  const format = "$(SITE) $(RELEASE)";
  const targets = run("apt-get", ["indextargets", "--format", format]).stdout?.split("\n") ?? [];
  return targets.find((line) => line.endsWith(` ${codename}`))?.split(" ")[0] ?? null;
}

/** Runs apt-get with folders of its own below `work`, as if nothing was installed. Returns its error; null if none. */
function apt(work, words) {
  const options = {
    "Dir::Etc::sourcelist": join(work, "sources.list"),
    "Dir::Etc::sourceparts": "-",
    "Dir::State": join(work, "state"),
    "Dir::State::status": "/dev/null",
    "Dir::Cache": join(work, "cache"),
    "APT::Install-Recommends": "false",
    "APT::Sandbox::User": "",
    "APT::Update::Error-Mode": "any",
    "Debug::NoLocking": "true",
  };
  const given = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  const { status, stderr } = run("apt-get", [...given, "-qq", ...words]);
  return status === 0 ? null : (stderr?.trim() ?? "apt-get does not start");
}

/** Downloads the packages and all that they need, and unpacks them into `root`. Returns those that are available. */
function unpack(root, work, packages) {
  const download = (names) => apt(work, ["install", "--download-only", "-y", ...names]);
  const isWhole = download(packages) === null;
  const available = isWhole ? packages : packages.filter((name) => download([name]) === null);
  const archives = join(work, "cache", "archives");
  for (const file of readdirSync(archives)) {
    if (!file.endsWith(".deb") || OF_SYSTEM.test(file)) continue;
    const { status } = run("dpkg", ["-x", join(archives, file), root]);
    if (status !== 0) throw new Error(`dpkg cannot unpack ${file}`);
  }
  return available;
}

/** Returns whether a loader reads the file: an executable or a shared library. */
function isLoaded(path) {
  const header = Buffer.alloc(18);
  const file = openSync(path, "r");
  const length = readSync(file, header, 0, header.length, 0);
  closeSync(file);
  const isElf = length === header.length && header.toString("latin1", 0, 4) === "\x7fELF";
  return isElf && LOADED_TYPES.has(header.readUInt16LE(16));
}

/** Makes the programs and libraries below `root` use the loader and the libraries there. */
function relocate(root) {
  const libraries = join(root, LIBRARIES);
  const loader = join(root, LOADER);
  const editor = join(root, PATCHELF);
  const patchelf = (...words) => run(loader, ["--library-path", libraries, editor, ...words]);
  const edit = (...words) => {
    const { status, stderr } = patchelf(...words);
    if (status !== 0) throw new Error(`patchelf ${words.join(" ")}: ${stderr.trim()}`);
  };
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || path === loader || path === editor || !isLoaded(path)) continue;
    const isLibrary = entry.name.includes(".so");
    const isProgram = !isLibrary && patchelf("--print-interpreter", path).status === 0;
    const own = patchelf("--print-rpath", path).stdout.trim();
    if (!isProgram && own === "") continue;
    edit("--force-rpath", "--set-rpath", own === "" ? libraries : `${own}:${libraries}`, path);
    // patchelf 0.18 writes programs that crash if one call makes both changes.
    if (isProgram) edit("--set-interpreter", loader, path);
  }
}

/** Puts the assembler and the linker of `root` where its GCC searches first. */
function giveToolsToGcc(root) {
  const tools = join(root, GCC_TOOLS);
  mkdirSync(tools, { recursive: true });
  for (const tool of ["as", "ld"]) {
    const program = `x86_64-linux-gnu-${tool}`;
    if (existsSync(join(root, "usr", "bin", program)))
      symlinkSync(join("..", "..", "bin", program), join(tools, tool));
  }
}

/**
 * Installs packages of a suite of Debian, with all that they need, into the folder `root`, which is emptied unless
 * the suite cannot be read. Returns the packages that are available; if there are none, the reason why.
 */
export function installDebian(root, suite, packages) {
  const mirror = mirrorOf();
  if (mirror === null)
    return {
      available: [],
      reason: "this is not Debian; let TOUCHSTONE_DEBIAN name a mirror of Debian",
    };
  const work = `${root}.work`;
  rmSync(work, { recursive: true, force: true });
  for (const folder of ["state/lists/partial", "cache/archives/partial"])
    mkdirSync(join(work, folder), { recursive: true });
  writeFileSync(join(work, "sources.list"), `deb [signed-by=${KEYRING}] ${mirror} ${suite} main\n`);
  try {
    const reason = apt(work, ["update"]);
    if (reason !== null) return { available: [], reason };
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    const available = unpack(root, work, [...packages, "patchelf"]);
    if (!available.includes("patchelf"))
      return { available: [], reason: `${suite} has no patchelf` };
    relocate(root);
    giveToolsToGcc(root);
    return { available, reason: null };
  } catch (error) {
    return { available: [], reason: error.message };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

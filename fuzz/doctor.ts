// Implements `fuzz doctor`: checks the software of this machine, and prints for each problem the
// command that fixes it. Status 3 if a default subject cannot run.

import { existsSync, readFileSync } from "node:fs";
import { availableParallelism, freemem, totalmem } from "node:os";
import { join } from "node:path";
import koffi from "koffi";
import { describeWithComparison } from "../src/compare/describe-difference.js";
import { Judge } from "../src/compare/judge-program.js";
import type { EngineSubject } from "../src/engine/engine-subject.js";
import { ENGINES } from "../src/engine/engines.js";
import {
  DEBIAN_VERSIONS,
  type NewestVersion,
  NPM_VERSIONS,
} from "../src/engine/newest-versions.js";
import { enginesFolder } from "../src/engine/other-versions.js";
import { unicornCandidates } from "../src/execute/emulator/unicorn-library.js";
import { type Confinement, sharedHostProcess } from "../src/execute/host/host-process.js";
import { NAMESPACE_LEVELS } from "../src/execute/host/host-start.js";
import { hostMissing } from "../src/execute/missing.js";
import type { ReferenceSubject } from "../src/execute/reference-subject.js";
import { PRINCIPAL_SUBJECTS } from "../src/execute/subjects.js";
import { parseModule } from "../src/ir/text/parse.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { versions } from "../src/report/versions.js";
import { askProgram } from "../src/support/ask-program.js";
import { printAnswer } from "./answers/print-answer.js";
import { printLine, STATUS } from "./support/output.js";

interface DoctorArgs {
  readonly json: boolean;
}

interface InstallationCheck {
  readonly name: string;
  /** The version or path that was found; null if the software is missing. */
  readonly found: string | null;
  /** Whether a default subject needs it. */
  readonly required: boolean;
  /** The command that fixes it; null if no fix is needed. */
  readonly fix: string | null;
}

export async function run({ json }: DoctorArgs): Promise<number> {
  const checks = [
    ...machine(),
    ...library(),
    ...PRINCIPAL_SUBJECTS.map(answers),
    ...confinement(),
    ...ASSEMBLERS.map(tool),
    ...ENGINES.map(engine),
    ...NPM_VERSIONS.map((row) => newest(row, `of ${row.released}`)),
    ...DEBIAN_VERSIONS.map((row) => newest(row, "from Debian")),
  ];
  const isWell = checks.every(({ found, required }) => found !== null || !required);
  if (json) printAnswer("touchstone.doctor", { ok: isWell, checks });
  else print(checks, isWell);
  return isWell ? STATUS.nothingFound : STATUS.missing;
}

function print(checks: readonly InstallationCheck[], isWell: boolean): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, found, required } of checks) {
    printLine(`${name.padEnd(width)}  ${found ?? (required ? "MISSING" : "missing, optional")}`);
  }
  for (const { name, fix } of checks) if (fix !== null) printLine(`to fix ${name}: ${fix}`);
  printLine(isWell ? "everything required is installed" : "required software is missing");
}

const present = (name: string, found: string): InstallationCheck => ({
  name,
  found,
  required: true,
  fix: null,
});

const gigabytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GB`;

function machine(): InstallationCheck[] {
  const { node, koffi, cpu, os, touchstone, commit } = versions();
  return [
    present("touchstone", commit === null ? touchstone : `${touchstone}, commit ${commit}`),
    present("node", node),
    present("koffi", koffi),
    present("system", os),
    present("processor", cpu),
    present("cores", String(availableParallelism())),
    present("memory", `${gigabytes(totalmem())}, ${gigabytes(freemem())} free`),
  ];
}

const FIX_UNICORN =
  "ci/setup, or sudo apt-get install libunicorn2, or brew install unicorn, " +
  "or TOUCHSTONE_UNICORN=<path of the library>";

function library(): InstallationCheck[] {
  const { libunicorn } = versions();
  const name = "libunicorn";
  if (libunicorn === null) return [{ name, found: null, required: true, fix: FIX_UNICORN }];
  const isOld = Number(libunicorn.split(".")[0]) < 2;
  const found = `${libunicorn}, ${unicornPath()}`;
  return [
    { name, found, required: true, fix: isOld ? `version 2 is required: ${FIX_UNICORN}` : null },
  ];
}

/**
 * Returns the file that is loaded if the system reports it, otherwise the name under which it
 * loads.
 */
function unicornPath(): string {
  const name = unicornCandidates().find(loads) ?? "not loaded";
  const maps = "/proc/self/maps";
  if (!existsSync(maps)) return name;
  return /\S*libunicorn\S*/.exec(readFileSync(maps, "utf8"))?.[0] ?? name;
}

function loads(candidate: string): boolean {
  try {
    koffi.load(candidate);
    return true;
  } catch {
    return false; // another candidate may load; if none does, a check of its own fails
  }
}

const SMOKE =
  "touchstone 1\nproc f() -> Int32\n#0:\n  Int32 @0 = Const32(42)\n  Void @1 = Return(@0)\n";

/** Checks that the subject runs a program of one constant. */
function answers(subject: ReferenceSubject): InstallationCheck {
  const name = `subject ${subject.name}`;
  const lack = subject.missing();
  if (lack !== null) return { name, found: null, required: true, fix: lack };
  const judge = new Judge({ subjects: [subject], fuelMax: DEFAULT_FUEL });
  const input = { words: new Int32Array(0), heapSeed: 0 };
  const [{ judgements }] = judge.judge({ module: parseModule(SMOKE), inputs: [input] }).results;
  judge.close();
  const { verdict } = judgements[0];
  if (verdict.kind === "equal") return present(name, "answers");
  const detail = verdict.kind === "different" ? describeWithComparison(verdict.difference) : "";
  return {
    name,
    found: null,
    required: true,
    fix: `it gives a wrong answer (${detail}): ci/setup`,
  };
}

/**
 * Checks the newest release of an engine, which has a folder of its own.
 * @param origin the day on which it was published, or where it is from
 */
function newest({ engine, file }: NewestVersion, origin: string): InstallationCheck {
  const isHere = existsSync(join(enginesFolder(), file));
  const says = `${engine}, ${origin}`;
  return {
    name: `newest ${file}`,
    found: isHere ? says : null,
    required: false,
    fix: isHere ? null : `${says}: ci/setup --engines newest`,
  };
}

function engine({ name, missing, version }: EngineSubject): InstallationCheck {
  const fix = missing();
  const found = fix === null ? version() : null;
  return { name: `engine ${name}`, found, required: false, fix };
}

/** Checks the confinement of the process that runs native code. */
function confinement(): readonly InstallationCheck[] {
  if (hostMissing() !== null) return [];
  const given = sharedHostProcess().confinement;
  if (given === null) return [];
  return confinementChecks(given).map(({ name, found, lack }) => {
    return { name, found, required: false, fix: lack };
  });
}

// If an assembler is installed, tests compare the project's encodings with its output for the same
// text.
const ASSEMBLERS = [
  { name: "as", fix: "sudo apt-get install binutils" },
  { name: "aarch64-linux-gnu-as", fix: "sudo apt-get install binutils-aarch64-linux-gnu" },
  { name: "llvm-mc", fix: "sudo apt-get install llvm" },
];

function tool({ name, fix }: (typeof ASSEMBLERS)[number]): InstallationCheck {
  const { status, stdout } = askProgram(name, ["--version"]);
  const version = status === 0 ? /\d+\.\d+[\d.]*/.exec(stdout)?.[0] : undefined;
  const found = status === 0 ? (version ?? "present") : null;
  return { name, found, required: false, fix: found === null ? fix : null };
}

// Checks which parts of the native child's confinement this machine supports, for `fuzz doctor`.
// The filter of system calls is not among them: without it no native code runs at all.

interface ConfinementCheck {
  readonly name: string;
  /** The version or path that was found; null if the software is missing. */
  readonly found: string | null;
  /** The consequence and the remedy if it is missing. */
  readonly lack: string | null;
}

const FIX_NAMESPACES =
  "only its filter of system calls confines native code, without a second layer; the kernel refuses " +
  "user namespaces: sysctl user.max_user_namespaces=10000, kernel.unprivileged_userns_clone=1 and " +
  "kernel.apparmor_restrict_unprivileged_userns=0, as far as they exist; in a container also " +
  "--security-opt seccomp=unconfined";
const FIX_PRIVILEGES =
  "a hole in the filter of system calls would give access to root: run as an ordinary user, or give the " +
  "container a user 65534 and the right to become it (CAP_SETUID, CAP_SETGID)";

function confinementChecks({ namespaces, isPrivileged }: Confinement): readonly ConfinementCheck[] {
  const [all] = NAMESPACE_LEVELS;
  const missing = all.filter((name) => !namespaces.includes(name));
  // Root needs no user namespace to create the others, and has become an ordinary user.
  const isApart = missing.length === 0 || (missing.join() === "user" && !isPrivileged);
  return [
    {
      name: "native: namespaces",
      found: isApart ? namespaces.join(", ") : null,
      lack: isApart ? null : FIX_NAMESPACES,
    },
    {
      name: "native: privileges",
      found: isPrivileged ? null : "none",
      lack: isPrivileged ? FIX_PRIVILEGES : null,
    },
    {
      name: "native: system calls",
      found: "by number and place",
      lack: null,
    },
  ];
}

// Lists the compilers of OpenJDK's virtual machine, HotSpot: each runs programs that are exported as
// one jar. The jar is on the boot class path too, so that its main program can request code of the
// row's level, and report whether the machine has it (../export/jvm/runtime.ts).

import { exportJar } from "../export/jvm/export-jar.js";
import { shellWord } from "../support/shell-word.js";
import { type BatchCompiler, batchSubject } from "./batch-subject.js";
import type { EngineSubject } from "./engine-subject.js";
import { lackOf, pathOf } from "./path-of.js";
import { executableReproducer } from "./reproducer.js";
import type { ProgramSources } from "./sources.js";
import { versionBy } from "./version-of.js";

interface JvmRow {
  readonly name: string;
  readonly options: readonly string[];
  /** The path of the program; absent: the system's. */
  readonly program?: string;
  /** True for a release that lacks options of all rows. */
  readonly isTooOld?: boolean;
  /** Changes the text of a program, for a control. */
  readonly change?: (text: string) => string;
}

const COMMON = [
  ...["-Xbatch", "-Xss256m", "-Xmx1g", "-XX:+UseSerialGC", "-XX:-UsePerfData"],
  ...["-XX:+ErrorFileToStderr", "-XX:-CreateCoredumpOnCrash", "-XX:+UnlockDiagnosticVMOptions"],
];
const INTERPRETER = ["-Xint"];
/** The interface for tests prints the functions that it lacks, which would be among the answers. */
const BY_LEVEL = ["-XX:+WhiteBoxAPI", "-XX:-DisplayVMOutput", "-XX:-DontCompileHugeMethods"];
const C1 = [...BY_LEVEL, "-XX:TieredStopAtLevel=1", "-Dtouchstone.level=1"];
const C2 = [...BY_LEVEL, "-Dtouchstone.level=4"];

const ROWS: readonly JvmRow[] = [
  { name: "hotspot-int", options: INTERPRETER },
  { name: "hotspot-c1", options: C1 },
  { name: "hotspot-c2", options: C2 },
  // A control: each shift of an Int32 to the right copies the sign.
  {
    name: "hotspot-false-shift",
    options: INTERPRETER,
    change: (text) => text.replaceAll(" iushr", " ishr"),
  },
];

/**
 * The time for the compilations of a batch, which run before its executions. The register allocator of C2 took 46 s for a
 * method of 7,392 bytes (usual seed 7026).
 */
const COMPILE_MS = 120_000;

/** The first release that was seen to have all options. */
const OLDEST = 11;

const JAVA = "java";
const INSTALL = "apt-get install default-jre-headless";

const sourcesOf =
  (change: JvmRow["change"]): ProgramSources =>
  (programs) => ({
    "program.jar": exportJar(
      programs.map(({ module }) => module),
      change,
    ),
  });

function jvmEngineOf(row: JvmRow): EngineSubject {
  const { name, options, change, program = JAVA, isTooOld = false } = row;
  const path = pathOf(program);
  const sources = sourcesOf(change);
  const command = (java: string): string =>
    `exec ${shellWord(java)} ${[...COMMON, ...options].join(" ")} -Xbootclasspath/a:"$0" touchstone.Main`;
  const compiler: BatchCompiler = {
    name,
    sources,
    compile: (files, executable) => ({ path: "/bin/cp", args: [...files, executable] }),
    runner: ["/bin/sh", "-c", command(path ?? program)],
    limits: ["class file"],
    startMs: COMPILE_MS,
    missing: () => {
      if (path === null) return lackOf(name, program, INSTALL);
      return isTooOld ? `${name}: Java ${OLDEST} or newer is needed` : null;
    },
  };
  return {
    ...batchSubject(compiler),
    batch: 16,
    family: "HotSpot",
    version: () => versionBy([program, "--version"]),
    reproducer: (shown) =>
      executableReproducer(
        shown,
        sources,
        (files, executable) => ["cp", ...files, executable].join(" "),
        ["/bin/sh", "-c", `'${command(program)}'`],
      ),
    alterable: {
      command: [path ?? program],
      format: null,
      with: ({ name, words }) => jvmEngineOf({ ...row, name, options: [...options, ...words] }),
    },
  };
}

export const JVM_ENGINES: readonly EngineSubject[] = ROWS.map(jvmEngineOf);

/** Returns the rows of another release. */
export function jvmRows(program: string, version: string): EngineSubject[] {
  const isTooOld = Number.parseInt(version, 10) < OLDEST;
  return ROWS.map((row) =>
    jvmEngineOf({ ...row, program, name: `${row.name}@${version}`, isTooOld }),
  );
}

import { readFileSync } from "node:fs";
import { loadUnicorn, MissingLibrary } from "./emulator/unicorn.js";
import { sharedHostProcess } from "./host/host-process.js";

/** One line that says what fixes it, where libunicorn does not load; null where it does. */
export function unicornMissing(): string | null {
  try {
    loadUnicorn();
    return null;
  } catch (error) {
    if (error instanceof MissingLibrary) return error.message;
    throw error;
  }
}

let hostLack: string | null | undefined;

/**
 * One line that says why x86-64 code cannot run natively here; null where it can. The first time
 * costs the start of a child process, which later runs use.
 */
export function hostMissing(): string | null {
  if (hostLack === undefined) hostLack = findHostLack();
  return hostLack;
}

// LZCNT and TZCNT are missing without a fault: older processors run them as BSR and BSF.
const CPU_FLAGS = { abm: "LZCNT", bmi1: "TZCNT", sse4_1: "SSE4.1" } as const;

function findHostLack(): string | null {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return `native runs need Linux on x86-64, this is ${process.platform} on ${process.arch}`;
  }
  const info = readFileSync("/proc/cpuinfo", "latin1");
  const flags = (/^flags\s*:(.*)$/m.exec(info)?.[1] ?? "").split(" ");
  for (const [flag, instruction] of Object.entries(CPU_FLAGS)) {
    if (!flags.includes(flag)) return `native runs need a processor with ${instruction}`;
  }
  try {
    sharedHostProcess();
    return null;
  } catch (error) {
    return `native runs: ${error instanceof Error ? error.message : String(error)}`;
  }
}

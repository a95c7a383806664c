import { loadUnicorn, MissingLibrary } from "./emulator/unicorn.js";
import { instructionMissing } from "./host/instruction-sets.js";

/** Returns one line with the remedy if libunicorn does not load; null if it does. */
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
 * Returns one line with the reason if x86-64 code cannot run natively here; null if it can. The
 * first call starts a child process, which later runs use.
 */
export function hostMissing(): string | null {
  if (hostLack === undefined) hostLack = findHostLack();
  return hostLack;
}

function findHostLack(): string | null {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return `native runs need Linux on x86-64, this is ${process.platform} on ${process.arch}`;
  }
  try {
    const instruction = instructionMissing();
    return instruction && `native runs need a processor with ${instruction}`;
  } catch (error) {
    return `native runs: ${error instanceof Error ? error.message : String(error)}`;
  }
}

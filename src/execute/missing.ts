import { loadUnicorn, MissingLibrary } from "./emulator/unicorn.js";
import { instructionMissing } from "./host/instruction-sets.js";

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

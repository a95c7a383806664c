// Reads the program of a request, and prints programs for the editor.

import { canaryNamed, plantedBy } from "../campaign/canary/canaries.js";
import type { PlantedBug } from "../campaign/canary/canary.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { printModule } from "../ir/text/print.js";
import { printInput, type RunLine, runLines } from "../ir/text/run-line.js";
import type { ProgramText } from "../report/page-state.js";

/** An error of the user, without a place in the text. */
export class RequestError extends Error {
  override readonly name = "RequestError";
}

interface ReadProgram {
  readonly module: Module;
  readonly lines: readonly RunLine[];
  readonly planted: PlantedBug;
}

/**
 * Reads and verifies a program.
 * @throws ParseError, or RequestError for an unknown planted bug
 */
export function readProgram({ text, canary }: ProgramText): ReadProgram {
  const module = parseModule(text);
  return { module, lines: runLines(text, module), planted: plantedNamed(canary) };
}

function plantedNamed(name: string | null): PlantedBug {
  if (name === null) return {};
  const canary = canaryNamed(name);
  if (canary === null) throw new RequestError(`no planted bug is named ${name}`);
  return plantedBy(canary);
}

/** Prints a program with its run lines, which is valid input. */
export function printProgram(module: Module, inputs: readonly Input[]): string {
  const runs = inputs.map((input) => `; run: ${printInput(module, input)}\n`);
  return `${printModule(module)}\n${runs.join("")}`;
}

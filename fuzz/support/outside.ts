// Reads `--outside FILES`, programs of the user that serve as parents of mutations: programs,
// WebAssembly, its scripts, and folders of these.

import { existsSync, readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { textOfOutside } from "../../src/campaign/program/outside.js";
import { functionsOf, importWasm } from "../../src/import/import-wasm.js";
import { openWasmReader } from "../../src/import/read-wasm.js";
import { readScript } from "../../src/import/script.js";
import { programsOf } from "../../src/import/script-programs.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Input, isJudged } from "../../src/ir/outcome.js";
import type { Module } from "../../src/ir/procedure.js";
import { decodeModule } from "../../src/oracle/fast/decode.js";
import { Oracle } from "../../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../src/oracle/fuel.js";
import { SeedSource } from "../../src/support/source.js";
import { imported, readModule } from "../import.js";
import { parseNames } from "./arguments.js";
import { readUserText, usageError } from "./output.js";
import { readProgram } from "./program-file.js";

const KINDS = [".ir", ".wasm", ".wat", ".wast"];

/**
 * Returns the texts of the programs in these files, without duplicates.
 * @throws UserError with the file and its fault
 */
export async function readOutsideFiles(text: string): Promise<readonly string[]> {
  const files = parseNames(text).flatMap(filesAt);
  const texts: string[] = [];
  for (const file of files) texts.push(...(await textsIn(file)));
  if (texts.length === 0)
    throw usageError(
      `--outside ${text}: expected a program with an input on which it ends without undefined behavior`,
    );
  return [...new Set(texts)];
}

function filesAt(path: string): string[] {
  if (!existsSync(path)) throw usageError(`--outside ${path}: there is no such file or folder`);
  if (statSync(path).isDirectory()) {
    const names = readdirSync(path).filter((name) => KINDS.includes(extname(name)));
    return names.sort().map((name) => join(path, name));
  }
  if (KINDS.includes(extname(path))) return [path];
  throw usageError(`--outside ${path}: expected a file named ${KINDS.join(", ")}, or a folder`);
}

async function textsIn(file: string): Promise<string[]> {
  if (extname(file) === ".ir") {
    const { module, lines } = readProgram(file);
    const inputs = lines.map(({ input }) => input);
    if (inputs.length === 0)
      throw usageError(`--outside ${file}: expected a line '; run: ...' for each input`);
    return judgedText(module, inputs);
  }
  const reader = await openWasmReader();
  return imported(file, () => {
    if (extname(file) === ".wast") {
      const { programs } = programsOf(readScript(readUserText(file), file, reader));
      return programs.flatMap(({ imported: { module }, inputs }) => judgedText(module, inputs));
    }
    const wasm = readModule(file, reader);
    return functionsOf(wasm).flatMap(({ name }) => {
      const { module } = importWasm(wasm, name);
      return judgedText(module, drawInputs(module, name));
    });
  });
}

/** Returns the text with the inputs that the oracle can judge; empty if there are none. */
function judgedText(module: Module, inputs: readonly Input[]): string[] {
  const program = decodeModule(module);
  const oracle = new Oracle();
  const judged = inputs.filter((input) => isJudged(oracle.run(program, input, DEFAULT_FUEL)));
  return judged.length === 0 ? [] : [textOfOutside(module, judged)];
}

const INPUTS = 4;
/** The bound of most arguments, which are sizes and positions in practice. */
const SMALL = 40;

/** Draws inputs for an imported entry, which takes the heap and the parameters of the export. */
function drawInputs({ entry }: Module, name: string): Input[] {
  const source = new SeedSource(0n, name);
  return Array.from({ length: INPUTS }, () => {
    const words = new Int32Array(2 * entry.parameters.length);
    words.set([HEAP_BASE_LO, HEAP_BASE_HI]);
    for (let p = 1; p < entry.parameters.length; p++) words[2 * p] = source.below(SMALL);
    return { words, heapSeed: 0 };
  });
}

// Writes imported programs to their files, or prints them.

import type { Input } from "../../src/ir/outcome.js";
import type { Module } from "../../src/ir/procedure.js";
import { printModule } from "../../src/ir/text/print.js";
import { decodeModule } from "../../src/oracle/fast/decode.js";
import { Oracle } from "../../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../src/oracle/fuel.js";
import { runLineOf } from "../../src/report/expectation.js";
import { printAnswer } from "../answers/print-answer.js";
import { printLine, STATUS } from "./output.js";
import { writeOut } from "./write-out.js";

interface ProgramToWrite {
  /**
   * The name of the export; for a script, with a suffix that distinguishes programs of one export.
   */
  readonly name: string;
  /** The file; null: standard output. */
  readonly out: string | null;
  readonly text: string;
  /** The number of run lines. */
  readonly cases: number;
  /** Assertions of the script that fail: line, and difference. */
  readonly faults?: readonly string[];
  /** Cases that the language leaves open, or that exceed its limits. */
  readonly unjudged?: readonly string[];
  /** Functions and memory pages that were replaced by exits. */
  readonly notImported?: readonly string[];
}

/**
 * Makes a program when it is written, so that earlier programs are on disk if a later one fails.
 */
export type ProgramMaker = () => ProgramToWrite;

interface LeftOut {
  readonly line: number;
  readonly says: string;
}

/** Returns the status of the command. */
export function writeImported(
  file: string,
  makers: readonly ProgramMaker[],
  json: boolean,
  leftOut: readonly LeftOut[] = [],
): number {
  if (!json)
    for (const { line, says } of leftOut) printLine(`; ${file}:${line}: left out: ${says}`);
  const programs = makers.map((make) => {
    const { name, out, text, cases, faults = [], unjudged = [], notImported = [] } = make();
    if (out !== null) writeOut(out, text);
    if (!json) {
      for (const each of [...faults, ...unjudged]) printLine(`; ${file}:${each}`);
      if (out === null) process.stdout.write(text);
      else printLine(`; ${out}`);
    }
    return { name, out, cases, faults, unjudged, notImported, text: out === null ? text : null };
  });
  if (json) printAnswer("touchstone.import", { programs, leftOut });
  return programs.some(({ faults }) => faults.length > 0) ? STATUS.found : STATUS.nothingFound;
}

/** Returns the module with run lines for drawn inputs. */
export function withRunLines(module: Module, count: number, draw: () => Input): string {
  const program = decodeModule(module);
  const lines = Array.from({ length: count }, () => {
    const input = draw();
    return `${runLineOf(module, input, new Oracle().run(program, input, DEFAULT_FUEL))}\n`;
  });
  return `${printModule(module)}\n${lines.join("")}`;
}

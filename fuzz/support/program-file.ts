// Reads the program, the optimizer options and the planted bug that several subcommands share.

import { RULES } from "../../reference/optimize/rules/rules.js";
import { checkOrder } from "../../reference/optimize.js";
import { PHASES } from "../../reference/pipeline.js";
import type { PressureSettings } from "../../reference/regalloc/pressure.js";
import { moduleOf } from "../../src/bytecode/interpreter-module.js";
import { isBytecode, parseCode } from "../../src/bytecode/text.js";
import { plantedBy } from "../../src/campaign/canary/canaries.js";
import type { PlantedBug } from "../../src/campaign/canary/canary.js";
import { eachExitOf, type ForcedExitProgram } from "../../src/campaign/program/each-exit.js";
import { parsePressure } from "../../src/execute/pressure-text.js";
import { parseThresholds } from "../../src/execute/thresholds-text.js";
import { DEFAULT_SETTINGS, type OptimizeSettings } from "../../src/execute/unit.js";
import { EFFECTS, EXITS } from "../../src/ir/opcodes.js";
import type { Input } from "../../src/ir/outcome.js";
import { compiledProcedures, type Module } from "../../src/ir/procedure.js";
import { ParseError } from "../../src/ir/text/lexer.js";
import { printName } from "../../src/ir/text/literals.js";
import { parseModule } from "../../src/ir/text/parse.js";
import { type RunLine, runLines, runLineWithoutColon } from "../../src/ir/text/run-line.js";
import { nameOfType } from "../../src/ir/types.js";
import type { Thresholds } from "../../src/record/thresholds.js";
import { didYouMean } from "../../src/support/nearest.js";
import { parseCanary, parseCount, parseNames, parseSeed } from "./arguments.js";
import { programTextOf } from "./browser-finding.js";
import { located, readUserText, usageError } from "./output.js";

interface ProgramFile {
  readonly module: Module;
  /** The run lines of the file, or the one call that the user gives. */
  readonly lines: readonly RunLine[];
  /** The number of the line that lacks only the colon of a run line; null if there is none. */
  readonly withoutColon: number | null;
}

/**
 * Reads and verifies a program.
 * @param args arguments of one call, in the syntax of a run line; undefined for the file's run
 * lines
 * @throws UserError with the position of the fault
 */
export function readProgram(path: string, args?: string): ProgramFile {
  const text = programTextOf(path, readUserText(path));
  const module = located(path, () =>
    isBytecode(text) ? moduleOf(parseCode(text)) : parseModule(text),
  );
  const withoutColon = runLineWithoutColon(text);
  if (args === undefined) {
    return { module, lines: located(path, () => runLines(text, module)), withoutColon };
  }
  if (/[\r\n]/.test(args)) throw usageError("--args: expected one line");
  return { module, lines: linesOfArgs(args, module), withoutColon };
}

/** @throws UserError with the position in the arguments, and the types of the parameters */
function linesOfArgs(args: string, module: Module): readonly RunLine[] {
  const { name, parameters } = module.entry;
  const before = `; run: ${printName(name)}(`;
  try {
    return runLines(`${before}${args})`, module);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const types = parameters.map(({ type }) => nameOfType(type)).join(", ");
    const at = `at character ${error.column - before.length}`;
    throw usageError(`--args ${args}: ${at}: ${error.message}; it takes (${types})`);
  }
}

const GUARDS_MAX = 1000;
const BLOCKS_MAX = 5000;

/**
 * Rewrites the program of a file so that each guard fails once.
 * @throws UserError if it has too many guards to run each
 */
export function eachExitOfText(
  path: string,
  module: Module,
  inputs: readonly Input[],
): ForcedExitProgram {
  let [guards, blocks] = [0, 0];
  for (const proc of compiledProcedures(module)) {
    blocks += proc.blocks.length;
    proc.forEachValue(({ opcode }) => {
      if ((EFFECTS[opcode] & EXITS) !== 0) guards++;
    });
  }
  if (guards > GUARDS_MAX || blocks > BLOCKS_MAX) {
    const limits = `at most ${GUARDS_MAX} guards and ${BLOCKS_MAX} blocks`;
    throw usageError(
      `${path}: --each-exit: ${guards} guards, ${blocks} blocks; expected ${limits}`,
    );
  }
  return eachExitOf(module, inputs, 0n);
}

/** Options of the optimizer, as parsed from the command line. */
export interface OptimizeArgs {
  readonly optLimit: string | undefined;
  readonly disable: string | undefined;
  readonly phases?: string | undefined;
  readonly chaos?: string | undefined;
  readonly branchReach?: string | undefined;
  readonly pressure?: string | undefined;
  readonly thresholds?: string | undefined;
  readonly halves?: boolean | undefined;
}

/** @throws UserError for an unknown name, or an invalid order of phases */
export function optimizeSettings({
  optLimit,
  disable,
  phases,
  chaos,
  branchReach,
  pressure,
  thresholds,
  halves,
}: OptimizeArgs): OptimizeSettings {
  const names = disable === undefined ? [] : parseNames(disable);
  const known = new Set([...PHASES, ...RULES].map(({ name }) => name));
  for (const name of names) {
    if (known.has(name)) continue;
    const guess = didYouMean(name, known);
    throw usageError(`--disable ${name}: no phase and no rule has this name${guess}`);
  }
  return {
    ...DEFAULT_SETTINGS,
    verify: true,
    applicationsMax:
      optLimit === undefined
        ? DEFAULT_SETTINGS.applicationsMax
        : parseCount("--opt-limit", optLimit, 0),
    disabled: new Set(names),
    phases: phases === undefined ? null : checkPhases(parseNames(phases)),
    chaos: chaos === undefined ? DEFAULT_SETTINGS.chaos : parseSeed(chaos, "--chaos"),
    branchReach: branchReach === undefined ? null : parseCount("--branch-reach", branchReach, 8),
    pressure: pressure === undefined ? null : pressureOf(pressure),
    thresholds: thresholds === undefined ? null : thresholdsOf(thresholds),
    halves: halves ?? false,
  };
}

function thresholdsOf(text: string): Thresholds {
  const thresholdsOrFault = parseThresholds(text);
  if (typeof thresholdsOrFault !== "string") return thresholdsOrFault;
  throw usageError(`--thresholds: ${thresholdsOrFault}`);
}

function pressureOf(text: string): PressureSettings {
  const planOrFault = parsePressure(text);
  if (typeof planOrFault !== "string") return planOrFault;
  throw usageError(`--pressure: ${planOrFault}`);
}

function checkPhases(names: readonly string[]): readonly string[] {
  try {
    checkOrder(names);
    return names;
  } catch (error) {
    if (error instanceof RangeError) throw usageError(`--phases: ${error.message}`);
    throw error;
  }
}

/**
 * Returns a planted bug by its name, and the subjects in which it is planted; no bug and undefined if
 * no name is given.
 */
export function plantedBug(name: string | undefined): {
  planted: PlantedBug;
  subjects: string | undefined;
} {
  if (name === undefined) return { planted: {}, subjects: undefined };
  const canary = parseCanary(name);
  return { planted: plantedBy(canary), subjects: canary.subjects.join(",") };
}

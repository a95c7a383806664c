// Writes programs as source files, by name, for compilers that make executables; the compiler gets
// all of them.

import { exportC } from "../export/c/export-c.js";
import type { FactKind, StatedFacts } from "../export/facts.js";
import { exportLlvm, LLVM_DRIVER } from "../export/llvm/export-llvm.js";
import { exportLua } from "../export/lua/export-lua.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { statedFor } from "./facts/see-facts.js";

/** A program, and all inputs that it will run on; the oracle judges each of them. */
export interface SourceProgram {
  readonly module: Module;
  readonly inputs: readonly Input[];
}

export type Sources = (programs: readonly SourceProgram[]) => Readonly<Record<string, string>>;

/** The main program if it is a file of its own, the same for all programs. */
export const DRIVER_FILE = "driver.c";

const modulesOf = (programs: readonly SourceProgram[]): Module[] =>
  programs.map(({ module }) => module);
const statedOf = (
  programs: readonly SourceProgram[],
  kinds?: ReadonlySet<FactKind>,
): StatedFacts[] => programs.map(({ inputs }) => statedFor(inputs, kinds));

export const C_SOURCES: Sources = (programs) => ({ "program.c": exportC(modulesOf(programs)) });

const statingC =
  (kinds?: ReadonlySet<FactKind>): Sources =>
  (programs) => ({ "program.c": exportC(modulesOf(programs), statedOf(programs, kinds)) });
/** Sources that state the facts of these executions. */
export const C_FACT_SOURCES = statingC();

export const LUA_SOURCES: Sources = (programs) => ({
  "program.lua": exportLua(modulesOf(programs)),
});

export const LLVM_SOURCES: Sources = (programs) => ({
  "program.ll": exportLlvm(modulesOf(programs)),
  [DRIVER_FILE]: LLVM_DRIVER,
});

const statingLlvm =
  (kinds?: ReadonlySet<FactKind>): Sources =>
  (programs) => ({
    "program.ll": exportLlvm(modulesOf(programs), statedOf(programs, kinds)),
    [DRIVER_FILE]: LLVM_DRIVER,
  });
export const LLVM_FACT_SOURCES = statingLlvm();

/** Returns the same programs with facts of these kinds, if the format can express them. */
export function statingSources(sources: Sources, kinds: ReadonlySet<FactKind>): Sources {
  if (sources === C_SOURCES) return statingC(kinds);
  return sources === LLVM_SOURCES ? statingLlvm(kinds) : sources;
}

/**
 * A control: it states of each sum, difference and product that it does not overflow, which is
 * false.
 */
export const FALSE_LLVM_SOURCES: Sources = (programs) => ({
  "program.ll": exportLlvm(modulesOf(programs)).replace(
    /^( {2}%v\d+ = (?:add|sub|mul)) /gm,
    "$1 nsw ",
  ),
  [DRIVER_FILE]: LLVM_DRIVER,
});

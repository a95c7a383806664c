// Writes programs as source files, by name, for compilers that make executables; the compiler gets
// all of them.

import { exportC } from "../export/c/export-c.js";
import { FACT_KINDS, type FactKind, type StatedFacts } from "../export/facts.js";
import { PLAIN_FORM, type SourceForm } from "../export/forms.js";
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

/** Returns the text of each file, by its name. */
type SourceWriter = (programs: readonly SourceProgram[]) => Readonly<Record<string, string>>;

/**
 * Returns the contents of each file, by its name.
 * @throws ExportRefusal if the format cannot express a program
 */
export interface ProgramSources<C extends string | Uint8Array = string | Uint8Array> {
  (programs: readonly SourceProgram[]): Readonly<Record<string, C>>;
  /** The exporter's format for forms; absent if it has only one form. */
  readonly format?: "c" | "llvm" | "lua";
  /**
   * Returns the sources of the same programs with these facts and this form. Without kinds, the facts
   * stay; absent if the format can express neither.
   */
  readonly altered?: (kinds: ReadonlySet<FactKind>, form: SourceForm) => ProgramSources<C>;
}

type TextSources = ProgramSources<string>;

/** The main program if it is a file of its own, the same for all programs. */
export const DRIVER_FILE = "driver.c";

const modulesOf = (programs: readonly SourceProgram[]): Module[] =>
  programs.map(({ module }) => module);
const statedOf = (
  programs: readonly SourceProgram[],
  kinds: ReadonlySet<FactKind>,
): StatedFacts[] =>
  kinds.size === 0 ? [] : programs.map(({ inputs }) => statedFor(inputs, kinds));

const alterable = (
  format: "c" | "llvm" | "lua",
  write: (kinds: ReadonlySet<FactKind>, form: SourceForm) => SourceWriter,
  kinds: ReadonlySet<FactKind>,
  form = PLAIN_FORM,
): TextSources =>
  Object.assign(write(kinds, form), {
    format,
    altered: (more: ReadonlySet<FactKind>, other: SourceForm) =>
      alterable(format, write, more.size === 0 ? kinds : more, other),
  });

const writeC =
  (kinds: ReadonlySet<FactKind>, form: SourceForm): SourceWriter =>
  (programs) => ({
    "program.c": exportC(modulesOf(programs), statedOf(programs, kinds), form),
  });
const writeLlvm =
  (kinds: ReadonlySet<FactKind>, form: SourceForm): SourceWriter =>
  (programs) => ({
    "program.ll": exportLlvm(modulesOf(programs), statedOf(programs, kinds), form),
    [DRIVER_FILE]: LLVM_DRIVER,
  });

const ALL_FACTS: ReadonlySet<FactKind> = new Set(FACT_KINDS);
const NO_FACTS: ReadonlySet<FactKind> = new Set();

export const C_SOURCES: TextSources = alterable("c", writeC, NO_FACTS);
/** Sources that state the facts of these executions. */
export const C_FACT_SOURCES: TextSources = alterable("c", writeC, ALL_FACTS);
export const LLVM_SOURCES: TextSources = alterable("llvm", writeLlvm, NO_FACTS);
export const LLVM_FACT_SOURCES: TextSources = alterable("llvm", writeLlvm, ALL_FACTS);

const writeLua =
  (_kinds: ReadonlySet<FactKind>, form: SourceForm): SourceWriter =>
  (programs) => ({ "program.lua": exportLua(modulesOf(programs), form) });
export const LUA_SOURCES: TextSources = alterable("lua", writeLua, NO_FACTS);

/**
 * A control: it states of each sum, difference and product that it does not overflow, which is
 * false.
 */
export const FALSE_LLVM_SOURCES: TextSources = (programs) => ({
  "program.ll": exportLlvm(modulesOf(programs)).replace(
    /^( {2}%v\d+ = (?:add|sub|mul)) /gm,
    "$1 nsw ",
  ),
  [DRIVER_FILE]: LLVM_DRIVER,
});

// Prints what the compiler produces for a program: the IR and the machine code, for reports and for
// inspection.

import { Compiler, type GenerateOptions } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/compile-error.js";
import { type CompilerParts, PARTS } from "../../reference/parts.js";
import type { TargetName } from "../../reference/target/target.js";
import type { CompilationSettings } from "../execute/compilation.js";
import { CompilationUnit, type OptimizeSettings } from "../execute/unit.js";
import type { Module } from "../ir/procedure.js";
import { printModule } from "../ir/text/print.js";
import { describeError } from "../support/assert.js";

/** The IR before and after the optimizer, and the code of a compiled subject. */
export interface CompilerOutput {
  readonly before: string;
  /** The IR after the optimizer; null if the optimizer failed. */
  readonly after: string | null;
  /** The listing of the machine code; null for subjects without machine code. */
  readonly assembly: string | null;
}

/**
 * Compiles a module and prints the results.
 * @param parts the ordinary parts, or those with a planted bug
 */
export function compilerOutputOf(
  module: Module,
  subject: CompilationSettings,
  settings: OptimizeSettings | undefined,
  parts: CompilerParts = PARTS,
): CompilerOutput {
  const before = printModule(module);
  try {
    const unit = new CompilationUnit(module, settings, parts);
    const { module: optimized } = unit.optimized(subject);
    const after = printModule(optimized);
    if (subject.target === null) return { before, after, assembly: null };
    return {
      before,
      after,
      assembly: assemblyOf(optimized, subject.target, unit.generateOptions(subject, false), parts),
    };
  } catch {
    // A part of the compiler may fail: that can be the finding itself.
    return { before, after: null, assembly: null };
  }
}

function assemblyOf(
  module: Module,
  target: TargetName,
  options: GenerateOptions,
  parts: CompilerParts,
): string {
  try {
    const compiler = new Compiler(parts);
    const { listing } = compiler.generate(module, target, { ...options, listing: true });
    return `${listing.join("\n")}\n`;
  } catch (error) {
    const message = error instanceof CompileError ? error.message : describeError(error);
    return `${message}\n`;
  }
}

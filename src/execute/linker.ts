// Compiles images that share code, and the links between them.

import { type CodeImage, Compiler, type GenerateOptions } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/compile-error.js";
import { halfCountsOf } from "../../reference/lower/half-forms.js";
import type { CompilerParts } from "../../reference/parts.js";
import type { ExitRecord } from "../../reference/snapshot/exit-record.js";
import type { Target, TargetName } from "../../reference/target/target.js";
import type { Module, Procedure } from "../ir/procedure.js";
import { IMAGE_SIZE_MAX } from "./machine/guest.js";
import type { CompiledImage } from "./machine/loaded-image.js";
import type { CompiledCodeCounts } from "./subject.js";

/** A compiler of images and links for one target. */
export interface TraceLinker {
  readonly target: Target;
  /** Throws a CompileError if a limit is exceeded. */
  compile(module: Module, options: GenerateOptions): CodeImage;
  link(exit: ExitRecord, to: Procedure, distance: number): Uint8Array;
}

export function linkerOf(target: TargetName, parts: CompilerParts): TraceLinker {
  const compiler = new Compiler(parts);
  return {
    target: parts.plans[target].target,
    compile: (module, options) => {
      const image = compiler.generate(module, target, options);
      checkSize(image);
      return image;
    },
    link: (exit, to, distance) => compiler.generateLink(target, exit, to, distance),
  };
}

/** Throws a CompileError if the code exceeds the size limit. */
export function checkSize({ code }: CompiledImage): void {
  if (code.length <= IMAGE_SIZE_MAX) return;
  throw new CompileError(`the image has ${code.length} bytes, limit is ${IMAGE_SIZE_MAX}`);
}

export const countsOf = (image: CodeImage): CompiledCodeCounts => ({
  codeBytes: image.code.length,
  instructions: image.instructions,
  spillUnits: image.spillUnits,
  moves: image.moves,
  longBranches: image.longBranches,
  halves: halfCountsOf(image.halves),
  events: image.events,
});

// Treats the optimizations of GCC as parts that can be switched off. GCC lists those that a level
// and its flags enable; each has an option that disables it. Many passes have no option, and
// remain.

import { type BatchCompiler, batchSubject } from "../batch-subject.js";
import type { ProcessCommand } from "../bound-process.js";
import type { CompilerSteps } from "../engine-subject.js";
import { runCommand } from "../run-command.js";

/** Options that are no optimizations: they define the arithmetic or the form of a call. */
const NO_OPTIMIZATIONS: ReadonlySet<string> = new Set([
  ...["math-errno", "trapping-math", "signed-zeros", "fp-int-builtin-inexact"],
  ...["short-enums", "reg-struct-return", "plt"],
]);
const ENABLED = /^\s*-f(\S+)\s+\[enabled\]$/gm;
const LIST = ["-Q", "--help=optimizers"];
const LIST_MS = 10_000;

/** @param base the compiler and its flags, without files */
export const gccOptions = (compiler: BatchCompiler, base: ProcessCommand): CompilerSteps => ({
  list: async () => {
    const command = { ...base, args: [...base.args, ...LIST] };
    const { output } = await runCommand(command, [], LIST_MS);
    const names = [...output.toString().matchAll(ENABLED)].map(([, name]) => name);
    return names.filter((name) => !NO_OPTIMIZATIONS.has(name));
  },
  rest: "without optimizations that have an option",
  upTo: (count, names) => {
    const off = names.slice(count).map((name) => `-fno-${name}`);
    return batchSubject({
      ...compiler,
      compile: (files, executable) => {
        const { args, ...command } = compiler.compile(files, executable);
        return { ...command, args: [...args, ...off] };
      },
    });
  },
});

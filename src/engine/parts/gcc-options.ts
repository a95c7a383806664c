// The optimizations of GCC as parts that can be left out: those that a level and its flags enable, by GCC's own word,
// each by the option that disables it. Many passes have no option, and stay.

import { type BatchCompiler, batchSubject } from "../batch-subject.js";
import type { Command } from "../bound-process.js";
import type { Parts } from "../engine-subject.js";
import { runCommand } from "../run-command.js";

/** What options that are no optimizations say: which numbers are meant, and what a call looks like. */
const MEANS: ReadonlySet<string> = new Set([
  ...["math-errno", "trapping-math", "signed-zeros", "fp-int-builtin-inexact"],
  ...["short-enums", "reg-struct-return", "plt"],
]);
const ENABLED = /^\s*-f(\S+)\s+\[enabled\]$/gm;
const TELL = ["-Q", "--help=optimizers"];
const TELL_MS = 10_000;

/** @param told the compiler and its flags, without files */
export const gccOptions = (compiler: BatchCompiler, told: Command): Parts => ({
  list: async () => {
    const command = { ...told, args: [...told.args, ...TELL] };
    const { output } = await runCommand(command, [], TELL_MS);
    const names = [...output.toString().matchAll(ENABLED)].map(([, name]) => name);
    return names.filter((name) => !MEANS.has(name));
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

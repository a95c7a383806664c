// The message of a subject that crashed: bug reports of compilers are told apart by its last line.

import type { Outcome } from "../ir/outcome.js";

/** Lines of a stack, which follow the message of JavaScript's errors. */
const STACK = /^at .+[:)]/;
const LINE_MAX = 200;

/** Returns the last line that is no frame of a stack; "" if there is none. */
export function lastLineOf(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const line = lines.findLast((one) => one !== "" && !STACK.test(one)) ?? "";
  return line.length <= LINE_MAX ? line : `${line.slice(0, LINE_MAX)}...`;
}

/** Returns all that a subject wrote before it crashed or left garbage; null of other outcomes. */
export function messageOf(outcome: Outcome | null): string | null {
  const ending = outcome?.ending;
  switch (ending?.kind) {
    case "crash":
    case "garbage":
      return ending.evidence;
    case "compile-error":
      return ending.message;
    default:
      return null;
  }
}

/** Endings that tell no two bugs apart. */
const ANY_BUG = /^(trap: |an Oops was reached|(was )?ended (by|with) )/;

/** Returns the words that name the bug of a crash; null where the crash has no message of its own. */
export function nameOfCrash(outcome: Outcome | null): string | null {
  const message = outcome?.ending.kind === "garbage" ? null : messageOf(outcome);
  const words = message === null ? "" : lastLineOf(message);
  return words === "" || ANY_BUG.test(words) ? null : normalized(words);
}

/** Returns the words of a message, without what differs from program to program: numbers and folders. */
const normalized = (message: string): string =>
  message
    .replace(/(?:[\w.@-]*\/)+(?=[\w.@-])/g, "")
    .replace(/0x[\da-f]+/gi, "N")
    .replace(/\d+/g, "N")
    .replace(/[^\w@#:. -]+/g, " ")
    .replace(/ +/g, " ")
    .slice(0, 80)
    .trim();

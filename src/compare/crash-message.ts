// Extracts the message of a subject that crashed. One line of its output identifies the bug.

import type { Outcome } from "../ir/outcome.js";

/** Lines of a stack trace and of Node, after the message of JavaScript's errors and of V8, and the mark of a cut. */
const STACK = /^at .+[:)]|^\d+: .+|^-+ .+ -+$|^#$|^#FailureMessage |^Node\.js v\d|^\.\.\.$/;
/** A line in which a compiler or a JavaScript engine names its own fault. More than a stack trace may follow it. */
const FAULT =
  /\bassertion .+ failed\b|^assertion fail(ed|ure):|\binternal compiler error:|^LLVM ERROR:|^UNREACHABLE executed|\bpanicked at\b/i;
/** A line of LLVM's stack dump with the pass that it executed; then follow names of the program. */
const LLVM_PASS = /^\d+\.\s+(Running pass '.+') on /;
/** The causes of an error of a Rust program, without its stack trace; the last one is the first that occurred. */
const RUST_CAUSES = /^Caused by:\n((?:[ \t]+.*\n?)+)/m;
/** An error in a source file, or of a linker; lines with less of the cause follow it. */
const DIAGNOSTIC = /^\S+: (?:fatal )?error: |\bundefined (?:reference to|symbol)\b/;
const LINE_MAX = 200;
const EXCERPT_MAX = 2000;
/** How the process ended, before its output. */
const ENDING = /^[^\n]*?; it (?:said|wrote): /;

/**
 * Returns an output without its middle, if it has more than 2,000 characters. A message is at its beginning if a stack
 * trace follows, and at its end otherwise.
 */
export function excerptOf(output: string): string {
  const text = output.trim();
  if (text.length <= EXCERPT_MAX) return text;
  const half = EXCERPT_MAX / 2;
  return `${text.slice(0, half).replace(/\n.*$/, "")}\n...\n${text.slice(-half).replace(/^.*\n/, "")}`;
}

/**
 * Returns the line that names the fault, or else the pass that LLVM executed, the first error of a compiler or linker,
 * or the last line with words that is no stack frame, after how the process ended; "" if there is none.
 */
export function messageLineOf(text: string): string {
  const [ending = ""] = ENDING.exec(text) ?? [];
  return ending + wordsOf(text.slice(ending.length));
}

/** Returns the first line: a malformed answer begins with the description of its fault. */
export const firstLineOf = (text: string): string => shortened(text.trim().split("\n")[0]);

function wordsOf(said: string): string {
  const lines = said.split("\n").map((line) => line.trim());
  const named = lines.find((one) => FAULT.test(one)) ?? causeOf(said);
  const pass = LLVM_PASS.exec(lines.findLast((one) => LLVM_PASS.test(one)) ?? "")?.[1];
  const diagnostic = lines.find((one) => DIAGNOSTIC.test(one));
  const last = lines.findLast((one) => /\w/.test(one) && !STACK.test(one));
  return shortened(named ?? pass ?? diagnostic ?? last ?? "");
}

/** Returns the cause at the end of a Rust program's error, without its number; undefined for other outputs. */
const causeOf = (said: string): string | undefined =>
  RUST_CAUSES.exec(said)?.[1]
    .trim()
    .split("\n")
    .at(-1)
    ?.trim()
    .replace(/^\d+: /, "");

const shortened = (line: string): string =>
  line.length <= LINE_MAX ? line : `${line.slice(0, LINE_MAX)}...`;

/** Returns the output of a subject before it crashed or wrote garbage; null for other outcomes. */
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

/** Endings that do not distinguish bugs. */
const ANY_BUG = /^(trap: |an Oops was reached|(was )?ended (by|with) )/;

/** Returns the words that identify the bug of a crash; null if the crash has no message of its own. */
export function nameOfCrash(outcome: Outcome | null): string | null {
  const message = outcome?.ending.kind === "garbage" ? null : messageOf(outcome);
  const words = message === null ? "" : wordsOf(message.replace(ENDING, ""));
  return words === "" || ANY_BUG.test(words) ? null : normalized(words);
}

/** Returns the words of a message, without the parts that differ between programs: numbers and folders. */
const normalized = (message: string): string =>
  message
    .replace(/(?:[\w.@-]*\/)+(?=[\w.@-])/g, "")
    .replace(/0x[\da-f]+/gi, "N")
    .replace(/\d+/g, "N")
    .replace(/[^\w@#:. -]+/g, " ")
    .replace(/ +/g, " ")
    .slice(0, 80)
    .trim();

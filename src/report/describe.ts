// Prints an outcome as one line of bounded length.

import { messageLineOf, messageOf } from "../compare/crash-message.js";
import type { Outcome } from "../ir/outcome.js";
import { printOutcome } from "../ir/text/run-line.js";

const LENGTH_MAX = 400;

/** Returns an outcome as one line; a longer text is cut. */
export function describeOutcome(outcome: Outcome): string {
  const message = messageOf(outcome);
  if (message?.includes("\n")) return `${outcome.ending.kind}: ${messageLineOf(message)}`;
  const text = printOutcome(outcome);
  return text.length <= LENGTH_MAX ? text : `${text.slice(0, LENGTH_MAX)}...`;
}

// A finding made small: its program, then how that is compiled, each under the same signature and the
// same cause.

import { DEFAULT_SETTINGS } from "../execute/unit.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import type { LocateOptions } from "../localize/behind-optimizer.js";
import type { Cause } from "../localize/cause.js";
import { CauseTest } from "../localize/localize.js";
import type { Candidate } from "../reduce/candidate.js";
import { Interest } from "../reduce/interest.js";
import { type Reduced, reduceProgram } from "../reduce/reduce.js";
import { reduceWay, type Way } from "../reduce/reduce-way.js";

/** A program, and how it is compiled to show what it shows. */
export interface Small extends Way {
  readonly module: Module;
  readonly inputs: readonly Input[];
}

/**
 * @param options with the subject at fault, if there is one
 * @param cause what must stay to blame; null: whatever
 * @returns null if the program does not show a difference of that aspect, or an error
 */
export function makeSmall(
  { module, inputs }: Pick<Small, "module" | "inputs">,
  aspect: string | null,
  options: LocateOptions,
  cause: Cause | null,
): Small | null {
  const test = causeTest(cause, options);
  try {
    const reduced = reduceProgram(module, inputs, { ...options, aspect, keeps: test.holds });
    if (reduced === null) return null;
    const way = simplestWay(reduced, options, cause);
    return { module: reduced.module, inputs: reduced.inputs, ...way };
  } finally {
    test.close();
  }
}

/** The same difference for the same cause, with less said of how the program is compiled. */
function simplestWay(
  { module, inputs, signature }: Reduced,
  options: LocateOptions,
  cause: Cause | null,
): Way {
  const { settings = DEFAULT_SETTINGS, subjects } = options;
  const start = { subject: subjects[0], settings };
  if (signature.kind !== "difference") return start;
  const candidate = { module, inputs: [...inputs] };
  return reduceWay(start, (way) => {
    const own = { ...options, subjects: [way.subject], settings: way.settings };
    const wanted = { ...signature, subject: way.subject.name };
    const test = causeTest(cause, own);
    const interest = new Interest(candidate, wanted, own, test.holds);
    try {
      return interest.holds(candidate);
    } finally {
      interest.close();
      test.close();
    }
  });
}

function causeTest(cause: Cause | null, options: LocateOptions) {
  const test = cause === null ? null : new CauseTest(cause, options.subjects[0], options);
  return {
    holds: ({ module, inputs }: Candidate): boolean => test?.holds(module, inputs) ?? true,
    close: () => test?.close(),
  };
}

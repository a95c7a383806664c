// Defines when two differences are the same during a reduction: the subject that differs, the aspect, and the path are
// equal. Numbers of the program (values, offsets, bits) are excluded, because they change with every step.

import type { Aspect } from "../compare/aspects.js";
import type { Difference, EndingSummary, PathStep } from "../compare/difference.js";
import type { ExecutionJudgement, ProgramResult } from "../compare/judge-program.js";
import type { InternalError } from "../support/assert.js";

export type ReductionSignature =
  | {
      readonly kind: "difference";
      readonly subject: string;
      /** The outermost comparison that found the difference. */
      readonly aspect: Aspect;
      /**
       * The runs and continuations on the path. Exits in callees are excluded, because they do not identify the bug. So
       * is the subject that ran a continuation, because it is drawn again for every smaller program.
       */
      readonly way: readonly Exclude<PathStep["kind"], "callee-exit">[];
      /** The aspect that was compared at the end of the path. */
      readonly inner: Aspect;
      /** If the endings differ: the kinds of both endings, and the kind of a fault. */
      readonly endings: readonly string[];
    }
  /** An internal error: the fields of `InternalError` that identify it. */
  | {
      readonly kind: "internal-error";
      readonly subject: string | null;
      readonly what: string;
    };

/** Returns the signature of each difference in the result, in the order of subjects and inputs. */
export function signaturesIn({ results }: ProgramResult): ReductionSignature[] {
  return results.flatMap(({ subject, judgements }) =>
    judgements.flatMap((judgement) => signatureOf(subject, judgement) ?? []),
  );
}

/** Returns the signature of a judgement; null if it is no difference. */
export function signatureOf(
  subject: string,
  { verdict }: Pick<ExecutionJudgement, "verdict">,
): ReductionSignature | null {
  if (verdict.kind !== "different") return null;
  const { aspect, difference } = verdict;
  const way = difference.path.flatMap(({ kind }) => (kind === "callee-exit" ? [] : [kind]));
  const endings = endingsOf(difference);
  return { kind: "difference", subject, aspect, way, inner: difference.aspect, endings };
}

function endingsOf({ mismatch }: Difference): string[] {
  if (mismatch.kind !== "ending") return [];
  const { expected, got } = mismatch;
  return [expected, ...kindsOf(got)];
}

const kindsOf = (ended: EndingSummary): string[] =>
  ended.kind === "fault" ? [ended.kind, ended.fault] : [ended.kind];

export const signatureOfError = ({ subject, what }: InternalError): ReductionSignature => ({
  kind: "internal-error",
  subject,
  what,
});

export function isSameSignature(x: ReductionSignature, y: ReductionSignature): boolean {
  if (x.kind === "internal-error") {
    return y.kind === "internal-error" && x.subject === y.subject && x.what === y.what;
  }
  return (
    y.kind === "difference" &&
    x.subject === y.subject &&
    x.aspect === y.aspect &&
    x.inner === y.inner &&
    isSameList(x.way, y.way) &&
    isSameList(x.endings, y.endings)
  );
}

const isSameList = (x: readonly string[], y: readonly string[]): boolean =>
  x.length === y.length && x.every((word, i) => word === y[i]);

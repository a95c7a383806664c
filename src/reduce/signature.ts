// What makes two findings the same while one is reduced: the subject that differs, the aspect, and the
// path. Numbers of the program (values, offsets, bits) are not part of it: they change with every step.

import type { Aspect } from "../compare/aspects.js";
import type { Difference, EndingSummary, PathStep } from "../compare/difference.js";
import type { Judgement, ProgramResult } from "../compare/judge-program.js";
import type { InternalError } from "../support/assert.js";

export type Signature =
  | {
      readonly kind: "difference";
      readonly subject: string;
      /** The comparison that saw it, from outside. */
      readonly aspect: Aspect;
      /**
       * The runs and continuations on the way. That a callee exited says nothing about the
       * bug, and which subject ran a continuation is drawn again for every smaller program.
       */
      readonly way: readonly Exclude<PathStep["kind"], "callee-exit">[];
      /** What was compared at the end of the way. */
      readonly inner: Aspect;
      /** Where endings differ: both kinds, and that of a fault. */
      readonly endings: readonly string[];
    }
  /** As InternalError has them. */
  | {
      readonly kind: "internal-error";
      readonly subject: string | null;
      readonly what: string;
    };

/** Of each difference in the result, in the order of subjects and inputs. */
export function signaturesIn({ results }: ProgramResult): Signature[] {
  return results.flatMap(({ subject, judgements }) =>
    judgements.flatMap((judgement) => signatureOf(subject, judgement) ?? []),
  );
}

/** Null if the judgement is no difference. */
export function signatureOf(
  subject: string,
  { verdict }: Pick<Judgement, "verdict">,
): Signature | null {
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

export const signatureOfError = ({ subject, what }: InternalError): Signature => ({
  kind: "internal-error",
  subject,
  what,
});

export function isSameSignature(x: Signature, y: Signature): boolean {
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

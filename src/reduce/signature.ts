// What makes two findings the same while one is reduced: who differs, in what, and in which way.
// Numbers of the program (values, offsets, bits) are not part of it: they change with every step.

import type { Aspect } from "../compare/compare.js";
import type { Judgement, ProgramResult } from "../compare/judge-program.js";
import type { Outcome } from "../ir/outcome.js";
import type { InternalError } from "../support/assert.js";

export type Signature =
  | {
      readonly kind: "difference";
      readonly subject: string;
      readonly aspect: Aspect;
      /** For endings: both kinds; for what lies further in: the aspects on the way. Else empty. */
      readonly shape: string;
    }
  | { readonly kind: "internal-error"; readonly message: string };

/** Of each difference in the result, in the order of subjects and inputs. */
export function signaturesIn({ expected, results }: ProgramResult): Signature[] {
  return results.flatMap(({ subject, judgements }) =>
    judgements.flatMap((judgement) => {
      const signature = signatureOf(subject, judgement, expected[judgement.input]);
      return signature === null ? [] : [signature];
    }),
  );
}

/** Null if the judgement is no difference. */
export function signatureOf(
  subject: string,
  { verdict, outcome }: Judgement,
  expected: Outcome,
): Signature | null {
  if (verdict.kind !== "different") return null;
  const { aspect, detail } = verdict;
  const shape =
    aspect === "ending" && outcome !== null
      ? `${expected.ending.kind} ${describe(outcome)}`
      : innerAspects(detail);
  return { kind: "difference", subject, aspect, shape };
}

function describe({ ending }: Outcome): string {
  return ending.kind === "fault" ? `fault ${ending.fault}` : ending.kind;
}

// `with other junk: result: ...`, `continuation 0: heap: ...`, `exit 0 in a callee: frame ...`: see
// compare.ts, which writes them. Whether it was a callee that exited tells nothing of the bug.
function innerAspects(detail: string): string {
  const INNER = /^(?:(?:(?:with other junk|continuation \d+): [a-z-]+|exit \d+ in a callee): )+/;
  const match = INNER.exec(detail);
  return (match?.[0] ?? "").replace(/exit \d+ in a callee: |\d+/g, "");
}

/**
 * The message up to its second part, as in `x64-O1: wrong allocation of f: ...`; numbers become N.
 */
export const signatureOfError = ({ message }: InternalError): Signature => ({
  kind: "internal-error",
  message: message.split(/[:;]/, 2).join(":").replace(/\d+/g, "N"),
});

export function isSameSignature(x: Signature, y: Signature): boolean {
  if (x.kind !== y.kind) return false;
  if (x.kind === "internal-error") return y.kind === "internal-error" && x.message === y.message;
  return (
    y.kind === "difference" &&
    x.subject === y.subject &&
    x.aspect === y.aspect &&
    x.shape === y.shape
  );
}

/** We are wrong: a broken invariant of Touchstone itself. Nobody catches it but the campaign. */
export class InternalError extends Error {
  override readonly name = "InternalError";
}

/**
 * Throws InternalError with the evidence unless `claim` holds. The message is built only when
 * needed.
 */
export function assert(claim: boolean, evidence: () => string): asserts claim {
  if (!claim) throw new InternalError(evidence());
}

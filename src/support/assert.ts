import { machineErrorOf } from "./machine-error.js";

/** A bug in Touchstone: a broken invariant. Only the campaign catches it. */
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

/**
 * What was thrown, as an InternalError: a compiler that reads past its arrays is as wrong as one whose
 * assertion fails, and is treated alike.
 * @throws MachineError if the machine lacked a resource
 */
export function internalErrorOf(error: unknown): InternalError {
  if (error instanceof InternalError) return error;
  const refusal = machineErrorOf(error);
  if (refusal !== null) throw refusal;
  return new InternalError(describeError(error), { cause: error });
}

/** A message; for other errors than InternalError also the place, as they have no better evidence. */
export function describeError(error: unknown): string {
  if (error instanceof InternalError) return error.message;
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  // Without the folder, which differs from machine to machine.
  const frame = /^\s*at (.*)$/m.exec(error.stack ?? "")?.[1] ?? "";
  const place = frame.replace(/\(?(file:)?\/.*\/(?=[^/]+$)/, "(");
  return `${error.name}: ${error.message}${place === "" ? "" : `, at ${place}`}`;
}

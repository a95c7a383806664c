// Mistakes of Touchstone itself: how they are raised, and what is said of them.

import { machineErrorOf } from "./machine-error.js";

/** A bug in Touchstone: a broken invariant. Only the campaign catches it. */
export class InternalError extends Error {
  override readonly name = "InternalError";
  /** The subject at work, whose name stands before the evidence in the message; null if none was. */
  readonly subject: string | null;
  /** The message without the subject. */
  readonly evidence: string;
  private readonly invariant: string | null;

  constructor(evidence: string, { subject = null, what = null, cause }: InternalErrorOptions = {}) {
    super(subject === null ? evidence : `${subject}: ${evidence}`, { cause });
    this.subject = subject;
    this.evidence = evidence;
    this.invariant = what;
  }

  /**
   * Which invariant is broken, with nothing of the program in it: two errors of one bug say the same.
   * Where it has no name it is told by the place that found it.
   */
  get what(): string {
    return this.invariant ?? placeOf(this.cause instanceof Error ? this.cause : this);
  }
}

interface InternalErrorOptions {
  readonly subject?: string | null;
  readonly what?: string | null;
  readonly cause?: unknown;
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
function internalErrorOf(error: unknown): InternalError {
  if (error instanceof InternalError) return error;
  const refusal = machineErrorOf(error);
  if (refusal !== null) throw refusal;
  return new InternalError(describeError(error), { cause: error });
}

/** What was thrown, as an InternalError that names the subject. */
export function blaming(subject: string, thrown: unknown): InternalError {
  const error = internalErrorOf(thrown);
  return new InternalError(error.evidence, { subject, what: error.what, cause: error });
}

/** A message; for other errors than InternalError also the place, as they have no better evidence. */
export function describeError(error: unknown): string {
  if (error instanceof InternalError) return error.message;
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  const place = placeOf(error);
  return `${error.name}: ${error.message}${place === "" ? "" : `, at ${place}`}`;
}

/** The function and line where it was thrown, or where what `assert` claims did not hold; "" if unknown. */
function placeOf({ stack = "" }: Error): string {
  const frames = [...stack.matchAll(/^\s*at (.*)$/gm)].map(([, frame]) => frame);
  const frame = frames.find((each) => !ASSERTS.test(each)) ?? "";
  // Without the folder, which differs from machine to machine.
  return frame.replace(/\(?(file:)?\/.*\/(?=[^/]+$)/, "(");
}

const ASSERTS = /^assert \(/;

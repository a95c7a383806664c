// Raises and describes errors of Touchstone itself.

import { machineErrorOf } from "./machine-error.js";

/** A bug in Touchstone: a broken invariant. Only the campaign catches it. */
export class InternalError extends Error {
  override readonly name = "InternalError";
  /** The subject that ran, whose name precedes the evidence in the message; null if none did. */
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
   * Returns the broken invariant, without parts of the program, so that two errors of one bug have the same. If it has
   * no name, the code location that found it identifies it.
   */
  get what(): string {
    return this.invariant ?? codeLocationOf(this.cause instanceof Error ? this.cause : this);
  }
}

interface InternalErrorOptions {
  readonly subject?: string | null;
  readonly what?: string | null;
  readonly cause?: unknown;
}

/** Throws InternalError with the evidence unless `claim` holds. The message is built only when needed. */
export function assert(claim: boolean, evidence: () => string): asserts claim {
  if (!claim) throw new InternalError(evidence());
}

/**
 * Returns a thrown value as an InternalError: a compiler that reads outside of its arrays is as faulty as one whose
 * assertion fails.
 * @throws MachineError if the machine lacked a resource
 */
function internalErrorOf(error: unknown): InternalError {
  if (error instanceof InternalError) return error;
  const refusal = machineErrorOf(error);
  if (refusal !== null) throw refusal;
  return new InternalError(describeError(error), { cause: error });
}

/** Returns a thrown value as an InternalError that names the subject. */
export function withSubject(subject: string, thrown: unknown): InternalError {
  const error = internalErrorOf(thrown);
  return new InternalError(error.evidence, { subject, what: error.what, cause: error });
}

/**
 * Returns a message; for errors other than InternalError also the code location, because they have no better evidence.
 */
export function describeError(error: unknown): string {
  if (error instanceof InternalError) return error.message;
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  const place = codeLocationOf(error);
  return `${error.name}: ${error.message}${place === "" ? "" : `, at ${place}`}`;
}

/** Returns the function and line that threw, or that called `assert`; "" if unknown. */
function codeLocationOf({ stack = "" }: Error): string {
  const frames = [...stack.matchAll(/^\s*at (.*)$/gm)].map(([, frame]) => frame);
  const frame = frames.find((each) => !ASSERTS.test(each)) ?? "";
  // Remove the folder from the location, because it differs between machines.
  return frame.replace(/\(?(file:)?\/.*\/(?=[^/]+$)/, "(");
}

const ASSERTS = /^assert \(/;

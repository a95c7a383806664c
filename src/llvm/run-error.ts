/** Undefined behavior: whatever follows is allowed. */
export class UndefinedBehavior extends Error {
  override readonly name = "UndefinedBehavior";
}

/** An execution that cannot be judged: it is too long, or depends on a choice that the language leaves open. */
export class UnjudgedExecution extends Error {
  override readonly name = "Unjudged";
}

/** A limit of the target that this procedure exceeds: a compile error, never a truncation. */
export class CompileError extends Error {
  override readonly name = "CompileError";
}

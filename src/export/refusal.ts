/** A program that a format cannot express. The message names the part. */
export class ExportRefusal extends Error {
  override readonly name = "ExportRefusal";
}

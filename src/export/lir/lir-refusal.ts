/** A program that the language of Nanojit cannot say, as it is exported. */
export class LirRefusal extends Error {
  override readonly name = "LirRefusal";
}

// Declares shapes of JSON that files, rows of the database and answers of commands share. Files and
// rows are read as hostile; a reader allows properties that a shape does not have.

import { z } from "zod";

export const TEXT = z.string();
export const TEXTS = z.array(TEXT);
export const COUNT = z.int().nonnegative();
/** Counts by name. */
export const COUNTS = z.record(TEXT, COUNT);
export const AMOUNT = z.number().nonnegative();
export const SEED = z
  .string()
  .regex(/^\d{1,20}$/)
  .describe("64 bits, decimal");
export const SEED_RANGE = z.tuple([SEED, SEED]).describe("the first and the last seed");

/** The type of a value of the shape, which nobody changes. */
export type ShapeOf<S extends z.ZodType> = ReadonlyValue<z.infer<S>>;
type ReadonlyValue<T> = T extends object ? { readonly [K in keyof T]: ReadonlyValue<T[K]> } : T;

export const hasShape = <S extends z.ZodType>(value: unknown, shape: S): value is z.infer<S> =>
  shape.safeParse(value).success;

/** Returns the first property that is not of the shape; null if all are. */
export function wrongProperty(value: unknown, shape: z.ZodObject): string | null {
  const { error } = shape.safeParse(value);
  return error === undefined ? null : String(error.issues[0].path[0]);
}

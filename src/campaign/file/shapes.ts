// Combinators of checks for values that were read from JSON.

export type Shape = (value: unknown) => boolean;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isAmount: Shape = (value) => typeof value === "number" && value >= 0;
export const isCount: Shape = (value) => Number.isSafeInteger(value) && isAmount(value);
export const isText: Shape = (value) => typeof value === "string";
export const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape);
export const recordOf =
  (shape: Shape): Shape =>
  (value) =>
    isRecord(value) && Object.values(value).every(shape);
export const objectOf =
  (shapes: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    isRecord(value) && Object.keys(shapes).every((key) => shapes[key](value[key]));
export const countsOf = (...keys: readonly string[]): Shape =>
  objectOf(Object.fromEntries(keys.map((key) => [key, isCount])));

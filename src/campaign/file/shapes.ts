// Combinators of checks for values that were read from JSON.

export type JsonCheck = (value: unknown) => boolean;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isAmount: JsonCheck = (value) => typeof value === "number" && value >= 0;
export const isCount: JsonCheck = (value) => Number.isSafeInteger(value) && isAmount(value);
export const isText: JsonCheck = (value) => typeof value === "string";
export const listOf =
  (shape: JsonCheck): JsonCheck =>
  (value) =>
    Array.isArray(value) && value.every(shape);
export const recordOf =
  (shape: JsonCheck): JsonCheck =>
  (value) =>
    isRecord(value) && Object.values(value).every(shape);
export const objectOf =
  (shapes: Readonly<Record<string, JsonCheck>>): JsonCheck =>
  (value) =>
    isRecord(value) && Object.keys(shapes).every((key) => shapes[key](value[key]));
export const countsOf = (...keys: readonly string[]): JsonCheck =>
  objectOf(Object.fromEntries(keys.map((key) => [key, isCount])));

// Reads JSON objects of a schema, as untrusted input.

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the object, or a string with the error. */
export function parseVersioned(
  text: string,
  schema: string,
  version: number,
): Record<string, unknown> | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "expected JSON";
  }
  if (!isRecord(value) || value["schema"] !== schema)
    return `expected an object with "schema": "${schema}"`;
  return value["version"] === version ? value : `expected "version": ${version}`;
}

// Replaces `node:util` in the page: compares outcomes, which are trees of plain objects, arrays and
// typed arrays.

/** Returns whether two trees have the same parts; -0 and 0 differ. */
export function isDeepStrictEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isTree(one) || !isTree(other)) return false;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isDeepStrictEqual(one[key], other[key]));
}

const isTree = (part: unknown): part is Readonly<Record<string, unknown>> =>
  typeof part === "object" && part !== null;

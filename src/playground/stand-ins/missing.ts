// Replaces the search for native parts in the page, which has none.

const MISSING = "a browser has no native code";

export const unicornMissing = (): string | null => MISSING;
export const hostMissing = (): string | null => MISSING;

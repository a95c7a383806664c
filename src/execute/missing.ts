import { loadUnicorn, MissingLibrary } from "./unicorn.js";

/** One line that says what mends it, where libunicorn does not load; null where it does. */
export function unicornMissing(): string | null {
  try {
    loadUnicorn();
    return null;
  } catch (error) {
    if (error instanceof MissingLibrary) return error.message;
    throw error;
  }
}

// Subjects: ways to compile and run a program, judged against the oracle. One row each; another
// kind of subject is one more file with an `open` of its own, and its rows here.

import { openEmulated, openNative } from "./compiled-subject.js";
import { openInterpreted } from "./interpreted-subject.js";
import { hostMissing, unicornMissing } from "./missing.js";
import type { Subject } from "./subject.js";

const nothing = (): null => null;

// biome-ignore format: a table
export const SUBJECTS: readonly Subject[] = [
  { name: "ir-O1",          level: "O1", chaos: false, target: null,    native: false, missing: nothing,        open: openInterpreted },
  { name: "ir-O2",          level: "O2", chaos: false, target: null,    native: false, missing: nothing,        open: openInterpreted },
  { name: "x64-O0",         level: "O0", chaos: false, target: "x64",   native: false, missing: unicornMissing, open: openEmulated },
  { name: "x64-O1",         level: "O1", chaos: false, target: "x64",   native: false, missing: unicornMissing, open: openEmulated },
  { name: "x64-O2",         level: "O2", chaos: false, target: "x64",   native: false, missing: unicornMissing, open: openEmulated },
  { name: "arm64-O0",       level: "O0", chaos: false, target: "arm64", native: false, missing: unicornMissing, open: openEmulated },
  { name: "arm64-O1",       level: "O1", chaos: false, target: "arm64", native: false, missing: unicornMissing, open: openEmulated },
  { name: "arm64-O2",       level: "O2", chaos: false, target: "arm64", native: false, missing: unicornMissing, open: openEmulated },
  { name: "host-O0",        level: "O0", chaos: false, target: "x64",   native: true,  missing: hostMissing,    open: openNative },
  { name: "host-O1",        level: "O1", chaos: false, target: "x64",   native: true,  missing: hostMissing,    open: openNative },
  { name: "host-O2",        level: "O2", chaos: false, target: "x64",   native: true,  missing: hostMissing,    open: openNative },
  { name: "ir-O2-chaos",    level: "O2", chaos: true,  target: null,    native: false, missing: nothing,        open: openInterpreted },
  { name: "x64-O2-chaos",   level: "O2", chaos: true,  target: "x64",   native: false, missing: unicornMissing, open: openEmulated },
  { name: "arm64-O2-chaos", level: "O2", chaos: true,  target: "arm64", native: false, missing: unicornMissing, open: openEmulated },
];

export const subjectNamed = (name: string): Subject | null =>
  SUBJECTS.find((subject) => subject.name === name) ?? null;

/** Values that one execution may take, unless a user says otherwise. */
export const DEFAULT_FUEL = 10_000_000;

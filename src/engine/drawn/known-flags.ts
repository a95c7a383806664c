// Checks which flags of a row the installed compiler has. Flags differ between versions, and most
// compilers refuse to start with an unknown one. A compiler is queried when its flags are drawn for
// the first time.

import { FACT_KINDS } from "../../export/facts.js";
import { FORM_NAMES } from "../../export/forms.js";
import { askProgram } from "../../support/ask-program.js";
import { userEnvironment } from "../../support/user-environment.js";
import { type EngineWithFlags, LEVELS } from "./flag-table.js";
import type { FlagListing } from "./listings.js";
import { canRun } from "./processors.js";

type FlagDescriptions = ReadonlyMap<string, string>;

/** The descriptions by engine; null for a compiler that gave no answer. */
const cachedDescriptions = new WeakMap<EngineWithFlags, FlagDescriptions | null>();

/** Flags that every version has, and those that are no flags of the compiler. */
const NOT_QUERIED: ReadonlySet<string> = new Set([...LEVELS, ...FACT_KINDS, ...FORM_NAMES]);
/** Values that are not in the list of a flag's values. */
const UNLISTED_VALUE = /^(?:#?-?\d+|true|false)$/;

/**
 * @param flag as in the table, or drawn: `no-turbo-jt`, `regalloc=pbqp`; a compiler without an
 * answer has all
 */
export function hasFlag(row: EngineWithFlags, flag: string): boolean {
  if (NOT_QUERIED.has(flag)) return true;
  const isRunnable = canRun(flag);
  if (isRunnable !== null) return isRunnable;
  if (row.listing === undefined) return false;
  let listed = cachedDescriptions.get(row);
  if (listed === undefined) {
    listed = queryFlags(row, row.listing);
    cachedDescriptions.set(row, listed);
  }
  return listed === null || isListed(listed, row.listing, flag);
}

function queryFlags(row: EngineWithFlags, listing: FlagListing): FlagDescriptions | null {
  const flags = row.flags.flat().filter((flag) => !NOT_QUERIED.has(flag));
  const { words, entry } = listing;
  const [program, ...first] = row.command;
  const { stdout, stderr } = askProgram(program, [...first, ...words(flags)], {
    env: { ...userEnvironment(), LC_ALL: "C" },
  });
  // Some compilers list their flags and then fail, because they compile nothing.
  const listed = entriesOf(stdout + stderr, entry);
  // An answer without any of the flags has an unexpected form.
  return flags.some((flag) => isListed(listed, listing, flag)) ? listed : null;
}

function entriesOf(text: string, entry: RegExp): FlagDescriptions {
  const begins = [...text.matchAll(entry)];
  const listed = new Map<string, string>();
  for (const [b, { 1: name, index }] of begins.entries()) {
    const description = text.slice(index, begins[b + 1]?.index);
    listed.set(name, (listed.get(name) ?? "") + description);
  }
  return listed;
}

const isListed = (listed: FlagDescriptions, { namesOf }: FlagListing, flag: string): boolean =>
  namesOf(flag).every((full) => {
    const [name, value] = full.split("=");
    const description = listed.get(name);
    if (description === undefined || value === undefined || UNLISTED_VALUE.test(value)) {
      return description !== undefined;
    }
    return description.split(/[^\w-]+/).includes(value);
  });

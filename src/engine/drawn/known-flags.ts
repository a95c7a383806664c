// Which flags of a row the compiler that is here has: they come and go with its versions, and most refuse to start with
// one that they do not know. A compiler is asked when its flags are drawn for the first time.

import { FACT_KINDS } from "../../export/facts.js";
import { askProgram } from "../../support/ask-program.js";
import { userEnvironment } from "../../support/user-environment.js";
import { compilerProgram } from "../compiler-rows.js";
import { pathOf } from "../path-of.js";
import { wasmProgram } from "../wasm-rows.js";
import { type DrawnRow, LEVELS } from "./flag-table.js";

/** By name of a flag: what is said of it. */
type Listed = ReadonlyMap<string, string>;

/** Null of a compiler that has given no answer. */
const listedOf = new WeakMap<DrawnRow, Listed | null>();

/** What every version has, or is no flag of the compiler. */
const NOT_ASKED: ReadonlySet<string> = new Set([...LEVELS, ...FACT_KINDS]);
/** What is not listed among the values that a flag takes. */
const UNLISTED_VALUE = /^(?:#?-?\d+|true|false)$/;

/** @param flag as in the table, or drawn: `no-turbo-jt`, `regalloc=pbqp`; a compiler without an answer has all */
export function hasFlag(row: DrawnRow, flag: string): boolean {
  if (NOT_ASKED.has(flag)) return true;
  let listed = listedOf.get(row);
  if (listed === undefined) {
    listed = ask(row);
    listedOf.set(row, listed);
  }
  return listed === null || isListed(listed, row, flag);
}

function ask(row: DrawnRow): Listed | null {
  const flags = row.flags.flat().filter((flag) => !NOT_ASKED.has(flag));
  const { words, entry } = row.listing;
  const program = wasmProgram(row.base) ?? compilerProgram(row.base) ?? row.base;
  const { status, stdout, stderr } = askProgram(pathOf(program) ?? program, words(flags), {
    env: { ...userEnvironment(), LC_ALL: "C" },
  });
  if (status !== 0) return null;
  const listed = entriesOf(stdout + stderr, entry);
  // An answer that knows none of them is another text than the one that was expected.
  return flags.some((flag) => isListed(listed, row, flag)) ? listed : null;
}

function entriesOf(text: string, entry: RegExp): Listed {
  const begins = [...text.matchAll(entry)];
  const listed = new Map<string, string>();
  for (const [b, { 1: name, index }] of begins.entries()) {
    const said = text.slice(index, begins[b + 1]?.index);
    listed.set(name, (listed.get(name) ?? "") + said);
  }
  return listed;
}

const isListed = (listed: Listed, { listing }: DrawnRow, flag: string): boolean =>
  listing.namesOf(flag).every((full) => {
    const [name, value] = full.split("=");
    const said = listed.get(name);
    if (said === undefined || value === undefined || UNLISTED_VALUE.test(value)) {
      return said !== undefined;
    }
    return said.split(/[^\w-]+/).includes(value);
  });

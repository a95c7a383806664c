// Implements `fuzz list [what]`: the names that options accept and reports mention, each with a
// description. Shell completion reads the same table.

import { LEVELS } from "../reference/levels.js";
import { showTerm } from "../reference/optimize/rules/patterns.js";
import { RULES } from "../reference/optimize/rules/rules.js";
import { PHASES } from "../reference/pipeline.js";
import { ALLOCATOR_NAMES } from "../reference/regalloc/allocator-names.js";
import { TARGET_NAMES } from "../reference/target/target.js";
import { CANARIES } from "../src/campaign/canary/canaries.js";
import { PROFILE_NAMES } from "../src/campaign/program/seeds.js";
import { ENGINES } from "../src/engine/engines.js";
import { ALL_SUBJECTS } from "../src/execute/subjects.js";
import { FORM_DESCRIPTIONS } from "../src/export/forms.js";
import { OPCODES } from "../src/ir/opcodes.js";
import { didYouMean } from "../src/support/nearest.js";
import { ANSWERS, type AnswerName, SCHEMA_FOLDER, schemaFileOf } from "./answers/answers.js";
import { printAnswer } from "./answers/print-answer.js";
import { printLine, printTable, STATUS, usageError } from "./support/output.js";

interface ListEntry {
  readonly name: string;
  /** Empty if the name is self-explanatory. */
  readonly says: string;
}

const plain = (names: readonly string[]): readonly ListEntry[] =>
  names.map((name) => ({ name, says: "" }));

/** A list of names, and the options that accept them. */
interface NameList {
  readonly what: string;
  readonly says: string;
  /** The options that accept these names. */
  readonly options: readonly string[];
  readonly rows: () => readonly ListEntry[];
}

const LISTS: readonly NameList[] = [
  {
    what: "subjects",
    says: "subjects of the reference compiler, and why this machine cannot run some",
    options: ["--subjects"],
    rows: () => ALL_SUBJECTS.map(({ name, missing }) => ({ name, says: missing() ?? "" })),
  },
  {
    what: "engines",
    says: "external engines, and why this machine cannot run some",
    options: ["--subjects"],
    rows: () => ENGINES.map(({ name, missing }) => ({ name, says: missing() ?? "" })),
  },
  {
    what: "profiles",
    says: "how seeds are read",
    options: ["--profile"],
    rows: () => plain(PROFILE_NAMES),
  },
  {
    what: "canaries",
    says: "bugs to plant, one for each comparison",
    options: ["--canary"],
    rows: () => CANARIES.map(({ name, stage, says }) => ({ name, says: `${stage}: ${says}` })),
  },
  {
    what: "phases",
    says: "phases of the optimizer, in table order; --disable disables one",
    options: ["--disable", "--phases", "--dump"],
    rows: () => plain(PHASES.map(({ name }) => name)),
  },
  {
    what: "rules",
    says: "rules of reduce-strength; --disable disables one",
    options: ["--disable", "--rules"],
    rows: () => RULES.map(({ name, match }) => ({ name, says: showTerm(match, 0) })),
  },
  {
    what: "opcodes",
    says: "opcodes of the language; see docs/language.md",
    options: [],
    rows: () => Object.entries(OPCODES).map(([name, { says }]) => ({ name, says })),
  },
  {
    what: "allocators",
    says: "register allocators",
    options: ["--allocator"],
    rows: () => plain(ALLOCATOR_NAMES),
  },
  {
    what: "schemas",
    says: "schemas of the --json output, by command; docs/schemas/README.md describes the statuses",
    options: [],
    rows: () =>
      // The cast: the entries of a table by name.
      (Object.keys(ANSWERS) as AnswerName[]).map((name) => ({
        name,
        says: `fuzz ${ANSWERS[name].command}: ${SCHEMA_FOLDER}/${schemaFileOf(name)}`,
      })),
  },
  { what: "levels", says: "optimization levels", options: ["--level"], rows: () => plain(LEVELS) },
  {
    what: "forms",
    says: "forms of exported programs, and the formats that have them",
    options: ["--form"],
    rows: () =>
      FORM_DESCRIPTIONS.map(([name, { says, formats }]) => {
        return { name, says: `${says} (${formats.join(", ")})` };
      }),
  },
  {
    what: "targets",
    says: "instruction sets",
    options: ["--target"],
    rows: () => plain(TARGET_NAMES),
  },
];

interface ListArgs {
  readonly what?: string | undefined;
  readonly json: boolean;
}

export async function run({ what, json }: ListArgs): Promise<number> {
  const lists = what === undefined ? LISTS : LISTS.filter((list) => list.what === what);
  if (lists.length === 0) {
    const known = LISTS.map((list) => list.what);
    const guess = didYouMean(what ?? "", known);
    throw usageError(`list ${what}: expected one of ${known.join(", ")}${guess}`);
  }
  if (json) {
    const named = lists.map((list) => [list.what, list.rows()]);
    printAnswer("touchstone.list", { lists: Object.fromEntries(named) });
  } else if (what === undefined) {
    printTable(
      lists.map(({ what, says, rows }) => [
        `${what.padEnd(12)}${`${rows().length}`.padStart(4)}  ${says}`,
      ]),
    );
    printLine("fuzz list NAME prints one list, fuzz list --json all of them");
  } else {
    const rows = lists[0].rows();
    const width = Math.max(...rows.map(({ name }) => name.length));
    for (const { name, says } of rows) printLine(`${name.padEnd(width)}  ${says}`.trimEnd());
  }
  return STATUS.nothingFound;
}

/**
 * Returns the names that may follow an option, or the word `list`, for shell completion; null if no
 * names may follow.
 */
export function namesFor(before: string): readonly string[] | null {
  if (before === "list") return LISTS.map(({ what }) => what);
  const lists = LISTS.filter(({ options }) => options.includes(before));
  return lists.length === 0 ? null : lists.flatMap(({ rows }) => rows().map(({ name }) => name));
}

// `fuzz list [what]`: the names that options take and reports mention, each with what it is. The completion of
// the shell reads the same table.

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
import { OPCODES } from "../src/ir/opcodes.js";
import { didYouMean } from "../src/support/nearest.js";
import { ANSWERS, type AnswerName, SCHEMA_FOLDER, schemaFileOf } from "./answers/answers.js";
import { printAnswer } from "./answers/print-answer.js";
import { printLine, printTable, STATUS, usageError } from "./support/output.js";

interface Listed {
  readonly name: string;
  /** Empty where the name says it all. */
  readonly says: string;
}

const plain = (names: readonly string[]): readonly Listed[] =>
  names.map((name) => ({ name, says: "" }));

/** Where names are taken: the option, and what the list is called. */
interface List {
  readonly what: string;
  readonly says: string;
  /** The options whose values they are. */
  readonly options: readonly string[];
  readonly rows: () => readonly Listed[];
}

const LISTS: readonly List[] = [
  {
    what: "subjects",
    says: "ways to compile and run a program by the reference compiler; what this machine lacks for them",
    options: ["--subjects"],
    rows: () => ALL_SUBJECTS.map(({ name, missing }) => ({ name, says: missing() ?? "" })),
  },
  {
    what: "engines",
    says: "compilers of others; what this machine lacks for them",
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
    says: "of the optimizer, in the order of the table; --disable switches one off",
    options: ["--disable", "--phases", "--dump"],
    rows: () => plain(PHASES.map(({ name }) => name)),
  },
  {
    what: "rules",
    says: "of reduce-strength; --disable switches one off",
    options: ["--disable", "--rules"],
    rows: () => RULES.map(({ name, match }) => ({ name, says: showTerm(match, 0) })),
  },
  {
    what: "opcodes",
    says: "of the language; docs/language.md says more",
    options: [],
    rows: () => Object.entries(OPCODES).map(([name, { says }]) => ({ name, says })),
  },
  {
    what: "allocators",
    says: "of registers",
    options: ["--allocator"],
    rows: () => plain(ALLOCATOR_NAMES),
  },
  {
    what: "schemas",
    says: "of what --json prints, by command; docs/schemas/README.md says what a status means",
    options: [],
    rows: () =>
      // The entries of a table by name.
      (Object.keys(ANSWERS) as AnswerName[]).map((name) => ({
        name,
        says: `fuzz ${ANSWERS[name].of}: ${SCHEMA_FOLDER}/${schemaFileOf(name)}`,
      })),
  },
  { what: "levels", says: "of optimization", options: ["--level"], rows: () => plain(LEVELS) },
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
    printLine("fuzz list NAME prints one of them, fuzz list --json all");
  } else {
    const rows = lists[0].rows();
    const width = Math.max(...rows.map(({ name }) => name.length));
    for (const { name, says } of rows) printLine(`${name.padEnd(width)}  ${says}`.trimEnd());
  }
  return STATUS.nothingFound;
}

/**
 * What may follow an option, or the word `list`, for the completion of a shell; null where no names follow.
 */
export function namesFor(before: string): readonly string[] | null {
  if (before === "list") return LISTS.map(({ what }) => what);
  const lists = LISTS.filter(({ options }) => options.includes(before));
  return lists.length === 0 ? null : lists.flatMap(({ rows }) => rows().map(({ name }) => name));
}

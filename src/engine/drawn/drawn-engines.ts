// Lists engines whose flags a seed draws, and finds engines by a name that has flags, facts or a
// form: `gcc-O2+fweb+nsw+signed`. Without a seed, a drawn row has no flags. Each row exists for
// each version of its compiler.

import { FACT_KINDS } from "../../export/facts.js";
import { conflictIn, formsOf, isFormName, PLAIN } from "../../export/forms.js";
import type { EngineSubject } from "../engine-subject.js";
import { flagsOfSeed, namesOf, nameWith, patternOf } from "./draw-flags.js";
import { DRAWN_ROWS, type EngineWithFlags } from "./flag-table.js";

/** Returns the rows of the table for the engines of each version. */
export const drawnRowsOf = (engines: readonly EngineSubject[]): EngineWithFlags[] =>
  DRAWN_ROWS.flatMap((row) =>
    engines.flatMap((engine) => {
      const [base, version] = engine.name.split("@");
      if (base !== row.base || engine.alterable === undefined) return [];
      const { command, lacks = [] } = engine.alterable;
      if (command.length === 0 && !row.flags.flat().every(isFormName)) return [];
      const isLacking = (flag: string): boolean => lacks.some((name) => name === flag);
      const flags = row.flags
        .map((alternatives) => alternatives.filter((flag) => !isLacking(flag)))
        .filter(({ length }) => length > 0);
      const name = version === undefined ? row.name : `${row.name}@${version}`;
      return { ...row, flags, name, base: engine.name, engine, command };
    }),
  );

/** @param forms the form in place of a drawn one; null: it is drawn */
export const drawnEngine = (
  row: EngineWithFlags,
  forms: readonly string[] | null = null,
): EngineSubject => ({
  ...engineWith(row, forms ?? []),
  name: forms === null ? row.name : nameWith(row.name, forms.length === 0 ? [PLAIN] : forms),
  drawn: (seed) => {
    const { flags } = flagsOfSeed(row, seed);
    if (forms === null) return engineWith(row, flags);
    return engineWith(row, [...forms, ...flags.filter((flag) => !isFormName(flag))]);
  },
});

/**
 * Returns the engine of a name with flags; null if the engine lacks one of them.
 * @param engines without flags
 * @param rows drawn rows of these
 */
export function flaggedEngine(
  name: string,
  engines: readonly EngineSubject[],
  rows: readonly EngineWithFlags[],
): EngineSubject | null {
  const [base, flags] = namesOf(name);
  const forms = flags.filter(isFormName);
  if (flags.length === 0 || conflictIn(forms) !== null) return null;
  const drawn = rows.find((one) => one.name === base);
  const row = drawn ?? rowWithAll(base, engines);
  if (row === null) return null;
  const { format = null, lacks = [] } = row.engine.alterable ?? {};
  const known = formsOf(format)
    .flat()
    .filter((form) => !lacks.includes(form));
  const isForm = (flag: string): boolean => known.some((one) => one === flag);
  const isPlain = flags.length === 1 && flags[0] === PLAIN && known.length > 0;
  if (drawn !== undefined) {
    return isPlain || flags.every(isForm) ? drawnEngine(drawn, isPlain ? [] : flags) : null;
  }
  if (isPlain) return row.engine;
  const patterns = row.flags
    .flat()
    .filter((flag) => !isFormName(flag))
    .map(patternOf);
  const isKnown = (flag: string): boolean =>
    isForm(flag) || patterns.some((pattern) => pattern.test(flag));
  return flags.every(isKnown) ? engineWith(row, flags) : null;
}

/** Returns the row with all flags of the compiler of an engine; null if there is none. */
function rowWithAll(name: string, engines: readonly EngineSubject[]): EngineWithFlags | null {
  const engine = engines.find((one) => one.name === name);
  if (engine?.alterable === undefined) return null;
  const { command, format } = engine.alterable;
  const [base] = name.split("@");
  const kind = (row: string): string => row.split("-")[0];
  const flagged = DRAWN_ROWS.filter(({ listing }) => listing !== undefined);
  const same = flagged.filter((row) => row.base === base);
  const alike = same.length > 0 ? same : flagged.filter((row) => kind(row.base) === kind(base));
  const facts = format === "c" || format === "llvm" ? FACT_KINDS.map((fact) => [fact]) : [];
  if (alike.length === 0 && format === null) return null;
  const [first = DRAWN_ROWS[0]] = alike; // for an engine with forms, but no flags
  const flags = [...alike.flatMap((row) => row.flags), ...facts];
  return { ...first, name, base: name, flags, engine, command };
}

function engineWith(row: EngineWithFlags, flags: readonly string[]): EngineSubject {
  const { alterable } = row.engine;
  if (alterable === undefined || flags.length === 0) return row.engine;
  const kinds = new Set(FACT_KINDS.filter((kind) => flags.includes(kind)));
  const isFact = (flag: string): boolean => FACT_KINDS.some((kind) => kind === flag);
  const isWord = (flag: string): boolean => !isFact(flag) && !isFormName(flag);
  const engine = alterable.with({
    name: nameWith(row.base, flags),
    words: flags.filter(isWord).flatMap(row.wordsOf),
    kinds,
    form: new Set(flags.filter(isFormName)),
  });
  const without = flags.map((_, f) => () => engineWith(row, flags.toSpliced(f, 1)));
  return { ...engine, row: row.base, withoutFlag: without };
}

// Lists engines whose flags a seed draws, and finds engines by a name that has flags. Without a
// seed, a drawn row has no flags.

import { FACT_KINDS } from "../../export/facts.js";
import { assert } from "../../support/assert.js";
import { compilerWith } from "../compiler-rows.js";
import type { EngineSubject } from "../engine-subject.js";
import { wasmEngineWith } from "../wasm-rows.js";
import { type FlaggedRow, flaggedNamed, flagsOfSeed, nameWith } from "./draw-flags.js";
import { DRAWN_ROWS, type DrawnRow } from "./flag-table.js";

export const DRAWN_ENGINES: readonly EngineSubject[] = DRAWN_ROWS.map((row) => ({
  ...engineWith({ row, flags: [] }),
  name: row.name,
  drawn: (seed) => engineWith(flagsOfSeed(row, seed)),
}));

/** Returns the engine of a name such as `jsc-omg+airRandomizeRegs=1`; null for other names. */
export function flaggedEngine(name: string): EngineSubject | null {
  const flagged = flaggedNamed(name);
  return flagged === null ? null : engineWith(flagged);
}

function engineWith(flagged: FlaggedRow): EngineSubject {
  const { row, flags } = flagged;
  const kinds = new Set(FACT_KINDS.filter((kind) => flags.includes(kind)));
  const isFact = (flag: string): boolean => FACT_KINDS.some((kind) => kind === flag);
  const words = flags.filter((flag) => !isFact(flag)).flatMap(row.wordsOf);
  const name = nameWith(flagged);
  const engine =
    wasmEngineWith(row.base, name, words) ?? compilerWith(row.base, name, words, kinds);
  assert(engine !== null, () => `${row.name}: there is no row ${row.base}`);
  return { ...engine, row: row.base, withoutFlag: flags.map((_, f) => () => fewer(row, flags, f)) };
}

const fewer = (row: DrawnRow, flags: readonly string[], f: number): EngineSubject =>
  engineWith({ row, flags: flags.toSpliced(f, 1) });

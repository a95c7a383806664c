// Lists known bugs of LuaJIT, each with its cure: a rewritten program without the trigger, or an
// option. A memory word that is 0 hides a number, because a trace does not assume the contents of
// memory.

import { type BatchCompiler, batchSubject } from "../batch-subject.js";
import type { KnownBugCures } from "../engine-subject.js";

interface LuajitCure {
  /** Rewrites a program's text. */
  readonly rewrite?: (text: string) => string;
  /** True if the helpers that all programs call are rewritten too. */
  readonly helpers?: boolean;
  readonly options?: readonly string[];
}

// Present in each file, with and without a cure, because the choice of traces may depend on any
// line.
const DEFINITIONS = `local ZERO = new("struct { int64_t w; int32_t n; }")
local function ceiling(x) return -floor(-x) end
local function truncating(x) if x < 0 then return -floor(-x) end return floor(x) end
`;

const CURES: Readonly<Record<string, LuajitCure>> = {
  // No shift has a constant count; shifts may be nested.
  "luajit-shift-folds": { rewrite: (text) => hideCounts(hideCounts(text)), helpers: true },
  // The program does not call math.ceil.
  "luajit-ceil-zero": {
    rewrite: (text) => text.replace(/\bceil\(/g, "ceiling(").replace(/\btrunc\(/g, "truncating("),
  },
  // Quotients and remainders of unsigned numbers do not share operands with signed ones.
  "luajit-cse-types": {
    rewrite: (text) => text.replace(UNSIGNED, "u64(bxor($1, ZERO.w)) $2 u64(bxor($3, ZERO.w))"),
    helpers: true,
  },
  "luajit-narrowing": { options: ["-O-narrow"] },
};

/** Matches a quotient or a remainder; its operands are names or constants. */
const UNSIGNED = /u64\(((?:[^\s()]|\([^()]*\))+)\) ([/%]) u64\(((?:[^\s()]|\([^()]*\))+)\)/g;

const hideCounts = (text: string): string =>
  text.replace(
    /\b(lshift|rshift|arshift|rol|ror)\(((?:[^(),]|\([^()]*\))+), (\d+)\)/g,
    "$1($2, $3 + ZERO.n)",
  );

/**
 * The choice of traces depends on addresses, and on numbers that each process draws. So it differs
 * between runs.
 */
const TRIES = 5;
const FILLER = "do local function filler(x) return x end end\n";

/** @param runner LuaJIT with its options */
export const luajitCures = (compiler: BatchCompiler, runner: readonly string[]): KnownBugCures => ({
  bugs: Object.keys(CURES),
  tries: TRIES,
  without: (bugs, at, run) => {
    const cures = [...bugs].flatMap((bug) => CURES[bug] ?? []);
    return batchSubject({
      ...compiler,
      sources: (programs) => {
        const { "program.lua": text } = compiler.sources(programs);
        const made = rewritten(String(text), at, cures);
        const definitions = DEFINITIONS + FILLER.repeat(run);
        return { "program.lua": made.replace("local NAN =", `${definitions}$&`) };
      },
      runner: [...runner, ...cures.flatMap(({ options = [] }) => options)],
    });
  },
});

/**
 * Rewrites the program at that position, and the helpers. Other programs and their traces stay as
 * they are.
 */
function rewritten(text: string, at: number, cures: readonly LuajitCure[]): string {
  const by = (some: readonly LuajitCure[], part: string): string =>
    some.reduce((made, { rewrite }) => rewrite?.(made) ?? made, part);
  const helpers = cures.filter((cure) => cure.helpers === true);
  const next = text.indexOf(`F.p${at + 1}_heap = `);
  const end = next === -1 ? text.indexOf(PROGRAMS) : next;
  const [first, own] = [text.indexOf("F.p0_heap = "), text.indexOf(`F.p${at}_heap = `)];
  return (
    by(helpers, text.slice(0, first)) +
    text.slice(first, own) +
    by(cures, text.slice(own, end)) +
    text.slice(end)
  );
}
/** The text after the last program. */
const PROGRAMS = "local programs = {";

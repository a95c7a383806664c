// Known bugs of LuaJIT, each with what keeps it away: the same program written so that the compiler does not see what it
// errs in, or an option. A word of memory that is 0 hides a number from it: no trace knows what memory holds.

import { type BatchCompiler, batchSubject } from "../batch-subject.js";
import type { Cures } from "../engine-subject.js";

interface Cure {
  /** Of a program's text. */
  readonly rewrite?: (text: string) => string;
  /** Whether the helpers that all programs call are written so, too. */
  readonly helpers?: boolean;
  readonly options?: readonly string[];
}

// In each file, whether a bug is kept away or not: which traces there are may depend on any line.
const DEFINITIONS = `local ZERO = new("struct { int64_t w; int32_t n; }")
local function ceiling(x) return -floor(-x) end
local function truncating(x) if x < 0 then return -floor(-x) end return floor(x) end
`;

const CURES: Readonly<Record<string, Cure>> = {
  // No shift has a constant count; one may stand within another.
  "luajit-shift-folds": { rewrite: (text) => hideCounts(hideCounts(text)), helpers: true },
  // math.ceil is not called.
  "luajit-ceil-zero": {
    rewrite: (text) => text.replace(/\bceil\(/g, "ceiling(").replace(/\btrunc\(/g, "truncating("),
  },
  // Quotients and remainders of unsigned numbers have operands that no signed ones have.
  "luajit-cse-types": {
    rewrite: (text) => text.replace(UNSIGNED, "u64(bxor($1, ZERO.w)) $2 u64(bxor($3, ZERO.w))"),
    helpers: true,
  },
  "luajit-narrowing": { options: ["-O-narrow"] },
};

/** A quotient or a remainder; its operands are names or constants. */
const UNSIGNED = /u64\(((?:[^\s()]|\([^()]*\))+)\) ([/%]) u64\(((?:[^\s()]|\([^()]*\))+)\)/g;

const hideCounts = (text: string): string =>
  text.replace(
    /\b(lshift|rshift|arshift|rol|ror)\(((?:[^(),]|\([^()]*\))+), (\d+)\)/g,
    "$1($2, $3 + ZERO.n)",
  );

/** Which loops become traces depends on addresses, and on numbers that each process draws: so each run has its own. */
const TRIES = 5;
const FILLER = "do local function filler(x) return x end end\n";

/** @param runner LuaJIT with its options */
export const luajitCures = (compiler: BatchCompiler, runner: readonly string[]): Cures => ({
  bugs: Object.keys(CURES),
  tries: TRIES,
  without: (bugs, at, run) => {
    const cures = [...bugs].flatMap((bug) => CURES[bug] ?? []);
    return batchSubject({
      ...compiler,
      sources: (programs) => {
        const { "program.lua": text } = compiler.sources(programs);
        const made = rewritten(text, at, cures);
        const definitions = DEFINITIONS + FILLER.repeat(run);
        return { "program.lua": made.replace("local NAN =", `${definitions}$&`) };
      },
      runner: [...runner, ...cures.flatMap(({ options = [] }) => options)],
    });
  },
});

/** The program at that position, and helpers; other programs stay as they are, so that their traces do. */
function rewritten(text: string, at: number, cures: readonly Cure[]): string {
  const by = (some: readonly Cure[], part: string): string =>
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
/** Behind the last program. */
const PROGRAMS = "local programs = {";

// Known bugs of LuaJIT, each with what keeps it away: the same program written so that the compiler does not see what it
// errs in, or an option. A word of memory that is 0 hides a number from it: no trace knows what memory holds.

import { type BatchCompiler, batchSubject } from "../batch-subject.js";
import type { Cures } from "../engine-subject.js";

interface Cure {
  readonly rewrite?: (text: string) => string;
  readonly options?: readonly string[];
}

const ZERO = 'local ZERO = new("struct { int64_t w; int32_t n; }")\n';

const CURES: Readonly<Record<string, Cure>> = {
  // No shift has a constant count; one may stand within another.
  "luajit-shift-folds": { rewrite: (text) => hideCounts(hideCounts(text)) },
  // math.ceil is not called.
  "luajit-ceil-zero": {
    rewrite: (text) =>
      text.replace("local cast,", "ceil = function(x) return -floor(-x) end\nlocal cast,"),
  },
  // Quotients and remainders of unsigned numbers have operands that no signed ones have.
  "luajit-cse-types": {
    rewrite: (text) => text.replace(UNSIGNED, "u64(bxor($1, ZERO.w)) $2 u64(bxor($3, ZERO.w))"),
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

/** Which loops become traces depends on addresses and on numbers that each process draws. */
const TRIES = 5;

/** @param runner LuaJIT with its options */
export const luajitCures = (compiler: BatchCompiler, runner: readonly string[]): Cures => ({
  bugs: Object.keys(CURES),
  tries: TRIES,
  without: (bugs) => {
    const cures = [...bugs].flatMap((bug) => CURES[bug] ?? []);
    const rewrite = (text: string): string =>
      cures.reduce((made, cure) => cure.rewrite?.(made) ?? made, text);
    return batchSubject({
      ...compiler,
      sources: (programs) => {
        const { "program.lua": text } = compiler.sources(programs);
        return { "program.lua": rewrite(text).replace("local NAN =", `${ZERO}$&`) };
      },
      runner: [...runner, ...cures.flatMap(({ options = [] }) => options)],
    });
  },
});

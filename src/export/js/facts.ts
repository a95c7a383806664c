// Defines the facts that an engine learns in the first runs of a program, and loses in the last run
// (the forms `lost-...`). A value is combined with a value that is zero in each of its forms, so no
// result changes. Engines leave compiled code where the fact fails.

import type { FormName, SourceForm } from "../forms.js";

/** A fact, and the expressions that depend on it; `$` is the value. */
export interface LearnedFact {
  /** The statement that ends the fact. */
  readonly lose: string;
  readonly int32?: string;
  readonly int64?: string;
  /** For numbers of floating point. It needs a zero that is not negative. */
  readonly number?: string;
}

const zero = (
  lost: string,
  uses: Omit<LearnedFact, "lose"> = { int32: "$ ^ facts.zero_turn" },
) => ({
  lose: `facts.zero_turn = ${lost};`,
  ...uses,
});
const BOTH = { int32: "$ ^ facts.zero_turn", number: "$ - facts.zero_turn" };

// biome-ignore format: a table
const FACTS: Readonly<Partial<Record<FormName, LearnedFact>>> = {
  "lost-int":       zero("0.5", { int32: "Math.floor($ + facts.zero_turn) | 0" }),
  "lost-zero":      zero("-0", { int32: "$ + facts.zero_turn | 0" }),
  "lost-nan":       zero("NaN"),
  "lost-undefined": zero("undefined"),
  "lost-string":    zero('""', BOTH),
  "lost-object":    zero("{ valueOf: () => 0 }", BOTH),
  "lost-bigint":    { lose: "facts.zero_turn = 0n; facts.wide = Object(0n);", int32: "$ ^ Number(facts.zero_turn)", int64: "$ ^ facts.wide" },
  "lost-range":     zero("2147483647", { int32: "$ + facts.zero_turn - facts.zero_turn" }),
  "lost-hole":      { lose: "delete facts.list[1];", int32: "$ ^ facts.list[1]" },
  "lost-elements":  { lose: "facts.list[0] = 0.5;", int32: "$ ^ facts.list[1]", number: "$ - facts.list[1]" },
  "lost-bounds":    { lose: "facts.index = 7;", int32: "$ ^ facts.list[facts.index]" },
  "lost-shape":     { lose: "facts.object = { other_turn: 1, zero_turn: 0 };", int32: "$ ^ facts.object.zero_turn", number: "$ - facts.object.zero_turn" },
  "lost-getter":    { lose: 'Object.defineProperty(facts, "zero_turn", { get: () => 0 });', ...BOTH },
  "lost-callee":    { lose: "facts.call = function () { return arguments.length; };", int32: "$ ^ facts.call()", number: "$ - facts.call()" },
};

/** One value in this many depends on the fact. */
const DEPENDENT_SHARE = 3;
/** In the form `late-loss` the fact is lost at one of the first calls or iterations. */
const TICKS = 12;

/** Returns the fact of a form; null if it has none. */
export function factOf(form: SourceForm): LearnedFact | null {
  for (const name of form) {
    const fact = FACTS[name];
    if (fact !== undefined) return fact;
  }
  return null;
}

export const dependsOnFact = (id: number): boolean => id % DEPENDENT_SHARE === 0;

/** The call that ends the fact in the form `late-loss`. */
export const TICK = "tick()";

const FIELDS = "zero_turn: 0, wide: 0n, index: 1, object: { zero_turn: 0 }, call: () => 0";

/**
 * Returns declarations of a program with the fact. `learn` precedes each of the first runs: half of
 * the executions write the values again, so that the engine does not take them for constants. `arm`
 * ends the fact, at once or later. An engine keeps what it has learned about a property's name, so
 * the main program replaces `_turn` by a number of its own for each execution.
 */
export function factDeclarations({ lose }: LearnedFact, form: SourceForm): string {
  const isLate = form.has("late-loss");
  const tick = `let ticks = 0;
function tick() { if (ticks !== 0 && --ticks === 0) lose(); }
function arm(number) { ticks = 1 + (number >>> 0) % ${TICKS}; }
`;
  return `let facts = { ${FIELDS}, list: [0, 0, 0, 0] };
function learn(number) { if ((number & 1) !== 0) Object.assign(facts, { ${FIELDS} }); }
function lose() { ${lose} }
${isLate ? tick : "const arm = lose;\n"}`;
}

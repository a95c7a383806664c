// Tests choices: recorded choices replay, smaller candidates are smaller, and fast-check shrinks by them.

import test from "ava";
import fc from "fast-check";
import { ChoiceArb, type ChosenValue } from "./choice-arb.js";
import { type ChoiceSpan, type RecordedChoice, RecordingSource, ReplaySource } from "./choices.js";
import { FIRST_EDIT, smallerChoices } from "./smaller-choices.js";
import { type ChoiceSource, SeedSource, within } from "./source.js";

/** Lists of lists and numbers, from a maker that draws in all ways that makers do. */
type NestedList = readonly (number | NestedList)[];

function drawNested(source: ChoiceSource, depth = 3): NestedList {
  return within(source, "list", () => {
    const items: (number | NestedList)[] = [];
    for (let left = source.below(5); left > 0 && source.has("item"); left--) {
      const isList = (): boolean => source.below(3) === 2 && depth > 0;
      within(source, "item", () =>
        items.push(isList() ? drawNested(source, depth - 1) : source.below(1000)),
      );
    }
    if (source.below(2) === 1) items.push(within(source, "last", () => source.below(10)));
    return items;
  });
}

const nested = new ChoiceArb(
  (source) => drawNested(source),
  (made) => JSON.stringify(made),
);

const whole = (...items: RecordedChoice[]): ChoiceSpan => ({ name: "whole", items });
const span = (name: string, ...items: RecordedChoice[]): ChoiceSpan => ({ name, items });

const numbersOf = ({ items }: ChoiceSpan): number[] =>
  items.flatMap((item) => (typeof item === "number" ? [item] : numbersOf(item)));
const spansOf = ({ items }: ChoiceSpan): number =>
  items.reduce<number>((sum, item) => sum + (typeof item === "number" ? 0 : spansOf(item)), 1);

/** Returns whether x has fewer choices and structures, or as many, of which some are lower and none is higher. */
function isSmaller(x: ChoiceSpan, y: ChoiceSpan): boolean {
  const [a, b] = [numbersOf(x), numbersOf(y)];
  const [fewer, more] = [a.length + spansOf(x), b.length + spansOf(y)];
  if (fewer !== more) return fewer < more;
  return a.every((choice, i) => choice <= b[i]) && a.some((choice, i) => choice < b[i]);
}

const holds = <T>(arb: fc.Arbitrary<T>, claim: (value: T) => boolean): void =>
  fc.assert(fc.property(arb, claim), { seed: 1, numRuns: 300 });

test("recorded choices replay to the same value and are all used", (t) => {
  t.notThrows(() =>
    holds(nested, ({ made, choices }) => {
      const again = nested.replay(choices);
      const isSame = JSON.stringify(again.choices) === JSON.stringify(choices);
      return isSame && JSON.stringify(again.made) === JSON.stringify(made);
    }),
  );
});

test("marks do not change the value of a seed", (t) => {
  for (let seed = 0n; seed < 20n; seed++) {
    const seeded = new SeedSource(seed);
    const plain: ChoiceSource = {
      below: (count) => seeded.below(count),
      begin: () => {},
      end: () => {},
      has: () => true,
    };
    const recording = new RecordingSource(new SeedSource(seed));
    t.deepEqual(drawNested(plain), drawNested(recording));
  }
});

test("a replay of any choices uses some of them, which replay to the same value", (t) => {
  const smaller = fc.tuple(nested, fc.nat(400)).map(([{ choices }, n]) => {
    const candidates = [...smallerChoices(choices, FIRST_EDIT)].map((given) => given.choices);
    return candidates[n % Math.max(1, candidates.length)] ?? choices;
  });
  t.notThrows(() =>
    holds(smaller, (choices) => {
      const { made, choices: used } = nested.replay(choices);
      const again = nested.replay(used);
      const isSame = JSON.stringify(again) === JSON.stringify({ made, choices: used });
      return (
        isSame && (isSmaller(used, choices) || numbersOf(used).length === numbersOf(choices).length)
      );
    }),
  );
});

test("each candidate is smaller, and all candidates follow from any first edit", (t) => {
  const edits = fc.record({ pass: fc.nat(9), at: fc.nat(30) });
  t.notThrows(() =>
    fc.assert(
      fc.property(nested, edits, ({ choices }, edit) => {
        const texts = (from: typeof edit): string[] =>
          [...smallerChoices(choices, from)].map((given) => JSON.stringify(given)).sort();
        const candidates = [...smallerChoices(choices, edit)];
        const isSame = JSON.stringify(texts(edit)) === JSON.stringify(texts(FIRST_EDIT));
        return isSame && candidates.every((given) => isSmaller(given.choices, choices));
      }),
      { seed: 1, numRuns: 50 },
    ),
  );
});

test("a replay clamps numbers, finds structures by name, and draws zeroes if nothing is left", (t) => {
  const source = new ReplaySource(whole(7, span("a", 9), span("b", 1, 2), 3));
  t.is(source.below(5), 4);
  t.is(source.below(5), 0, "a structure comes next, no number");
  t.true(source.has("b") && !source.has("c"));
  t.is(
    within(source, "c", () => source.below(10) + (source.has("b") ? 100 : 0)),
    0,
    "a missing structure skips nothing",
  );
  t.is(
    within(source, "b", () => source.below(10)),
    1,
    "unused items and items before the structure are skipped",
  );
  t.false(source.has("a"));
  t.is(source.below(10), 3);
  t.is(source.below(10), 0);
  t.deepEqual(source.used, whole(4, span("b", 1), 3));
});

test("an end without a beginning is an internal error", (t) => {
  t.throws(() => new RecordingSource(new SeedSource(1n)).end(), {
    message: /more often than begin/,
  });
  t.throws(() => new ReplaySource(whole()).end(), { message: /more often than begin/ });
});

const depthOf = (made: NestedList): number =>
  1 + Math.max(0, ...made.map((item) => (typeof item === "number" ? 0 : depthOf(item))));
const has = (made: NestedList, number: number): boolean =>
  made.some((item) => (typeof item === "number" ? item === number : has(item, number)));
const hasBig = (made: NestedList): boolean =>
  made.some((item) => (typeof item === "number" ? item >= 200 : hasBig(item)));

/** Returns the counterexample that fast-check finds for a false claim. */
function counterexample(
  claim: (made: NestedList) => boolean,
  parameters: fc.Parameters<[ChosenValue<NestedList>]>,
) {
  const property = fc.property(nested, ({ made }) => claim(made));
  const { counterexample: found, counterexamplePath, numShrinks } = fc.check(property, parameters);
  return {
    made: found?.[0].made,
    text: fc.stringify(found?.[0]),
    path: counterexamplePath,
    numShrinks,
  };
}

test("a failing case shrinks to the least that fails, and replays by its seed and path", (t) => {
  for (let seed = 1; seed <= 20; seed++) {
    const found = counterexample((made) => !hasBig(made), { seed });
    t.deepEqual(found.made, [200], `seed ${seed}`);
    t.is(found.text, "[200]");
    const again = counterexample((made) => !hasBig(made), { seed, path: found.path ?? "" });
    t.deepEqual([again.made, again.numShrinks], [found.made, 0]);
    t.deepEqual(counterexample((made) => depthOf(made) < 4, { seed }).made, [[[[]]]]);
  }
});

test("if several structures fail alone, the smallest remains", (t) => {
  const large = span("item", 2, span("list", 1, span("item", 0, 300)));
  const given = nested.replay(whole(span("list", 3, large, span("item", 0, 250), large)));
  t.deepEqual(given.made, [[300], 250, [300]]);
  // Numbers cannot be lowered here, so the shrinker selected the remaining one.
  const isOneOfThem = (made: NestedList): boolean => [250, 300].some((number) => has(made, number));
  const found = counterexample((made) => !isOneOfThem(made), { examples: [[given]], numRuns: 1 });
  t.deepEqual(found.made, [250]);
});

test("a given example shrinks, too", (t) => {
  const given = nested.replay(
    whole(span("list", 2, span("item", 0, 999), span("item", 0, 300), 1, 5)),
  );
  t.deepEqual(given.made, [999, 300, 0]);
  const found = counterexample((made) => !hasBig(made), { examples: [[given]], numRuns: 1 });
  t.deepEqual(found.made, [200]);
  t.false(nested.canShrinkWithoutContext(7));
});

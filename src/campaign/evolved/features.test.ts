// Tests features: the coverage of a judged program, as small integers.

import test from "ava";
import { Judge } from "../../compare/judge-program.js";
import { emulatorTest } from "../../execute/unicorn-available.js";
import { programOf } from "../program/seeds.js";
import { judgeOptions } from "../run/judge-seed.js";
import { FEATURE_COUNT, FEATURE_KINDS, featuresOf, nameOfFeature } from "./features.js";

const withEmulator = emulatorTest(test);

test("features are of one kind each, and their names differ", (t) => {
  let end = 0;
  for (const kind of FEATURE_KINDS) {
    t.is(kind.begin, end, kind.name);
    end = kind.end;
  }
  t.is(end, FEATURE_COUNT);
  const { begin } = FEATURE_KINDS[FEATURE_KINDS.length - 1];
  const names = [0, begin - 1, begin, begin + 1, begin + 2, FEATURE_COUNT - 1].map(nameOfFeature);
  t.is(new Set(names).size, names.length);
  const [zero, , first, second] = names;
  t.true(first.endsWith(` and ${zero}`) && second.endsWith(` and ${zero}`));
});

withEmulator("every counter of a program is a feature", (t) => {
  const subjects = ["x64-O1", "arm64-O2", "x64-O2-colouring", "arm64-O0", "x64-O2-halves"];
  const judge = new Judge(judgeOptions({ subjects, canary: null }));
  let [exits, pairs] = [0, 0];
  // At least six programs, and as many as are needed to show both.
  for (let seed = 100n; seed < 106n || (seed < 130n && (exits === 0 || pairs === 0)); seed++) {
    const { module, inputs } = programOf(seed);
    const result = judge.judge({ module, inputs });
    const features = featuresOf(module, result);
    t.is(new Set(features).size, features.length);
    const names = new Set(features.map(nameOfFeature));
    for (const { counts } of result.results) {
      for (const name of counts?.events ?? []) t.true(names.has(name), name);
    }
    const isRule = (name: string): boolean => names.has(name) && result.applied.has(name);
    const rules = [...result.applied].filter((name) => isRule(name) && !isPhase(name));
    const ofPairs = [...names].filter((name) => name.includes(" and ")).length;
    t.is(2 * ofPairs, rules.length ** 2 - rules.length); // the number for no rules is 0, and not -0
    pairs += ofPairs;
    const ofExits = [...names].filter((name) => name.startsWith("exit: ")).length;
    t.is(
      ofExits > 0,
      result.expected.some(
        ({ ending, calleeExits }) => ending.kind === "exit" || calleeExits !== undefined,
      ),
    );
    exits += ofExits;
  }
  judge.close();
  t.true(exits > 0 && pairs > 0);
});

const PHASES = FEATURE_KINDS[1];
const phaseNames = new Set(
  Array.from({ length: PHASES.end - PHASES.begin }, (_, p) => nameOfFeature(PHASES.begin + p)),
);
const isPhase = (name: string): boolean => phaseNames.has(name);

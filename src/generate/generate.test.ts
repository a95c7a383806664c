// Checks that generated programs are valid and repeatable, and that any bytes generate one.

import test from "ava";
import fc from "fast-check";
import { checkRoundTrip } from "../../fuzz/jsfuzz/round-trip.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../ir/outcome.js";
import { parseModule } from "../ir/text/parse.js";
import { printModule } from "../ir/text/print.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { assert } from "../support/assert.js";
import type { ChosenValue } from "../support/choice-arb.js";
import { ByteSource, SeedSource } from "../support/source.js";
import { EACH_GUARD, forceGuards } from "./forced-guards.js";
import { generateProgram, type Program } from "./generate-program.js";
import { PROFILES } from "./maker/odds.js";
import { programs } from "./program-arb.js";

const faultsOf = ({ module }: Program): string[] => verify(module).map(describeFault);
const textOf = ({ module, inputs }: Program): string =>
  printModule(module) +
  inputs.map(({ words, heapSeed }) => `${words.join()} ${heapSeed}`).join("\n");

test("programs are valid, round-trip through text, and replay from their choices", (t) => {
  const arb = programs();
  const claim = ({ made, choices }: ChosenValue<Program>): void => {
    assert(faultsOf(made).length === 0, () => faultsOf(made).join("\n"));
    checkRoundTrip(made.module);
    const again = arb.replay(choices);
    assert(textOf(again.made) === textOf(made), () => `replayed:\n${textOf(again.made)}`);
    assert(
      JSON.stringify(again.choices) === JSON.stringify(choices),
      () => "the replay does not use all choices",
    );
  };
  t.notThrows(() => fc.assert(fc.property(arb, claim), { seed: 1, numRuns: 300 }));
});

// A call in a continuation reaches g, which takes the number, or h, which is called nowhere else.
const CHOICE = `touchstone 1
exit 0 resumes resume
proc main(Int32 @0) -> Void
snapshot s0 = exit 0 frames [main@0: @0]
#0:
  Void @1 = CCall(g)
  Void @2 = Check(@0) s0
  Void @3 = Return()
proc g() -> Void
#0:
  Void @0 = Return()
proc resume(Int32 @0) -> Void
#0:
  Int64 @1 = FunctionAddress(h)
  Int64 @2 = FunctionAddress(g)
  Int64 @3 = Select(@0, @1, @2)
  Void @4 = CallIndirect(@3)
  Void @5 = Return()
proc h() -> Void
#0:
  Void @0 = Return()
`;

test("guards are forced in a procedure that an indirect call may select", (t) => {
  const module = parseModule(CHOICE);
  t.is(module.procedures.length, 4);
  const compiled = module.procedures.slice(0, 2);
  t.is(forceGuards(module, compiled, new SeedSource(1n), EACH_GUARD).length, 1);
  t.deepEqual(verify(module).map(describeFault), []);
});

test("programs of every profile are valid", (t) => {
  for (const [name, profile] of Object.entries(PROFILES)) {
    for (let seed = 0n; seed < 20n; seed++) {
      const program = generateProgram(new SeedSource(seed), profile);
      t.deepEqual(faultsOf(program), [], `${name}, seed ${seed}`);
    }
  }
});

test("any bytes generate a valid program", (t) => {
  const isValid = (bytes: Uint8Array): boolean =>
    faultsOf(generateProgram(new ByteSource(bytes))).length === 0;
  t.true(isValid(new Uint8Array(0)));
  t.true(isValid(new Uint8Array(5000).fill(0xff)));
  const bytes = fc.uint8Array({ maxLength: 3000, size: "max" });
  t.notThrows(() => fc.assert(fc.property(bytes, isValid), { seed: 7, numRuns: 150 }));
});

test("a seed generates one program, and different seeds generate different ones", (t) => {
  const texts = new Set<string>();
  for (let seed = 0n; seed < 50n; seed++) {
    const text = textOf(generateProgram(new SeedSource(seed)));
    t.is(textOf(generateProgram(new SeedSource(seed))), text);
    texts.add(text);
  }
  t.is(texts.size, 50);
});

test("inputs from another source do not change the program", (t) => {
  const [first, second] = [1n, 2n].map((seed) =>
    generateProgram(new SeedSource(5n), {}, new SeedSource(seed, "inputs")),
  );
  t.is(printModule(first.module), printModule(second.module));
  t.notDeepEqual(first.inputs, second.inputs);
});

test("each program has at least four inputs, each with the heap base", (t) => {
  const hasHeapBase = ({ words }: Input): boolean =>
    words.some((lo, i) => i % 2 === 0 && lo === HEAP_BASE_LO && words[i + 1] === HEAP_BASE_HI);
  for (let seed = 0n; seed < 50n; seed++) {
    const { module, inputs } = generateProgram(new SeedSource(seed));
    t.true(inputs.length >= 4 && inputs.every(hasHeapBase), `seed ${seed}`);
    t.true(inputs.every(({ words }) => words.length === 2 * module.entry.parameters.length));
  }
});

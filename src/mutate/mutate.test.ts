// Tests that mutations keep programs valid, and do what their names say.

import test from "ava";
import { generateProgram } from "../generate/generate-program.js";
import { cloneModule } from "../ir/clone.js";
import { parseModule } from "../ir/text/parse.js";
import { printModule } from "../ir/text/print.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { RecordingSource, ReplaySource } from "../support/choices.js";
import { SeedSource } from "../support/source.js";
import { trials } from "../support/trials.js";
import type { DonorProgram } from "./mutant.js";
import { mutateProgram } from "./mutate-program.js";
import { MUTATIONS } from "./mutations.js";
import { outline } from "./outline.js";

const programOf = (seed: number): DonorProgram => generateProgram(new SeedSource(BigInt(seed)));

const PROGRAMS = trials(80, 200);

test("each mutation gives a valid program, and each applies", (t) => {
  const applied = new Map(MUTATIONS.map(({ name }) => [name, 0]));
  for (let seed = 0; seed < PROGRAMS; seed++) {
    const { module } = programOf(seed);
    const donor = programOf(seed + 1000);
    for (const { name, apply } of MUTATIONS) {
      const mutated = cloneModule(module);
      const source = new SeedSource(BigInt(seed), name);
      const before = printModule(mutated);
      const isChanged = apply({ module: mutated, source, donor: () => donor });
      const faults = verify(mutated).map(describeFault);
      t.deepEqual(faults, [], `${name}, seed ${seed}`);
      if (faults.length > 0) return;
      if (!isChanged) continue;
      applied.set(name, (applied.get(name) ?? 0) + 1);
      t.not(printModule(mutated), before, `${name}, seed ${seed}`);
    }
  }
  for (const [name, count] of applied)
    t.true(count > PROGRAMS / 10, `${name} applied ${count} times`);
});

test("operands that must be constants remain constants when their neighbours are outlined", (t) => {
  const text = [
    "touchstone 1",
    "proc f(Int32 @0) -> Int32",
    "#0:",
    "  Int32 @1 = Const32(5)",
    "  Int32 @2 = Add(@0, @1)",
    "  Int32 @3 = Patchpoint(rotateByConstant, @2, @1)",
    "  Void @4 = Return(@3)",
  ].join("\n");
  let outlined = 0;
  for (let seed = 0n; seed < 40n; seed++) {
    const module = parseModule(text);
    const source = new SeedSource(seed);
    if (outline({ module, source, donor: () => programOf(0) })) outlined++;
    t.deepEqual(verify(module).map(describeFault), [], `seed ${seed}`);
  }
  t.true(outlined > 10, `outlined ${outlined} times`);
});

test("many mutations, one after the other, give a valid program", (t) => {
  for (let seed = 0; seed < 100; seed++) {
    const { module } = programOf(seed);
    const text = printModule(module);
    const source = new SeedSource(BigInt(seed), "mutate");
    const mutated = mutateProgram(
      module,
      () => programOf(seed + 1000),
      source,
      () => true,
    );
    t.deepEqual(verify(mutated.module).map(describeFault), [], `seed ${seed}`);
    t.is(printModule(module), text, "the original program is unchanged");
  }
});

test("the same choices give the same program", (t) => {
  for (let seed = 0; seed < 20; seed++) {
    const { module } = programOf(seed);
    const donor = (): DonorProgram => programOf(seed + 1000);
    const recording = new RecordingSource(new SeedSource(BigInt(seed), "mutate"));
    const accepts = (): boolean => true;
    const text = printModule(mutateProgram(module, donor, recording, accepts).module);
    const replayed = new ReplaySource(recording.choices);
    t.is(printModule(mutateProgram(module, donor, replayed, accepts).module), text);
  }
});

test("a rejected mutation is undone", (t) => {
  const { module } = programOf(3);
  const source = new SeedSource(3n, "mutate");
  const mutated = mutateProgram(
    module,
    () => programOf(4),
    source,
    () => false,
  );
  t.is(mutated.module, module);
  t.deepEqual(mutated.applied, []);
  t.true(mutated.refused.length > 0);
});

// Reduction: what it keeps, what it may never do, and how small planted bugs become.

import test from "ava";
import { CANARIES, type Canary } from "../campaign/canaries.js";
import { Judge, type JudgeOptions } from "../compare/judge-program.js";
import { SUBJECTS } from "../execute/subjects.js";
import { emulatorTest } from "../execute/unicorn-available.js";
import { generateProgram, type Program } from "../generate/generate-program.js";
import { isJudged } from "../ir/outcome.js";
import { parseModule } from "../ir/parse.js";
import { printModule } from "../ir/print.js";
import { printOutcome } from "../ir/run-line.js";
import { verify } from "../ir/verify.js";
import { decodeModule } from "../oracle/decode.js";
import { Oracle } from "../oracle/oracle.js";
import { SeedSource } from "../support/source.js";
import { type Candidate, cloneCandidate, tidy, valueCount } from "./candidate.js";
import { costOf } from "./cost.js";
import { reduceProgram, signatureIn } from "./reduce.js";
import { REDUCERS } from "./reducers.js";
import { renumberModule } from "./renumber.js";
import { type Signature, signaturesIn } from "./signature.js";

const FUEL = 100_000;
const programOf = (seed: number): Program => generateProgram(new SeedSource(BigInt(seed)));

/** What the oracle sees of a program, on all its inputs, events and whole heaps included. */
function observe({ module, inputs }: Candidate): string[] {
  const oracle = new Oracle();
  const program = decodeModule(module);
  return inputs.map((input) => {
    const outcome = oracle.run(program, input, FUEL);
    const { ending } = outcome;
    const heap = "heap" in ending ? Buffer.from(ending.heap.bytes).toString("base64") : "";
    return `${printOutcome(outcome)} ${heap}`;
  });
}

test("tidying and new numbers change nothing that is observed", (t) => {
  for (let seed = 0; seed < 120; seed++) {
    const program = programOf(seed);
    const expected = observe(program);
    const tidied = cloneCandidate(program);
    tidy(tidied, seed % 2 === 0);
    const { inputs } = tidied;
    const renumbered = { module: renumberModule(tidied.module), inputs };
    for (const changed of [tidied, renumbered]) {
      t.deepEqual(verify(changed.module), [], `seed ${seed}`);
      t.deepEqual(observe(changed), expected, `seed ${seed}`);
    }
  }
});

test("new numbers have no gaps", (t) => {
  const { module, inputs } = programOf(3);
  const tidied = cloneCandidate({ module, inputs });
  tidy(tidied, false);
  const renumbered = renumberModule(tidied.module);
  for (const {
    valueIdEnd,
    blocks,
    blockIdEnd,
    snapshots,
    snapshotIdEnd,
  } of renumbered.procedures) {
    t.is(blocks.length, blockIdEnd);
    t.is(snapshots.length, snapshotIdEnd);
    t.true(valueIdEnd > 0);
  }
  t.is(
    valueCount(renumbered),
    renumbered.procedures.reduce((sum, { valueIdEnd }) => sum + valueIdEnd, 0),
  );
});

// What the verifier refuses is never run; but no edit may throw, or change what it was not listed
// on.
for (const { name, edits } of REDUCERS) {
  test(`${name}: edits apply one by one and all together`, (t) => {
    let proposed = 0;
    let valid = 0;
    for (let seed = 0; seed < 25; seed++) {
      const program = programOf(seed);
      const text = printModule(program.module);
      const count = edits(cloneCandidate(program)).length;
      const step = Math.max(1, count >> 2);
      for (let e = 0; e < count + step; e += step) {
        const clone = cloneCandidate(program);
        const all = edits(clone);
        if (e < count) all[e]();
        else for (let k = count - 1; k >= 0; k--) all[k]();
        tidy(clone, false);
        proposed++;
        if (verify(clone.module).length === 0) valid++;
      }
      t.is(printModule(program.module), text);
    }
    t.true(proposed > 0, "proposes nothing");
    t.true(valid > 0, "proposes nothing valid");
  });
}

test("a smaller program costs less", (t) => {
  const cost = (body: string): number => {
    const module = parseModule(`touchstone 1\nproc f() -> Int32\n#0:\n${body}`);
    return costOf({ module, inputs: [] });
  };
  const returns = (constant: number): string =>
    `Int32 @0 = Const32(${constant})\nVoid @1 = Return(@0)\n`;
  const costs = [returns(0), returns(1), returns(5), returns(-5), returns(1 << 30)].map(cost);
  t.deepEqual(
    costs,
    [...costs].sort((x, y) => x - y),
  );
  const sum = "Int32 @0 = Const32(0)\nInt32 @1 = Add(@0, @0)\nVoid @2 = Return(@1)\n";
  t.true(cost(sum) > costs[costs.length - 1]);
});

interface Hit {
  readonly canary: Canary;
  readonly program: Program;
  readonly options: JudgeOptions;
  /** Of every difference that the program shows. */
  readonly signatures: readonly Signature[];
}

/**
 * The first program that shows a planted bug, and shows it well enough; null if none of a few does.
 */
function hunt(
  canary: Canary,
  isEnough = (found: readonly Signature[]) => found.length > 0,
): Hit | null {
  const subjects = SUBJECTS.filter(({ name }) => canary.subjects.includes(name)).slice(0, 2);
  const options = { subjects, fuelMax: FUEL, ...canary.open() };
  const judge = new Judge(options);
  try {
    for (let seed = 0; seed < 40; seed++) {
      const program = programOf(seed);
      const signatures = signaturesIn(judge.judge(program.module, program.inputs));
      if (isEnough(signatures)) return { canary, program, options, signatures };
    }
    return null;
  } finally {
    judge.close();
  }
}

/** The subject that the signature names, alone. */
const onlyItsSubject = (options: JudgeOptions, signature: Signature): JudgeOptions =>
  signature.kind !== "difference"
    ? options
    : { ...options, subjects: options.subjects.filter(({ name }) => name === signature.subject) };

const aspectOf = (signature: Signature): string | null =>
  signature.kind === "difference" ? signature.aspect : null;

const withEmulator = emulatorTest(test);

withEmulator("planted bugs come down to at most 15 values, and stay what they are", (t) => {
  const sizes: number[] = [];
  for (const { canary, program, options } of CANARIES.flatMap((each) => hunt(each) ?? [])) {
    const text = printModule(program.module);
    const { module, inputs } = program;
    const reduced = reduceProgram(module, inputs, options);
    t.is(printModule(module), text, `${canary.name}: the program that was given has changed`);
    if (reduced === null) {
      t.fail(`${canary.name}: not seen again`);
      continue;
    }
    sizes.push(valueCount(reduced.module));
    t.deepEqual(verify(reduced.module), []);
    // Others may show it too by now, but the one that it was reduced for still does.
    const { signature } = reduced;
    const same = onlyItsSubject(options, signature);
    t.deepEqual(signatureIn(reduced, same), signature, canary.name);
    t.is(reduced.inputs.length, 1, canary.name);
    const judge = new Judge({ ...options, subjects: [] });
    t.true(judge.judge(reduced.module, reduced.inputs).expected.every(isJudged), canary.name);
    judge.close();
    // From text: what is in the report is what was judged.
    const again = { module: parseModule(printModule(reduced.module)), inputs: reduced.inputs };
    t.deepEqual(signatureIn(again, same), reduced.signature, canary.name);
  }
  t.true(sizes.length >= 14, `only ${sizes.length} canaries were seen`);
  sizes.sort((x, y) => x - y);
  t.true(sizes[sizes.length >> 1] <= 15, `values: ${sizes.join(" ")}`);
});

withEmulator("a reduction gives the same program every time, within its tests", (t) => {
  const hit = CANARIES.filter(({ name }) => name === "move-order").flatMap((c) => hunt(c) ?? [])[0];
  const { module, inputs } = hit.program;
  const first = reduceProgram(module, inputs, hit.options);
  const second = reduceProgram(module, inputs, hit.options);
  t.truthy(first);
  t.is(first && printModule(first.module), second && printModule(second.module));
  const short = reduceProgram(module, inputs, { ...hit.options, testsMax: 20 });
  t.true(short !== null && first !== null && short.tests < 40 && first.tests > 40);
});

withEmulator("the aspect that is asked for stays, though another is seen first", (t) => {
  const showTwo = (found: readonly Signature[]): boolean => new Set(found.map(aspectOf)).size > 1;
  const wide = CANARIES.filter(({ about }) => about.length > 1);
  const hits = wide.flatMap((canary) => hunt(canary, showTwo) ?? []);
  t.true(hits.length > 0);
  for (const { program, options, signatures } of hits) {
    const first = aspectOf(signatures[0]);
    const aspect = signatures.map(aspectOf).find((other) => other !== first) ?? null;
    const reduced = reduceProgram(program.module, program.inputs, { ...options, aspect });
    t.is(reduced && aspectOf(reduced.signature), aspect);
  }
});

test("what shows no difference is not reduced", (t) => {
  const { module, inputs } = programOf(1);
  const subjects = SUBJECTS.filter(({ name }) => name === "ir-O1");
  t.is(reduceProgram(module, inputs, { subjects, fuelMax: FUEL }), null);
});

// Tests that worlds are numbered without gap or repetition, are valid, and are judged.

import test from "ava";
import { optimize } from "../../reference/optimize.js";
import { Op } from "../ir/opcodes.js";
import { isJudged } from "../ir/outcome.js";
import { printModule } from "../ir/text/print.js";
import { Int32, Int64 } from "../ir/types.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { arrangementsOf, type LeafPosition } from "./arrangements.js";
import { OPERANDS, TUPLES } from "./world.js";
import { worldAlone, worldOnTuple, worldProgram } from "./world-program.js";
import { seedsOfAll, WORLD_PROFILES, WORLDS, worldsDone, worldsOf } from "./worlds.js";

const PROGRAMS = 3n;
const KINDS = WORLD_PROFILES.filter((profile) => profile !== WORLDS).map(
  (profile) => worldsOf(0n, profile)[0].kind,
);

/** Renames operands in the order of their first use. */
function renamed(codes: readonly number[]): string {
  const names = new Map<number, number>();
  for (const code of codes) if (code < OPERANDS && !names.has(code)) names.set(code, names.size);
  return codes.map((code) => names.get(code) ?? code).join();
}

test("arrangements are numbered once each, up to names and the order in pairs", (t) => {
  const others = 2;
  for (const places of [
    ["one", "one", "one"],
    ["pair"],
    ["one", "pair"],
  ] satisfies LeafPosition[][]) {
    const { count, at } = arrangementsOf(others)(places);
    const seen = new Set<string>();
    for (let i = 0; i < count; i++) {
      const codes = at(i);
      t.is(renamed(codes), codes.join(), `${places} ${i}: the first use names`);
      seen.add(codes.join());
    }
    t.is(seen.size, count, `${places}: each once`);
    // After renaming and exchange, each choice of codes is one of these.
    const width = places.join().replaceAll("pair", "one,one").split(",").length;
    const all = OPERANDS + others;
    for (let choice = 0; choice < all ** width; choice++) {
      const codes = Array.from({ length: width }, (_, k) => Math.floor(choice / all ** k) % all);
      const isPair = places.at(-1) === "pair";
      const exchanged = isPair
        ? [...codes.slice(0, -2), codes[width - 1], codes[width - 2]]
        : codes;
      t.true(seen.has(renamed(codes)) || seen.has(renamed(exchanged)), `${places}: ${codes}`);
    }
  }
});

/** By kind: the numbers of worlds, up to symmetry and without. Findings of seeds depend on them. */
const COUNTS = `
  one 117595 165601
  two 1992562 7594839
  three 187907965 1738652950
  two-stores 24696000 24696000
  three-stores 5186160000 5186160000
  classes 1474560 1474560
  diamond 212960 212960
  loop 61600 61600
  switch 170368 170368
  choice 54060 54060
  turns 3937920 3937920
  walk 24004512 24004512
  nest 405076140 405076140
  checked 194400 194400
  array 68247360 68247360
  lanes 35387520 35387520
  fact 332 332
  image 25154 25154
  windows 4536 4536
  bounded 21968 21968
  narrowed 3083170 3083170
  widths 65919 65919
  guard 51840 51840
  call 24576 24576
  frame 214560 214560
  two-results 2304 2304
  three-results 86016 86016
`;

test("the kinds have the stated numbers of worlds", (t) => {
  const lines = KINDS.map(({ name, count, named }) => `  ${name} ${count()} ${named()}\n`);
  t.is(`\n${lines.join("")}`, COUNTS);
});

test("programs of all kinds are valid, and every execution is judged", (t) => {
  const oracle = new Oracle();
  for (const profile of WORLD_PROFILES) {
    for (let seed = 0n; seed < PROGRAMS; seed++) {
      const { module, inputs } = worldProgram(seed, profile);
      t.deepEqual(verify(module).map(describeFault), [], `${profile} ${seed}`);
      for (const input of inputs) {
        const outcome = oracle.run(decodeModule(module), input, DEFAULT_FUEL);
        t.true(isJudged(outcome), `${profile} ${seed}: ${outcome.ending.kind}`);
      }
    }
  }
});

test("consecutive seeds name each world of a kind once, from any start", (t) => {
  for (const { name, count, perProgram } of KINDS.filter((kind) => kind.count() < 30_000)) {
    const programs = Math.ceil(count() / perProgram);
    const seen = new Set<number>();
    for (let p = 0; p < programs; p++) {
      for (const { index } of worldsOf(1000n + BigInt(p), `${WORLDS}-${name}`)) seen.add(index);
    }
    // The last program begins the next round.
    t.is(seen.size, count(), name);
    const [done] = worldsDone([[1000n, 1000n + BigInt(programs) - 1n]], `${WORLDS}-${name}`);
    t.is(done.done, count(), name);
  }
});

test("the counts of tried worlds match the worlds that the seeds name", (t) => {
  const seen = new Map<string, number>();
  for (let seed = 5n; seed <= 45n; seed++) {
    for (const { kind } of worldsOf(seed, WORLDS)) {
      seen.set(kind.name, (seen.get(kind.name) ?? 0) + 1);
    }
  }
  for (const { name, done } of worldsDone(
    [
      [5n, 20n],
      [21n, 45n],
    ],
    WORLDS,
  )) {
    t.is(done, seen.get(name) ?? 0, name);
  }
});

test("the stated number of seeds tries all worlds of a kind, and a smaller number does not", (t) => {
  for (const kind of KINDS) {
    const profile = `${WORLDS}-${kind.name}`;
    const seeds = seedsOfAll(profile);
    if (seeds === null) return t.fail(profile);
    const triedBy = (count: number): number =>
      worldsDone([[7n, 6n + BigInt(count)]], profile)[0].done;
    t.is(triedBy(seeds), kind.count(), profile);
    t.true(triedBy(seeds - 1) < kind.count(), profile);
  }
  t.is(seedsOfAll(WORLDS), null);
});

test("the worlds of a program reach no limit of the optimizer together, so each is optimized as it would be alone", (t) => {
  const programs = 10n;
  for (const { name } of KINDS) {
    let reached: string[] = [];
    let count = 0;
    for (let seed = 0n; seed < programs; seed++) {
      const { module } = worldProgram(1000n * seed, `${WORLDS}-${name}`);
      const { limits } = optimize(module, { level: "O2", target: "x64" });
      if (limits.size > 0) count++;
      reached = [...reached, ...limits];
    }
    t.true(count <= 1, `${name}: ${count} of ${programs} programs, ${[...new Set(reached)]}`);
  }
});

test("a world alone stores the same result as among others", (t) => {
  const oracle = new Oracle();
  const heapOf = ({ module, inputs }: ReturnType<typeof worldProgram>): Uint8Array => {
    const { ending } = oracle.run(decodeModule(module), inputs[0], DEFAULT_FUEL);
    t.is(ending.kind, "return");
    return ending.kind === "return" ? ending.heap.bytes : new Uint8Array();
  };
  const [seed, profile] = [3n, `${WORLDS}-two`];
  const all = heapOf(worldProgram(seed, profile));
  for (const world of worldsOf(seed, profile).slice(0, 4)) {
    const alone = heapOf(worldAlone(seed, world));
    const last = heapOf(worldOnTuple(seed, world, TUPLES - 1));
    t.is(alone.length, all.length);
    t.deepEqual(
      alone.filter((byte, i) => byte !== 0 && byte !== all[i]),
      new Uint8Array(),
    );
    t.deepEqual(
      last.filter((byte, i) => byte !== 0 && byte !== all[i]),
      new Uint8Array(),
    );
  }
});

test("operands are at the numbers with which worlds of facts compare, and next to them", (t) => {
  let questions = 0;
  for (let seed = 0n; seed < 10n; seed++) {
    const { module, inputs } = worldProgram(seed, `${WORLDS}-fact`);
    const [{ words }] = inputs;
    const given = new Set<bigint>();
    for (let p = 4; p + 1 < words.length; p += 2) given.add(numberOf(words[p], words[p + 1]));
    for (const { values } of module.entry.blocks) {
      const question = values.at(-1)?.opcode === Op.Branch ? values.at(-1)?.a : null;
      const bound = question?.b;
      if (question?.a?.type !== Int64 || bound?.isConstant !== true) continue;
      questions++;
      for (const beside of [-1n, 0n, 1n]) {
        t.true(
          given.has(BigInt.asIntN(64, numberOf(bound.constantLow, bound.constantHigh) + beside)),
          `${seed}`,
        );
      }
    }
  }
  t.true(questions > 20, `${questions}`);
});

const numberOf = (lo: number, hi: number): bigint => (BigInt(hi) << 32n) | BigInt(lo >>> 0);

test("a bounded operand has constants with which one of its ends reaches a limit", (t) => {
  const isLimit = (x: number): boolean =>
    [x | 0, (x + 1) | 0].some((end) => [7, 8, 15, 16, 31].includes(Math.log2(Math.abs(end))));
  let [all, met] = [0, 0];
  for (let seed = 0n; seed < 2000n; seed++) {
    const { module } = worldProgram(seed, `${WORLDS}-bounded`);
    module.entry.forEachValue(({ opcode, type, a, b }) => {
      const mask = a?.opcode === Op.BitAnd && a.b?.isConstant ? a.b.constantLow : null;
      if (opcode !== Op.BitXor || type !== Int32 || !b?.isConstant || mask === null) return;
      all++;
      if ([mask, 0].some((end) => isLimit(end ^ b.constantLow))) met++;
    });
  }
  t.true(all > 20, String(all));
  t.true(met > 0.3 * all, `${met} of ${all}`);
});

test("worlds of different numbers are different programs", (t) => {
  const [kind] = KINDS;
  const texts = new Set<string>();
  const count = 300;
  for (let i = 0; i < count; i++) {
    const index = Math.floor((i * kind.count()) / count);
    texts.add(printModule(worldOnTuple(0n, { kind, index, position: 0 }, 0).module));
  }
  t.is(texts.size, count);
});

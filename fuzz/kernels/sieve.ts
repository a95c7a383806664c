// The sieve of Eratosthenes over an array of bytes, each access checked against the array's length.

import { Module } from "../../src/ir/procedure.js";
import { Int32 } from "../../src/ir/types.js";
import { ARRAY_HEADER, ExitNumbers, FrontEnd } from "./front-end.js";
import { HEAP_SIZE, type Kernel } from "./kernel.js";

function build(): Module {
  const module = new Module();
  module.heapSize = HEAP_SIZE;
  const f = new FrontEnd(module, "sieve", Int32, new ExitNumbers());
  const { emit } = f;
  const heap = f.parameter("Int64");
  const length = f.parameter("Int32");
  const n = f.parameter("Int32");
  const flags = f.allocate(heap, 0, length);

  f.loop(
    [f.int(0)],
    ([i]) => emit.LessThan(i, n),
    ([i]) => {
      const at = f.element(flags, i, { point: 1, variables: [heap, n, i] });
      emit.Store8(f.int(1), at, ARRAY_HEADER);
      return [emit.Add(i, f.int(1))];
    },
  );
  f.loop(
    [f.int(2)],
    ([p]) => emit.LessThan(emit.Mul(p, p), n),
    ([p]) => {
      const at = f.element(flags, p, { point: 2, variables: [heap, n, p] });
      f.when(emit.NotEqual(emit.Load8Z(at, ARRAY_HEADER), f.int(0)), () => {
        f.loop(
          [emit.Mul(p, p)],
          ([k]) => emit.LessThan(k, n),
          ([k]) => {
            const struck = f.element(flags, k, { point: 3, variables: [heap, n, p, k] });
            emit.Store8(f.int(0), struck, ARRAY_HEADER);
            return [emit.Add(k, p)];
          },
        );
      });
      return [emit.Add(p, f.int(1))];
    },
  );
  const [, count] = f.loop(
    [f.int(2), f.int(0)],
    ([i]) => emit.LessThan(i, n),
    ([i, count]) => {
      const at = f.element(flags, i, { point: 4, variables: [heap, n, i, count] });
      const next = emit.Add(count, emit.Load8Z(at, ARRAY_HEADER));
      return [emit.Add(i, f.int(1)), next];
    },
  );
  emit.Return(count);
  return module;
}

function javascript(heap: ArrayBuffer, [length, n]: readonly number[]): number {
  const flags = new Uint8Array(heap, ARRAY_HEADER, length);
  for (let i = 0; i < n; i++) flags[i] = 1;
  for (let p = 2; p * p < n; p++) {
    if (flags[p] !== 0) for (let k = p * p; k < n; k += p) flags[k] = 0;
  }
  let count = 0;
  for (let i = 2; i < n; i++) count += flags[i];
  return count;
}

/** Calls, candidates, primes among them, flags, strikes. */
function counts(n: number): number[] {
  const struck = new Set<number>();
  let candidates = 0;
  let primes = 0;
  let strikes = 0;
  for (let p = 2; p * p < n; p++) {
    candidates++;
    if (struck.has(p)) continue;
    primes++;
    for (let k = p * p; k < n; k += p) {
      strikes++;
      struck.add(k);
    }
  }
  return [1, candidates, primes, n, strikes];
}

export const sieve: Kernel = {
  name: "sieve",
  about: "The sieve of Eratosthenes: how many primes are below the last argument.",
  build,
  javascript,
  args: (n) => [n, n],
  fill: 0,
  counted: 10_000,
  timed: 200_000,
  leaving: [[100, 101]],
  inner: { unit: "strike", counts, sizes: [200, 1000, 2000, 5000, 10_000] },
};

// Quicksort of an array of Int32 (Hoare's partition): the smaller part by a call, the larger one by
// going on, so calls nest as deep as the logarithm of the length.

import { Module, type Procedure } from "../../src/ir/procedure.js";
import { Int32, Void } from "../../src/ir/types.js";
import { ARRAY_HEADER, type ArrayOf, ExitNumbers, FrontEnd, type Int } from "./front-end.js";
import { HEAP_SIZE, type Kernel } from "./kernel.js";

const SHIFT = 2;

function build(): Module {
  const module = new Module();
  module.heapSize = HEAP_SIZE;
  const exits = new ExitNumbers();
  const f = new FrontEnd(module, "quicksort", Int32, exits);
  const { emit } = f;
  const heap = f.parameter("Int64");
  const length = f.parameter("Int32");
  const n = f.parameter("Int32");
  const sort = buildSort(module, exits);
  const array = f.allocate(heap, SHIFT, length);
  emit.CCall(sort, [heap, f.int(0), emit.Sub(n, f.int(1))]);
  const [, hash] = f.loop(
    [f.int(0), f.int(0)],
    ([i]) => emit.LessThan(i, n),
    ([i, hash]) => {
      const at = f.element(array, i, { point: 1, variables: [heap, n, i, hash] });
      const element = f.load("Int32", at, ARRAY_HEADER);
      return [emit.Add(i, f.int(1)), emit.Add(emit.Mul(hash, f.int(31)), element)];
    },
  );
  emit.Return(hash);
  return module;
}

function buildSort(module: Module, exits: ExitNumbers): Procedure {
  const f = new FrontEnd(module, "sort", Void, exits);
  const { emit } = f;
  const base = f.parameter("Int64");
  const from = f.parameter("Int32");
  const to = f.parameter("Int32");
  const array: ArrayOf = { base, shift: SHIFT };
  const load = (index: Int, point: number, ...variables: Int[]): Int =>
    f.load(
      "Int32",
      f.element(array, index, { point, variables: [base, ...variables] }),
      ARRAY_HEADER,
    );
  const store = (value: Int, index: Int, point: number, ...variables: Int[]): void => {
    const at = f.element(array, index, { point, variables: [base, ...variables] });
    emit.Store(value, at, ARRAY_HEADER);
  };

  f.loop(
    [from, to],
    ([low, high]) => emit.LessThan(low, high),
    ([low, high]) => {
      const middle = emit.ZShr(emit.Add(low, high), f.int(1));
      const pivot = load(middle, 1, low, high);
      const [i, j] = f.loop(
        [low, high],
        ([i, j]) => emit.LessEqual(i, j),
        ([i, j]) => {
          const [left] = f.loop(
            [i],
            ([left]) => emit.LessThan(load(left, 2, low, high, left, j, pivot), pivot),
            ([left]) => [emit.Add(left, f.int(1))],
          );
          const [right] = f.loop(
            [j],
            ([right]) => emit.GreaterThan(load(right, 3, low, high, left, right, pivot), pivot),
            ([right]) => [emit.Sub(right, f.int(1))],
          );
          return f.choose(
            emit.LessEqual(left, right),
            () => {
              const held = load(left, 4, low, high, left, right, pivot);
              store(
                load(right, 5, low, high, left, right, pivot, held),
                left,
                6,
                left,
                right,
                held,
              );
              store(held, right, 7, left, right, held);
              return [emit.Add(left, f.int(1)), emit.Sub(right, f.int(1))];
            },
            () => [left, right],
          );
        },
      );
      return f.choose(
        emit.LessThan(emit.Sub(j, low), emit.Sub(high, i)),
        () => {
          emit.CCall(f.proc, [base, low, j]);
          return [i, high];
        },
        () => {
          emit.CCall(f.proc, [base, i, high]);
          return [low, j];
        },
      );
    },
  );
  f.end();
  return f.proc;
}

function sort(array: Int32Array, from: number, to: number): void {
  let low = from;
  let high = to;
  while (low < high) {
    const pivot = array[(low + high) >>> 1];
    let i = low;
    let j = high;
    while (i <= j) {
      while (array[i] < pivot) i++;
      while (array[j] > pivot) j--;
      if (i <= j) {
        const held = array[i];
        array[i++] = array[j];
        array[j--] = held;
      }
    }
    if (j - low < high - i) {
      sort(array, low, j);
      low = i;
    } else {
      sort(array, i, high);
      high = j;
    }
  }
}

function javascript(heap: ArrayBuffer, [length, n]: readonly number[]): number {
  const array = new Int32Array(heap, ARRAY_HEADER, length);
  sort(array, 0, n - 1);
  let hash = 0;
  for (let i = 0; i < n; i++) hash = (Math.imul(hash, 31) + array[i]) | 0;
  return hash;
}

export const quicksort: Kernel = {
  name: "quicksort",
  about: "Quicksort of as many Int32 of the heap as the last argument says; gives a hash of them.",
  build,
  javascript,
  args: (n) => [n, n],
  fill: 7,
  counted: 1000,
  timed: 30_000,
  leaving: [[100, 101]],
  inner: null, // its inner loops make a few steps each
};

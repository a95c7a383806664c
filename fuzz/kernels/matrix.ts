// The product of two square matrices of Doubles, by the definition.

import { Module } from "../../src/ir/procedure.js";
import { Double } from "../../src/ir/types.js";
import {
  ARRAY_HEADER,
  type ArrayOf,
  ExitNumbers,
  FrontEnd,
  type Int,
  type Long,
} from "./front-end.js";
import { HEAP_SIZE, type Kernel } from "./kernel.js";

const SHIFT = 3;

function build(): Module {
  const module = new Module();
  module.heapSize = HEAP_SIZE;
  const f = new FrontEnd(module, "multiply", Double, new ExitNumbers());
  const { emit } = f;
  const heap = f.parameter("Int64");
  const n = f.parameter("Int32");
  const next = (from: Long): Long => {
    const bytes = emit.Mul(emit.SExt32(emit.Mul(n, n)), f.long(2 ** SHIFT));
    return emit.Add(emit.Add(from, bytes), f.long(ARRAY_HEADER));
  };
  const a = f.allocate(heap, SHIFT, emit.Mul(n, n));
  const b = f.allocate(next(a.base), SHIFT, emit.Mul(n, n));
  const c = f.allocate(next(b.base), SHIFT, emit.Mul(n, n));
  /** `matrix[row * n + column]` */
  const at = (matrix: ArrayOf, row: Int, column: Int, point: number, ...more: Int[]): Long => {
    const index = emit.Add(emit.Mul(row, n), column);
    return f.element(matrix, index, { point, variables: [heap, n, row, column, ...more] });
  };
  /** A loop over 0 to n - 1 in which nothing else changes. */
  const each = (body: (i: Int) => void): void => {
    f.loop(
      [f.int(0)],
      ([i]) => emit.LessThan(i, n),
      ([i]) => {
        body(i);
        return [emit.Add(i, f.int(1))];
      },
    );
  };

  each((i) =>
    each((j) => {
      const x = emit.Div(emit.IToD(emit.Add(i, f.int(1))), emit.IToD(emit.Add(j, f.int(1))));
      emit.Store(x, at(a, i, j, 1), ARRAY_HEADER);
      emit.Store(emit.IToD(emit.Sub(i, j)), at(b, i, j, 2), ARRAY_HEADER);
    }),
  );
  each((i) =>
    each((j) => {
      const [, sum] = f.loop(
        [f.int(0), f.real(0)],
        ([k]) => emit.LessThan(k, n),
        ([k, sum]) => {
          const x = f.load("Double", at(a, i, k, 3, j), ARRAY_HEADER);
          const y = f.load("Double", at(b, k, j, 4, i), ARRAY_HEADER);
          return [emit.Add(k, f.int(1)), emit.Add(sum, emit.Mul(x, y))];
        },
      );
      emit.Store(sum, at(c, i, j, 5), ARRAY_HEADER);
    }),
  );
  const [, total] = f.loop(
    [f.int(0), f.real(0)],
    ([l]) => emit.LessThan(l, emit.Mul(n, n)),
    ([l, total]) => {
      const place = { point: 6, variables: [heap, n, l, total] };
      const x = f.load("Double", f.element(c, l, place), ARRAY_HEADER);
      return [emit.Add(l, f.int(1)), emit.Add(total, x)];
    },
  );
  emit.Return(total);
  return module;
}

function javascript(heap: ArrayBuffer, [n]: readonly number[]): number {
  const size = n * n;
  const stride = ARRAY_HEADER + 8 * size;
  const a = new Float64Array(heap, ARRAY_HEADER, size);
  const b = new Float64Array(heap, ARRAY_HEADER + stride, size);
  const c = new Float64Array(heap, ARRAY_HEADER + 2 * stride, size);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      a[i * n + j] = (i + 1) / (j + 1);
      b[i * n + j] = i - j;
    }
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
  let total = 0;
  for (let l = 0; l < size; l++) total += c[l];
  return total;
}

export const matrix: Kernel = {
  name: "matrix",
  about: "The product of two square matrices of Doubles; gives the sum of its elements.",
  build,
  javascript,
  args: (n) => [n],
  fill: 0,
  counted: 32,
  timed: 64,
  leaving: [],
  inner: { unit: "multiply-add", counts: (n) => [1, n, n ** 2, n ** 3], sizes: [8, 16, 24, 32] },
};

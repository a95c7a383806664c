// The Mandelbrot set: for each point of a square, after how many steps z = z * z + c leaves the
// circle of radius 2. Doubles in Phis, and one store a point.

import { Module } from "../../src/ir/procedure.js";
import { Int32 } from "../../src/ir/types.js";
import { ARRAY_HEADER, ExitNumbers, FrontEnd, type Int, type Real } from "./front-end.js";
import { HEAP_SIZE, type Kernel } from "./kernel.js";

const STEPS_MAX = 50;

function build(): Module {
  const module = new Module();
  module.heapSize = HEAP_SIZE;
  const f = new FrontEnd(module, "mandelbrot", Int32, new ExitNumbers());
  const { emit } = f;
  const heap = f.parameter("Int64");
  const n = f.parameter("Int32");
  const image = f.allocate(heap, 0, emit.Mul(n, n));
  /** From 0 to n - 1 into an interval of length 2. */
  const scaled = (pixel: Int, from: number): Real =>
    emit.Add(emit.Div(emit.Mul(f.real(2), emit.IToD(pixel)), emit.IToD(n)), f.real(from));
  const squares = (x: Real, y: Real): Real => emit.Add(emit.Mul(x, x), emit.Mul(y, y));

  const stepsAt = (row: Int, column: Int): Int => {
    const cx = scaled(column, -1.5);
    const cy = scaled(row, -1);
    const [step] = f.loop(
      [f.int(0), f.real(0), f.real(0)],
      ([step, x, y]) => {
        const [isInside] = f.choose(
          emit.LessThan(step, f.int(STEPS_MAX)),
          () => [emit.LessEqual(squares(x, y), f.real(4))],
          () => [f.int(0)],
        );
        return isInside;
      },
      ([step, x, y]) => {
        const nextX = emit.Add(emit.Sub(emit.Mul(x, x), emit.Mul(y, y)), cx);
        const nextY = emit.Add(emit.Mul(emit.Mul(f.real(2), x), y), cy);
        return [emit.Add(step, f.int(1)), nextX, nextY];
      },
    );
    return step;
  };

  const [, total] = f.loop(
    [f.int(0), f.int(0)],
    ([row]) => emit.LessThan(row, n),
    ([row, total]) => {
      const [, sum] = f.loop(
        [f.int(0), total],
        ([column]) => emit.LessThan(column, n),
        ([column, sum]) => {
          const steps = stepsAt(row, column);
          const index = emit.Add(emit.Mul(row, n), column);
          const variables = [heap, n, row, column, sum, steps];
          emit.Store8(steps, f.element(image, index, { point: 1, variables }), ARRAY_HEADER);
          return [emit.Add(column, f.int(1)), emit.Add(sum, steps)];
        },
      );
      return [emit.Add(row, f.int(1)), sum];
    },
  );
  emit.Return(total);
  return module;
}

function stepsOf(row: number, column: number, n: number): number {
  const cx = (2 * column) / n - 1.5;
  const cy = (2 * row) / n - 1;
  let step = 0;
  let x = 0;
  let y = 0;
  while (step < STEPS_MAX && x * x + y * y <= 4) {
    const next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    step++;
  }
  return step;
}

function javascript(heap: ArrayBuffer, [n]: readonly number[]): number {
  const image = new Uint8Array(heap, ARRAY_HEADER, n * n);
  let total = 0;
  for (let row = 0; row < n; row++) {
    for (let column = 0; column < n; column++) {
      const steps = stepsOf(row, column, n);
      image[row * n + column] = steps;
      total += steps;
    }
  }
  return total;
}

/** Calls, rows, points, points that leave the circle, steps. */
function counts(n: number): number[] {
  let left = 0;
  let steps = 0;
  for (let i = 0; i < n * n; i++) {
    const taken = stepsOf(Math.floor(i / n), i % n, n);
    steps += taken;
    if (taken < STEPS_MAX) left++;
  }
  return [1, n, n * n, left, steps];
}

export const mandelbrot: Kernel = {
  name: "mandelbrot",
  about: "The Mandelbrot set; gives the sum of the steps at all points.",
  build,
  javascript,
  args: (n) => [n],
  fill: 0,
  counted: 40,
  timed: 120,
  leaving: [],
  inner: { unit: "step", counts, sizes: [4, 8, 12, 24, 40] },
};

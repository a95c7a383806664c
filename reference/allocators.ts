// Lists the allocators by name.

import type { AllocatorFactory } from "./regalloc/allocator.js";
import type { AllocatorName } from "./regalloc/allocator-names.js";
import { newColouring } from "./regalloc/colouring/colouring.js";
import { newLinearScan } from "./regalloc/linear-scan/linear-scan.js";
import { newOnePass } from "./regalloc/one-pass/one-pass.js";

export const ALLOCATORS: { readonly [A in AllocatorName]: AllocatorFactory } = {
  "linear-scan": newLinearScan,
  colouring: newColouring,
  "one-pass": newOnePass,
};

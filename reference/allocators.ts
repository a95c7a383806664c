// The allocators, each by its name.

import type { Allocate } from "./regalloc/allocator.js";
import type { AllocatorName } from "./regalloc/allocator-names.js";
import { allocateColouring } from "./regalloc/colouring/colouring.js";
import { allocateLinearScan } from "./regalloc/linear-scan/linear-scan.js";
import { allocateOnePass } from "./regalloc/one-pass/one-pass.js";

export const ALLOCATORS: { readonly [A in AllocatorName]: Allocate } = {
  "linear-scan": allocateLinearScan,
  colouring: allocateColouring,
  "one-pass": allocateOnePass,
};

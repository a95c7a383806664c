// Checks that programs of a file share a host function unless it depends on their heaps.

import test from "ava";
import { parseModule } from "../ir/text/parse.js";
import { exportC } from "./c/export-c.js";
import { exportLlvm } from "./llvm/export-llvm.js";

const calling = (heap: number): ReturnType<typeof parseModule> =>
  parseModule(`touchstone 1
heap ${heap}
proc f(Int32 @0, Int64 @1) -> Int32
#0:
  Int32 @2 = CCall(mix32, @0, @0)
  Int32 @3 = CCall(stir, @2, @1)
  Void @4 = Return(@3)
`);
const MODULES = [calling(4096), calling(8192)];

const FILES = {
  c: { text: exportC(MODULES), definition: /^static \w+ (\w*host_\w+)\(.*\{$/gm },
  llvm: { text: exportLlvm(MODULES), definition: /^define internal \w+ @(\w*host_\w+)\(/gm },
};

for (const [format, { text, definition }] of Object.entries(FILES)) {
  test(`programs in ${format} share host functions that do not use the heap`, (t) => {
    const names = [...text.matchAll(definition)].map(([, name]) => name);
    t.deepEqual(names.sort(), ["host_mix32", "p0_host_stir", "p1_host_stir"]);
  });
}

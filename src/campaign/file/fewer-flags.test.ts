// Tests that only the flags of an engine that a difference needs remain.

import test from "ava";
import type { EngineSubject } from "../../engine/engine-subject.js";
import { ALL_CAPABILITIES, type RemoteProgram } from "../../execute/subject.js";
import { parseModule } from "../../ir/text/parse.js";
import { Int32 } from "../../ir/types.js";
import { withFewerFlags } from "./fewer-flags.js";

const PROGRAM = {
  module: parseModule("touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Void @1 = Return(@0)\n"),
  inputs: [{ words: Int32Array.of(5, 0), heapSeed: 0 }],
};

/** An engine that returns 5, or 6 if it has all needed flags. */
function engineWith(flags: readonly string[], needed: readonly string[]): EngineSubject {
  const lo = needed.every((flag) => flags.includes(flag)) ? 6 : 5;
  const result = { type: Int32, lo, hi: 0, anyNaN: false };
  const heap = { bytes: new Uint8Array(PROGRAM.module.heapSize), anyNaN: [], masked: [] };
  const outcome = { events: [], ending: { kind: "return", result, heap } } as const;
  return {
    kind: "remote",
    name: ["fake", ...flags].join("+"),
    capabilities: ALL_CAPABILITIES,
    native: true,
    missing: () => null,
    open: () => ({
      prepare: async (programs: readonly RemoteProgram[]) => ({
        run: async () => programs.map(() => ({ kind: "ran", outcomes: [outcome] }) as const),
      }),
      close: () => {},
    }),
    batch: 1,
    version: () => "",
    reproducer: () => ({}),
    withoutFlag: flags.map((_, f) => () => engineWith(flags.toSpliced(f, 1), needed)),
  };
}

test("flags that a difference does not need are removed", async (t) => {
  for (const [needed, left] of [
    [["b", "d"], "fake+b+d"],
    [["a"], "fake+a"],
    [[], "fake"],
    [["z"], "fake+a+b+c+d"],
  ] as const) {
    const engine = engineWith(["a", "b", "c", "d"], needed);
    t.is((await withFewerFlags(PROGRAM, "result", engine)).name, left);
  }
});

// Checks transformations that all formats share against the oracle. Expanded modules, modules with
// reducible control flow and the procedures of host functions behave as the originals do.

import test from "ava";
import fc from "fast-check";
import { programOf } from "../campaign/program/seeds.js";
import { boundaryRows } from "../compare/boundary-cases.js";
import { boundaryInput, boundaryProgram } from "../compare/boundary-programs.js";
import { judge } from "../compare/compare.js";
import { cloneModule } from "../ir/clone.js";
import { analyzeControlFlow, dominates } from "../ir/control-flow.js";
import { HOST_FUNCTIONS, type KeptAddresses, purifyWords } from "../ir/host-functions.js";
import { Op } from "../ir/opcodes.js";
import { heapContents, type Input } from "../ir/outcome.js";
import { Module, type Procedure } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { Double, Int64, isFloating, isWide, Void } from "../ir/types.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { trials } from "../support/trials.js";
import { expand } from "./expand.js";
import { OPCODE_EXPANSIONS } from "./expansions.js";
import type { SourceForm } from "./forms.js";
import { hostProcedure } from "./host-procedures.js";
import { makeReducible } from "./make-reducible.js";
import { remainderProcedure } from "./remainder.js";
import { expandInForm } from "./word-pairs.js";

const FUEL = 4_000_000;
const SEEDS = trials(20, 60);
const FIRST_SEED = 710_000n;
const oracle = new Oracle();

// The keys of the table are names of opcodes with an optional type.
const ALL = new Set(Object.keys(OPCODE_EXPANSIONS).map((key) => key.split(".")[0]));

const WORD_PAIRS: SourceForm = new Set(["word-pairs"]);

test("an expanded program is valid and behaves the same", (t) => {
  for (let s = 0; s < SEEDS; s++) {
    const { module, inputs } = programOf(FIRST_SEED + BigInt(s));
    const expanded = cloneModule(module);
    expand(expanded, ALL);
    // The divisor of an expanded ChillDiv is never zero, but the verifier cannot prove that.
    const faults = verify(expanded).map(describeFault);
    t.deepEqual(
      faults.filter((fault) => !fault.includes("in an exit block")),
      [],
    );
    compare(`seed ${s}`, module, expanded, inputs, t.deepEqual);
  }
});

test("a program with pairs of words is valid and behaves the same", (t) => {
  let stitches = 0;
  for (let s = 0; s < SEEDS; s++) {
    const { module, inputs } = programOf(FIRST_SEED + BigInt(s));
    const split = cloneModule(module);
    expandInForm(split, ALL, WORD_PAIRS);
    const faults = verify(split).map(describeFault);
    t.deepEqual(
      faults.filter((fault) => !fault.includes("in an exit block")),
      [],
    );
    compare(`seed ${s}`, module, split, inputs, t.deepEqual);
    for (const proc of split.procedures) {
      proc.forEachValue(({ opcode }) => {
        if (opcode === Op.Stitch) stitches++;
      });
    }
  }
  t.true(stitches > SEEDS);
});

test("a snapshot that no guard names keeps its values", (t) => {
  const module = parseModule(`touchstone 1
proc main(Int32 @0) -> Int32
snapshot s0 = exit 1 frames [main@0: @1]
#0:
  Int64 @1 = SExt32(@0)
  Void @2 = Return(@0)
`);
  expandInForm(module, ALL, WORD_PAIRS);
  t.deepEqual(verify(module), []);
});

const WIDE_ROWS = boundaryRows().filter(
  ({ operands, result, isTotal, isLiteral }) =>
    isTotal && !isLiteral && (result === Int64 || operands.includes(Int64)),
);
test("operations on pairs of words equal those on Int64", (t) => {
  let split = 0;
  for (const row of WIDE_ROWS) {
    const module = boundaryProgram(row, 0, row.cases.slice(0, 1));
    const pairs = cloneModule(module);
    expandInForm(pairs, ALL, WORD_PAIRS);
    if (pairs.entry.valueIdEnd > module.entry.valueIdEnd) split++;
    const inputs = row.cases.map((one) => boundaryInput(0, one, true));
    compare(row.name, module, pairs, inputs, t.deepEqual);
  }
  t.log(`${split} of ${WIDE_ROWS.length} rows are split`);
  t.true(split > 40);
});

test("a program made reducible behaves the same", (t) => {
  let changed = 0;
  for (let s = 0; s < 2 * SEEDS; s++) {
    const { module, inputs } = programOf(FIRST_SEED + BigInt(s));
    const copy = cloneModule(module);
    for (const proc of copy.procedures) {
      proc.blocks = [...analyzeControlFlow(proc).order];
      const wasReducible = isReducible(proc);
      makeReducible(proc);
      t.true(isReducible(proc));
      if (!wasReducible) changed++;
    }
    compare(`seed ${s}`, module, copy, inputs, t.deepEqual);
  }
  t.true(changed > 0);
});

/** Returns whether each back edge goes to a block that dominates the edge's source. */
function isReducible(proc: Procedure): boolean {
  const flow = analyzeControlFlow(proc);
  return flow.order.every((block, at) =>
    block.successors.every((successor) => {
      const to = flow.position[successor.index];
      return to > at || dominates(flow, to, at);
    }),
  );
}

function compare(
  name: string,
  module: Module,
  other: Module,
  inputs: readonly Input[],
  same: (actual: unknown, expected: unknown, message: string) => void,
): void {
  const program = decodeModule(module);
  const changed = decodeModule(other);
  for (const input of inputs) {
    const expected = oracle.run(program, input, FUEL);
    const verdict = judge(expected, oracle.run(changed, input, 16 * FUEL));
    if (verdict.kind === "different") same(verdict, null, name);
  }
}

const word = fc.oneof(
  fc.constantFrom(0, 1, -1, 0x7fffffff, -0x80000000, 0x7f800001, 0x7ff80000, -0x400000, 1072693248),
  fc.integer(),
);

const NO_SLOTS: KeptAddresses = { keep() {}, drop() {}, read() {}, write() {} };

// Each format implements kept slots itself: see src/export/kept-slots.test.ts.
for (const host of HOST_FUNCTIONS.filter(({ kept }) => kept === null)) {
  test(`the procedure of ${host.name} returns its result`, (t) => {
    const module = new Module();
    module.procedures.push(hostProcedure(host, module.heapSize));
    const program = decodeModule(module);
    const { parameters, result } = host;
    const size = 2 * Math.max(1, parameters.length);
    const inputs = fc.tuple(fc.array(word, { minLength: size, maxLength: size }), fc.integer());
    fc.assert(
      fc.property(inputs, ([drawn, heapSeed]) => {
        const words = Int32Array.from(drawn);
        parameters.forEach((type, p) => {
          if (!isWide(type)) words[2 * p + 1] = 0;
        });
        const actual = oracle.run(program, { words, heapSeed }, FUEL).ending;
        const heap = new Uint8Array(module.heapSize);
        heapContents(heap, heapSeed);
        const expected = words.slice();
        parameters.forEach((type, p) => {
          if (isFloating(type)) purifyWords(expected, 2 * p, type);
        });
        host.apply(expected, heap, NO_SLOTS);
        if (isFloating(result)) purifyWords(expected, 0, result);
        if (actual.kind !== "return") return void t.fail(actual.kind);
        t.deepEqual(actual.heap.bytes, heap);
        if (result !== Void) t.is(actual.result?.lo, expected[0]);
        if (isWide(result)) t.is(actual.result?.hi, expected[1]);
      }),
      { numRuns: 100 },
    );
  });
}

test("the remainder equals that of the language", (t) => {
  const module = new Module();
  module.procedures.push(remainderProcedure());
  const program = decodeModule(module);
  fc.assert(
    fc.property(fc.double(), fc.double(), (x, y) => {
      const words = new Int32Array(Float64Array.of(x, y).buffer);
      const { ending } = oracle.run(program, { words, heapSeed: 0 }, FUEL);
      if (ending.kind !== "return" || ending.result === null) return void t.fail(ending.kind);
      t.is(ending.result.type, Double);
      const { lo, hi } = ending.result;
      t.is(new Float64Array(Int32Array.of(lo, hi).buffer)[0], x % y);
    }),
    { numRuns: 2000 },
  );
});

test("fused multiply-adds equal those of the language", (t) => {
  const module = parseModule(`touchstone 1
proc f(Int32 @0, Double @1, Double @2, Double @3) -> Double
#0:
  Float @4 = DoubleToFloat(@1)
  Float @5 = DoubleToFloat(@2)
  Float @6 = DoubleToFloat(@3)
  Float @7 = FusedMulAdd(@4, @5, @6)
  Double @8 = FloatToDouble(@7)
  Double @9 = FusedMulAdd(@1, @2, @3)
  Double @10 = Select(@0, @8, @9)
  Void @11 = Return(@10)
`);
  const expanded = cloneModule(module);
  expand(expanded, ALL);
  // Numbers of any size, and numbers near 1. Near 1, a product plus its negation is exactly the
  // rounding error.
  const near = fc.integer().map((n) => 1 + n * 2 ** -34);
  const number = fc.oneof(fc.double(), near);
  fc.assert(
    fc.property(fc.boolean(), number, number, number, fc.boolean(), (isFloat, x, y, z, cancels) => {
      const doubles = Float64Array.of(0, x, y, cancels ? -x * y : z);
      const words = new Int32Array(doubles.buffer);
      words[0] = isFloat ? 1 : 0;
      compare("fused", module, expanded, [{ words, heapSeed: 0 }], t.deepEqual);
    }),
    { numRuns: 1500 },
  );
  t.pass();
});

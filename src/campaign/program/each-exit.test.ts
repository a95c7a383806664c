// Tests programs that are rewritten so that each exit is taken once.

import test from "ava";
import { HOST_FUNCTIONS } from "../../ir/host-functions.js";
import {
  ALL_OPCODES,
  EFFECTS,
  EXITS,
  NAMES_HOST,
  NAMES_KIND,
  nameOfOpcode,
  type Opcode,
  typesOver,
} from "../../ir/opcodes.js";
import { isJudged } from "../../ir/outcome.js";
import { opcodeNameOf, PATCHPOINTS } from "../../ir/patchpoints.js";
import type { Value } from "../../ir/procedure.js";
import { parseModule } from "../../ir/text/parse.js";
import { describeFault, verify } from "../../ir/verify/verify.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { eachExitOf } from "./each-exit.js";
import { generatedOf } from "./seeds.js";

const PROGRAMS = 300n;
/**
 * Some forms of guards are rare: after the usual number of programs the search for them continues,
 * up to this number.
 */
const PROGRAMS_MAX = 900n;

test("each guard that an input reaches fails itself, on its first visit", (t) => {
  const oracle = new Oracle();
  const forms = new Set<string>();
  let [reached, unreached, unjudged, executions] = [0, 0, 0, 0];
  const isDone = (): boolean => forms.size === formCount();
  for (let seed = 0n; seed < PROGRAMS || (seed < PROGRAMS_MAX && !isDone()); seed++) {
    const original = generatedOf(seed);
    const { module, inputs, exits } = eachExitOf(original.module, original.inputs, seed);
    t.deepEqual(verify(module).map(describeFault), [], `seed ${seed}`);
    const program = decodeModule(module);
    for (const { proc, guard, input } of exits) {
      if (input === null) {
        unreached++;
        continue;
      }
      reached++;
      forms.add(formOf(guard));
      const { outcome, trace } = oracle.runTraced(program, inputs[input], DEFAULT_FUEL);
      executions++;
      if (!isJudged(outcome)) unjudged++;
      const p = module.procedures.indexOf(proc);
      const left = trace.exits.some((e) => trace.procedures[e] === p && trace.ids[e] === guard.id);
      t.true(left, `seed ${seed}: ${proc.name} @${guard.id}`);
    }
  }
  t.true(reached > 200 && unreached > 0, `${reached} reached, ${unreached} not`);
  t.true(unjudged <= 0.01 * executions, `${unjudged} of ${executions}`);
  t.is(forms.size, formCount(), [...forms].join());
});

/**
 * Names the form of a guard: its kind of patchpoint, its function, or its opcode, with the type if
 * the opcode has several.
 */
const formOf = ({ opcode, type, patchpoint, host }: Value): string =>
  patchpoint?.name ?? host?.name ?? `${opcode} ${typesOver(opcode).length === 0 ? "" : type}`;

/** All forms. */
const formCount = (): number =>
  ALL_OPCODES.filter((opcode) => (EFFECTS[opcode] & EXITS) !== 0)
    .map(formsOf)
    .reduce((sum, count) => sum + count, 0);

function formsOf(opcode: Opcode): number {
  if (NAMES_HOST[opcode] === 1) return HOST_FUNCTIONS.filter(({ asks }) => asks).length;
  if (NAMES_KIND[opcode] === 0) return Math.max(1, typesOver(opcode).length);
  return PATCHPOINTS.filter((kind) => opcodeNameOf(kind) === nameOfOpcode(opcode)).length;
}

test("guards that are not forced do not change", (t) => {
  const module = parseModule(`touchstone 1
proc f(Int32 @0) -> Int32
snapshot s0 = exit 3 frames [f@1: @0]
#0:
  Int32 @1 = CheckSub(@0, @0) s0
  Void @2 = Return(@1)
`);
  const input = { words: Int32Array.of(7, 0), heapSeed: 0 };
  const { module: rewritten, inputs, exits } = eachExitOf(module, [input], 0n);
  t.is(module.entry.parameters.length, 1, "the original stays");
  t.deepEqual(
    exits.map(({ guard, input: at }) => [guard.id, at]),
    [[1, 1]],
  );
  const program = decodeModule(rewritten);
  const endings = inputs.map((given) => new Oracle().run(program, given, 100).ending);
  t.deepEqual(
    endings.map(({ kind }) => kind),
    ["return", "exit"],
  );
});

test("callees of continuations take a number too: an indirect call may reach them and others", (t) => {
  const original = parseModule(`touchstone 1
exit 0 resumes r
proc f(Int32 @0) -> Int32
snapshot s0 = exit 0 frames [f@0: @0]
#0:
  Int32 @1 = CCall(a, @0)
  Void @2 = Check(@1) s0
  Void @3 = Return(@1)
proc a(Int32 @0) -> Int32
#0:
  Void @1 = Return(@0)
proc b(Int32 @0) -> Int32
#0:
  Void @1 = Return(@0)
proc r(Int32 @0) -> Int32
#0:
  Int64 @1 = FunctionAddress(a)
  Int64 @2 = FunctionAddress(b)
  Int64 @3 = Select(@0, @1, @2)
  Int32 @4 = CallIndirect(@3, @0)
  Void @5 = Return(@4)
`);
  const { module } = eachExitOf(original, [{ words: Int32Array.of(7, 0), heapSeed: 0 }], 0n);
  t.deepEqual(verify(module).map(describeFault), []);
  const counts = module.procedures.map(({ name, parameters }) => [name, parameters.length]);
  t.deepEqual(Object.fromEntries(counts), { f: 2, a: 2, b: 2, r: 1 });
});

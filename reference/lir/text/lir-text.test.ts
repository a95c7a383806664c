// Tests LIR as text: parsing printed LIR restores it, and malformed text is rejected with its
// position. Also verifies the LIR of random programs, and tests that the verifier finds deliberate
// faults.

import { isDeepStrictEqual } from "node:util";
import test from "ava";
import { ENVIRONMENT } from "../../../src/execute/machine/environment.js";
import { generateProgram } from "../../../src/generate/generate-program.js";
import type { Procedure } from "../../../src/ir/procedure.js";
import { ParseError } from "../../../src/ir/text/lexer.js";
import { parseModule } from "../../../src/ir/text/parse.js";
import { SeedSource } from "../../../src/support/source.js";
import { trials } from "../../../src/support/trials.js";
import { Compiler } from "../../compile.js";
import type { Level } from "../../levels.js";
import { optimize } from "../../optimize.js";
import { PARTS } from "../../parts.js";
import type { Allocation } from "../../regalloc/allocation.js";
import { AllocationChecker } from "../../regalloc/check/check.js";
import type { LoweringPlan } from "../../target/plan.js";
import type { TargetName } from "../../target/target.js";
import type { Lir } from "../lir.js";
import { parseLir } from "./parse-lir.js";
import { printLir } from "./print.js";
import { verifyLir } from "./verify-lir.js";

const PROGRAMS = trials(80, 240);
/** Target, level, and whether 64 bits may be carried in two registers. */
type CompilationCase = readonly [TargetName, Level, halves: boolean];
const CASES: readonly CompilationCase[] = [
  ["x64", "O0", false],
  ["x64", "O2", false],
  ["x64", "O2", true],
  ["arm64", "O0", true],
  ["arm64", "O0", false],
  ["arm64", "O2", false],
];

const compiler = new Compiler();

type Look = (lir: Lir, allocation: Allocation | null, plan: LoweringPlan, proc: Procedure) => void;

/** Passes each procedure of a random program, lowered and allocated, to `look`. */
function compile(seed: number, [target, level, halves]: CompilationCase, look: Look): void {
  const { module } = generateProgram(new SeedSource(BigInt(seed)));
  optimize(module, { level, target });
  compiler.generate(module, target, {
    environment: ENVIRONMENT,
    level,
    halves,
    checkAllocation: false,
    listing: false,
    onLir: (stage, lir, allocation, plan, proc) =>
      look(lir, stage === "lower" ? null : allocation, plan, proc),
  });
}

const columnsOf = (lir: Lir): unknown => ({
  opcode: lir.opcode.slice(0, lir.instructionCount),
  lo: lir.immLo.slice(0, lir.instructionCount),
  hi: lir.immHi.slice(0, lir.instructionCount),
  operand: lir.operand.slice(0, lir.operandCount),
  location: lir.location.slice(0, lir.operandCount),
  types: lir.vregType.slice(0, lir.vregCount),
  references: lir.vregIsReference.slice(0, lir.vregCount),
  roots: lir.vregRoot.slice(0, lir.vregCount),
  phis: lir.phis.slice(0, lir.phiStart[lir.blockCount]),
  inputs: lir.phiInputs.slice(0, lir.phiInputStart[lir.blockCount]),
  leaves: lir.guards.map(({ leaves }) => leaves.map(({ id }) => id)),
  kept: lir.guards.map(({ operands }) => operands),
  patchpoints: lir.patchpoints,
  cases: lir.switches,
});

test("for random programs: printing and parsing restores the LIR, and the verifier accepts it", (t) => {
  let procedures = 0;
  for (let seed = 0; seed < PROGRAMS; seed++) {
    const way = CASES[seed % CASES.length];
    compile(seed, way, (lir, allocation, plan, proc) => {
      const text = printLir(lir, plan, proc.name, allocation);
      const parsed = parseLir(text, plan, proc);
      const where = `seed ${seed}, ${way.join(" ")}`;
      t.is(printLir(parsed.lir, plan, parsed.name, parsed.allocation), text, where);
      t.deepEqual(verifyLir(parsed.lir, plan), [], where);
      if (parsed.allocation === null) {
        const [expected, found] = [columnsOf(lir), columnsOf(parsed.lir)];
        if (!isDeepStrictEqual(found, expected)) t.deepEqual(found, expected, where);
      } else {
        const { rows, target: machine } = plan;
        const faults = new AllocationChecker().check(
          parsed.lir,
          rows,
          machine.registers,
          parsed.allocation,
        );
        t.deepEqual(faults, [], where);
      }
      procedures++;
    });
  }
  t.log(`${procedures} procedures`);
});

const TEXT = `lir x64 f
B0 -> B1 B2
  0: v0<i>:rdi v1<l>:rsi = entry
  1: v2<i>:= = addl v0:R v0:A
  2: branch.cmplImm v2:R #5 if lt
B1 -> B3
  3: v3<i>:~ = truncq v1:A
  4: jump
  inputs v3
B2 -> B3
  5: v4<i>:R = addOverflowsl v0:C v2:A temp v5<i>:C
  6: jump
  inputs v4
B3
  phi v6<i>
  7: return v6:rax
`;
const PLAN = PARTS.plans.x64;

test("text without a procedure", (t) => {
  const { lir, name } = parseLir(TEXT, PLAN, null);
  t.deepEqual(verifyLir(lir, PLAN), []);
  const text = printLir(lir, PLAN, name, null);
  t.is(text.replaceAll(/^ +/gm, ""), TEXT.replaceAll(/^ +/gm, ""));
});

// Each text replaces that line of TEXT.
// biome-ignore format: a table
const MALFORMED: readonly (readonly [line: number, text: string, column: number, message: string])[] = [
  [1, "lir arm64 f",                              5,  "expected 'x64', found 'arm64'"],
  [1, "lir x64 f outgoing much",                  20, "expected a number of bytes, found 'much'"],
  [2, "B1 -> B1 B2",                              1,  "expected 'B0', found 'B1'"],
  [2, "B0 -> B1 B9",                              1,  "B9 is a successor, but not a block"],
  [3, "  1: v0<i>:rdi v1<l>:rsi = entry",         3,  "expected '0:', found '1:'"],
  [4, "  1: v2<i>:= addl v0:R v0:A",              14, "expected '=', found 'addl'"],
  [4, "  1: v2<i>:= = addz v0:R v0:A",            16, "expected a row of x64, found 'addz'"],
  [4, "  1: v2<z>:= = addl v0:R v0:A",            6,  "expected a type: <i>, <l>, <r>, <f>, <d>, found 'v2<z>:='"],
  [4, "  1: v2<i>:= = addl v0:R v0:eax",          26, "expected a policy or a register, found 'v0:eax'"],
  [4, "  1: v2<i>:= = addl v0:R v9:A",            26, "v9 has no definition"],
  [4, "  1: v1<i>:= = addl v0:R v0:A",            6,  "expected a virtual register that has no earlier definition, found 'v1<i>:='"],
  [4, "  1: v2<i>:= = addl v0:R@rax v0:A",        21, "expected no location: @rax, found 'v0:R@rax'"],
  [5, "  2: branch.cmplImm v2:R #5 when lt",      29, "expected 'if', found 'when'"],
  [5, "  2: branch.cmplImm v2:R #5 if less",      32, "expected a condition, found 'less'"],
  [5, "  2: branch.cmplImm v2:R #five if lt",     26, "expected an immediate: #5, found '#five'"],
  [5, "  2: branch.cmplImm v2:R",                 25, "expected 'if', found the end of the line"],
  [8, "  4: jump exits s0 [@1=2]",                17, "expected a known snapshot, found 's0'"],
  [8, "  4: jump there",                          11, "expected the end of the line, found 'there'"],
  [7, "  before rax -> rcx<i>",                   3,  "expected an instruction: moves come with allocation, found 'before'"],
  [15,"",                                         1,  "v6 has no definition"],
];

for (const [line, text, column, message] of MALFORMED) {
  test(`malformed: ${text.trim() || "no Phi"}`, (t) => {
    const lines = TEXT.split("\n");
    lines[line - 1] = text;
    const error = t.throws(() => parseLir(lines.join("\n"), PLAN, null), {
      instanceOf: ParseError,
    });
    t.is(error?.message, message);
    // These faults depend on all of the text. They are reported where the name is first used, or at
    // the start.
    if (message.startsWith("v6") || message.startsWith("B9")) return;
    t.deepEqual([error?.line, error?.column], [line, column]);
  });
}

// The procedure of exits that a text names.
const PROCEDURE = parseModule(`touchstone 1
proc f(Int32 @0, Int64 @1) -> Int32
snapshot s0 = exit 0 frames [f@0: @0]
snapshot s1 = exit 1 frames [f@0: @1]
#0:
  Int32 @2 = PatchpointCheck(addOrExit, @0, @0) s0
  Int32 @3 = PatchpointCheck(addOrExit, @2, @0) s1
  Float @5 = IToF(@2)
  Int64 @6 = PatchpointCheck(addPassed, @1, @0, @5) s1
  Void @4 = Return(@3)
`).procedures[0];

// Each text replaces that line of TEXT.
// biome-ignore format: a table
const WRONG: readonly (readonly [line: number, text: string, fault: string])[] = [
  [3, "  0: v0<i>:rdi v1<l>:rdi = entry",            "instruction 0 (entry), operand 1 (v1:register 7): is named twice"],
  [3, "  0: v0<i>:xmm0 v1<l>:rsi = entry",           "instruction 0 (entry), operand 0 (v0:register 32): names a register of the other bank"],
  [4, "  1: v2<i>:= = addl v4:R v0:A",               "instruction 1 (addl), operand 1 (v4:R): is not defined on every path"],
  [4, "  1: v2<i>:= = addl v0:A v0:A",               "instruction 1 (addl), operand 0 (v2:=): reuses no register"],
  [4, "  1: v2<i>:R = addl v0:R v0:A",               "instruction 1 (addl), operand 0 (v2:R): does not match the row's operand"],
  [4, "  1: v2<i>:= = addl v0:R",                    "instruction 1 (addl): has 2 of 3 operands"],
  [4, "  1: v2<f>:= = addl v0:R v0:A",               "instruction 1 (addl), operand 0 (v2:=): is Float, its use Int32"],
  [4, "  1: v2<i>:= = addl v0:R v0:K",               "instruction 1 (addl): has a KEEPALIVE for no leaf"],
  [4, "  1: v2<i>:R = patchpoint.addOrExit v0:R v0:A late exits s0 [@0=1] @2", "instruction 1 (patchpoint.addOrExit), operand 1 (v0:R): is shown by the exit, but is no late use of a patchpoint"],
  [4, "  1: v2<i>:R = patchpoint.addOrExit v0:R late v0:A late exits s0 [@0=0] @2", "instruction 1 (patchpoint.addOrExit), operand 0 (v2:R): is shown by the exit, but is no late use of a patchpoint"],
  [4, "  1: v2<i>:R = patchpoint.addOrExit v0:R late v0:A late exits s1 [@1=2] @3", "instruction 1 (patchpoint.addOrExit), operand 2 (v0:A): is Int32, its leaf Int64"],
  [4, "  1: v2<l>:rax v9<l>:r10 = patchpoint.addPassed v0:rsi late temp v8<l>:rbx exits s1 [@1=sp+0] @6", "instruction 1 (patchpoint.addPassed): leaf @1 is at sp+0, where no argument is stored"],
  [4, "  1: storeArgument.q v1:R #8\n  2: v2<l>:rax v9<l>:r10 = patchpoint.addPassed v0:rsi late temp v8<l>:rbx exits s1 [@1=sp+0] @6", "instruction 2 (patchpoint.addPassed): leaf @1 is at sp+0, where no argument is stored"],
  [4, "  1: storeArgument.l v0:R\n  2: v2<l>:rax v9<l>:r10 = patchpoint.addPassed v0:rsi late temp v8<l>:rbx exits s1 [@1=sp+0] @6", "instruction 2 (patchpoint.addPassed): leaf @1 is Int64, its store another type"],
  [4, "  1: storeArgument.q v1:R\n  2: callHost #1\n  3: v2<l>:rax v9<l>:r10 = patchpoint.addPassed v0:rsi late temp v8<l>:rbx exits s1 [@1=sp+0] @6", "instruction 3 (patchpoint.addPassed): leaf @1 is at sp+0, where no argument is stored"],
  [4, "  1: storeArgument.q v1:R\n  2: v2<i>:= = addl v0:R v0:A exits s1 [@1=sp+0]", "instruction 2 (addl): leaf @1 is at sp+0, where no argument is stored"],
  [4, "  1: v2<i>:= = addl v0:R v0:A late exits s0 [@0=2]", "instruction 1 (addl), operand 2 (v0:A): is shown by the exit, but is no late use of a patchpoint"],
  [5, "  2: branch.cmplImm v4:R #5 if lt",           "instruction 2 (branch.cmplImm), operand 0 (v4:R): is not defined on every path"],
  [5, "  2: jump",                                   "instruction 2 (jump): has 2 successors, expected 1"],
  [6, "B1 -> B3 B2",                                 "block 1: the edge to block 3 is critical"],
  [7, "  3: v3<l>:~ = truncq v0:A",                  "instruction 3 (truncq), operand 0 (v3:~): is wider than the use that it renames"],
  [7, "  3: v3<i>:~ = truncq v1:rsi",                "instruction 3 (truncq), operand 1 (v1:register 6): is renamed, but is no use at start in any location or a register"],
  [8, "  4: negl v0:R",                              "instruction 4 (negl): does not end its block"],
  [9, "  inputs v4",                                 "block 1: v4 is not defined at the end of the block, as an input of v6"],
  [9, "  inputs v1",                                 "block 1: v1 to v6: Int64 goes to Int32"],
  [9, "  inputs v0 v0",                              "block 1: has 2 Phi inputs, block 3 has 1 Phis"],
  [11,"  5: v4<i>:R = addOverflowsl v0:C v2:A temp v5<d>:C", "instruction 5 (addOverflowsl), operand 3 (v5:C): is Double, its use Int32"],
  [11,"  5: v4<i>:R = addOverflowsl v0:A v2:A temp v5<i>:C", "instruction 5 (addOverflowsl), operand 3 (v5:C): has no copied use"],
  [11,"  5: v4<i>:R = addOverflowsl v0:C v2:A temp v5<i>:R", "instruction 5 (addOverflowsl), operand 1 (v0:C): has no temp for its copy"],
  [11,"  5: v4<i>:R = addOverflowsl temp v5<i>:C v0:C v2:A", "instruction 5 (addOverflowsl), operand 2 (v0:C): is after an operand that must follow it"],
  [11,"  5: v4<i>:A = addOverflowsl v0:C v2:A temp v5<i>:C", "instruction 5 (addOverflowsl), operand 0 (v4:A): has a policy that its role does not allow"],
  [16,"  7: entry",                                  "instruction 7 (entry): the entry must be the first instruction, and occurs once"],
];

for (const [line, text, fault] of WRONG) {
  test(`wrong: ${text.trim()}`, (t) => {
    const lines = TEXT.split("\n");
    lines[line - 1] = text;
    const added = text.split("\n").length - 1;
    for (let l = line; l < lines.length; l++)
      lines[l] = lines[l].replace(/^ +\d+(?=:)/, (number) => `${Number(number) + added}`);
    const faults = verifyLir(parseLir(lines.join("\n"), PLAN, PROCEDURE).lir, PLAN);
    t.true(faults.includes(fault), faults.join("\n"));
  });
}

test("the checker finds a wrong allocation in a text", (t) => {
  const allocated = `lir x64 f allocated 0 rdi rax
B0
  0: v0<i>:rdi@rdi = entry
        before rdi -> rax<i>
  1: return v0:rax@rax
`;
  const faultsOf = (text: string): string[] => {
    const { lir, allocation } = parseLir(text, PLAN, null);
    if (allocation === null) return ["is not allocated"];
    return new AllocationChecker().check(lir, PLAN.rows, PLAN.target.registers, allocation);
  };
  t.deepEqual(faultsOf(allocated), []);
  t.is(faultsOf(allocated.replace(/ *before.*\n/, "")).length, 1);
  t.is(faultsOf(allocated.replace("v0:rax@rax", "v0:rax@rdi")).length, 1);
});

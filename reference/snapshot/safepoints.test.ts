// Tests the safepoints of an image. Each call that references live across names as many locations
// as there are references, none that calls destroy. Its offset is the return address of the call.

import test from "ava";
import { ENVIRONMENT } from "../../src/execute/machine/environment.js";
import { parseModule } from "../../src/ir/text/parse.js";
import { SeedSource } from "../../src/support/source.js";
import { ALLOCATORS } from "../allocators.js";
import { type CodeImage, Compiler } from "../compile.js";
import { PARTS } from "../parts.js";
import { ALLOCATOR_NAMES, type AllocatorName } from "../regalloc/allocator-names.js";
import { AllocationChecker } from "../regalloc/check/check.js";
import { fewRegisters } from "../regalloc/pressure.js";
import { MUTATIONS } from "../regalloc/stress/mutate-allocation.js";
import { TARGET_NAMES, type TargetName } from "../target/target.js";

// Two references live across the first call, one across the second.
const PROGRAM = `touchstone 1

proc f(Int64 @0, Int32 @1) -> Int64
#0:
  Int64 @2 = Patchpoint(makeReference, @0, @1)
  Int64 @3 = Patchpoint(makeReference, @2, @1)
  Int64 @4 = CCall(g, @0)
  Int64 @5 = Add(@2, @4)
  Int64 @6 = CCall(g, @5)
  Int64 @7 = Sub(@6, @3)
  Void @8 = Return(@7)

proc g(Int64 @0) -> Int64
#0:
  Int64 @1 = Neg(@0)
  Void @2 = Return(@1)
`;

const compiler = new Compiler();
function compile(
  target: TargetName,
  allocator: AllocatorName,
  registers: number | null,
): CodeImage {
  return compiler.generate(parseModule(PROGRAM), target, {
    environment: ENVIRONMENT,
    level: "O1",
    allocator,
    pressure: registers === null ? undefined : fewRegisters(registers),
    checkAllocation: true,
    listing: false,
  });
}

/** Returns whether a call ends at the offset. */
function isAfterCall(code: Uint8Array, offset: number, target: TargetName): boolean {
  if (target === "x64") return code[offset - 5] === 0xe8; // call rel32
  return code[offset - 1] >> 2 === 0b100101; // bl imm26
}

for (const target of TARGET_NAMES) {
  for (const allocator of ALLOCATOR_NAMES) {
    test(`${target}, ${allocator}: calls name the locations of references`, (t) => {
      const { callerSaved } = PARTS.plans[target].target.registers;
      for (const registers of [null, 4]) {
        const { safepoints, code, stackSize } = compile(target, allocator, registers);
        const counts = safepoints.map(
          (point) => point.registers.length + point.frameOffsets.length,
        );
        t.deepEqual(counts, [2, 1]);
        for (const { procedure, offset, registers: held, frameOffsets } of safepoints) {
          t.is(procedure, 0);
          t.true(isAfterCall(code, offset, target), `no call ends at ${offset}`);
          t.true(held.every((register) => callerSaved[register] === 0));
          t.true(frameOffsets.every((at) => at < 0 && at >= -stackSize && at % 8 === 0));
        }
      }
    });
  }

  test(`${target}: the checker rejects a call that does not name a reference`, (t) => {
    let dropped = 0;
    compiler.generate(parseModule(PROGRAM), target, {
      environment: ENVIRONMENT,
      level: "O1",
      checkAllocation: false,
      listing: false,
      onLir: (stage, lir, allocation, { rows, target: { registers } }) => {
        if (stage === "lower" || lir.referenceCount === 0) return;
        t.deepEqual(new AllocationChecker().check(lir, rows, registers, allocation), []);
        const allocate = ALLOCATORS["linear-scan"]();
        const subject = { lir, rows, registers, allocation, allocate };
        const drop = MUTATIONS["reference missing at a safepoint"];
        for (const source = new SeedSource(1n); drop(subject, source); ) {
          const faults = new AllocationChecker().check(lir, rows, registers, allocation);
          t.is(faults.length, ++dropped);
          for (const fault of faults) t.regex(fault, /a reference, lives across it/);
        }
      },
    });
    t.is(dropped, 3);
  });
}

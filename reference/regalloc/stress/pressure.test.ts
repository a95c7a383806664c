// Tests that pressure only makes allocation difficult: the LIR is the same except for ghosts and
// policies, and exits still name their values.

import test from "ava";
import { ENVIRONMENT } from "../../../src/execute/machine/environment.js";
import { CompilationUnit } from "../../../src/execute/unit.js";
import { generateProgram } from "../../../src/generate/generate-program.js";
import { SeedSource } from "../../../src/support/source.js";
import { drawEmission } from "../../chaos/draw-emission.js";
import { Compiler } from "../../compile.js";
import { type Lir, OperandPolicy, OperandRole, policyOf, roleOf, vregOf } from "../../lir/lir.js";
import { TARGET_NAMES } from "../../target/target.js";
import { ALLOCATOR_NAMES } from "../allocator-names.js";
import { fewRegisters, type PressureSettings } from "../pressure.js";

const compiler = new Compiler();
/** Compiles programs under pressure, with every allocator; checks the allocations. */
function spillsUnder(
  pressure: PressureSettings | undefined,
  programs: number,
  before?: (lir: Lir) => void,
  after?: (lir: Lir) => void,
): number {
  let spillUnits = 0;
  for (let seed = 0; seed < programs; seed++) {
    const unit = new CompilationUnit(generateProgram(new SeedSource(BigInt(seed))).module);
    for (const target of TARGET_NAMES) {
      const { module } = unit.optimized({ level: "O0", target, chaos: false });
      const image = compiler.generate(module, target, {
        environment: ENVIRONMENT,
        level: "O0",
        allocator: ALLOCATOR_NAMES[seed % ALLOCATOR_NAMES.length],
        checkAllocation: true,
        listing: false,
        pressure,
        onLir: (stage, lir) => (stage === "lower" ? before : after)?.(lir),
      });
      spillUnits += image.spillUnits;
    }
  }
  return spillUnits;
}

test("few registers make many spills", (t) => {
  const plain = spillsUnder(undefined, 12);
  const six = spillsUnder(fewRegisters(6), 12);
  const two = spillsUnder(fewRegisters(2), 12);
  t.log(`units of slots: ${plain}, with 6 registers ${six}, with 2 ${two}`);
  t.true(plain < six && six < two);
});

/** Returns the operand's register and role, without its policy. */
const meaningOf = (word: number): string => `${vregOf(word)} ${roleOf(word)}`;

test("under all pressure exits name the same values, and only temps are added", (t) => {
  const pressure = { registers: 2, ghosts: 1, places: 1, reorders: true, seed: 5n };
  let meanings: string[][] = [];
  let leaves: number[][] = [];
  let ghosts = 0;
  let restricted = 0;
  const leavesOf = (lir: Lir): number[][] =>
    lir.guards.map(({ operands }) => operands.map((o) => (o < 0 ? o : vregOf(lir.operand[o]))));
  const meaningsOf = (lir: Lir, isOld: (word: number) => boolean): string[][] =>
    Array.from({ length: lir.instructionCount }, (_, i) =>
      [...lir.operand.subarray(lir.operandStart[i], lir.operandStart[i + 1])]
        .filter(isOld)
        .map(meaningOf),
    );
  let vregCount = 0;
  spillsUnder(
    pressure,
    12,
    (lir) => {
      ({ vregCount } = lir);
      meanings = meaningsOf(lir, () => true);
      leaves = leavesOf(lir);
    },
    (lir) => {
      t.deepEqual(leavesOf(lir), leaves);
      const isOld = (word: number) => vregOf(word) < vregCount;
      t.deepEqual(meaningsOf(lir, isOld), meanings);
      for (const word of lir.operand.subarray(0, lir.operandCount)) {
        if (!isOld(word)) ghosts++;
        if (!isOld(word)) t.is(roleOf(word), OperandRole.Temp);
        if (roleOf(word) === OperandRole.Use && policyOf(word) === OperandPolicy.Stack)
          restricted++;
      }
    },
  );
  t.true(ghosts > 100 && restricted > 100, `${ghosts} ghosts, ${restricted} in memory`);
});

test("chaos draws every kind of pressure, and for half of the programs none", (t) => {
  const kinds = new Map<string, number>();
  const count = (kind: string) => kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  for (let seed = 0n; seed < 1000n; seed++) {
    const { pressure } = drawEmission(new SeedSource(seed, "emission"), seed);
    if (pressure === null) count("none");
    else {
      count(`registers ${pressure.registers}`);
      if (pressure.ghosts > 0) count("ghosts");
      if (pressure.places > 0) count("places");
      if (pressure.reorders) count("reorders");
    }
  }
  for (const kind of [
    "registers 2",
    "registers 3",
    "registers 4",
    "ghosts",
    "places",
    "reorders",
  ]) {
    t.true((kinds.get(kind) ?? 0) > 20, kind);
  }
  t.true((kinds.get("none") ?? 0) > 400);
});

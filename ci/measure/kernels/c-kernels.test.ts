// Tests the kernels in C: the project's code and the code of other compilers give the result of the
// table, and untranslatable LLVM IR is refused.

import { spawnSync } from "node:child_process";
import test from "ava";
import { Compiler } from "../../../reference/compile.js";
import { TARGET_NAMES } from "../../../reference/target/target.js";
import { EmulatedCpu } from "../../../src/execute/emulator/emulated-cpu.js";
import { MachineRunner } from "../../../src/execute/machine/machine.js";
import { emulatorTest } from "../../../src/execute/unicorn-available.js";
import { CompilationUnit, DEFAULT_SETTINGS } from "../../../src/execute/unit.js";
import { HEAP_BASE_HI, HEAP_BASE_LO } from "../../../src/ir/outcome.js";
import { verify } from "../../../src/ir/verify/verify.js";
import { Oracle } from "../../../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../../src/oracle/fuel.js";
import { C_KERNELS, moduleOf } from "./c-kernels.js";
import { CodeComparison } from "./compare-code.js";
import { moduleFromLlvm } from "./from-llvm.js";
import { compileKernel } from "./measure.js";

const withEmulator = emulatorTest(test);
const limits = { poison: 0, instructionsMax: DEFAULT_FUEL, fuelMax: DEFAULT_FUEL } as const;
const withClang = spawnSync("clang-19", ["--version"]).status === 0 ? test : test.skip;

withEmulator("each kernel gives the result of the table, at each level and target", (t) => {
  const compiler = new Compiler();
  for (const target of TARGET_NAMES) {
    const runner = new MachineRunner(new EmulatedCpu(target), new Oracle());
    for (const kernel of C_KERNELS) {
      const unit = new CompilationUnit(moduleOf(kernel), DEFAULT_SETTINGS);
      t.deepEqual(verify(moduleOf(kernel)), []);
      const words = Int32Array.of(HEAP_BASE_LO, HEAP_BASE_HI, kernel.counted, 0);
      for (const level of ["O0", "O2"] as const) {
        const image = compileKernel(compiler, unit, target, level);
        const { ending } = runner.run(image, { words, heapSeed: kernel.fill }, limits);
        const given = ending.kind === "return" && ending.result !== null && "lo" in ending.result;
        t.is(given ? ending.result.lo : null, kernel.result, `${kernel.name} ${target} ${level}`);
      }
    }
    runner.close();
  }
});

withClang("clang's code gives the same result, and is counted in the same way", (t) => {
  const comparison = new CodeComparison(false);
  const [kernel] = C_KERNELS;
  for (const target of TARGET_NAMES) {
    const { code } = comparison.compare(kernel, target, DEFAULT_SETTINGS);
    const hasLinker =
      target === "x64" || spawnSync("aarch64-linux-gnu-ld", ["--version"]).status === 0;
    t.is(
      code.some(({ by }) => by === "clang-19 -O2"),
      hasLinker,
    );
    for (const { instructions } of code) t.true(instructions > 1000);
    const wrong = { ...kernel, result: kernel.result ^ 1 };
    t.throws(() => comparison.compare(wrong, target, DEFAULT_SETTINGS));
  }
  comparison.close();
});

test("unsupported LLVM IR is refused, with its line", (t) => {
  const text = "define i32 @f(i32 %x) {\nentry:\n  %y = freeze i32 %x\n  ret i32 %y\n}\n";
  t.throws(() => moduleFromLlvm(text, 4096), { message: /freeze/ });
});

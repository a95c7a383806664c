// Tests the trace of decisions: it names the register of each use, and changes no code.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { ENVIRONMENT } from "../../src/execute/machine/environment.js";
import { parseModule } from "../../src/ir/text/parse.js";
import { projectRoot } from "../../src/support/project-root.js";
import { Compiler } from "../compile.js";
import { OperandPolicy, OperandRole, policyOf, roleOf, SLOT, vregOf } from "../lir/lir.js";
import { optimize } from "../optimize.js";
import { ALLOCATOR_NAMES } from "./allocator-names.js";
import { type AllocationDecision, describeDecision } from "./trace.js";

const PROGRAM = readFileSync(join(projectRoot(), "corpus", "bench", "sieve.ir"), "utf8");

/** Few registers, so that each allocator splits and spills. */
const PRESSURE = { registers: 4, ghosts: 0, places: 0, reorders: false, seed: 1n };

for (const allocator of ALLOCATOR_NAMES) {
  for (const target of ["x64", "arm64"] as const) {
    test(`${allocator}, ${target}: a decision for the register of each use`, (t) => {
      const module = parseModule(PROGRAM);
      optimize(module, { level: "O2", target });
      const decisions: AllocationDecision[] = [];
      const used: string[] = [];
      const options = {
        ...({ environment: ENVIRONMENT, level: "O2", allocator, pressure: PRESSURE } as const),
        ...{ checkAllocation: true, listing: false },
      };
      const { code } = new Compiler().generate(module, target, {
        ...options,
        onDecision: (decision) => void decisions.push(decision),
        onLir: (stage, lir) => {
          if (stage !== "allocate") return;
          const owned = new Set<number>();
          for (let i = 0; i < lir.instructionCount; i++) {
            let reuses = 0;
            for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
              const word = lir.operand[o];
              if (policyOf(word) === OperandPolicy.MustReuseInput) reuses++;
              if (roleOf(word) > OperandRole.Use) continue;
              // The register of a reused or fixed use belongs to the instruction.
              if (reuses-- > 0 || policyOf(word) === OperandPolicy.Fixed)
                owned.add(lir.location[o]);
              else if (lir.location[o] < SLOT && !owned.has(lir.location[o])) {
                used.push(`v${lir.vregRoot[vregOf(word)]} ${lir.location[o]}`);
              }
            }
            owned.clear();
          }
        },
      });
      const taken = new Set(
        decisions
          .filter(({ action }) => action === "takes")
          .map(({ vreg, register }) => `v${vreg} ${register}`),
      );
      t.true(used.length > 20);
      t.deepEqual(
        used.filter((use) => !taken.has(use)),
        [],
      );
      t.true(decisions.some(({ action }) => action === "goes to memory"));
      const lines = decisions.map((decision) => describeDecision(decision, (r) => `r${r}`));
      for (const line of lines) t.regex(line, /^v\d+ \[\S+, \S+\) [a-z ]+( r\d+)?( at \S+)?: \S/);
      t.deepEqual(new Compiler().generate(module, target, options).code, code);
    });
  }
}

// `x64-*` and `arm64-*`: compiled by the reference compiler, run under emulation.

import { Compiler } from "../../reference/compile.js";
import { CompileError } from "../../reference/lir/code-buffer.js";
import type { Environment } from "../../reference/lower/target.js";
import { assert } from "../support/assert.js";
import { exitAddress, hostCallAddress, LAYOUT } from "./guest.js";
import { NO_POISON, POISONS } from "./junk.js";
import { MachineRunner } from "./machine.js";
import type { OpenSubject, Prepared, Subject, Workshop } from "./subjects.js";
import type { Unit } from "./unit.js";

/** A judged execution of fuel F ends in machine code within this; beyond it has run away. */
const instructionsFor = (fuelUsed: number): number => 64 * fuelUsed + 200_000;

const wordsOf = (address: number): readonly [number, number] => [
  address | 0,
  Math.floor(address / 2 ** 32) | 0,
];

/** Where compiled code finds the harness. */
export const ENVIRONMENT: Environment = {
  hostFunction: (index) => wordsOf(hostCallAddress(LAYOUT, index)),
  exit: wordsOf(exitAddress(LAYOUT)),
};

export function openCompiled(subject: Subject, workshop: Workshop): OpenSubject {
  const { target, level, name } = subject;
  assert(target !== null, () => `${name} has no target`);
  const compiler = new Compiler(workshop.parts);
  const runner = new MachineRunner(target, workshop.oracle, workshop.resumeFilter);
  const { checkAllocation } = workshop;
  return {
    name,
    prepare: (unit: Unit): Prepared => {
      const { module, program } = unit.optimized(level);
      try {
        const image = compiler.generate(module, target, {
          environment: ENVIRONMENT,
          level,
          checkAllocation,
          listing: false,
        });
        runner.load({ ...image, module, program });
        return {
          poisons: POISONS,
          counts: {
            codeBytes: image.code.length,
            instructions: image.instructions,
            spillUnits: image.spillUnits,
            moves: image.moves,
          },
          run: (input, poison, fuelUsed, fuelMax) =>
            runner.run(input, poison, instructionsFor(fuelUsed), fuelMax),
        };
      } catch (error) {
        if (error instanceof CompileError) return compileErrorOf(error);
        throw error;
      }
    },
    close: () => runner.close(),
  };
}

function compileErrorOf({ message }: CompileError): Prepared {
  const ending = { kind: "compile-error", message } as const;
  return { poisons: NO_POISON, counts: null, run: () => ({ events: [], ending }) };
}

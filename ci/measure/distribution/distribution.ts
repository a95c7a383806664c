// Measures the generated programs with the oracle. The result is a table of figures, some of which
// have a floor. A figure below its floor means that a corner of the language is no longer reached.

import type { CampaignFigure } from "../../../src/campaign/count/figure.js";
import type { ExitCounts } from "../../../src/campaign/evolved/exit-forms.js";
import { generatedOf, seedAt } from "../../../src/campaign/program/seeds.js";
import type { Input } from "../../../src/ir/outcome.js";
import type { Module } from "../../../src/ir/procedure.js";
import type { BoundaryCounts } from "./boundary-pairs.js";
import { figuresOfSample } from "./distribution-figures.js";
import type { Histogram } from "./histograms.js";
import type { InstanceCounts } from "./instances.js";
import type { MakerCounts } from "./maker-table.js";
import { ProgramSample } from "./sample.js";
import type { SpecialCounts } from "./special-operands.js";

/**
 * Returns further counts of one program, by name: their sums over all programs become figures, as
 * shares. `mattered` counts the executions in which a value mattered, by index of the procedure and
 * id of the value. For a value of type Void it counts all executions.
 */
type ProgramObserver = (
  module: Module,
  inputs: readonly Input[],
  mattered: readonly Int32Array[],
) => Record<string, number>;

interface ProgramDistribution {
  readonly figures: readonly CampaignFigure[];
  /** In the order of the opcode table. */
  readonly instances: readonly InstanceCounts[];
  /** The counts of makers and forms, in the order of the generator's tables. */
  readonly makers: readonly MakerCounts[];
  readonly exits: readonly ExitCounts[];
  readonly specials: readonly SpecialCounts[];
  readonly boundaries: readonly BoundaryCounts[];
  readonly histograms: readonly Histogram[];
}

/** Measures the programs of `count` seeds from `firstSeed` on. */
export function measureDistribution(
  firstSeed: bigint,
  count: number,
  observe: ProgramObserver = () => ({}),
): ProgramDistribution {
  const sample = new ProgramSample();
  for (let i = 0; i < count; i++) {
    const program = generatedOf(seedAt(firstSeed, i));
    const { module, inputs } = program;
    const mattered = sample.addProgram(program);
    for (const [name, value] of Object.entries(observe(module, inputs, mattered))) {
      sample.observed.set(name, (sample.observed.get(name) ?? 0) + value);
    }
  }
  return {
    figures: figuresOfSample(sample, count),
    instances: sample.instances.rows,
    makers: sample.makers.rows,
    exits: sample.exits.rows,
    specials: sample.specials.rows,
    boundaries: sample.boundaries.rows,
    histograms: sample.histograms.rows,
  };
}

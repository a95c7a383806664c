// Tests the allocation checker on random programs. It mutates correct allocations, seed after seed;
// the checker must reject every mutation that any of many inputs shows. The runs of
// judge-mutation.ts execute each mutation. One mutation in each program is also emitted, and
// emulated against the oracle.

import { type CompilerParts, PARTS } from "../../../reference/parts.js";
import type { AllocateFunction } from "../../../reference/regalloc/allocator.js";
import { ALLOCATOR_NAMES } from "../../../reference/regalloc/allocator-names.js";
import { AllocationChecker } from "../../../reference/regalloc/check/check.js";
import {
  type MutationCounts,
  MutationJudge,
} from "../../../reference/regalloc/stress/judge-mutation.js";
import {
  type AllocatedProcedure,
  MUTATION_NAMES,
  MUTATIONS,
  type MutationName,
} from "../../../reference/regalloc/stress/mutate-allocation.js";
import { Judge } from "../../compare/judge-program.js";
import type { ReferenceSubject } from "../../execute/reference-subject.js";
import { SUBJECTS } from "../../execute/subjects.js";
import type { Program } from "../../generate/generate-program.js";
import { drawInputs } from "../../generate/inputs.js";
import { drawDials } from "../../generate/maker/odds.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../../ir/outcome.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { InternalError } from "../../support/assert.js";
import { SeedSource } from "../../support/source.js";
import { programOf } from "../program/seeds.js";

/** Number of inputs with which each mutation runs. */
export const INPUTS = 64;
/**
 * The fuel of a program whose allocations are mutated: long executions cost more than they reveal.
 */
const FUEL = DEFAULT_FUEL / 100;

/** Subjects whose code is emulated: any allocator, target and level, also under pressure. */
const COMPILED: readonly ReferenceSubject[] = SUBJECTS.filter(
  ({ target, native }) => target !== null && !native,
);

export class MutatedPrograms {
  readonly judge = new MutationJudge(INPUTS);
  /** The counts of mutations whose code also runs in the emulator. */
  readonly emulated: MutationCounts = { tried: 0, changed: 0, rejected: 0 };
  private readonly parts: CompilerParts;
  private readonly checker = new AllocationChecker();
  private open: Judge | null = null;
  private misses: string[] = [];
  private source = new SeedSource(0n);
  private kind: MutationName = MUTATION_NAMES[0];
  private procedures = 0;
  private isMutated = false;
  private isRejected = false;

  constructor() {
    const allocators = Object.fromEntries(
      ALLOCATOR_NAMES.map((name) => [name, () => this.sabotaged(PARTS.allocators[name]())]),
    );
    this.parts = { ...PARTS, allocators: { ...PARTS.allocators, ...allocators } };
  }

  /**
   * Tries each kind of mutation once in each procedure of the program, for one subject. Returns the
   * errors.
   */
  try(seed: bigint): string[] {
    const index = Number(seed % BigInt(COMPILED.length));
    const program = programOf(seed);
    this.misses = [];
    this.source = new SeedSource(seed, "mutated");
    this.kind = MUTATION_NAMES[this.source.below(MUTATION_NAMES.length)];
    this.procedures = 0;
    this.isMutated = false;
    const chosen = Uint8Array.from(COMPILED, (_, k) => (k === index ? 1 : 0));
    let isChanged = false;
    try {
      this.open ??= new Judge({
        subjects: COMPILED,
        fuelMax: FUEL,
        parts: this.parts,
        resumes: "interpreted",
        checkAllocation: false,
      });
      const { results } = this.open.judge({
        module: program.module,
        inputs: moreInputs(program, seed),
        own: { chaos: seed },
        chosen,
      });
      const [{ judgements }] = results;
      isChanged = judgements.some(({ verdict }) => verdict.kind === "different");
    } catch (error) {
      this.close(); // an open judge may be in any state
      if (!(error instanceof InternalError && this.isMutated)) throw error;
      isChanged = true; // the code cannot even be emitted
    }
    this.countEmulated(isChanged);
    const { name } = COMPILED[index];
    return this.misses.map((missed) => `seed ${seed}, ${name}: ${missed}`);
  }

  close(): void {
    const { open } = this;
    this.open = null;
    open?.close();
  }

  private countEmulated(isChanged: boolean): void {
    if (!this.isMutated) {
      if (isChanged) this.misses.push("the allocation is wrong without a mutation");
      return;
    }
    this.emulated.tried++;
    if (isChanged) this.emulated.changed++;
    if (this.isRejected) this.emulated.rejected++;
    if (isChanged && !this.isRejected) {
      this.misses.push(
        `${this.kind}: the checker accepts the mutation, but the emulated code gives another result`,
      );
    }
  }

  /**
   * Returns an allocator that also tries every mutation of its result, and leaves one in the entry.
   */
  private sabotaged(allocate: AllocateFunction): AllocateFunction {
    return (lir, rows, registers, allocation) => {
      allocate(lir, rows, registers, allocation);
      const allocated: AllocatedProcedure = { lir, rows, registers, allocation, allocate };
      const wrong = this.judge.begin(allocated);
      if (wrong !== null) this.misses.push(wrong);
      for (const name of MUTATION_NAMES) {
        const missed = this.judge.judge(allocated, name);
        if (missed !== null) this.misses.push(missed);
      }
      if (this.procedures++ > 0) return;
      this.isMutated = MUTATIONS[this.kind](allocated, this.source);
      this.isRejected = this.checker.check(lir, rows, registers, allocation).length > 0;
    };
  }
}

/** Returns INPUTS inputs: those of the program, and further ones for its parameters. */
function moreInputs({ module: { entry }, inputs }: Program, seed: bigint): Input[] {
  const more = [...inputs];
  const isHeapBase = (p: number): boolean =>
    inputs.every(({ words }) => words[2 * p] === HEAP_BASE_LO && words[2 * p + 1] === HEAP_BASE_HI);
  const heapBaseAt = entry.parameters.findIndex((_, p) => isHeapBase(p));
  for (let k = 0; more.length < INPUTS; k++) {
    const from = new SeedSource(seed, `inputs ${k}`);
    more.push(...drawInputs(from, entry, heapBaseAt, [], drawDials(from, {})));
  }
  return more.slice(0, INPUTS);
}

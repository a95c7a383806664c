// Bugs planted in phases of the optimizer: each omits a condition that an author could have
// forgotten. The wrong applications run first, and then the unchanged phase.

import type { OptimizeContext } from "../../../reference/optimize/edit/context.js";
import { type CompilerParts, PARTS } from "../../../reference/parts.js";
import type { PhaseName } from "../../../reference/pipeline.js";
import { FENCES } from "../../ir/fences.js";
import { CALLS, EFFECTS, EXITS, Op, READS_MEMORY, WRITES_MEMORY } from "../../ir/opcodes.js";
import { accessSize, type Procedure, type Snapshot, type Value } from "../../ir/procedure.js";

/**
 * Returns a wrong application, given the values of a block and the index of one of them; null if
 * there is none.
 */
type WrongApplication = (values: readonly Value[], at: number) => (() => void) | null;

type PhaseFunction = (proc: Procedure, context: OptimizeContext) => boolean;

/** Changes one phase, and keeps all others. */
function withPhase(
  name: PhaseName,
  changed: (run: PhaseFunction) => PhaseFunction,
): { readonly parts: CompilerParts } {
  const phases = PARTS.phases.map((phase) =>
    phase.name === name ? { ...phase, run: changed(phase.run) } : phase,
  );
  return { parts: { ...PARTS, phases } };
}

function withWrongApplication(
  name: PhaseName,
  mistake: WrongApplication,
): { readonly parts: CompilerParts } {
  const applyMistake = (proc: Procedure, context: OptimizeContext): boolean => {
    let changed = false;
    for (const { values } of proc.blocks) {
      for (let i = 0; i < values.length; i++) {
        const apply = mistake(values, i);
        if (apply === null) continue;
        if (!context.claim(name, values[i])) return changed;
        apply();
        changed = true;
      }
    }
    return changed;
  };
  return withPhase(name, (run) => (proc, context) => {
    const changed = applyMistake(proc, context);
    return run(proc, context) || changed;
  });
}

/** Ignores stores between a load and an earlier access to the same address. */
export const staleLoad = () =>
  withWrongApplication("forward-loads", (values, at) => {
    const load = values[at];
    if (load.opcode !== Op.Load) return null;
    for (let i = 0; i < at; i++) {
      const { opcode, a } = values[i];
      if (opcode !== Op.Load && opcode !== Op.Store) continue;
      if (values[i].address !== load.address || values[i].offset !== load.offset) continue;
      const known = opcode === Op.Load ? values[i] : a;
      if (known?.type === load.type) return () => load.becomes(known);
    }
    return null;
  });

/** Assumes that a store is dead if the next access to its address overwrites any part of it. */
export const storeHalfDead = () =>
  withWrongApplication("eliminate-dead-stores", (values, at) => {
    const store = values[at];
    if (!isStore(store)) return null;
    const next = values.slice(at + 1).find(({ opcode }) => (EFFECTS[opcode] & LOOKS) !== 0);
    if (next === undefined || !isStore(next) || next.address !== store.address) return null;
    const isPart = next.offset === store.offset && accessSize(next) < accessSize(store);
    return isPart ? () => store.becomesNop() : null;
  });

/** Assumes that a sum with a constant never overflows. */
export const uncheckedSum = () =>
  withWrongApplication("eliminate-bounds-checks", (values, at) => {
    const sum = values[at];
    if (sum.opcode !== Op.CheckAdd || sum.b === null || !sum.b.isConstant) return null;
    return () => {
      sum.opcode = Op.Add;
      sum.extra = null;
    };
  });

/** Removes fences that order stores. */
export const fenceLost = () =>
  withWrongApplication("eliminate-dead-stores", (values, at) => {
    const fence = values[at];
    const isLost = fence.opcode === Op.Fence && FENCES[fence.fenceKind].holdsStores;
    return isLost ? () => fence.becomesNop() : null;
  });

/** Makes exits wrong after the phase, if it has changed anything. */
const withWrongExits = (name: PhaseName, spoil: (snapshot: Snapshot) => void) =>
  withPhase(name, (run) => (proc, context) => {
    const changed = run(proc, context);
    if (changed) proc.snapshots.forEach(spoil);
    return changed;
  });

/** Makes the exit of a sunk object build it without its first field. */
export const fieldForgotten = () => withWrongExits("sink-objects", forgetField);

function forgetField({ values }: Snapshot): void {
  const at = values.findIndex((value) => isStore(value) && value.address.opcode === Op.Allocate);
  if (at >= 0) values.splice(at, 1);
}

/** Makes an exit build a box with its halves exchanged. */
export const boxTurned = () => withWrongExits("sink-values", turnBox);

function turnBox({ values }: Snapshot): void {
  const box = values.find(({ opcode }) => opcode === Op.Stitch);
  if (box !== undefined) [box.a, box.b] = [box.b, box.a];
}

const LOOKS = READS_MEMORY | WRITES_MEMORY | EXITS | CALLS;

const isStore = ({ opcode }: Value): boolean => (EFFECTS[opcode] & WRITES_MEMORY) !== 0;

// Removes an anonymous slot that only exits use: each exit gets the stored value instead.
//
//   Store(x, S + 4); Check(c) s0 [contents(S)]    ->    Check(c) s0 [fields(8) {4: x}]
//
// A store to an anonymous slot makes its other bytes unwritten, so the contents are just the value
// of the last store. A dataflow finds the last store at each guard: one store on all paths, or none
// on any path. So the store and its value dominate the guard. A slot takes part if it has no loads,
// and the last store is known at each guard whose exit uses it. That store must write a whole value
// at a known offset. Guards that share a snapshot get separate ones, because their last stores may
// differ. The stores are dead then, and eliminate-dead-stores removes them.
//
// Assumes a valid program, in any form of Phi. Each replaced slot of a guard's snapshot is one
// application.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import { EFFECTS, EXITS, Op, READS_MEMORY, WRITES_MEMORY } from "../../../src/ir/opcodes.js";
import type {
  FrameSlot,
  Procedure,
  Snapshot,
  StackSlot,
  Value,
} from "../../../src/ir/procedure.js";
import { AliasAnalysis, HEAP } from "../analysis/alias.js";
import type { OptimizeContext } from "../edit/context.js";
import { copySnapshot } from "../edit/duplicate-blocks.js";
import { LIMITS } from "../edit/limits.js";
import { resolve, sweep } from "../edit/sweep.js";

const NAME = "sink-allocation";

// The state of a slot at a position that no path has reached. From FIRST_STORE on, a state is the
// number of the last store.
const UNREACHED = 0;
const NOTHING = 1;
const UNKNOWN = 2;
const FIRST_STORE = 3;

export function sinkAllocation(proc: Procedure, context: OptimizeContext): boolean {
  if (!proc.snapshots.some(usesAnyContents)) return false;
  const states = proc.slots.length * (proc.blocks.length + proc.snapshots.length);
  if (states > LIMITS["slot states"]) {
    context.reachLimit("slot states");
    return false;
  }
  const last = new LastStores(proc, context.flow(proc), context);
  last.solve();
  const guards = guardsWithContents(last);
  const sinkable = sinkableSlots(proc, last, guards);
  let changed = false;
  for (const { guard, states } of guards) {
    for (let s = 0; s < proc.slots.length; s++) {
      if (sinkable[s] === 0 || !usesContents(guard.snapshot, proc.slots[s])) continue;
      if (!context.claim(NAME, guard)) break;
      if (last.isShared(guard.snapshot)) {
        last.guardCount[guard.snapshot.id]--;
        guard.extra = copySnapshot(proc, guard.snapshot, (value) => value);
      }
      replaceContents(guard.snapshot, proc.slots[s], last.storeOf(states[s]), last.aliases);
      changed = true;
    }
  }
  if (changed) sweep(proc);
  return changed;
}

const isContents = (slot: FrameSlot): boolean => slot.kind === "contents";

const usesAnyContents = ({ frames }: Snapshot): boolean =>
  frames.some(({ slots }) => slots.some(isContents));

const usesContents = ({ frames }: Snapshot, shown: StackSlot): boolean =>
  frames.some(({ slots }) => slots.some((slot) => slot.kind === "contents" && slot.slot === shown));

/** A guard, with the state of each slot at it. */
interface GuardState {
  readonly guard: Value;
  readonly states: Int32Array;
}

function guardsWithContents(last: LastStores): GuardState[] {
  const { flow } = last;
  const guards: GuardState[] = [];
  for (let b = 0; b < flow.order.length; b++) {
    const { values } = flow.order[b];
    last.enter(b);
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if ((EFFECTS[value.opcode] & EXITS) !== 0 && usesAnyContents(value.snapshot)) {
        guards.push({ guard: value, states: last.states.slice() });
      } else last.apply(value);
    }
  }
  return guards;
}

/** Returns by slot: 1 if only exits use it, and its contents are known at each of them. */
function sinkableSlots(
  proc: Procedure,
  last: LastStores,
  guards: readonly GuardState[],
): Uint8Array {
  const sinkable = Uint8Array.from(proc.slots, (slot, s) =>
    slot.isLocked || last.isLoaded[s] === 1 ? 0 : 1,
  );
  for (const { guard, states } of guards) {
    for (let s = 0; s < proc.slots.length; s++) {
      if (states[s] === UNKNOWN && usesContents(guard.snapshot, proc.slots[s])) sinkable[s] = 0;
    }
  }
  return sinkable;
}

function replaceContents(
  { frames }: Snapshot,
  shown: StackSlot,
  store: Value | null,
  aliases: AliasAnalysis,
): void {
  for (const { slots } of frames) {
    for (let s = 0; s < slots.length; s++) {
      const slot = slots[s];
      if (slot.kind !== "contents" || slot.slot !== shown) continue;
      const value = store?.a ?? null;
      const fields =
        store === null || value === null
          ? []
          : [{ offset: aliases.offset[store.id], value: resolve(value) }];
      slots[s] = { kind: "fields", size: shown.size, fields };
    }
  }
}

class LastStores {
  readonly flow: ControlFlow;
  readonly aliases: AliasAnalysis;
  /** By slot: its state at the current position. */
  readonly states: Int32Array;
  /** By slot: 1 if a load reads it. */
  readonly isLoaded: Uint8Array;
  /** By id of an original snapshot: the number of guards that use it. */
  readonly guardCount: Int32Array;
  private readonly snapshotIdEnd: number;
  private readonly proc: Procedure;
  private readonly stores: Value[] = [];
  /** By id of a store: its state. */
  private readonly stateOf: Int32Array;
  /** The state of each slot at the end of each block: by position of the block, then by slot. */
  private readonly atEnd: Int32Array;

  constructor(proc: Procedure, flow: ControlFlow, context: OptimizeContext) {
    const count = proc.slots.length;
    this.proc = proc;
    this.flow = flow;
    this.aliases = new AliasAnalysis(proc, flow, context);
    this.states = new Int32Array(count);
    this.isLoaded = new Uint8Array(count);
    this.stateOf = context.table(proc.valueIdEnd);
    this.snapshotIdEnd = proc.snapshotIdEnd;
    this.guardCount = context.table(proc.snapshotIdEnd);
    this.atEnd = context.table(flow.order.length * count);
    for (let b = 0; b < flow.order.length; b++) this.scan(flow.order[b].values);
  }

  private scan(values: readonly Value[]): void {
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      const effects = EFFECTS[value.opcode];
      if ((effects & EXITS) !== 0) this.guardCount[value.snapshot.id]++;
      if ((effects & (READS_MEMORY | WRITES_MEMORY)) === 0) continue;
      const space = this.aliases.space[value.id];
      if (space === HEAP) continue;
      if ((effects & READS_MEMORY) !== 0) this.isLoaded[space - 1] = 1;
      else this.stateOf[value.id] = this.isWholeStore(value) ? this.number(value) : UNKNOWN;
    }
  }

  private isWholeStore(store: Value): boolean {
    const { aliases, proc } = this;
    const offset = aliases.offset[store.id];
    const { size } = proc.slots[aliases.space[store.id] - 1];
    // Whether the store is within its slot; else it is undefined.
    const isIn = offset >= 0 && offset + aliases.size[store.id] <= size;
    return store.opcode === Op.Store && aliases.hasKnownOffset(store) && isIn;
  }

  private number(store: Value): number {
    return FIRST_STORE + this.stores.push(store) - 1;
  }

  /** Returns the store of a state; null for NOTHING. */
  storeOf(state: number): Value | null {
    return state < FIRST_STORE ? null : this.stores[state - FIRST_STORE];
  }

  /** True if other guards share the snapshot. A copy belongs to one guard, and has no count. */
  isShared({ id }: Snapshot): boolean {
    return id < this.snapshotIdEnd && this.guardCount[id] > 1;
  }

  solve(): void {
    const { flow, states, atEnd } = this;
    let changed = true;
    while (changed) {
      changed = false;
      for (let b = 0; b < flow.order.length; b++) {
        const { values } = flow.order[b];
        this.enter(b);
        for (let i = 0; i < values.length; i++) this.apply(values[i]);
        for (let s = 0; s < states.length; s++) {
          if (atEnd[b * states.length + s] === states[s]) continue;
          atEnd[b * states.length + s] = states[s];
          changed = true;
        }
      }
    }
  }

  /** Sets the current states to those at the start of a block. */
  enter(position: number): void {
    const { flow, states, atEnd } = this;
    const { predecessors } = flow.order[position];
    // At the entry all slots have no store, even if an edge leads back to it.
    states.fill(position === 0 ? NOTHING : UNREACHED);
    for (let p = 0; p < predecessors.length; p++) {
      const from = flow.position[predecessors[p].index];
      if (from < 0) continue;
      for (let s = 0; s < states.length; s++) {
        const state = atEnd[from * states.length + s];
        if (state === UNREACHED || state === states[s]) continue;
        states[s] = states[s] === UNREACHED ? state : UNKNOWN;
      }
    }
  }

  apply(value: Value): void {
    const state = this.stateOf[value.id];
    if (state !== 0) this.states[this.aliases.space[value.id] - 1] = state;
  }
}

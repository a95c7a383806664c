// Replaces a load by the value that the last store or load of its bytes stored or gave.
//
// Each access states what some bytes hold from there on: it is a fact, and the number of the access
// is its name. A fact ends where a store or a call may change one of its bytes. The facts at the
// start of a block are those at the end of all its predecessors (a dataflow of bits, its greatest
// solution), so a fact that holds at a load stands on every path to it: its value dominates the
// load, and neither that value nor its address has been recomputed in between.
//
// A load may be narrower than its fact, lie anywhere inside of it and be of another type: shifts,
// masks and casts that move bits give its result. A store to part of an anonymous slot makes the
// other bytes unwritten, which ends their facts; a guard that exits never comes back. Where a load
// would read part of a NaN of open bits, the source is not judged.
//
// Not across a loop that does not contain the load: the value would hold a register in each
// iteration.
//
// Assumes a valid program, in any form of Phi. Each replacement is one application.

import { analyzeControlFlow, type ControlFlow } from "../../../src/ir/control-flow.js";
import { CALLS, EFFECTS, EXITS, Op, type Opcode, READS_MEMORY } from "../../../src/ir/opcodes.js";
import { isMemoryAccess, type Procedure, type Value } from "../../../src/ir/procedure.js";
import { Aliases, HEAP, writesAnyHeap } from "../analysis/alias.js";
import { clearBit, setBit, wordsFor } from "../analysis/bit-rows.js";
import { analyzeLoops, isInLoop, type Loops } from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import { resolve, sweep } from "../edit/sweep.js";
import { loadedFrom } from "./loaded-from.js";

const NAME = "forward-loads";
/** Later accesses still end facts, but are none: rows of bits grow with the product of both. */
const FACTS_MAX = 4096;
const NO_FACT = -1;

export function forwardLoads(proc: Procedure, context: OptimizeContext): boolean {
  const flow = analyzeControlFlow(proc);
  const facts = new Facts(proc, flow, context);
  if (facts.accesses.length < 2) return false;
  facts.solve();
  let changed = false;
  for (let b = 0; b < flow.order.length; b++) {
    if (forwardInBlock(proc, b, facts, context)) changed = true;
  }
  if (changed) sweep(proc);
  return changed;
}

function forwardInBlock(
  proc: Procedure,
  position: number,
  facts: Facts,
  context: OptimizeContext,
): boolean {
  const { values } = facts.flow.order[position];
  let changed = false;
  facts.enter(position);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if ((EFFECTS[value.opcode] & READS_MEMORY) !== 0) {
      const fact = facts.factFor(value);
      facts.apply(value);
      if (fact === NO_FACT) continue;
      if (!context.claim(NAME, value)) return changed;
      i += replace(proc, value, fact, facts, i);
      changed = true;
    } else facts.apply(value);
  }
  return changed;
}

/** How many values were inserted before the load. */
function replace(proc: Procedure, load: Value, fact: number, facts: Facts, at: number): number {
  const { accesses, aliases } = facts;
  const access = accesses[fact];
  const distance = aliases.offset[load.id] - aliases.offset[access.id];
  const known = facts.valueOf(fact);
  const made: Value[] = [];
  const result = facts.gives(fact, load)
    ? known
    : loadedFrom(proc, known, load, distance, aliases.size[load.id], made);
  const { block } = load;
  for (const value of made) value.block = block;
  block?.values.splice(at, 0, ...made);
  load.becomes(result);
  return made.length;
}

class Facts {
  readonly flow: ControlFlow;
  readonly aliases: Aliases;
  /** By fact. Loads among them may have been replaced, so their first opcodes are kept. */
  readonly accesses: Value[] = [];
  private readonly opcodes: Opcode[] = [];
  /** Found when first asked for. */
  private loops: Loops | null = null;
  private readonly proc: Procedure;
  /** By id of an access: its fact plus 1; 0 for none. */
  private readonly factOf: Int32Array;
  private readonly words: number;
  /** Rows by position of a block. */
  private readonly atStart: Int32Array;
  private readonly atEnd: Int32Array;
  private readonly generated: Int32Array;
  private readonly ended: Int32Array;
  private readonly heapFacts: Int32Array;
  /** The row that `apply` changes. */
  private rows: Int32Array;
  private row = 0;
  /** What `apply` ends is noted in `ended` too while the effects of blocks are computed. */
  private isSolving = false;

  constructor(proc: Procedure, flow: ControlFlow, context: OptimizeContext) {
    this.proc = proc;
    this.flow = flow;
    this.aliases = new Aliases(proc, flow, context);
    this.factOf = context.table(proc.valueIdEnd);
    this.number();
    this.words = wordsFor(this.accesses.length);
    const length = flow.order.length * this.words;
    this.atStart = context.table(length);
    this.atEnd = context.table(length);
    this.generated = context.table(length);
    this.ended = context.table(length);
    this.heapFacts = context.table(this.words);
    this.rows = this.generated;
    for (let f = 0; f < this.accesses.length; f++) {
      if (this.aliases.space[this.accesses[f].id] === HEAP) setBit(this.heapFacts, 0, f);
    }
  }

  private number(): void {
    const { order } = this.flow;
    for (let b = 0; b < order.length; b++) {
      const { values } = order[b];
      for (let i = 0; i < values.length; i++) {
        const value = values[i];
        value.block = order[b];
        if (!isMemoryAccess(value) || this.accesses.length === FACTS_MAX) continue;
        this.accesses.push(value);
        this.opcodes.push(value.opcode);
        this.factOf[value.id] = this.accesses.length;
      }
    }
  }

  solve(): void {
    const { order } = this.flow;
    if (order.length === 1 && order[0].predecessors.length === 0) return;
    this.isSolving = true;
    for (let b = 0; b < order.length; b++) {
      this.rows = this.generated;
      this.row = b * this.words;
      const { values } = order[b];
      for (let i = 0; i < values.length; i++) this.apply(values[i]);
    }
    this.isSolving = false;
    this.atEnd.fill(-1, 0, order.length * this.words);
    let changed = true;
    while (changed) {
      changed = false;
      for (let b = 0; b < order.length; b++) if (this.flowThrough(b)) changed = true;
    }
  }

  private flowThrough(position: number): boolean {
    const { words, atStart, atEnd, generated, ended, flow } = this;
    const { predecessors } = flow.order[position];
    const start = position * words;
    let changed = false;
    for (let w = 0; w < words; w++) {
      // The entry starts with nothing, also where a loop comes back to it.
      let bits = position === 0 ? 0 : -1;
      for (let p = 0; p < predecessors.length; p++) {
        const from = flow.position[predecessors[p].index];
        if (from >= 0) bits &= atEnd[from * words + w];
      }
      atStart[start + w] = bits;
      const after = (bits & ~ended[start + w]) | generated[start + w];
      if (after === atEnd[start + w]) continue;
      atEnd[start + w] = after;
      changed = true;
    }
    return changed;
  }

  /** Makes what holds at the start of a block what `factFor` and `apply` look at. */
  enter(position: number): void {
    this.rows = this.atStart;
    this.row = position * this.words;
  }

  /** A fact that tells what the load gives, without further values if there is one; or NO_FACT. */
  factFor(load: Value): number {
    const { accesses, aliases, rows, row, words } = this;
    let found = NO_FACT;
    for (let w = 0; w < words; w++) {
      for (let bits = rows[row + w]; bits !== 0; bits &= bits - 1) {
        const fact = w * 32 + 31 - Math.clz32(bits & -bits);
        if (!aliases.covers(accesses[fact], load) || this.isBehindLoop(fact, load)) continue;
        found = fact;
        if (this.gives(fact, load)) return fact;
      }
    }
    return found;
  }

  /**
   * True if a loop lies between, and the load stands in none that the known value is not in: then it
   * costs less than a register that the loop could use. A slot is better without loads.
   */
  private isBehindLoop(fact: number, { id, block }: Value): boolean {
    const { position, order } = this.flow;
    const known = this.valueOf(fact);
    const from = known.block ?? order[0];
    if (block === null || from === block) return false;
    if (known.isConstant || this.aliases.space[id] !== HEAP) return false;
    const [first, last] = [position[from.index], position[block.index]];
    this.loops ??= analyzeLoops(this.proc);
    const { all } = this.loops;
    let isBetween = false;
    for (let l = 0; l < all.length; l++) {
      if (isInLoop(this.loops, all[l], from)) continue;
      if (isInLoop(this.loops, all[l], block)) return false;
      const at = position[all[l].header.index];
      if (at > first && at < last) isBetween = true;
    }
    return isBetween;
  }

  /** What was stored, or loaded. */
  valueOf(fact: number): Value {
    const access = this.accesses[fact];
    const isLoad = (EFFECTS[this.opcodes[fact]] & READS_MEMORY) !== 0;
    return resolve(isLoad || access.a === null ? access : access.a);
  }

  /**
   * True if a load of bytes that the fact covers gives the fact's value as it is. A narrow store
   * does not: how its byte is to be extended the load says.
   */
  gives(fact: number, load: Value): boolean {
    const opcode = this.opcodes[fact];
    const isWhole = opcode === Op.Store && load.opcode === Op.Load;
    return (isWhole || opcode === load.opcode) && this.valueOf(fact).type === load.type;
  }

  /** Passes a value: ends facts and makes one. */
  apply(value: Value): void {
    const effects = EFFECTS[value.opcode];
    if ((effects & (CALLS | EXITS)) !== 0) this.applyOther(value);
    else if (isMemoryAccess(value)) {
      if ((effects & READS_MEMORY) === 0) this.applyStore(value);
      const fact = this.factOf[value.id] - 1;
      if (fact < 0) return;
      setBit(this.rows, this.row, fact);
      if (this.isSolving) clearBit(this.ended, this.row, fact);
    }
  }

  private applyStore(store: Value): void {
    const { accesses, aliases, proc } = this;
    const space = aliases.space[store.id];
    const forgets = space !== HEAP && !proc.slots[space - 1].isLocked;
    for (let f = 0; f < accesses.length; f++) {
      const access = accesses[f];
      if (aliases.space[access.id] !== space) continue;
      if (forgets || aliases.mayOverlap(store, access)) this.end(f);
    }
  }

  private applyOther(value: Value): void {
    if (writesAnyHeap(value)) {
      for (let w = 0; w < this.words; w++) {
        this.rows[this.row + w] &= ~this.heapFacts[w];
        if (this.isSolving) this.ended[this.row + w] |= this.heapFacts[w];
      }
    }
    const { rest } = value;
    if (rest === null || this.proc.slots.length === 0) return;
    for (let i = 0; i < rest.length; i++) {
      const space = this.aliases.slotOfAddress(rest[i]);
      if (space !== HEAP) this.endSlot(space);
    }
  }

  private endSlot(space: number): void {
    const { accesses, aliases } = this;
    for (let f = 0; f < accesses.length; f++) {
      if (aliases.space[accesses[f].id] === space) this.end(f);
    }
  }

  private end(fact: number): void {
    clearBit(this.rows, this.row, fact);
    if (this.isSolving) setBit(this.ended, this.row, fact);
  }
}

// Replaces a load by the value that the last store or load of its bytes stored or loaded.
//
// Each access establishes a fact: the value of some bytes from there on. The number of the access
// identifies the fact. A fact ends at a store or a call that may change one of its bytes. Facts of
// a LoadInvariant of the heap never end. The facts at the start of a block are those at the end of
// all its predecessors (the greatest solution of a dataflow of bits). So the value of a fact that
// holds at a load dominates the load. Neither that value nor its address has been recomputed in
// between.
//
// A load may be narrower than its fact, lie anywhere inside of it and have another type. Shifts,
// masks and casts that move bits compute its result. A store to part of an anonymous slot makes the
// other bytes unwritten, which ends their facts. A guard that exits never returns. If a load reads
// part of an open NaN, the source program is not judged.
//
// An operation on a known number of bytes ends the facts of just these bytes.
//
// A volatile load is not a fact, and is not replaced.
//
// A load is not replaced if a loop that does not contain it lies in between: the value would occupy
// a register in each iteration.
//
// Assumes a valid program, in any form of Phi. Each replacement is one application.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import {
  BULK,
  CALLS,
  EFFECTS,
  EXITS,
  isWholeLoad,
  Op,
  type Opcode,
  READS_MEMORY,
  VOLATILE,
  WRITES_MEMORY,
} from "../../../src/ir/opcodes.js";
import { isAtomic, isMemoryAccess, type Procedure, type Value } from "../../../src/ir/procedure.js";
import {
  AliasAnalysis,
  bulkSize,
  bulkTarget,
  HEAP,
  touchesKeptSlots,
  writesAnyHeap,
} from "../analysis/alias.js";
import { clearBit, hasBit, setBit, wordsFor } from "../analysis/bit-rows.js";
import { BlockQueue } from "../analysis/block-queue.js";
import { analyzeLoops, isInLoop, type LoopForest } from "../analysis/loops.js";
import { NumberedAccesses } from "../analysis/numbered-accesses.js";
import type { OptimizeContext } from "../edit/context.js";
import { resolve, sweep } from "../edit/sweep.js";
import { loadedFrom } from "./loaded-from.js";

const NAME = "forward-loads";
const NO_FACT = -1;

export function forwardLoads(proc: Procedure, context: OptimizeContext): boolean {
  const flow = context.flow(proc);
  const facts = new MemoryFacts(proc, flow, context);
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
  facts: MemoryFacts,
  context: OptimizeContext,
): boolean {
  const { values } = facts.flow.order[position];
  let changed = false;
  facts.enter(position);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if ((EFFECTS[value.opcode] & (READS_MEMORY | VOLATILE)) === READS_MEMORY) {
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

/** Replaces the load; returns the number of values inserted before it. */
function replace(
  proc: Procedure,
  load: Value,
  fact: number,
  facts: MemoryFacts,
  at: number,
): number {
  const { accesses, aliases } = facts;
  const access = accesses[fact];
  const distance = aliases.offset[load.id] - aliases.offset[access.id];
  const known = facts.valueOf(fact);
  const made: Value[] = [];
  const result = facts.givesUnchanged(fact, load)
    ? known
    : loadedFrom(proc, known, load, distance, aliases.size[load.id], made);
  const { block } = load;
  for (const value of made) value.block = block;
  block?.values.splice(at, 0, ...made);
  load.becomes(result);
  return made.length;
}

class MemoryFacts {
  readonly flow: ControlFlow;
  readonly aliases: AliasAnalysis;
  /**
   * The store or load of each fact. `opcodes` keeps the original opcodes, because loads may have
   * been replaced.
   */
  readonly accesses: readonly Value[];
  private readonly opcodes: readonly Opcode[];
  private readonly numbered: NumberedAccesses;
  /** The loops of the procedure; computed at the first use. */
  private loops: LoopForest | null = null;
  private headers: Int32Array | null = null;
  private readonly proc: Procedure;
  private readonly context: OptimizeContext;
  private readonly words: number;
  /** The facts at the start of each block, as rows of bits by position. */
  private readonly atStart: Int32Array;
  private readonly atEnd: Int32Array;
  private readonly generated: Int32Array;
  private readonly ended: Int32Array;
  /** The facts that no value ends, as a row of bits. */
  private readonly lasting: Int32Array;
  private readonly hasLasting: boolean;
  /** The rows of bits of which `apply` changes one. */
  private rows: Int32Array;
  private row = 0;
  /** While the effects of blocks are computed, `apply` also records ended facts in `ended`. */
  private isSolving = false;

  constructor(proc: Procedure, flow: ControlFlow, context: OptimizeContext) {
    this.proc = proc;
    this.flow = flow;
    this.aliases = new AliasAnalysis(proc, flow, context);
    this.context = context;
    const numberedEffects = READS_MEMORY | WRITES_MEMORY;
    this.numbered = new NumberedAccesses(proc, flow, this.aliases, context, numberedEffects);
    if (this.numbered.isLimited) context.reachLimit("near accesses");
    this.accesses = this.numbered.all;
    this.opcodes = this.accesses.map(({ opcode }) => opcode);
    this.words = this.numbered.words;
    const length = flow.order.length * this.words;
    this.atStart = context.table(length);
    this.atEnd = context.table(length);
    this.generated = context.table(length);
    this.ended = context.table(length);
    this.lasting = context.table(this.words);
    let hasLasting = false;
    for (let f = 0; f < this.accesses.length; f++) {
      const { opcode, id } = this.accesses[f];
      if (opcode !== Op.LoadInvariant || this.aliases.space[id] !== HEAP) continue;
      setBit(this.lasting, 0, f);
      hasLasting = true;
    }
    this.hasLasting = hasLasting;
    this.rows = this.generated;
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
    const queue = new BlockQueue(order.length, this.context);
    for (let b = 0; b < order.length; b++) queue.push(b);
    for (let b = queue.shift(); b >= 0; b = queue.shift()) {
      if (!this.flowThrough(b)) continue;
      const { successors } = order[b];
      for (let s = 0; s < successors.length; s++) {
        queue.push(this.flow.position[successors[s].index]);
      }
    }
  }

  private flowThrough(position: number): boolean {
    const { words, atStart, atEnd, generated, ended, flow } = this;
    const { predecessors } = flow.order[position];
    const start = position * words;
    let changed = false;
    for (let w = 0; w < words; w++) {
      // At the entry no fact holds, even if a loop leads back to it; elsewhere all facts hold until
      // a predecessor lacks one.
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

  /** Selects the row at the start of a block for `factFor` and `apply`. */
  enter(position: number): void {
    this.rows = this.atStart;
    this.row = position * this.words;
  }

  /**
   * Returns a fact that determines the result of the load, preferably one that needs no further
   * values; else NO_FACT.
   */
  factFor(load: Value): number {
    const { accesses, aliases, rows, row, numbered } = this;
    let found = NO_FACT;
    numbered.selectNear(load);
    for (let w = numbered.from >>> 5; w < wordsFor(numbered.to); w++) {
      for (let bits = rows[row + w]; bits !== 0; bits &= bits - 1) {
        const fact = w * 32 + 31 - Math.clz32(bits & -bits);
        if (!aliases.covers(accesses[fact], load) || this.isAfterLoop(fact, load)) continue;
        found = fact;
        if (this.givesUnchanged(fact, load)) return fact;
      }
    }
    return found;
  }

  /**
   * True if a loop lies between the fact and the load, and the load is in no loop that does not
   * contain the known value. Reloading then costs less than a register that the loop could use.
   * Slots are excluded, because a slot without loads can be removed.
   */
  private isAfterLoop(fact: number, { id, block }: Value): boolean {
    const { position, order } = this.flow;
    const known = this.valueOf(fact);
    const from = known.block ?? order[0];
    if (block === null || from === block) return false;
    if (known.isConstant || this.aliases.space[id] !== HEAP) return false;
    const [first, last] = [position[from.index], position[block.index]];
    this.loops ??= analyzeLoops(this.proc, this.flow);
    const around = this.loops.innermost[block.id];
    if (around !== 0 && !isInLoop(this.loops, this.loops.all[around - 1], from)) return false;
    // Count the loop headers between the two blocks: such a loop does not contain the fact's block.
    this.headers ??= headersUpTo(this.loops);
    return this.headers[last - 1] > this.headers[first];
  }

  /** Returns the value that the fact's store stored or its load loaded. */
  valueOf(fact: number): Value {
    const access = this.accesses[fact];
    const isLoad = (EFFECTS[this.opcodes[fact]] & READS_MEMORY) !== 0;
    return resolve(isLoad || access.a === null ? access : access.a);
  }

  /**
   * True if a load of bytes that the fact covers gives the fact's value unchanged. Not for a narrow
   * store, because the load determines the extension.
   */
  givesUnchanged(fact: number, load: Value): boolean {
    const opcode = this.opcodes[fact];
    const isWhole = isWholeLoad(load.opcode) && (opcode === Op.Store || isWholeLoad(opcode));
    return (isWhole || opcode === load.opcode) && this.valueOf(fact).type === load.type;
  }

  /** Updates the facts for a value: ends facts, and adds its own. */
  apply(value: Value): void {
    const effects = EFFECTS[value.opcode];
    if ((effects & (CALLS | EXITS)) !== 0) this.applyOther(value);
    else if (isMemoryAccess(value)) {
      if ((effects & VOLATILE) !== 0) return;
      if ((effects & READS_MEMORY) === 0) this.applyStore(value);
      const fact = this.numbered.numberOf(value);
      if (fact < 0) return;
      setBit(this.rows, this.row, fact);
      if (this.isSolving) clearBit(this.ended, this.row, fact);
    }
  }

  private applyStore(store: Value): void {
    const { accesses, aliases, proc, numbered } = this;
    const space = aliases.space[store.id];
    const forgets = space !== HEAP && !proc.slots[space - 1].isLocked;
    numbered.selectNear(store);
    for (let f = numbered.from; f < numbered.to; f++) {
      const access = accesses[f];
      if (aliases.space[access.id] !== space) continue;
      if (forgets || aliases.mayOverlap(store, access)) this.end(f);
    }
    const farRow = numbered.farRow(space);
    if (farRow !== null) this.endAll(farRow);
  }

  private applyOther(value: Value): void {
    if ((EFFECTS[value.opcode] & BULK) !== 0) this.applyBulk(value);
    else if (writesAnyHeap(value)) this.endSpace(HEAP);
    const { rest } = value;
    if (rest === null || this.proc.slots.length === 0) return;
    const { keptSpaces } = this.aliases;
    if (keptSpaces.length > 0 && touchesKeptSlots(value)) {
      for (const space of keptSpaces) this.endSpace(space);
    }
    for (let i = 0; i < rest.length; i++) {
      const space = this.aliases.slotOfAddress(rest[i]);
      if (space !== HEAP) this.endSpace(space);
    }
  }

  private applyBulk(operation: Value): void {
    const { accesses, aliases, numbered } = this;
    const isPlaced = isAtomic(operation);
    const target = bulkTarget(operation);
    const size = bulkSize(operation);
    if (!isPlaced && (target === null || size === Number.POSITIVE_INFINITY)) {
      this.endSpace(HEAP);
      return;
    }
    numbered.selectNear(operation);
    for (let f = numbered.from; f < numbered.to; f++) {
      const overlaps = isPlaced
        ? aliases.mayOverlap(operation, accesses[f])
        : target !== null && aliases.mayMeet(accesses[f], target, size);
      if (overlaps) this.end(f);
    }
    const farRow = numbered.farRow(HEAP);
    if (farRow !== null) this.endAll(farRow);
  }

  private endSpace(space: number): void {
    const { numbered, rows, row, ended, isSolving } = this;
    if (space === HEAP && this.hasLasting) {
      this.endAll(numbered.rowOf(space));
      return;
    }
    numbered.clearSpace(rows, row, space);
    if (isSolving) numbered.setSpace(ended, row, space);
  }

  private endAll(facts: Int32Array): void {
    for (let w = 0; w < this.words; w++) {
      const ended = facts[w] & ~this.lasting[w];
      this.rows[this.row + w] &= ~ended;
      if (this.isSolving) this.ended[this.row + w] |= ended;
    }
  }

  private end(fact: number): void {
    if (hasBit(this.lasting, 0, fact)) return;
    clearBit(this.rows, this.row, fact);
    if (this.isSolving) setBit(this.ended, this.row, fact);
  }
}

/** Returns by position of a block the number of loop headers up to there. */
function headersUpTo({ flow, all }: LoopForest): Int32Array {
  const headers = new Int32Array(flow.order.length);
  for (let l = 0; l < all.length; l++) headers[flow.position[all[l].header.index]] = 1;
  for (let b = 1; b < headers.length; b++) headers[b] += headers[b - 1];
  return headers;
}

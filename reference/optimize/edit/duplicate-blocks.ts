// Copies blocks, for phases that peel, version, thread or duplicate. Afterwards any edge into a
// block may be redirected to its copy without changing the meaning of the program.
//
// Three rules ensure that. The same Upsilons write a Phi and its copy, so they are one variable
// that is read in two places. Operands of copies are the originals at first; after the caller has
// redirected the edges, `repairUses` gives each use the definition that reaches it. Copied guards
// keep their exit numbers, in snapshots of their own.
//
// A use that no single definition dominates reads a variable. Every definition writes it by an
// Upsilon directly after itself, and the block of the use reads it by a Phi at its head. The last
// write counts, so the Phi reads the definition that executed last. Constants, and addresses of
// slots and procedures, which no Phi may contain, are rematerialized at the head of that block
// instead. `canonicalize-phis` brings these Phis to edge form, and removes those with a single
// input.

import { analyzeControlFlow, type ControlFlow, dominates } from "../../../src/ir/control-flow.js";
import { CONSTANT, EFFECTS, guardsResult, Op, type Opcode } from "../../../src/ir/opcodes.js";
import {
  type BasicBlock,
  copySlot,
  forEachOperand,
  forEachSlotValue,
  type Procedure,
  Snapshot,
  type Value,
} from "../../../src/ir/procedure.js";
import { Void } from "../../../src/ir/types.js";
import { zeroedWords } from "../../../src/support/program-arrays.js";
import { newUpsilon } from "./upsilons.js";

export interface DuplicateBlocks {
  /** By block of the set: its copy. */
  readonly blocks: ReadonlyMap<BasicBlock, BasicBlock>;
  /** By value of the set: its copy. */
  readonly values: ReadonlyMap<Value, Value>;
}

/**
 * Appends a copy of each block to the procedure. Successors in the set become their copies; no edge
 * leads into the copies yet. Frequencies are copied, and the caller divides them.
 *
 * The program is valid again when edges have been redirected and `repairUses` has run.
 */
export function duplicateBlocks(proc: Procedure, blocks: readonly BasicBlock[]): DuplicateBlocks {
  // An Extract refers to the copied call even if the copy becomes unreachable, because unreachable
  // uses are not repaired.
  const copy = copyBlocks(proc, blocks, ({ opcode }) => opcode === Op.Extract);
  writeCopiedPhis(proc, copy.values);
  return copy;
}

/**
 * Copies blocks like `duplicateBlocks`, but does not write the copied Phis.
 * @param namesCopies true for a value whose copy, with its snapshot, uses copies of earlier
 * operands
 */
export function copyBlocks(
  proc: Procedure,
  originals: readonly BasicBlock[],
  namesCopies: (value: Value) => boolean,
): DuplicateBlocks {
  const blocks = new Map<BasicBlock, BasicBlock>();
  const values = new Map<Value, Value>();
  const snapshots = new Map<Snapshot, Snapshot>();
  const copied = (value: Value): Value => values.get(value) ?? value;
  for (const block of originals) {
    const copy = proc.newBlock();
    copy.frequency = block.frequency;
    blocks.set(block, copy);
    for (const value of block.values) {
      const twin = copyValue(proc, value);
      copy.append(twin);
      const mapped = namesCopies(value) ? copied : same;
      rewriteOperands(twin, mapped);
      values.set(value, twin); // before its snapshot, which may use it
      const { extra } = value;
      if (!(extra instanceof Snapshot)) continue;
      const known = snapshots.get(extra) ?? copySnapshot(proc, extra, mapped);
      snapshots.set(extra, known);
      twin.extra = known;
    }
  }
  for (const [block, copy] of blocks) {
    copy.successors = block.successors.map((successor) => blocks.get(successor) ?? successor);
  }
  return { blocks, values };
}

const same = (value: Value): Value => value;

export function copyValue(proc: Procedure, value: Value): Value {
  const { a, b, c, rest, extra } = value;
  const copy = proc.newValue(value.opcode, value.type, a, b, c);
  copy.rest = rest === null ? null : rest.slice();
  copy.takeImmediates(value);
  copy.extra = extra;
  return copy;
}

// Adds after each Upsilon to a copied Phi an Upsilon to the copy.
function writeCopiedPhis(proc: Procedure, copies: ReadonlyMap<Value, Value>): void {
  for (const block of proc.blocks) {
    for (let i = 0; i < block.values.length; i++) {
      const value = block.values[i];
      if (value.opcode !== Op.Upsilon) continue;
      const phi = copies.get(value.phi);
      if (phi === undefined || value.a === null) continue;
      block.values.splice(++i, 0, newUpsilon(proc, block, value.a, phi));
    }
  }
}

/** Copies a snapshot with the same exit, and maps each value from outside it by `mapped`. */
export function copySnapshot(
  proc: Procedure,
  snapshot: Snapshot,
  mapped: (value: Value) => Value,
): Snapshot {
  const copy = proc.newSnapshot(snapshot.exit);
  const own = new Map<Value, Value>();
  const mappedHere = (value: Value): Value => own.get(value) ?? mapped(value);
  for (const value of snapshot.values) {
    const twin = copyValue(proc, value);
    rewriteOperands(twin, mappedHere);
    own.set(value, twin);
    copy.values.push(twin);
  }
  for (const { name, point, slots } of snapshot.frames) {
    copy.frames.push({ name, point, slots: slots.map((slot) => copySlot(slot, mappedHere)) });
  }
  return copy;
}

/** Replaces each operand of a value by `mapped(operand)`. */
export function rewriteOperands(value: Value, mapped: (value: Value) => Value): void {
  const { a, b, c, rest } = value;
  if (a !== null) value.a = mapped(a);
  if (b !== null) value.b = mapped(b);
  if (c !== null) value.c = mapped(c);
  if (rest !== null) for (let i = 0; i < rest.length; i++) rest[i] = mapped(rest[i]);
}

/** A set, or the keys of a map. */
type BlockSet = Pick<ReadonlySet<BasicBlock>, "has">;
const NO_BLOCKS: BlockSet = new Set();

/**
 * Makes every use of an original or of a copy read the definition that executed last before it.
 * @param copies maps from originals to copies, one for each copy. They may contain the same blocks
 * or different ones, but no copy of a copy. Every path to a use must pass one of the definitions.
 * @param correct blocks whose uses are already correct
 */
export function repairUses(
  proc: Procedure,
  copies: readonly ReadonlyMap<Value, Value>[],
  correct: BlockSet = NO_BLOCKS,
): void {
  const repair = new UseRepair(proc, copies, correct);
  repair.rewrite();
  repair.writeVariables();
}

/** Opcodes whose result is an address if an operand is one. */
const MAKES_ADDRESS: ReadonlySet<Opcode> = new Set([Op.Identity, Op.Opaque, Op.Add, Op.Select]);

class UseRepair {
  private readonly proc: Procedure;
  private readonly flow: ControlFlow;
  private readonly copies: readonly ReadonlyMap<Value, Value>[];
  private readonly correct: BlockSet;
  private readonly originals: Value[] = [];
  /** By id of an original or of a copy: the original's position in `originals`, from 1; else 0. */
  private readonly twin: Int32Array;
  /** The position whose operands are rewritten. */
  private user: BasicBlock;
  private at = 0;
  private readonly mapped = (operand: Value): Value =>
    this.reachingDefinition(operand, this.user, this.at);
  /** By position in `originals`: the original and its copies. */
  private readonly definitions: (readonly Value[] | undefined)[] = [];
  /** By id of an original or a copy: its position in its block. */
  private readonly places: Int32Array;
  /** By original: the Phi that reads its variable in a block. */
  private readonly reads = new Map<Value, Map<BasicBlock, Value>>();
  /** By original that no variable may contain: its copy in a block. */
  private readonly rematerialized = new Map<Value, Map<BasicBlock, Value>>();
  /** The copies in `rematerialized`, operands first. */
  private readonly made: Value[] = [];
  /**
   * Addresses of slots and procedures, and addresses in the frame; null until the first use that
   * may need a variable.
   */
  private addresses: Set<Value> | null = null;

  constructor(proc: Procedure, copies: readonly ReadonlyMap<Value, Value>[], correct: BlockSet) {
    this.proc = proc;
    this.copies = copies;
    this.correct = correct;
    this.flow = analyzeControlFlow(proc);
    this.twin = zeroedWords(proc.valueIdEnd);
    this.places = zeroedWords(proc.valueIdEnd);
    [this.user] = proc.blocks;
    for (const values of copies) {
      for (const [original, copy] of values) {
        if (original.type === Void) continue;
        if (this.twin[original.id] === 0) this.twin[original.id] = this.originals.push(original);
        this.twin[copy.id] = this.twin[original.id];
      }
    }
    for (const block of proc.blocks) {
      for (let i = 0; i < block.values.length; i++) {
        block.values[i].block = block;
        this.places[block.values[i].id] = i;
      }
    }
  }

  /** Returns the original and its copies; empty for a value that is neither. */
  private definitionsOf({ id }: Value): readonly Value[] {
    const twin = this.twin[id];
    if (twin === 0) return [];
    const known = this.definitions[twin - 1];
    if (known !== undefined) return known;
    const original = this.originals[twin - 1];
    const copies = this.copies.flatMap((values) => values.get(original) ?? []);
    this.definitions[twin - 1] = [original, ...copies];
    return [original, ...copies];
  }

  // Returns the values that are addresses of slots or procedures, or addresses in the frame.
  // Operands come earlier in the order than the addresses derived from them.
  private findAddresses(): Set<Value> {
    const addresses = new Set<Value>();
    for (const { values } of this.flow.order) {
      for (const value of values) {
        const { opcode, a, b } = value;
        if ((EFFECTS[opcode] & CONSTANT) !== 0) {
          if (!value.isConstant) addresses.add(value);
        } else if (MAKES_ADDRESS.has(opcode)) {
          const ofAddress = (a !== null && addresses.has(a)) || (b !== null && addresses.has(b));
          if (ofAddress) addresses.add(value);
        }
      }
    }
    return addresses;
  }

  // True if a variable may contain the definitions. A Phi cannot contain an address. A constant
  // needs no Phi, and a patchpoint may require it as a constant. Some of the definitions may be
  // unreachable.
  private mayBeVariable(definitions: readonly Value[]): boolean {
    this.addresses ??= this.findAddresses();
    for (let d = 0; d < definitions.length; d++) {
      if (definitions[d].isConstant || this.addresses.has(definitions[d])) return false;
    }
    return true;
  }

  rewrite(): void {
    const { proc, flow, mapped, correct } = this;
    for (const block of flow.order) {
      if (correct.has(block)) continue;
      this.user = block;
      for (let i = 0; i < block.values.length; i++) {
        const value = block.values[i];
        this.at = i;
        rewriteOperands(value, mapped);
        const { extra } = value;
        if (!(extra instanceof Snapshot)) continue;
        if (guardsResult(value.opcode)) this.at = i + 1; // its exit may use the result
        if (!this.isChanged(extra, mapped)) continue;
        value.extra = copySnapshot(proc, extra, mapped);
      }
    }
  }

  /** Returns the definition that a use at position `at` of `user` reads. */
  private reachingDefinition(value: Value, user: BasicBlock, at: number): Value {
    const all = this.definitionsOf(value);
    if (all.length === 0) return value;
    for (const definition of all) {
      if (definition.block === user && this.places[definition.id] < at) return definition;
    }
    for (const definition of all) if (this.reaches(definition, all, user)) return definition;
    return this.mayBeVariable(all) ? this.read(all[0], user) : this.rematerialize(all[0], user);
  }

  // Computes the original again in the user's block; its operands are available there.
  private rematerialize(original: Value, user: BasicBlock): Value {
    const byBlock = this.rematerialized.get(original) ?? new Map<BasicBlock, Value>();
    this.rematerialized.set(original, byBlock);
    const known = byBlock.get(user);
    if (known !== undefined) return known;
    const copy = copyValue(this.proc, original);
    copy.block = user;
    rewriteOperands(copy, (operand) => this.reachingDefinition(operand, user, 0));
    byBlock.set(user, copy);
    this.made.push(copy);
    return copy;
  }

  /**
   * True if the definition dominates the use and no other definition. Then the definition follows
   * every other one before the use, because a path can reach the others without it, but not the
   * use.
   */
  private reaches(definition: Value, all: readonly Value[], user: BasicBlock): boolean {
    if (!this.isAbove(definition, user)) return false;
    return all.every((other) => other === definition || !this.isAbove(definition, other.block));
  }

  private isAbove({ block }: Value, below: BasicBlock | null): boolean {
    if (block === null || below === null || block === below) return false;
    const { position } = this.flow;
    const [a, b] = [position[block.index], position[below.index]];
    return a >= 0 && b >= 0 && dominates(this.flow, a, b);
  }

  private read(original: Value, user: BasicBlock): Value {
    const byBlock = this.reads.get(original) ?? new Map<BasicBlock, Value>();
    this.reads.set(original, byBlock);
    const phi = byBlock.get(user) ?? this.proc.newValue(Op.Phi, original.type);
    phi.block = user;
    byBlock.set(user, phi);
    return phi;
  }

  private isChanged(snapshot: Snapshot, mapped: (value: Value) => Value): boolean {
    let touched = false;
    const check = (value: Value): void => {
      if (mapped(value) !== value) touched = true;
    };
    for (const value of snapshot.values) forEachOperand(value, check);
    forEachSlotValue(snapshot, check);
    return touched;
  }

  writeVariables(): void {
    for (const value of this.made.reverse()) value.block?.values.unshift(value);
    for (const [original, byBlock] of this.reads) {
      for (const [user, phi] of byBlock) {
        user.values.unshift(phi);
        for (const definition of this.definitionsOf(original)) {
          this.writeAfter(definition, phi);
        }
      }
    }
  }

  private writeAfter(definition: Value, phi: Value): void {
    const { block } = definition;
    if (block === null) return;
    const at = block.values.indexOf(definition) + 1;
    block.values.splice(at, 0, newUpsilon(this.proc, block, definition, phi));
  }
}

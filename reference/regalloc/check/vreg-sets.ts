// Represents the possible contents of a location as one integer: UNKNOWN, one virtual register, or
// an interned set of several (copies). Nearly always it is one, so a single register is its own
// number plus one, and needs no table.

import { widen } from "../arenas.js";

export const UNKNOWN = 0;
export const contentOf = (vreg: number): number => vreg + 1;
/** Contents from here on are interned sets; smaller ones are one register. */
export const SET_BASE = 1 << 21;

export class VregSets {
  private members = new Int32Array(64);
  /** Set k is members[start[k] .. start[k + 1]), ascending. */
  private start = new Int32Array(33);
  private count = 0;
  /**
   * Open addressing, its length a power of two; 0 is empty, otherwise the set's number plus one.
   */
  private table = new Int32Array(64);
  private scratch = new Int32Array(16);
  private scratchCount = 0;

  reset(): void {
    if (this.count > 0) this.table.fill(0);
    this.count = 0;
  }

  has(content: number, vreg: number): boolean {
    if (content < SET_BASE) return content === vreg + 1;
    const k = content - SET_BASE;
    for (let m = this.start[k]; m < this.start[k + 1]; m++) {
      if (this.members[m] === vreg) return true;
    }
    return false;
  }

  /** Returns the number of members; memberOf returns each of them. */
  sizeOf(content: number): number {
    if (content < SET_BASE) return content === UNKNOWN ? 0 : 1;
    return this.start[content - SET_BASE + 1] - this.start[content - SET_BASE];
  }

  memberOf(content: number, index: number): number {
    return content < SET_BASE ? content - 1 : this.members[this.start[content - SET_BASE] + index];
  }

  intersect(x: number, y: number): number {
    if (x === y) return x;
    this.begin();
    for (let m = 0; m < this.sizeOf(x); m++) {
      const vreg = this.memberOf(x, m);
      if (this.has(y, vreg)) this.add(vreg);
    }
    return this.end();
  }

  /** Starts a new set: `begin`, then `add` in any order, then `end`. */
  begin(): void {
    this.scratchCount = 0;
  }

  add(vreg: number): void {
    if (this.scratchCount === this.scratch.length) this.scratch = widen(this.scratch);
    let at = this.scratchCount++;
    for (; at > 0 && this.scratch[at - 1] > vreg; at--) this.scratch[at] = this.scratch[at - 1];
    this.scratch[at] = vreg;
  }

  end(): number {
    if (this.scratchCount === 0) return UNKNOWN;
    if (this.scratchCount === 1) return contentOf(this.scratch[0]);
    let hash = 0;
    for (let m = 0; m < this.scratchCount; m++) {
      hash = Math.imul(hash ^ this.scratch[m], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    if (2 * this.count >= this.table.length) this.rehash();
    const mask = this.table.length - 1;
    let slot = hash & mask;
    while (this.table[slot] !== 0 && !this.isScratch(this.table[slot] - 1))
      slot = (slot + 1) & mask;
    if (this.table[slot] === 0) this.table[slot] = this.append() + 1;
    return SET_BASE + this.table[slot] - 1;
  }

  private isScratch(k: number): boolean {
    const start = this.start[k];
    if (this.start[k + 1] - start !== this.scratchCount) return false;
    for (let m = 0; m < this.scratchCount; m++) {
      if (this.members[start + m] !== this.scratch[m]) return false;
    }
    return true;
  }

  private append(): number {
    const k = this.count++;
    if (this.count + 1 >= this.start.length) this.start = widen(this.start);
    const start = this.start[k];
    while (start + this.scratchCount > this.members.length) this.members = widen(this.members);
    for (let m = 0; m < this.scratchCount; m++) this.members[start + m] = this.scratch[m];
    this.start[k + 1] = start + this.scratchCount;
    return k;
  }

  private rehash(): void {
    const old = this.table;
    this.table = new Int32Array(2 * old.length);
    const mask = this.table.length - 1;
    for (let k = 0; k < this.count; k++) {
      let hash = 0;
      for (let m = this.start[k]; m < this.start[k + 1]; m++) {
        hash = Math.imul(hash ^ this.members[m], 0x9e3779b1);
        hash ^= hash >>> 15;
      }
      let slot = hash & mask;
      while (this.table[slot] !== 0) slot = (slot + 1) & mask;
      this.table[slot] = k + 1;
    }
  }
}

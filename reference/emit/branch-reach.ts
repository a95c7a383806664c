// Branches whose label is out of reach take a long form, and what lies behind them moves.
//
// Emission writes short forms. When every label is known the far ones are found, and the code is spread to
// make room:
//
// 1. Sites are relocations in the order of their places. Each grows by some bytes or by none, and what is
//    written behind it lies so much farther. A label knows how many sites were written before it.
// 2. What moves may put other labels out of reach, so the search repeats until no other site
//    becomes long. It terminates: no long form becomes short again.
// 3. The room in front of a short loop depends on where the loop lies, and so on all of that: it is found
//    again in each round, for a while.

import { FORMS, Relocation } from "./relocations.js";

/** A site in the list of relocations: place, kind, label. */
export const SITE_CELLS = 3;

/** Rounds in which the room in front of loops may still change. */
const LOOP_ROUNDS = 8;

/** What is to be spread: sites, and by label its offset and how many sites were written before it. */
export interface Unspread {
  readonly sites: Int32Array;
  readonly siteCount: number;
  readonly labels: Int32Array;
  readonly labelSites: Int32Array;
}

export class Spread {
  /** By site, the bytes by which it grows. */
  growth = new Int32Array(256);
  /** By site, the bytes by which all before it grow; one entry more at the end. */
  before = new Int32Array(257);

  /**
   * Finds what grows, and gives the sum.
   * @param reachMax bytes that short forms may span at most
   * @param lineSize that of the lines in which short loops are kept; null: no loop is
   */
  find(unspread: Unspread, reachMax: number, lineSize: number | null): number {
    const { siteCount } = unspread;
    if (this.growth.length < siteCount) {
      this.growth = new Int32Array(2 * siteCount);
      this.before = new Int32Array(2 * siteCount + 1);
    }
    const { growth, before } = this;
    growth.fill(0, 0, siteCount);
    before.fill(0, 0, siteCount + 1);
    for (let round = 0; ; round++) {
      const keepsLoops = lineSize !== null && round < LOOP_ROUNDS;
      const hasMoved = keepsLoops && this.makeRoom(unspread, lineSize);
      if (hasMoved) this.sum(siteCount);
      if (!this.lengthen(unspread, reachMax) && !hasMoved) return before[siteCount];
      this.sum(siteCount);
    }
  }

  /** Where that label lies when the code is spread. */
  offsetOf({ labels, labelSites }: Unspread, label: number): number {
    return labels[label] + this.before[labelSites[label]];
  }

  private sum(siteCount: number): void {
    const { growth, before } = this;
    for (let i = 0; i < siteCount; i++) before[i + 1] = before[i] + growth[i];
  }

  /** True if the room in front of a loop has changed. */
  private makeRoom(unspread: Unspread, lineSize: number): boolean {
    const { sites, siteCount } = unspread;
    const { growth, before } = this;
    let hasChanged = false;
    let moved = 0;
    for (let i = 0; i < siteCount; i++) {
      const at = SITE_CELLS * i;
      if (sites[at + 1] === Relocation.Loop) {
        const size = this.offsetOf(unspread, sites[at + 2]) - (sites[at] + before[i] + growth[i]);
        const room = roomBefore(sites[at] + moved, size, lineSize);
        if (room !== growth[i]) hasChanged = true;
        growth[i] = room;
      }
      moved += growth[i];
    }
    return hasChanged;
  }

  /** True if a site has become long. */
  private lengthen(unspread: Unspread, reachMax: number): boolean {
    const { sites, siteCount } = unspread;
    const { growth, before } = this;
    let hasChanged = false;
    for (let i = 0; i < siteCount; i++) {
      const at = SITE_CELLS * i;
      const { origin, reach, longer } = FORMS[sites[at + 1]];
      if (longer === 0 || growth[i] !== 0) continue;
      const from = sites[at] + before[i] + origin;
      const distance = this.offsetOf(unspread, sites[at + 2]) - from;
      const limit = Math.min(reach, reachMax);
      if (distance >= -limit && distance < limit) continue;
      growth[i] = longer;
      hasChanged = true;
    }
    return hasChanged;
  }

  /** Moves code apart, so that each site has its room; in front of loops it is filled. `bytes` has room. */
  move(bytes: Uint8Array, size: number, { sites, siteCount }: Unspread, filler: number): void {
    const { growth, before } = this;
    let end = size;
    for (let i = siteCount - 1; i >= 0; i--) {
      if (growth[i] === 0) continue;
      const kind = sites[SITE_CELLS * i + 1];
      const behind = sites[SITE_CELLS * i] + FORMS[kind].size;
      bytes.copyWithin(behind + before[i + 1], behind, end);
      if (kind === Relocation.Loop) bytes.fill(filler, behind + before[i], behind + before[i + 1]);
      end = behind;
    }
  }
}

/** Bytes to leave out at that offset, so that what has this size lies in one line if it fits one. */
function roomBefore(offset: number, size: number, lineSize: number): number {
  const used = offset % lineSize;
  return size > lineSize || used + size <= lineSize ? 0 : lineSize - used;
}

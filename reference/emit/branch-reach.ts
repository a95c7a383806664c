// Gives branches whose label is out of reach a long form, and moves the code after them.
//
// Emission writes short forms. When every label is bound, this file finds the branches that do not
// reach their labels, and spreads the code to make room:
//
// 1. Sites are relocations in the order of their positions. Each grows by zero or more bytes, and
//    the code after it moves by as much. For each label the number of sites before it is recorded.
// 2. Moved code may put other labels out of reach, so the search repeats until no other site
//    becomes long. It terminates: no long form becomes short again.
// 3. The padding before a short loop depends on the position of the loop, and so on all of the
//    above. It is computed again in each round, for a bounded number of rounds.

import { FORMS, RelocationKind } from "./relocations.js";

/** A site in the list of relocations: position, kind, label. */
export const SITE_CELLS = 3;

/** The number of rounds in which the padding before loops may still change. */
const LOOP_ROUNDS = 8;

/**
 * The code before spreading: sites; and for each label its offset and the number of sites before
 * it.
 */
export interface UnrelaxedCode {
  readonly sites: Int32Array;
  readonly siteCount: number;
  readonly labels: Int32Array;
  readonly labelSites: Int32Array;
}

export class BranchRelaxation {
  /** By site: the bytes by which it grows. */
  growth = new Int32Array(256);
  /** By site: the bytes by which all sites before it grow; with one more entry at the end. */
  before = new Int32Array(257);

  /**
   * Finds the growth of each site, and returns the sum.
   *
   * @param reachMax maximum number of bytes that short forms may span
   * @param lineSize size of the lines in which short loops are kept; null: loops lie anywhere
   */
  find(unspread: UnrelaxedCode, reachMax: number, lineSize: number | null): number {
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
      const hasMoved = keepsLoops && this.updateLoopPadding(unspread, lineSize);
      if (hasMoved) this.sum(siteCount);
      if (!this.lengthen(unspread, reachMax) && !hasMoved) return before[siteCount];
      this.sum(siteCount);
    }
  }

  /** Returns the offset of the label after spreading. */
  offsetOf({ labels, labelSites }: UnrelaxedCode, label: number): number {
    return labels[label] + this.before[labelSites[label]];
  }

  private sum(siteCount: number): void {
    const { growth, before } = this;
    for (let i = 0; i < siteCount; i++) before[i + 1] = before[i] + growth[i];
  }

  /** Computes the padding before loops; returns true if any has changed. */
  private updateLoopPadding(unspread: UnrelaxedCode, lineSize: number): boolean {
    const { sites, siteCount } = unspread;
    const { growth, before } = this;
    let hasChanged = false;
    let moved = 0;
    for (let i = 0; i < siteCount; i++) {
      const at = SITE_CELLS * i;
      if (sites[at + 1] === RelocationKind.Loop) {
        const size = this.offsetOf(unspread, sites[at + 2]) - (sites[at] + before[i] + growth[i]);
        const room = paddingBefore(sites[at] + moved, size, lineSize);
        if (room !== growth[i]) hasChanged = true;
        growth[i] = room;
      }
      moved += growth[i];
    }
    return hasChanged;
  }

  /** Makes sites long where needed; returns true if a site has become long. */
  private lengthen(unspread: UnrelaxedCode, reachMax: number): boolean {
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

  /**
   * Moves code so that each site has its room, and fills the padding before loops. `bytes` must be
   * large enough.
   */
  move(bytes: Uint8Array, size: number, { sites, siteCount }: UnrelaxedCode, filler: number): void {
    const { growth, before } = this;
    let end = size;
    for (let i = siteCount - 1; i >= 0; i--) {
      if (growth[i] === 0) continue;
      const kind = sites[SITE_CELLS * i + 1];
      const behind = sites[SITE_CELLS * i] + FORMS[kind].size;
      bytes.copyWithin(behind + before[i + 1], behind, end);
      if (kind === RelocationKind.Loop)
        bytes.fill(filler, behind + before[i], behind + before[i + 1]);
      end = behind;
    }
  }
}

/**
 * Returns the padding at that offset with which code of this size lies in one line, if it fits one.
 */
function paddingBefore(offset: number, size: number, lineSize: number): number {
  const used = offset % lineSize;
  return size > lineSize || used + size <= lineSize ? 0 : lineSize - used;
}

// Holds the bytes of an image under construction, with labels and relocations.
//
// One buffer lives in the compile context and is reset, never reallocated. An image of a fuzzed
// program is small, and a fresh array per compile would be most of the garbage of a campaign.

import { assert } from "../../src/support/assert.js";
import { widen } from "../regalloc/arenas.js";
import { BranchRelaxation, SITE_CELLS, type UnrelaxedCode } from "./branch-reach.js";
import { CompileError } from "./compile-error.js";
import { FORMS, fill, fillLong, RelocationKind } from "./relocations.js";

/** The lines of code that a processor fetches in one step. */
export interface FetchLines {
  /** Bytes: a power of two, at most 4096. */
  readonly size: number;
  /** A byte that is never executed. */
  readonly filler: number;
}

const UNBOUND = -1;
export class CodeBuffer {
  bytes = new Uint8Array(1 << 14);
  size = 0;
  /**
   * The listing: one line per instruction, `offset text`, and one per label; null if no listing is
   * requested.
   */
  listing: string[] | null = null;

  private labels = new Int32Array(256);
  /** By label: the number of sites written before it. */
  private labelSites = new Int32Array(256);
  private labelCount = 0;
  private sites = new Int32Array(SITE_CELLS * 256);
  private siteCount = 0;
  /** The smallest code size at which some site may need its long form. */
  private shortest = Number.POSITIVE_INFINITY;
  /** The lines in which loops are kept; null: there is no loop. */
  private lines: FetchLines | null = null;
  private readonly spread = new BranchRelaxation();

  reset(): void {
    this.size = 0;
    this.labelCount = 0;
    this.siteCount = 0;
    this.shortest = Number.POSITIVE_INFINITY;
    this.lines = null;
    this.listing = null;
  }

  byte(value: number): void {
    if (this.size === this.bytes.length) this.grow();
    this.bytes[this.size++] = value;
  }

  /** Appends four bytes, little endian. */
  word(value: number): void {
    if (this.size + 4 > this.bytes.length) this.grow();
    const { bytes, size } = this;
    bytes[size] = value;
    bytes[size + 1] = value >> 8;
    bytes[size + 2] = value >> 16;
    bytes[size + 3] = value >> 24;
    this.size = size + 4;
  }

  newLabel(): number {
    if (this.labelCount === this.labels.length) {
      this.labels = widen(this.labels);
      this.labelSites = widen(this.labelSites);
    }
    this.labels[this.labelCount] = UNBOUND;
    return this.labelCount++;
  }

  bind(label: number): void {
    this.labels[label] = this.size;
    this.labelSites[label] = this.siteCount;
    this.listing?.push(`${labelText(label)}:`);
  }

  /** Binds the label to code outside this buffer, at this distance from the start of the buffer. */
  bindOutside(label: number, offset: number): void {
    assert(
      offset !== UNBOUND,
      () => "a label outside the buffer cannot be bound at the offset that marks unbound labels",
    );
    this.labels[label] = offset;
    this.labelSites[label] = 0; // moves of code in this buffer do not affect it
    this.shortest = 0;
  }

  /** Returns the offset of a bound label, in bytes from the start of the image. */
  offsetOf(label: number): number {
    return this.labels[label];
  }

  /**
   * Records that the field at `place` contains the distance to `label`. `place` is an offset in
   * bytes, greater than those of earlier calls.
   */
  relocate(place: number, kind: RelocationKind, label: number): void {
    const at = SITE_CELLS * this.siteCount++;
    if (at === this.sites.length) this.sites = widen(this.sites);
    this.sites[at] = place;
    this.sites[at + 1] = kind;
    this.sites[at + 2] = label;
    this.shortest = Math.min(this.shortest, FORMS[kind].reach);
  }

  /**
   * Records that the code from here to the label is a loop, and no code falls through into it. So
   * it may be moved to the start of a line.
   */
  beginLoop(end: number, lines: FetchLines): void {
    this.lines = lines;
    this.shortest = 0;
    this.listing?.push(offsetText(this.size) + ROOM);
    this.relocate(this.size, RelocationKind.Loop, end);
  }

  /**
   * Writes every recorded distance, with long forms of branches where they are needed:
   * branch-reach.ts. Returns the number of branches that became two instructions. Throws
   * CompileError if a distance does not fit its field.
   *
   * @param branchReach bytes that short forms may span; a value below their real reach produces more
   *   long forms
   */
  resolve(branchReach = Number.POSITIVE_INFINITY): number {
    const { sites, siteCount, labels, labelSites, spread } = this;
    for (let i = 0; i < siteCount; i++) {
      if (labels[sites[SITE_CELLS * i + 2]] !== UNBOUND) continue;
      throw new CompileError(`the label used at offset ${sites[SITE_CELLS * i]} is never bound`);
    }
    if (this.listing !== null) this.listing = withoutUnused(this.listing, sites, siteCount);
    // If the code is small, every label is in reach.
    const isClose = this.size < Math.min(this.shortest, branchReach);
    const unspread = { sites, siteCount, labels, labelSites };
    const grown = isClose ? 0 : spread.find(unspread, branchReach, this.lines?.size ?? null);
    if (grown > 0) this.spreadCode(unspread, grown);
    else if (this.listing !== null) this.listing = this.listing.filter((line) => !isRoom(line));
    const view = new DataView(this.bytes.buffer);
    let splits = 0;
    for (let i = 0; i < siteCount; i++) {
      const at = SITE_CELLS * i;
      const place = sites[at];
      const kind = sites[at + 1];
      const label = labels[sites[at + 2]];
      if (grown === 0 || spread.growth[i] === 0) fill(view, place, kind, label);
      else {
        fillLong(view, place, kind, label);
        if (FORMS[kind].splits) splits++;
      }
    }
    return splits;
  }

  private spreadCode(unspread: UnrelaxedCode, grown: number): void {
    const { sites, siteCount, labels, labelCount, listing, spread, lines } = this;
    if (listing !== null) this.listing = this.movedListing(listing);
    while (this.bytes.length < this.size + grown) this.grow();
    spread.move(this.bytes, this.size, unspread, lines?.filler ?? 0);
    this.size += grown;
    for (let label = 0; label < labelCount; label++) {
      if (labels[label] !== UNBOUND) labels[label] = spread.offsetOf(unspread, label);
    }
    for (let i = 0; i < siteCount; i++) sites[SITE_CELLS * i] += spread.before[i];
  }

  /**
   * Returns the listing with new offsets. Lines that begin with an offset are instructions or
   * words; each other line belongs to the next one.
   */
  private movedListing(listing: readonly string[]): string[] {
    const { sites, siteCount, spread } = this;
    const filler = this.lines?.filler.toString(16);
    const moved: string[] = [];
    let site = 0;
    for (const line of listing) {
      const [offset] = /^[0-9a-f]{4,}(?= {2})/.exec(line) ?? [];
      if (offset === undefined) {
        moved.push(line);
        continue;
      }
      const at = Number.parseInt(offset, 16);
      while (site < siteCount && sites[SITE_CELLS * site] < at) site++;
      const growth = spread.growth[site];
      const start = offsetText(at + spread.before[site]);
      if (isRoom(line)) {
        if (growth > 0) moved.push(`${start}  .fill ${growth}, 1, 0x${filler}`);
        site++;
        continue;
      }
      const isSite = site < siteCount && sites[SITE_CELLS * site] === at;
      const isSplit = isSite && growth > 0 && FORMS[sites[SITE_CELLS * site + 1]].splits;
      moved.push(start + line.slice(offset.length) + (isSplit ? " (long form)" : ""));
    }
    return moved;
  }

  private grow(): void {
    const bytes = new Uint8Array(this.bytes.length * 2);
    bytes.set(this.bytes);
    this.bytes = bytes;
  }
}

/** Returns a label as listings show it, at its position and at its uses. */
export const labelText = (label: number): string => `.L${label}`;

/** Returns an offset as listings show it. */
export const offsetText = (offset: number): string => offset.toString(16).padStart(4, "0");

/** In a listing, before a loop: the padding there, whose size is not known yet. */
const ROOM = "  .room";
const isRoom = (line: string): boolean => line.endsWith(ROOM);

/** Removes the lines of labels without uses. */
function withoutUnused(lines: readonly string[], relocations: Int32Array, count: number): string[] {
  const unused = new Set(lines.filter((line) => line.startsWith(".L")));
  for (let i = 0; i < count; i++) unused.delete(`${labelText(relocations[SITE_CELLS * i + 2])}:`);
  return lines.filter((line) => !unused.has(line));
}

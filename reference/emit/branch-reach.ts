// Branches on ARM64 whose label is out of reach take a long form, one instruction longer:
//
//   b.eq  l          b.ne  .+8          cbz x3, l       cbnz x3, .+8        adr x3, l      adrp x3, l
//                    b     l                            b    l                             add  x3, x3, :lo12:l
//
// The short forms reach 1 MB. `b` and `bl` reach 128 MB, more than an image may have, so they have no
// long form; on x86-64 every branch is a rel32. Emission writes short forms. When every label is known
// the far ones are found, and the code is spread to make room:
//
// 1. Sites are relocations in the order of their places. A long form is 4 bytes longer, so what
//    lies behind k of them lies 4 k bytes farther. A label at the place of a site is before it.
// 2. What moves may put other labels out of reach, so the search repeats until no other
//    site becomes long. It terminates: no long form becomes short again.
// 3. An image lies at a multiple of 4096, which `adrp` counts in. Neither form changes flags.

/** Bytes that the short form of a relocation reaches either way; infinite where there is no other. */
export type ReachOf = (kind: number) => number;

/** A site in the list of relocations: place, kind, label. */
export const SITE_CELLS = 3;
const LONGER_BY = 4;

/** Which sites are long, and where things lie then. */
export interface Spread {
  /** By site. */
  readonly isLong: Uint8Array;
  /** By site, how many before it are long; one entry more at the end. */
  readonly longBefore: Int32Array;
}

/** Null if every site reaches its label. */
export function findFar(
  sites: Int32Array,
  count: number,
  labels: Int32Array,
  reachOf: ReachOf,
): Spread | null {
  const isLong = new Uint8Array(count);
  const longBefore = new Int32Array(count + 1);
  const sitesBeforeLabel = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    sitesBeforeLabel[i] = sitesBefore(sites, count, labels[sites[SITE_CELLS * i + 2]]);
  }
  let longCount = 0;
  for (let known = -1; known < longCount; ) {
    known = longCount;
    for (let i = 0; i < count; i++) longBefore[i + 1] = longBefore[i] + isLong[i];
    for (let i = 0; i < count; i++) {
      if (isLong[i] !== 0) continue;
      const at = SITE_CELLS * i;
      const place = sites[at] + LONGER_BY * longBefore[i];
      const label = labels[sites[at + 2]] + LONGER_BY * longBefore[sitesBeforeLabel[i]];
      const reach = reachOf(sites[at + 1]);
      if (label - place >= -reach && label - place < reach) continue;
      isLong[i] = 1;
      longCount++;
    }
  }
  return longCount === 0 ? null : { isLong, longBefore };
}

/** Where a byte or label at `offset` lies when the code is spread. */
export function spreadOffset(
  offset: number,
  sites: Int32Array,
  count: number,
  { longBefore }: Spread,
): number {
  return offset + LONGER_BY * longBefore[sitesBefore(sites, count, offset)];
}

/** Moves code apart, so that four bytes follow each far site. `bytes` has room. */
export function spreadBytes(
  bytes: Uint8Array,
  size: number,
  sites: Int32Array,
  count: number,
  { isLong, longBefore }: Spread,
): void {
  let end = size;
  for (let i = count - 1; i >= 0; i--) {
    if (isLong[i] === 0) continue;
    const behind = sites[SITE_CELLS * i] + LONGER_BY;
    bytes.copyWithin(behind + LONGER_BY * longBefore[i + 1], behind, end);
    end = behind;
  }
}

const B_COND = 0x54;
/** In imm19: two words ahead. */
const OVER_THE_NEXT = 2 << 5;

/** The far conditional branch `word`, inverted, to behind the `b` that follows it. */
export function invertedOver(word: number): number {
  // The lowest bit of a condition, and the bit that tells cbnz from cbz, are their inversions.
  const inversion = word >>> 24 === B_COND ? 1 : 1 << 24;
  return (word ^ inversion) | OVER_THE_NEXT;
}

/** `b` to itself, for a relocation to fill in. */
export const BRANCH = 0x1400_0000;

const PAGE_BITS = 12;

/** `adrp` and `add` for the `adr` of `word` that stands at `place`. */
export function longAddress(word: number, place: number, label: number): [number, number] {
  const register = word & 31;
  const pages = (label >> PAGE_BITS) - (place >> PAGE_BITS);
  const adrp = 0x9000_0000 | ((pages & 3) << 29) | (((pages >> 2) & 0x7ffff) << 5) | register;
  const low = label & ((1 << PAGE_BITS) - 1);
  return [adrp | 0, 0x9100_0000 | (low << 10) | (register << 5) | register | 0];
}

/** How many sites lie before an offset. */
function sitesBefore(sites: Int32Array, count: number, offset: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sites[SITE_CELLS * middle] < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

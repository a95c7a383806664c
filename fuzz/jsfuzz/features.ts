// Records the features that inputs reach: the coverage that guides jsfuzz. Statement coverage is
// forty times slower on a program of this size, and it does not distinguish pairs of opcodes.

/** The kinds of features. No file contains the numbers, so they may change. */
export const FEATURE = {
  errorMessage: 1,
  faultMessage: 2,
  tokenPair: 3,
  linesRead: 4,
  opcodePair: 5,
  opcodeOfOperand: 6,
  opcodeType: 7,
  constantBits: 8,
  offsetBits: 9,
  moduleShape: 10,
  snapshotShape: 11,
  slotKind: 12,
  callee: 13,
  ending: 14,
  fuel: 15,
  location: 16,
  field: 17,
  switchShape: 18,
} as const;
export type FeatureKind = (typeof FEATURE)[keyof typeof FEATURE];

const FIELD_BITS = 12;
const FIELD_MASK = (1 << FIELD_BITS) - 1;
const KIND_UNIT = 2 ** (2 * FIELD_BITS);

/**
 * Returns the weight of a feature when a corpus must stay small. An error message counts as a whole
 * branch of the reader, because an input that fails reaches little else.
 */
export function weightOf(id: number): number {
  const kind = Math.floor(id / KIND_UNIT);
  return kind === FEATURE.errorMessage || kind === FEATURE.faultMessage ? 16 : 1;
}

export class FeatureCollector {
  /**
   * One 1 for each feature that was ever hit. jsfuzz sums these counters after each execution, so
   * the array contains no zeroes.
   */
  readonly counters: number[] = [];
  readonly known = new Set<number>();

  /** @param a, b: only the low 12 bits of each count */
  hit(feature: FeatureKind, a: number, b = 0): void {
    const id =
      (feature * (FIELD_MASK + 1) + (a & FIELD_MASK)) * (FIELD_MASK + 1) + (b & FIELD_MASK);
    if (this.known.has(id)) return;
    this.known.add(id);
    this.counters.push(1);
  }

  /** Counts a message by its wording, without ids, types and quotations. */
  hitMessage(feature: FeatureKind, message: string): void {
    const wording = message.replace(/found .*|'[^']*'|Void|Int32|Int64|Float|Double|\d+/gsu, "");
    let hash = 0x811c9dc5; // FNV-1a
    for (let i = 0; i < wording.length; i++) {
      hash = Math.imul(hash ^ wording.charCodeAt(i), 0x01000193);
    }
    this.hit(feature, hash, hash >>> FIELD_BITS);
  }
}

/**
 * Returns the magnitude of a number: 0, 1, 2-3, 4-7 and so on; a negative number counts as its
 * unsigned word.
 */
export const magnitude = (n: number): number => 32 - Math.clz32(n);

// What inputs have reached: the coverage that guides jsfuzz. Its own coverage, of statements, is
// forty times slower on a program of this size and knows less: which opcode stands behind which is
// no statement.

/** The kinds of features; the numbers are part of no file and may change. */
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
export type Feature = (typeof FEATURE)[keyof typeof FEATURE];

const FIELD_BITS = 12;
const FIELD_MASK = (1 << FIELD_BITS) - 1;
const KIND_UNIT = 2 ** (2 * FIELD_BITS);

/**
 * What a feature counts where a corpus must stay small. A wording of an error is a whole branch of
 * the reader, and an input that ends in it reaches little else.
 */
export function weightOf(id: number): number {
  const kind = Math.floor(id / KIND_UNIT);
  return kind === FEATURE.errorMessage || kind === FEATURE.faultMessage ? 16 : 1;
}

export class Features {
  /**
   * One 1 for each feature that was ever hit: the array of counters that jsfuzz sums up after each
   * execution, so it holds no zeroes.
   */
  readonly counters: number[] = [];
  readonly known = new Set<number>();

  /** @param a, b: of each the low 12 bits count */
  hit(feature: Feature, a: number, b = 0): void {
    const id =
      (feature * (FIELD_MASK + 1) + (a & FIELD_MASK)) * (FIELD_MASK + 1) + (b & FIELD_MASK);
    if (this.known.has(id)) return;
    this.known.add(id);
    this.counters.push(1);
  }

  /** A message, of which each wording counts, whatever ids, types and quotations are in it. */
  hitMessage(feature: Feature, message: string): void {
    const wording = message.replace(/found .*|'[^']*'|Void|Int32|Int64|Float|Double|\d+/gsu, "");
    let hash = 0x811c9dc5; // FNV-1a
    for (let i = 0; i < wording.length; i++) {
      hash = Math.imul(hash ^ wording.charCodeAt(i), 0x01000193);
    }
    this.hit(feature, hash, hash >>> FIELD_BITS);
  }
}

/** Numbers by their magnitude: 0, 1, 2-3, 4-7 and so on; a negative one as its unsigned word. */
export const magnitude = (n: number): number => 32 - Math.clz32(n);

// Allocates typed arrays for the processing of one program. V8 gives an array of more than 64 bytes memory of its own,
// outside of its heap. A program has hundreds of such arrays, and each allocation costs more than most uses
// (docs/performance.md, arrays). Therefore these arrays are parts of a common buffer. Do not use them for long-lived
// data, because a part keeps the whole buffer alive, nor for code that uses the `buffer` of an array.

/** The size of a common buffer, in bytes. */
const COMMON_SIZE = 1 << 18;
/** The size in bytes of the longest array that shares the common buffer. */
const PART_MAX = COMMON_SIZE >> 3;
/** The size in bytes up to which V8 keeps an array in its own heap. */
const IN_HEAP_MAX = 64;

/** A buffer that is handed out in parts, and the number of bytes handed out. */
class CommonBuffer {
  private readonly renew: () => ArrayBuffer;
  buffer = new ArrayBuffer(0);
  private used = 0;

  constructor(renew: () => ArrayBuffer) {
    this.renew = renew;
  }

  /** Returns the offset of this many unused bytes of the buffer. */
  take(size: number): number {
    if (this.used + size > this.buffer.byteLength) {
      this.buffer = this.renew();
      this.used = 0;
    }
    const at = this.used;
    this.used += (size + 7) & ~7;
    return at;
  }
}

const zeroed = new CommonBuffer(() => new ArrayBuffer(COMMON_SIZE));
/** A buffer with arbitrary contents: for data that is written before it is read. */
const unwritten = new CommonBuffer(() => Buffer.allocUnsafeSlow(COMMON_SIZE).buffer);

/**
 * Returns an array of zeroes.
 * @param length in words
 */
export const zeroedWords = (length: number): Int32Array<ArrayBuffer> => wordsIn(zeroed, length);

/** Returns an array whose initial contents are undefined. */
export const unwrittenWords = (length: number): Int32Array<ArrayBuffer> =>
  wordsIn(unwritten, length);

function wordsIn(common: CommonBuffer, length: number): Int32Array<ArrayBuffer> {
  const size = length << 2;
  if (size <= IN_HEAP_MAX || size > PART_MAX) return new Int32Array(length);
  const at = common.take(size);
  return new Int32Array(common.buffer, at, length);
}

export const zeroedBytes = (length: number): Uint8Array<ArrayBuffer> => bytesIn(zeroed, length);

export function copyOfBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = bytesIn(unwritten, bytes.length);
  copy.set(bytes);
  return copy;
}

function bytesIn(common: CommonBuffer, length: number): Uint8Array<ArrayBuffer> {
  if (length <= IN_HEAP_MAX || length > PART_MAX) return new Uint8Array(length);
  const at = common.take(length);
  return new Uint8Array(common.buffer, at, length);
}

export function wordsOf(numbers: readonly number[]): Int32Array<ArrayBuffer> {
  const words = zeroedWords(numbers.length);
  for (let i = 0; i < numbers.length; i++) words[i] = numbers[i];
  return words;
}

export function bytesOf(numbers: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = zeroedBytes(numbers.length);
  for (let i = 0; i < numbers.length; i++) bytes[i] = numbers[i];
  return bytes;
}

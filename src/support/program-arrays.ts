// Typed arrays for as long as one program is at hand. To an array of more than 64 bytes V8 gives memory of its own,
// outside of its heap: hundreds a program, and each costs more than most are used for (docs/performance.md, arrays). So
// these are parts of a common buffer. Not for what lives longer, since a part keeps the whole buffer alive; nor for who
// asks an array for its `buffer`.

/** Bytes of a common buffer. */
const COMMON = 1 << 18;
/** Longer arrays have memory of their own. */
const PART_MAX = COMMON >> 3;
/** Shorter ones lie in V8's heap anyway. */
const IN_HEAP_MAX = 64;

/** Of parts: a buffer, and how much of it somebody has. */
class Common {
  private readonly renew: () => ArrayBuffer;
  buffer = new ArrayBuffer(0);
  private used = 0;

  constructor(renew: () => ArrayBuffer) {
    this.renew = renew;
  }

  /** The offset of so many bytes of the buffer that nobody has had. */
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

const zeroed = new Common(() => new ArrayBuffer(COMMON));
/** Its bytes may be anything: for what is written before it is read. */
const unwritten = new Common(() => Buffer.allocUnsafeSlow(COMMON).buffer);

/** @param length in words */
export const zeroedWords = (length: number): Int32Array<ArrayBuffer> => wordsIn(zeroed, length);

/** What the words are before they are written is not defined. */
export const unwrittenWords = (length: number): Int32Array<ArrayBuffer> =>
  wordsIn(unwritten, length);

function wordsIn(common: Common, length: number): Int32Array<ArrayBuffer> {
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

function bytesIn(common: Common, length: number): Uint8Array<ArrayBuffer> {
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

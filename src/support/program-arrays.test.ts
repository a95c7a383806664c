import test from "ava";
import {
  bytesOf,
  copyOfBytes,
  unwrittenWords,
  wordsOf,
  zeroedBytes,
  zeroedWords,
} from "./program-arrays.js";

// Lengths for all kinds of memory: in V8's heap, of a common buffer, of its own; so many that common buffers are
// exhausted.
const LENGTHS = [0, 1, 16, 17, 64, 65, 100, 1000, 8192, 8193, 40000];

test("arrays are zeroes and share no byte, whatever was written before", (t) => {
  const all: (Int32Array | Uint8Array)[] = [];
  for (let round = 0; round < 4; round++) {
    for (const length of LENGTHS) {
      for (const array of [zeroedWords(length), zeroedBytes(length)]) {
        t.is(array.length, length);
        t.true(array.every((element) => element === 0));
        all.push(array.fill(all.length));
      }
      all.push(unwrittenWords(length).fill(all.length));
    }
  }
  all.forEach((array, i) => {
    const own = array instanceof Int32Array ? i : i & 0xff;
    t.true(array.every((element) => element === own));
  });
});

test("a copy has the contents, and does not change with the original", (t) => {
  for (const length of LENGTHS) {
    const bytes = zeroedBytes(length).map((_, i) => i);
    const copy = copyOfBytes(bytes);
    const expected = [...bytes];
    bytes.fill(0xee);
    t.deepEqual([...copy], expected);
    t.deepEqual([...bytesOf(expected)], expected);
    t.deepEqual([...wordsOf(expected)], expected);
  }
});

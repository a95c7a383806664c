// A hash of 32-bit words: rotations written as shifts, in procedures of one line.
static unsigned rotl(unsigned x, int count) { return (x << count) | (x >> (32 - count)); }

static unsigned mix(unsigned h, unsigned word) {
  word *= 0xcc9e2d51u;
  word = rotl(word, 15);
  word *= 0x1b873593u;
  h ^= word;
  h = rotl(h, 13);
  return h * 5 + 0xe6546b64u;
}

int kernel(unsigned char *heap, int n) {
  unsigned *words = (unsigned *)heap;
  unsigned a = 1, b = 2, c = 3, d = 4;
  for (int i = 0; i < n; i++) {
    a += b; d = rotl(d ^ a, 16);
    c += d; b = rotl(b ^ c, 12);
    a += b; d = rotl(d ^ a, 8);
    c += d; b = rotl(b ^ c, 7);
    a = mix(a, words[i]);
  }
  return (int)(a ^ b ^ c ^ d);
}

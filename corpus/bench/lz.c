// Compresses a text that it makes, by references to earlier bytes, and expands it again. Bytes, loops
// that end early, and a table of hashes. Gives a checksum of the compressed bytes; traps if the text
// does not come back.

#include <stdint.h>

enum { TEXT_MAX = 16384, HASHES = 1024, MATCH_MIN = 4, MATCH_MAX = 130 };

static uint8_t text[TEXT_MAX], packed[2 * TEXT_MAX], unpacked[TEXT_MAX];
static uint16_t latest[HASHES];

static const char *const WORDS[] = {"guard ", "snapshot ", "exit ", "a ", "value ", "is ", "the ", "live. "};

static uint32_t next(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static void make(int n) {
  uint32_t state = 2463534242u;
  for (int at = 0; at < n;) {
    for (const char *word = WORDS[next(&state) % 8]; *word != 0 && at < n; word++) text[at++] = (uint8_t)*word;
  }
}

static uint32_t hash(const uint8_t *at) {
  uint32_t four = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
  return (four * 2654435761u) >> 22;
}

// A byte below 128 is the length of literal bytes that follow; above, 126 more than that of a match,
// whose distance follows in two bytes.
static int compress(int n) {
  int out = 0, from = 0;
  for (int i = 0; i < HASHES; i++) latest[i] = 0xffff;
  for (int at = 0; at <= n;) {
    int length = 0, distance = 0;
    if (at + MATCH_MIN <= n) {
      uint32_t h = hash(text + at);
      int candidate = latest[h];
      latest[h] = (uint16_t)at;
      if (candidate != 0xffff) {
        while (length < MATCH_MAX && at + length < n && text[candidate + length] == text[at + length]) length++;
        distance = at - candidate;
      }
    }
    int is_match = length >= MATCH_MIN;
    if (is_match || at == n || at - from == 127) {
      if (at > from) packed[out++] = (uint8_t)(at - from);
      while (from < at) packed[out++] = text[from++];
    }
    if (is_match) {
      packed[out++] = (uint8_t)(length + 124);
      packed[out++] = (uint8_t)distance;
      packed[out++] = (uint8_t)(distance >> 8);
      at += length;
      from = at;
    } else {
      at++;
    }
  }
  return out;
}

static int expand(int size) {
  int out = 0;
  for (int at = 0; at < size;) {
    int head = packed[at++];
    if (head < 128) {
      while (head-- > 0) unpacked[out++] = packed[at++];
    } else {
      int distance = packed[at] | packed[at + 1] << 8;
      at += 2;
      for (int k = head - 124; k > 0; k--, out++) unpacked[out] = unpacked[out - distance];
    }
  }
  return out;
}

int32_t lz(int32_t n) {
  if (n < 0 || n > TEXT_MAX) __builtin_trap();
  make(n);
  int size = compress(n);
  if (expand(size) != n) __builtin_trap();
  uint32_t sum = (uint32_t)size;
  for (int i = 0; i < n; i++) {
    if (unpacked[i] != text[i]) __builtin_trap();
  }
  for (int i = 0; i < size; i++) sum = sum * 31 + packed[i];
  return (int32_t)sum;
}

#ifndef __wasm__
double kernel(unsigned char *heap, const int32_t *args) {
  (void)heap;
  return lz(args[0]);
}
#endif

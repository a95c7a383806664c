#include <stdint.h>

static const uint32_t initial[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
static const uint32_t table[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void compress(uint32_t *state, const unsigned char *block) {
  uint32_t w[64];
  for (int t = 0; t < 16; t++) {
    const unsigned char *at = block + 4 * t;
    w[t] = (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
  }
  for (int t = 16; t < 64; t++) {
    uint32_t x = w[t - 15], y = w[t - 2];
    uint32_t early = rotated(x, 7) ^ rotated(x, 18) ^ x >> 3;
    uint32_t late = rotated(y, 17) ^ rotated(y, 19) ^ y >> 10;
    w[t] = late + w[t - 7] + early + w[t - 16];
  }
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (int t = 0; t < 64; t++) {
    uint32_t large = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    uint32_t first = h + large + ((e & f) ^ (~e & g)) + table[t] + w[t];
    uint32_t small = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    uint32_t second = small + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

double kernel(unsigned char *heap, const int32_t *args) {
  uint32_t *state = (uint32_t *)heap;
  unsigned char *tail = heap + 64;
  const unsigned char *message = heap + 448;
  int32_t length = args[0];
  for (int i = 0; i < 8; i++) state[i] = initial[i];
  int32_t at = 0;
  for (; at + 64 <= length; at += 64) compress(state, message + at);
  int32_t rest = length - at;
  int32_t size = rest < 56 ? 64 : 128;
  for (int32_t i = 0; i < size; i++) tail[i] = i < rest ? message[at + i] : 0;
  tail[rest] = 0x80;
  for (int i = 0; i < 4; i++) tail[size - 4 + i] = (uint32_t)length << 3 >> (24 - 8 * i);
  for (int32_t done = 0; done < size; done += 64) compress(state, tail + done);
  uint32_t mixed = 0;
  for (int i = 0; i < 8; i++) mixed ^= state[i];
  return (int32_t)mixed;
}

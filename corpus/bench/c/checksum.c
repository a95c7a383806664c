// Checksums whose inner loops have a fixed count: CRC-16 from the top bit, a hash of four rounds for each word, parity bits.
static unsigned crc16(const unsigned char *data, int n) {
  unsigned short crc = 0xffff;
  for (int i = 0; i < n; i++) {
    crc ^= (unsigned short)(data[i] << 8);
    for (int bit = 0; bit < 8; bit++) {
      if (crc & 0x8000) crc = (unsigned short)((crc << 1) ^ 0x1021);
      else crc = (unsigned short)(crc << 1);
    }
  }
  return crc;
}

static unsigned mix(const unsigned *words, int n) {
  unsigned a = 0x9e3779b9u, b = 0x7f4a7c15u;
  for (int i = 0; i < n; i++) {
    a ^= words[i];
    for (int round = 0; round < 4; round++) {
      a += b;
      b = (b << 13 | b >> 19) ^ a;
      a = a << 5 | a >> 27;
    }
  }
  return a ^ b;
}

static unsigned parity(const unsigned char *data, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; i++) {
    unsigned char odd = 0;
    for (int bit = 0; bit < 8; bit++) odd ^= (data[i] >> bit) & 1;
    sum = sum * 2 + odd + (sum >> 31);
  }
  return sum;
}

int kernel(unsigned char *heap, int n) {
  unsigned hash = mix((const unsigned *)heap, n / 4);
  hash = hash * 31 + crc16(heap, n);
  return (int)(hash * 31 + parity(heap, n));
}

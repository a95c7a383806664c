// CRC-32 bit by bit: a loop of eight iterations with a choice by the lowest bit.
static unsigned step(unsigned crc, unsigned char byte) {
  crc ^= byte;
  for (int k = 0; k < 8; k++) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
  return crc;
}

int kernel(unsigned char *heap, int n) {
  unsigned crc = ~0u;
  for (int i = 0; i < n; i++) crc = step(crc, heap[i]);
  return (int)~crc;
}

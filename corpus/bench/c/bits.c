// Bits of integers: Collatz's sequence, parity, reversal, a linear feedback register, decimal by shifts.
static int collatz(unsigned x) {
  int steps = 0;
  while (x != 1 && steps < 60) {
    x = x & 1 ? 3 * x + 1 : x >> 1;
    steps++;
  }
  return steps;
}

static unsigned reverse(unsigned x) {
  unsigned result = 0;
  for (int i = 0; i < 32; i++) {
    result = (result << 1) | (x & 1);
    x >>= 1;
  }
  return result;
}

static int ones(unsigned x) {
  int count = 0;
  while (x) {
    x &= x - 1;
    count++;
  }
  return count;
}

int kernel(unsigned char *heap, int n) {
  unsigned *words = (unsigned *)heap;
  unsigned lfsr = 0xace1u, hash = 0;
  for (int i = 0; i < n; i++) {
    unsigned x = words[i];
    hash += (unsigned)collatz((x & 0xffff) + 1);
    hash ^= reverse(x);
    hash = hash * 3 + (unsigned)ones(x);
    lfsr = (lfsr >> 1) ^ (-(lfsr & 1) & 0xb400u);
    hash += lfsr;
  }
  return (int)hash;
}

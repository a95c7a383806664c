// Recursion in tail position, and with an accumulator: the greatest common divisor, a power, sums of digits.
static unsigned gcd(unsigned a, unsigned b) { return b == 0 ? a : gcd(b, a % b); }

static unsigned power(unsigned base, unsigned exponent, unsigned sofar) {
  if (exponent == 0) return sofar;
  if (exponent & 1) return power(base * base, exponent >> 1, sofar * base);
  return power(base * base, exponent >> 1, sofar);
}

static unsigned digits(unsigned x) {
  if (x == 0) return 0;
  return x % 10 + digits(x / 10);
}

static int find(const unsigned *sorted, unsigned key, int low, int high) {
  if (low >= high) return low;
  int middle = low + (high - low) / 2;
  if (sorted[middle] < key) return find(sorted, key, middle + 1, high);
  return find(sorted, key, low, middle);
}

int kernel(unsigned char *heap, int n) {
  unsigned *words = (unsigned *)heap;
  unsigned *sorted = (unsigned *)(heap + 65536);
  unsigned sum = 0;
  for (int i = 0; i < 1024; i++) sorted[i] = (unsigned)i * 4194304u;
  for (int i = 0; i < n; i++) {
    unsigned x = words[i];
    sum += gcd(x, 3600);
    sum ^= power(x, x & 1023, 1);
    sum += digits(x);
    sum = sum * 31 + (unsigned)find(sorted, x, 0, 1024);
  }
  return (int)sum;
}

// gcc -w -O1 THIS && ./a.out; echo $?
// Expected 0; GCC 12.2.0 ends with 1, at -O2 and -O3 too, with -fsignaling-nans as well, and with 0 at -O0: a float that
// waits in memory is pushed by way of the x87 (`flds`, `fstps`), which makes a quiet NaN of a signaling one.
#include <stdint.h>
#include <string.h>
#define NOIPA __attribute__((noipa)) static
NOIPA void other(long i, long j, long k, long l, long m, long n) {}
NOIPA uint32_t bits_of_ninth(float a, float b, float c, float d, float e, float f, float g, float h, float x, float y) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}
NOIPA uint32_t pass(const void *p, long i, long j, long k, long l, long m) {
  float x;
  memcpy(&x, p, 4);
  long n = i + m;
  other(i, j, k, l, m, n);
  other(n, i, j, k, l, m);
  if (i & j) return 0;
  uint32_t bits = bits_of_ninth(0, 0, 0, 0, 0, 0, 0, 0, x, 0);
  other(i, j, k, l, m, n);
  return bits;
}
int main(void) {
  uint32_t bits = 0x7f85c2f9;
  return pass(&bits, 0, 0, 0, 0, 0) != bits;
}

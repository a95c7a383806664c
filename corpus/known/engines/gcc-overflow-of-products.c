// gcc -O2 THIS && ./a.out; echo $?
// Expected 0; GCC 12.2.0 from -O2 on ends with 1. Right at -O1, with -fwrapv and with -fno-aggressive-loop-optimizations;
// -fsanitize=undefined says nothing: the products are -INT64_MAX and INT64_MAX. A product of a counter that is taken for
// a counter with a start and a step (here -INT64_MAX and 2 * INT64_MAX) overflows where the program does not.
#include <stdint.h>
int main(void) {
  int64_t i = -1;
  uint32_t left = 2, bits;
  do {
    int64_t product = i * INT64_MAX;
    bits = (uint32_t)((uint64_t)product << left);
    i += 2;
    left--;
  } while (left);
  return bits != 0xfffffffe;
}

// clang -O1 THIS && ./a.out; echo $?
// Expected 0; LLVM 23.1.4 ends with 1. Right in 22.1.8 and at -O0. The function returns 0 for each argument.
#include <math.h>
#include <stdint.h>
#include <string.h>
__attribute__((noinline)) uint32_t twice(int x) {
  float distance = fabsf((x & 3) - 4.0f);
  uint32_t bits;
  memcpy(&bits, &distance, 4);
  return bits << 1; // without the sign
}
int main(int count, char **words) {
  (void)words;
  return twice(count - 1) != 0x81000000; // the bits of 4.0f are 0x40800000
}

// gcc -O2 THIS && ./a.out; echo $?
// Expected 0; GCC 12.2.0 for x86-64 and AArch64 from -O2 on ends with 1. Right at -O1, wrong at -O1 -ftree-vectorize and, by
// itself, at -O1 -fpredictive-commoning: a loop that moves by one byte and copies four, so what it loads was in part
// stored by the iterations before. -fsanitize=undefined says nothing. GCC bug 116125 tells of such steps.
#include <stdint.h>
#include <string.h>
uint8_t memory[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
__attribute__((noipa)) void copy(uint8_t *p, unsigned count) {
  for (unsigned i = count; i; i--) {
    uint32_t x;
    memcpy(&x, p + i + 2, 4);
    memcpy(p + i, &x, 4);
  }
}
int main(void) {
  static const uint8_t expected[16] = { 0, 7, 8, 7, 8, 7, 8, 7, 8, 9, 10, 11 };
  copy(memory, 3);
  return memcmp(memory, expected, 16) != 0;
}

// gcc -O2 THIS && ./a.out; echo $?
// Expected 0; GCC 12.2.0 from -O2 on ends with 1. Right at -O1 and with -fno-tree-vrp. That the low bit is 0 is said of
// `first` where `next` is not 0. The pass that drops the statement keeps the bit with the SSA name, whose uses are all
// behind it then; a later pass takes that name for the second load, where nothing was said.
#include <stdint.h>
uint64_t memory;
__attribute__((noipa)) void any(void) {}
__attribute__((noipa)) uint64_t f(uint32_t x) {
  uint64_t first = memory;
  for (uint32_t next = 0;;) {
    if (next) {
      if (first & 1) __builtin_unreachable();
      return first >> 1;
    }
    if ((uint32_t)(x + x) < x) return memory == 33;
    any();
    next = x;
  }
}
int main(void) {
  memory = 33;
  return f(0x80000001) != 1;
}

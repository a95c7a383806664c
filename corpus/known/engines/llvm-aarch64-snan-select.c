// clang-19 -w --target=aarch64-linux-gnu -static -O1 THIS && qemu-aarch64 a.out; echo $?
// Expected 0; LLVM 19.1.7 ends with 1, and with 0 at -O0: a comparison with a NaN is false, so 0.0 is chosen, but
// `fmaxnm` makes a quiet NaN of a signaling one. llvm-project 176624.
#include <stdint.h>
#include <string.h>
__attribute__((noinline)) static void choose(const double *x, double *chosen) { *chosen = *x > 0.0 ? *x : 0.0; }
int main(void) {
  uint64_t bits = 0x7ff0000000000001, left;
  double x, chosen;
  memcpy(&x, &bits, 8);
  choose(&x, &chosen);
  memcpy(&left, &chosen, 8);
  return left != 0;
}

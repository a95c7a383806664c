// clang-19 -w --target=aarch64-linux-gnu -static -O0 THIS -lm && qemu-aarch64 a.out; echo $?
// Expected 0; LLVM 19.1.7 ends with 1, at -O1 to -O3 too: 0 * 0 + -0 is +0, whose negation is -0, but `fnmadd` negates a
// product and subtracts, which gives +0.
#include <math.h>
__attribute__((noinline)) static float negated(float x, float y, float z) { return -fmaf(x, y, z); }
int main(void) {
  volatile float zero = 0.0f, minus = -0.0f;
  return signbit(negated(zero, zero, minus)) == 0;
}

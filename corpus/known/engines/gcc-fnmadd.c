// aarch64-linux-gnu-gcc -w -static -O1 THIS -lm && qemu-aarch64 a.out; echo $?
// Expected 0; GCC 12.2.0 ends with 1, at -O2 and -O3 and for x86-64 with -mfma too, and with 0 at -O0: 0 * 0 + -0 is +0, whose
// negation is -0, but `fnmadd` negates a product and subtracts, which gives +0.
#include <math.h>
__attribute__((noinline)) static float negated(float x, float y, float z) { return -fmaf(x, y, z); }
int main(void) {
  volatile float zero = 0.0f, minus = -0.0f;
  return signbit(negated(zero, zero, minus)) == 0;
}

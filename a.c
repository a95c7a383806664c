#include <math.h>
__attribute__((noinline)) static float negated(float x, float y, float z) { return -fmaf(x, y, z); }
int main(void) {
  volatile float zero = 0.0f, minus = -0.0f;
  return signbit(negated(zero, zero, minus)) == 0;
}

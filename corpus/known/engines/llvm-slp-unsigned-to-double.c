#include <stdint.h>
#include <stdio.h>

__attribute__((noinline)) static void f(const int8_t *a, double *restrict b) {
  for (int i = 0; i < 4; i++) b[i] = (double)(uint32_t)a[i];
}

int main(void) {
  const int8_t a[4] = {-2, 127, -128, 5};
  double b[4];
  f(a, b);
  printf("%.0f %.0f %.0f %.0f\n", b[0], b[1], b[2], b[3]);
  return 0;
}

#include <stdint.h>

double kernel(unsigned char *heap, const int32_t *args) {
  int32_t n = args[0];
  double *a = (double *)(heap + 8);
  double *b = a + n * n + 1;
  double *c = b + n * n + 1;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) {
      a[i * n + j] = (double)(i + 1) / (double)(j + 1);
      b[i * n + j] = i - j;
    }
  }
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) {
      double sum = 0;
      for (int32_t k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
  double total = 0;
  for (int32_t l = 0; l < n * n; l++) total += c[l];
  return total;
}

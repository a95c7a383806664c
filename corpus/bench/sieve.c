#include <stdint.h>

double kernel(unsigned char *heap, const int32_t *args) {
  unsigned char *flags = heap + 8;
  int32_t n = args[1];
  for (int32_t i = 0; i < n; i++) flags[i] = 1;
  for (int32_t p = 2; p * p < n; p++) {
    if (flags[p]) {
      for (int32_t k = p * p; k < n; k += p) flags[k] = 0;
    }
  }
  int32_t count = 0;
  for (int32_t i = 2; i < n; i++) count += flags[i];
  return count;
}

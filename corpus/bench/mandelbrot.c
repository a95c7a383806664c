#include <stdint.h>

double kernel(unsigned char *heap, const int32_t *args) {
  unsigned char *image = heap + 8;
  int32_t n = args[0];
  int32_t total = 0;
  for (int32_t row = 0; row < n; row++) {
    for (int32_t column = 0; column < n; column++) {
      double cx = 2.0 * column / n - 1.5;
      double cy = 2.0 * row / n - 1.0;
      double x = 0, y = 0;
      int32_t step = 0;
      while (step < 50 && x * x + y * y <= 4.0) {
        double next = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = next;
        step++;
      }
      image[row * n + column] = step;
      total += step;
    }
  }
  return total;
}

#include <stdint.h>

static void sort(int32_t *array, int32_t low, int32_t high) {
  while (low < high) {
    int32_t pivot = array[(uint32_t)(low + high) >> 1];
    int32_t i = low, j = high;
    while (i <= j) {
      while (array[i] < pivot) i++;
      while (array[j] > pivot) j--;
      if (i <= j) {
        int32_t held = array[i];
        array[i++] = array[j];
        array[j--] = held;
      }
    }
    if (j - low < high - i) {
      sort(array, low, j);
      low = i;
    } else {
      sort(array, i, high);
      high = j;
    }
  }
}

double kernel(unsigned char *heap, const int32_t *args) {
  int32_t *array = (int32_t *)(heap + 8);
  int32_t n = args[1];
  sort(array, 0, n - 1);
  uint32_t hash = 0;
  for (int32_t i = 0; i < n; i++) hash = hash * 31 + (uint32_t)array[i];
  return (int32_t)hash;
}

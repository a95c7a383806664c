// Runs one kernel in C: ROUNDS times on the same heap, which is filled anew before each.
// Arguments: rounds, seed of the heap, the kernel's own. Prints the seconds of each round, then
// the result.

#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define HEAP_SIZE (1 << 20)

double kernel(unsigned char *heap, const int32_t *args);

static _Alignas(16) unsigned char heap[HEAP_SIZE];

static void fill(uint32_t x) {
  uint32_t *words = (uint32_t *)heap;
  for (int i = 0; i < HEAP_SIZE / 4; i++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    words[i] = x; // zeroes for the seed 0
  }
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  int32_t args[8] = {0};
  for (int i = 3; i < argc && i < 11; i++) args[i - 3] = atoi(argv[i]);
  double result = 0;
  for (int round = atoi(argv[1]); round > 0; round--) {
    fill((uint32_t)atoi(argv[2]));
    double start = seconds();
    result = kernel(heap, args);
    printf("%.9f\n", seconds() - start);
  }
  printf("%.17g\n", result);
  return 0;
}

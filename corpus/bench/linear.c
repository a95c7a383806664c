// Solves a system of linear equations by elimination with pivots, and improves the solution once. Doubles,
// nested loops over a matrix, an index array. Gives the low bits of the solution, folded.

#include <stdint.h>

enum { SIZE_MAX_ = 48 };

static double matrix[SIZE_MAX_][SIZE_MAX_], factors[SIZE_MAX_][SIZE_MAX_];
static double right[SIZE_MAX_], solution[SIZE_MAX_], residual[SIZE_MAX_];
static int order[SIZE_MAX_];

static double absolute(double x) { return x < 0 ? -x : x; }

static void make(int n) {
  uint32_t state = 1;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      state = state * 1664525u + 1013904223u;
      matrix[i][j] = (int32_t)state / 1073741824.0;
      factors[i][j] = matrix[i][j];
    }
    right[i] = i + 1;
    order[i] = i;
  }
}

static void factor(int n) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++) {
      if (absolute(factors[order[i]][k]) > absolute(factors[order[pivot]][k])) pivot = i;
    }
    int row = order[pivot];
    order[pivot] = order[k];
    order[k] = row;
    if (factors[row][k] == 0) __builtin_trap();
    for (int i = k + 1; i < n; i++) {
      double *other = factors[order[i]];
      double share = other[k] / factors[row][k];
      other[k] = share;
      for (int j = k + 1; j < n; j++) other[j] -= share * factors[row][j];
    }
  }
}

static void solve(int n, const double *wanted, double *to) {
  double between[SIZE_MAX_];
  for (int i = 0; i < n; i++) {
    double sum = wanted[order[i]];
    for (int j = 0; j < i; j++) sum -= factors[order[i]][j] * between[j];
    between[i] = sum;
  }
  for (int i = n - 1; i >= 0; i--) {
    double sum = between[i];
    for (int j = i + 1; j < n; j++) sum -= factors[order[i]][j] * to[j];
    to[i] = sum / factors[order[i]][i];
  }
}

int32_t linear(int32_t n) {
  if (n < 1 || n > SIZE_MAX_) __builtin_trap();
  make(n);
  factor(n);
  solve(n, right, solution);
  double change[SIZE_MAX_];
  for (int i = 0; i < n; i++) {
    double sum = right[i];
    for (int j = 0; j < n; j++) sum -= matrix[i][j] * solution[j];
    residual[i] = sum;
  }
  solve(n, residual, change);
  uint32_t folded = 0;
  for (int i = 0; i < n; i++) {
    union { double number; uint64_t bits; } x = {solution[i] + change[i]};
    folded = folded * 31 + (uint32_t)(x.bits ^ x.bits >> 32);
  }
  return (int32_t)folded;
}

#ifndef __wasm__
double kernel(unsigned char *heap, const int32_t *args) {
  (void)heap;
  return linear(args[0]);
}
#endif

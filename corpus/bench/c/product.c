// Matrices of integers in rows, with 32-bit counters: i * n + k.
int kernel(unsigned char *heap, int n) {
  int *a = (int *)heap, *b = a + n * n, *c = b + n * n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      int sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
  int trace = 0;
  for (int i = 0; i < n; i++) trace = trace * 7 + c[i * n + (n - 1 - i)];
  return trace;
}

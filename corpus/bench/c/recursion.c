// Plain recursion: Fibonacci, Tarai, and the height of an implicit tree.
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static int tak(int x, int y, int z) {
  if (y >= x) return z;
  return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y));
}

static int height(const unsigned char *heap, int node, int n) {
  if (node >= n) return 0;
  int left = height(heap, 2 * node + 1, n);
  int right = height(heap, 2 * node + 2, n);
  return (left > right ? left : right) + (heap[node] & 3);
}

int kernel(unsigned char *heap, int n) {
  return fib(n) + 100 * tak(n, n / 2, n / 4) + 10000 * height(heap, 0, 64 * n);
}

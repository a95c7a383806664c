// Heapsort by procedures of a few lines.
static int parent(int i) { return (i - 1) / 2; }
static int child(int i) { return 2 * i + 1; }
static int before(const int *a, int i, int j) { return a[i] < a[j]; }

static void swap(int *a, int i, int j) {
  int x = a[i];
  a[i] = a[j];
  a[j] = x;
}

static void sift(int *a, int i, int n) {
  while (child(i) < n) {
    int c = child(i);
    if (c + 1 < n && before(a, c, c + 1)) c++;
    if (!before(a, i, c)) return;
    swap(a, i, c);
    i = c;
  }
}

int kernel(unsigned char *heap, int n) {
  int *a = (int *)heap;
  for (int i = parent(n - 1); i >= 0; i--) sift(a, i, n);
  for (int end = n - 1; end > 0; end--) {
    swap(a, 0, end);
    sift(a, 0, end);
  }
  unsigned hash = 0;
  for (int i = 0; i < n; i++) hash = (hash << 5) - hash + (unsigned)a[i];
  return (int)hash;
}

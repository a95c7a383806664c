// Insertion sort, shell sort and a binary search, with 32-bit indices that go down.
static void insertion(int *a, int n, int gap) {
  for (int i = gap; i < n; i++) {
    int x = a[i];
    int j = i;
    while (j >= gap && a[j - gap] > x) {
      a[j] = a[j - gap];
      j -= gap;
    }
    a[j] = x;
  }
}

static int position(const int *a, int n, int key) {
  int low = 0, high = n - 1;
  while (low <= high) {
    int middle = (low + high) >> 1;
    if (a[middle] == key) return middle;
    if (a[middle] < key) low = middle + 1;
    else high = middle - 1;
  }
  return -1 - low;
}

int kernel(unsigned char *heap, int n) {
  int *a = (int *)heap;
  for (int gap = 57; gap > 0; gap = gap / 3) insertion(a, n, gap);
  unsigned hash = 0;
  for (int i = 0; i < n; i++) hash = hash * 31 + (unsigned)position(a, n, a[i] + (i & 1));
  return (int)hash;
}

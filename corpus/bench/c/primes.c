// A sieve of bytes, and trial division of what it leaves.
int kernel(unsigned char *heap, int n) {
  for (int i = 0; i < n; i++) heap[i] = 1;
  for (int i = 2; i * i < n; i++) {
    if (heap[i]) {
      for (int j = i * i; j < n; j += i) heap[j] = 0;
    }
  }
  int count = 0;
  unsigned hash = 0;
  for (int i = 2; i < n; i++) {
    if (heap[i]) count++;
    if (heap[i] && i % 4 == 1) hash = hash * 5 + (unsigned)i;
  }
  return (int)(hash + (unsigned)count);
}

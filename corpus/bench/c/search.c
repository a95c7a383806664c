// Looks for patterns in bytes, one position after the other, and compares strings that end with zero.
static int matches(const unsigned char *text, const unsigned char *pattern, int length) {
  for (int k = 0; k < length; k++) {
    if (text[k] != pattern[k]) return 0;
  }
  return 1;
}

static int compare(const unsigned char *a, const unsigned char *b) {
  while (*a != 0 && *a == *b) {
    a++;
    b++;
  }
  return *a - *b;
}

static int length(const unsigned char *s) {
  const unsigned char *end = s;
  while (*end) end++;
  return (int)(end - s);
}

int kernel(unsigned char *heap, int n) {
  int found = 0;
  for (int i = 0; i < n; i++) heap[i] = (unsigned char)(heap[i] % 3);
  heap[n] = 0;
  const unsigned char *pattern = heap + n / 2;
  for (int i = 0; i + 7 <= n; i++) {
    if (matches(heap + i, pattern, 7)) found += i;
  }
  for (int i = 0; i + 1 < n; i++) {
    int order = compare(heap + i, heap + i + 1);
    if (order < 0) found++;
    else if (order > 0) found += 3;
    found += length(heap + i);
  }
  return found;
}

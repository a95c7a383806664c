// The longest earlier match of each position of a text, by chains of equal hashes, and the first places of words.
static int length_of(const unsigned char *a, const unsigned char *b, int most) {
  int length = 0;
  while (length < most && a[length] == b[length]) length++;
  return length;
}

static int find(const unsigned char *text, int n, const unsigned char *word, int m) {
  for (int i = 0; i + m <= n; i++) {
    int j = 0;
    while (j < m && text[i + j] == word[j]) j++;
    if (j == m) return i;
  }
  return -1;
}

int kernel(unsigned char *heap, int n) {
  int *head = (int *)(heap + (1 << 18));
  int *previous = head + 256;
  for (int i = 0; i < n; i++) heap[i] = (unsigned char)(heap[i] & 3 ? heap[i] & 5 : heap[i] >> 5);
  for (int i = 0; i < 256; i++) head[i] = -1;
  unsigned sum = 0;
  for (int i = 0; i + 2 < n; i++) {
    int hash = (heap[i] * 37 ^ heap[i + 1] * 11 ^ heap[i + 2]) & 255;
    int most = n - i < 64 ? n - i : 64, best = 2, from = 0, tries = 8;
    for (int at = head[hash]; at >= 0 && tries > 0; at = previous[at], tries--) {
      if (heap[at + best] != heap[i + best]) continue;
      int length = length_of(heap + at, heap + i, most);
      if (length > best) {
        best = length;
        from = at;
        if (length == most) break;
      }
    }
    sum = sum * 5 + (unsigned)(best * 3 + i - from);
    previous[i] = head[hash];
    head[hash] = i;
  }
  for (int k = 0; k < 6; k++) sum = sum * 3 + (unsigned)find(heap, n, heap + n - 40 + k * 4, 8 + k);
  return (int)sum;
}

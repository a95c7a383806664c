// The edit distance of two strings, and their longest common subsequence, row by row.
static int min(int a, int b) { return a < b ? a : b; }
static int max(int a, int b) { return a > b ? a : b; }

int kernel(unsigned char *heap, int n) {
  unsigned char *a = heap, *b = heap + n;
  int *row = (int *)(heap + 16384), *common = (int *)(heap + 32768);
  for (int i = 0; i < 2 * n; i++) heap[i] &= 7;
  for (int j = 0; j <= n; j++) {
    row[j] = j;
    common[j] = 0;
  }
  for (int i = 1; i <= n; i++) {
    int diagonal = row[0], corner = 0;
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      int above = row[j], over = common[j];
      int cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = min(min(above + 1, row[j - 1] + 1), diagonal + cost);
      common[j] = cost == 0 ? corner + 1 : max(over, common[j - 1]);
      diagonal = above;
      corner = over;
    }
  }
  return row[n] * 1000 + common[n];
}

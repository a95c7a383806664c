// Queens on a board, by backtracking with sets of columns as bits.
static int solve(unsigned all, unsigned columns, unsigned left, unsigned right) {
  if (columns == all) return 1;
  int count = 0;
  unsigned free = all & ~(columns | left | right);
  while (free != 0) {
    unsigned bit = free & -free;
    free ^= bit;
    count += solve(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return count;
}

int kernel(unsigned char *heap, int n) { return solve((1u << n) - 1, 0, 0, 0) + heap[0]; }

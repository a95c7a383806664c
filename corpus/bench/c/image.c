// A filter of three by three over an image of bytes, clamped; and steps of Life.
static int clamp(int x) { return x < 0 ? 0 : x > 255 ? 255 : x; }

int kernel(unsigned char *heap, int n) {
  unsigned char *from = heap, *to = heap + 65536;
  for (int y = 1; y < n - 1; y++) {
    for (int x = 1; x < n - 1; x++) {
      int sum = 0;
      for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
          int weight = dx == 0 && dy == 0 ? 12 : -1;
          sum += weight * from[(y + dy) * n + (x + dx)];
        }
      }
      to[y * n + x] = (unsigned char)clamp(sum >> 2);
    }
  }
  unsigned hash = 0;
  for (int y = 1; y < n - 1; y++) {
    for (int x = 1; x < n - 1; x++) {
      int around = 0;
      for (int d = 0; d < 9; d++) {
        if (d != 4) around += to[(y + d / 3 - 1) * n + x + d % 3 - 1] & 1;
      }
      int alive = around == 3 || (around == 2 && (to[y * n + x] & 1));
      hash = hash * 3 + (unsigned)alive;
    }
  }
  return (int)hash;
}

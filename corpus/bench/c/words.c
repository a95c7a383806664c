// Bytes of a text: lines, words, numbers, and a checksum of letters.
static int is_space(int c) { return c == ' ' || (c >= 9 && c <= 13); }
static int is_digit(int c) { return c >= '0' && c <= '9'; }
static int is_alpha(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

int kernel(unsigned char *heap, int n) {
  int lines = 0, words = 0, in_word = 0, number = 0, numbers = 0;
  unsigned letters = 0;
  for (int i = 0; i < n; i++) heap[i] = heap[i] % 5 == 0 ? (heap[i] & 16 ? ' ' : '\n') : (unsigned char)(48 + heap[i] % 75);
  for (int i = 0; i < n; i++) {
    int c = heap[i];
    if (c == '\n') lines++;
    if (is_space(c)) {
      in_word = 0;
    } else if (!in_word) {
      in_word = 1;
      words++;
    }
    if (is_digit(c)) {
      number = number * 10 + (c - '0');
    } else {
      numbers ^= number;
      number = 0;
    }
    if (is_alpha(c)) letters = letters * 33 + (unsigned)lower(c);
  }
  return (int)(letters ^ (unsigned)(lines + 1000 * words + 7 * numbers));
}

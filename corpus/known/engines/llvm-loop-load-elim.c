/* clang-19 -O2 THIS && ./a.out
   Expected: 2 2. LLVM 19.1.7 prints 2 0: its LoopLoadEliminationPass takes what the last iteration has stored at p + 8 for
   what this one loads from p, though a byte of it was stored between. GCC, and clang at -O0, print 2 2. */
#include <stdio.h>
#include <string.h>

static unsigned char heap[4096];

__attribute__((noinline)) void f(int n) {
  for (int k = 1; k <= n; k++) {
    unsigned char *p = heap + 8L * k;
    double x;
    p[1] = (unsigned char)n;
    memcpy(&x, p, 8);
    memcpy(p + 8, &x, 8);
  }
}

int main(void) {
  f(2);
  printf("%d %d\n", heap[17], heap[25]);
  return 0;
}

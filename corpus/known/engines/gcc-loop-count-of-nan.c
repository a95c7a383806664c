// gcc -O2 THIS && ./a.out; echo $?
// Expected 0; GCC 12.2.0 from -O2 on ends with 1, for AArch64 too. Right at -O1 and with -fno-tree-loop-optimize. The
// comparison is false of 1.0 and of the NaN that x becomes; the first dump without it is that of the pass ivcanon, where
// it counts as true of the NaN, and the loop as one that ends there.
float kept;
static void f(float x, unsigned left) {
  for (;; left--) {
    kept = x;
    if (!left) return;
    if (x < 1.0f) {
      kept = 5;
      return;
    }
    x = __builtin_nanf("");
  }
}
__attribute__((noipa)) void start(unsigned left) { f(1.0f, left); }
int main(void) {
  start(2);
  return kept == kept;
}

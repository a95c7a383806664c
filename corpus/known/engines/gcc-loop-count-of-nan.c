// gcc -O2 THIS && ./a.out; echo $?
// Expected 0. GCC 12.2.0 ends with 1, because of the loop in `f`; 13.5.0, 15.3.0 and 16.2.0 end with 2, because of the
// loop in `g`. Both for x86-64 and AArch64, from -O2 on. Each comparison is false of a NaN.
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
__attribute__((noipa)) int g(int left) {
  float x = __builtin_nanf("");
  for (;; left = 0) {
    if (x <= x) return 1;
    if (!left) return 0;
  }
}
int main(void) {
  start(2);
  if (kept == kept) return 1;
  return g(1) ? 2 : 0;
}

// gcc -O2 THIS && ./a.out; echo $?
// Expected 0; GCC 14.4.0, 15.3.0 and 16.2.0 end with 1, for x86-64 and AArch64. Right in 13.5.0, at -O1, and with
// -fno-thread-jumps. `a != b` is true of 0 and a NaN, and neither `a < b` nor `a > b` is.
int w, e;
__attribute__((noipa)) int f(float a, float b) {
  int c = a != b;
  w = (c ? 1 : 15) >> 2; // 0 or 3
  if (w) return 3;
  e = !(a < b || a > b);
  if (a != b) return 6;
  return 5;
}
int main(void) { return f(0, __builtin_nanf("")) != 6; }

// gcc -O1 THIS && ./a.out; echo $?
// Expected 0; GCC 14.4.0, 15.3.0 and 16.2.0 end with 1, for x86-64 and AArch64. Right in 12.2.0 and 13.5.0, and with
// -fno-tree-vrp -fno-tree-dominator-opts. `a != b` is true of 0 and a NaN, and neither `a >= b` nor `a < b` is.
__attribute__((noipa)) int f(double a, double b) {
  if (a >= b) return 3;
  if (a < b) return 3;
  return a != b;
}
int main(void) { return f(0, __builtin_nan("")) != 1; }

; clang -w -O1 THIS && ./a.out; echo $?
; Expected 0; LLVM 21.1.0 ends with 1, and with 0 at -O0: the select chooses the constant 0x7ff8000000000000 for -1.0, and the
; code returns the NaN of sqrtsd, 0xfff8000000000000.
@word = internal global double -1.0
declare double @llvm.sqrt.f64(double)
define double @root(double %x) noinline {
  %s = call double @llvm.sqrt.f64(double %x)
  %isnan = fcmp uno double %s, 0.0
  %r = select i1 %isnan, double 0x7FF8000000000000, double %s
  ret double %r
}
define i32 @main() {
  %x = load volatile double, ptr @word
  %r = call double @root(double %x)
  %bits = bitcast double %r to i64
  %wrong = icmp ne i64 %bits, 9221120237041090560
  %status = zext i1 %wrong to i32
  ret i32 %status
}

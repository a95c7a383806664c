; clang-19 --target=armv7a-linux-gnueabihf -w -O1 -c THIS; echo $?
; Expected 0; LLVM 19.1.7 and 21.1.0 die: "Cannot select". Right for targets with 64-bit integers.
define double @f(double %x) {
  %m = call double @llvm.maximum.f64(double 0.0, double %x)
  ret double %m
}

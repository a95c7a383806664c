; clang-19 -w -O1 THIS && ./a.out; echo $?
; Expected 1; LLVM 19.1.7 ends with 0, and with 1 without `ninf`: the product of 0.0 and an infinity is a NaN, which that flag
; allows, and the negation is folded into the constant of the product, which takes the flag over though its constant is an infinity.
@word = internal global float 0.0
@heap = internal global float 0.0
define float @negated(float %x) {
  %m = fmul float %x, 0xFFF0000000000000
  %n = fneg ninf float %m
  ret float %n
}
define i32 @main() {
  %x = load volatile float, ptr @word
  %n = call float @negated(float %x)
  store volatile float %n, ptr @heap
  %r = load volatile float, ptr @heap
  %c = fcmp uno float %r, %r
  %e = zext i1 %c to i32
  ret i32 %e
}

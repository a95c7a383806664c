; clang-19 -w -O1 THIS && ./a.out; echo $?
; Expected 1; LLVM 19.1.7 ends with 0, and with 1 without `nnan`. `x <= y` with equal operands chooses y, the -0.0; `maxss %x, %y`
; gives %x, the +0.0.
@word = internal global float 0.0
@heap = internal global i32 0
define float @chosen(float %x) {
  %c = fcmp nnan ole float %x, -0.0
  %s = select i1 %c, float -0.0, float %x
  ret float %s
}
define i32 @main() {
  %x = load volatile float, ptr @word
  %s = call float @chosen(float %x)
  %b = bitcast float %s to i32
  store volatile i32 %b, ptr @heap
  %r = load volatile i32, ptr @heap
  %l = lshr i32 %r, 31
  ret i32 %l
}

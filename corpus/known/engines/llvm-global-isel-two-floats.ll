; timeout 60 clang-19 -w -O2 -mllvm -global-isel -mllvm -global-isel-abort=0 -c THIS; echo $?
; Expected 0; LLVM 19.1.7 does not end (124), and has taken 7.8 GB after 70 s of a processor. The stores become one of <2 x float>:
; Legalizer::legalizeMachineFunction calls LegalizerHelper::moreElementsVector again and again. Right at -O1, and for AArch64.
define void @f(ptr %p) {
  store float 1.0, ptr %p, align 1
  %q = getelementptr i8, ptr %p, i64 4
  store float 0.0, ptr %q, align 1
  ret void
}

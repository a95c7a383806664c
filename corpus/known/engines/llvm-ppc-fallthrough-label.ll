; clang-19 --target=powerpc64le-linux-gnu -w -O0 -c THIS; echo $?
; Expected 0; LLVM 19.1.7 and 21.1.0 end with status 1: "Undefined temporary symbol". Right from -O1 on, and for x86-64, AArch64,
; RISC-V, MIPS, ARM, LoongArch, SystemZ and SPARC.
define void @f(i1 %c) {
entry:
  br i1 %c, label %b, label %s
s:
  switch i32 0, label %a [ i32 0, label %a ]
a:
  ret void
b:
  ret void
}

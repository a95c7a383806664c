; clang-19 -w -O1 -mllvm -pre-RA-sched=fast -c THIS; echo $?
; Expected 0; LLVM 19.1.7 from -O1 on dies in "X86 DAG->DAG Instruction Selection", status 1. Right at -O0, and without that
; scheduler.
define void @f(ptr %in, ptr %out) {
  %x = load i32, ptr %in
  %below = icmp ult i32 %x, 3
  %number = zext i1 %below to i32
  %equal = icmp eq i32 %x, %number
  %result = zext i1 %equal to i32
  store i32 %result, ptr %out
  ret void
}

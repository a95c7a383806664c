; clang-19 -w -O1 -mllvm -pre-RA-sched=linearize THIS && ./a.out; echo $?
; Expected 1; LLVM 19.1.7 ends with 0, and with 1 without -pre-RA-sched=linearize: a branch reads the flags of `add`, which was put
; between it and `and`. -verify-machineinstrs refuses what was selected.
@words = internal global [2 x i32] [i32 1, i32 0]
@heap = internal global [2 x i32] zeroinitializer
define i32 @main() {
  %x = load volatile i32, ptr @words
  %p = getelementptr i8, ptr @words, i64 4
  %y = load volatile i32, ptr %p
  %s = add i32 %y, %y
  store i32 %s, ptr @heap
  %l = and i32 %x, 3
  %c = icmp eq i32 %l, 0
  br i1 %c, label %end, label %other
other:
  %q = getelementptr i8, ptr @heap, i64 4
  store volatile i32 %l, ptr %q
  br label %end
end:
  %q2 = getelementptr i8, ptr @heap, i64 4
  %r = load volatile i32, ptr %q2
  ret i32 %r
}

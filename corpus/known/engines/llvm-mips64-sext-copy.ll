; clang-19 --target=mips64el-linux-gnuabi64 -w -O2 -S -o - THIS | grep -c sll
; Expected at least 1; LLVM 19.1.7 and 21.1.0 print 0: the sign extension is spilled as a copy of its operand. Right at -O0.
; The assembly text, empty here, stands for code that needs all registers.
target triple = "mips64el-unknown-linux-gnuabi64"
define i64 @f(i64 %x) {
  %t = trunc i64 %x to i32
  %s = sext i32 %t to i64
  call void asm sideeffect "", "~{$1},~{$2},~{$3},~{$4},~{$5},~{$6},~{$7},~{$8},~{$9},~{$10},~{$11},~{$12},~{$13},~{$14},~{$15},~{$16},~{$17},~{$18},~{$19},~{$20},~{$21},~{$22},~{$23},~{$24},~{$25},~{$30},~{$31},~{$28},~{$29}"()
  ret i64 %s
}

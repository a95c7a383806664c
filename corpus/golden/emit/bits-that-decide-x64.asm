; A BitAnd whose users ask only whether it is zero has no instruction of its own: each user tests for bits in common. Selects
; by the same bits test once.
; target: x64
;| touchstone 1
;| proc f(Int64 @0, Int64 @1, Int32 @2) -> Int32
;| #0:
;|   Int32 @3 = Const32(1)
;|   Int32 @4 = BitAnd(@2, @3)
;|   Int64 @5 = Select(@4, @0, @1)
;|   Int32 @6 = Select(@4, @3, @2)
;|   Int64 @7 = BitAnd(@5, @1)
;|   Int64 @8 = Const64(0)
;|   Int32 @9 = Equal(@7, @8)
;|   Void @10 = Branch(@9, #1, #2)
;| #1:
;|   Void @11 = Return(@6)
;| #2:
;|   Void @12 = Return(@2)
move
  mov rcx, rdi
selectInt64.bitslImm
  test edx, 1
  cmove rcx, rsi
constl
  mov edi, 1
move
  mov eax, edx
selectInt32.bitslImm
  cmovne eax, edi
branch.bitsq
  test rsi, rcx
  je .L2
move
  mov eax, edx
return
  ret
.L2:
return

; A BitAnd whose users ask only whether it is zero has no instruction of its own: each user tests for bits in common. Selects
; by the same bits test once.
; target: arm64
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
  mov x3, x1
selectInt64.bitslImm
  tst w2, #0x1
  csel x1, x0, x3, ne
constl
  movz w0, #1, lsl #0
selectInt32.bitslImm
  csel w0, w0, w2, ne
branch.bitsq
  tst x1, x3
  b.eq .L2
move
  mov w0, w2
return
  ret x30
.L2:
return

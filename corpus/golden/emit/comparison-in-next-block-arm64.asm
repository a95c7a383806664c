; The order that the branch did not ask for is told by the flags of its comparison.
; target: arm64
;| touchstone 1
;| proc f(Int32 @0, Int32 @1, Int32 @2, Int32 @3) -> Int32
;| #0:
;|   Int32 @4 = Equal(@0, @1)
;|   Void @5 = Branch(@4, #1, #2)
;| #1:
;|   Void @6 = Return(@2)
;| #2:
;|   Int32 @7 = LessThan(@0, @1)
;|   Int32 @8 = Select(@7, @2, @3)
;|   Void @9 = Return(@8)
branch.cmpl
  cmp w0, w1
  b.ne .L2
move
  mov w0, w2
return
  ret x30
.L2:
selectInt32.cmpl
  csel w0, w2, w3, lt
return

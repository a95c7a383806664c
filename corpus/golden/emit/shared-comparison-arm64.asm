; Two Selects by one comparison compare once; the third, behind a product, again only where that writes flags.
; target: arm64
;| touchstone 1
;| proc f(Int32 @0, Int32 @1, Int32 @2, Int32 @3) -> Int32
;| #0:
;|   Int32 @4 = LessThan(@0, @1)
;|   Int32 @5 = Select(@4, @2, @3)
;|   Int32 @6 = Select(@4, @3, @2)
;|   Int32 @7 = Mul(@5, @6)
;|   Int32 @8 = Select(@4, @7, @5)
;|   Void @9 = Return(@8)
move
  mov w4, w3
move
  mov w3, w1
move
  mov w1, w2
move
  mov w2, w0
selectInt32.cmpl
  cmp w2, w3
  csel w0, w1, w4, lt
selectInt32.cmpl
  csel w1, w4, w1, lt
imull
  mul w1, w1, w0
selectInt32.cmpl
  csel w0, w1, w0, lt
return

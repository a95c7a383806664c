; A frame is made where a call needs it: the way that returns before it has none.
; target: arm64
;| touchstone 1
;| proc f(Int32 @0) -> Int32
;| #0:
;|   Void @1 = Branch(@0, #1, #2)
;| #1:
;|   Int32 @2 = CCall(f, @0)
;|   Int32 @3 = Add(@2, @2)
;|   Void @4 = Return(@3)
;| #2:
;|   Void @5 = Return(@0)
move
  mov w1, w0
branch.testl
  cbz w1, .L2
prologue
  stp x29, x30, [sp, #-16]!
  add x29, sp, #0
move
  mov w0, w1
call
  bl .L0
addl
  add w0, w0, w0
return
  add sp, x29, #0
  ldp x29, x30, [sp], #16
  ret x30
.L2:
return

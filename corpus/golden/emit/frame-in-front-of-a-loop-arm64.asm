; A loop that needs a frame has it as a whole: it is made once, in front of it. Behind it all ways have the
; frame, so the one that comes from the entry makes it, too.
; target: arm64
;| touchstone 1
;| proc f(Int32 @0) -> Int32
;| #0:
;|   Int32 @1 = Const32(7)
;|   Void @2 = Branch(@0, #1, #3)
;| #1:
;|   Void @3 = Jump(#2)
;| #2:
;|   Int32 @4 = CCall(f, @1)
;|   Void @5 = Branch(@4, #2, #3)
;| #3:
;|   Void @6 = Return(@1)
branch.testl
  cbz w0, .L2
prologue
  stp x29, x30, [sp, #-16]!
  add x29, sp, #0
jump
.L4:
constl
  movz w0, #7, lsl #0
call
  bl .L0
branch.testl
  cbnz w0, .L4
  b .L7
.L2:
prologue
  stp x29, x30, [sp, #-16]!
  add x29, sp, #0
jump
.L7:
constl
  movz w0, #7, lsl #0
return

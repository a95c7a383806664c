; A call that listens to a callee which is known is direct, and behind it stands a test of the register in which the
; callee answers. A procedure that is heard answers in each return.
; target: arm64
;| touchstone 1
;| proc f(Int32 @0) -> Int32
;| snapshot s0 = exit 0 frames [f@0: @2]
;| #0:
;|   Int64 @1 = FunctionAddress(f)
;|   Int32 @2 = CallCheck(@1, @0) s0
;|   Void @3 = Branch(@2, #1, #2)
;| #1:
;|   Void @4 = Return(@2)
;| #2:
;|   Void @5 = ReturnDeopt(@2)
call
  bl .L0
move
  mov w2, w0
check.testl
  cbnz w1, .L5
branch.testl
  cbz w2, .L2
constl
  movz w1, #0, lsl #0
move
  mov w0, w2
return
  add sp, x29, #0
  ldp x29, x30, [sp], #16
  ret x30
.L2:
constl
  movz w1, #1, lsl #0
return

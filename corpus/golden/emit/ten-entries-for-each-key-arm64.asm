; Four keys in a span of 40: the table has ten entries for each key, which is the most.
; target: arm64
;| touchstone 1
;| proc f(Int32 @0) -> Int32
;| #0:
;|   Void @1 = Switch(@0, 1: #1, 9: #2, 20: #2, 40: #1, default: #3)
;| #1:
;|   Int32 @2 = Const32(1)
;|   Void @3 = Return(@2)
;| #2:
;|   Int32 @4 = Const32(2)
;|   Void @5 = Return(@4)
;| #3:
;|   Void @6 = Return(@0)
switchl
  movz w16, #1, lsl #0
  sub w16, w0, w16
  cmp w16, #39
  b.hi .L2
  adr x17, .L10
  ldrsw x16, [x17, w16, uxtw #2]
  add x17, x17, x16
  br x17
.L8:
constl
  movz w0, #1, lsl #0
return
  ret x30
.L2:
return
  ret x30
.L6:
constl
  movz w0, #2, lsl #0
return
  ret x30
constants

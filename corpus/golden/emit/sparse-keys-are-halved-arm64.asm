; Four keys in a span of 41, more than ten entries for each key: the upper half compares its first key once, for both jumps.
; target: arm64
;| touchstone 1
;| proc f(Int32 @0) -> Int32
;| #0:
;|   Void @1 = Switch(@0, 1: #1, 9: #2, 20: #2, 41: #1, default: #3)
;| #1:
;|   Int32 @2 = Const32(1)
;|   Void @3 = Return(@2)
;| #2:
;|   Int32 @4 = Const32(2)
;|   Void @5 = Return(@4)
;| #3:
;|   Void @6 = Return(@0)
switchl
  cmp w0, #20
  b.lt .L10
  b.eq .L6
  cmp w0, #41
  b.eq .L8
  b .L2
.L10:
  cmp w0, #1
  b.eq .L8
  cmp w0, #9
  b.eq .L6
  b .L2
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

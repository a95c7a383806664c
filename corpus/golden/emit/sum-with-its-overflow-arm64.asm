; A sum, the flag of its overflow and the guard on that are one instruction and a jump.
; target: arm64
;| touchstone 1
;| proc f(Int32 @0, Int32 @1) -> Int32
;| snapshot s0 = exit 0 frames [f@0: @0]
;| #0:
;|   Int32 @2 = Add(@0, @1)
;|   Int32 @3 = AddOverflows(@0, @1)
;|   Void @4 = Check(@3) s0
;|   Void @5 = Return(@2)
move
  mov w16, w1
move
  mov w1, w0
move
  mov w0, w16
check.addl
  adds w0, w1, w0
  b.vs .L3
return

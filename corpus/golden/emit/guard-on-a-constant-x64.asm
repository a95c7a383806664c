; A guard that always fails is a jump, and needs nothing to compare.
; target: x64
;| touchstone 1
;| proc f(Int32 @0) -> Int32
;| snapshot s0 = exit 0 frames [f@0: @0]
;| #0:
;|   Int32 @1 = Const32(5)
;|   Void @2 = Check(@1) s0
;|   Void @3 = Return(@0)
check.always
  jmp .L3
oops

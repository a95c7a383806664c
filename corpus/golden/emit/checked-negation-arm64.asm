; 0 - x is the negation of the machine, which says where it overflows.
; target: arm64
;| touchstone 1
;| proc f(Int64 @0) -> Int64
;| snapshot s0 = exit 0 frames [f@0: @0]
;| #0:
;|   Int64 @1 = Const64(0)
;|   Int64 @2 = CheckSub(@1, @0) s0
;|   Void @3 = Return(@2)
move
  mov x1, x0
check.negq
  subs x0, xzr, x1
  b.vs .L3
return

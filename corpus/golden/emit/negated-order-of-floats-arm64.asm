; A guard on an order that does not hold is one comparison and one jump, taken for a NaN.
; target: arm64
;| touchstone 1
;| proc f(Double @0, Double @1) -> Int32
;| snapshot s0 = exit 0 frames [f@0: @0]
;| #0:
;|   Int32 @2 = LessThan(@0, @1)
;|   Int32 @3 = Const32(0)
;|   Int32 @4 = Equal(@2, @3)
;|   Void @5 = Check(@4) s0
;|   Void @6 = Return(@3)
check.ucomisd
  fcmp d0, d1
  b.pl .L3
constl
  movz w0, #0, lsl #0
return

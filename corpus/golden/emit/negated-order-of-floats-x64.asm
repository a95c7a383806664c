; A guard on an order that does not hold is one comparison and one jump, taken for a NaN.
; target: x64
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
  ucomisd xmm1, xmm0
  jbe .L3
constl
  mov eax, 0
return

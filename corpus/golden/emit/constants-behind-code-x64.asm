; Constants stand behind the code however high the numbers of values are, as copies of loops leave them.
; target: x64
;| touchstone 1
;| proc f(Double @0) -> Double
;| #0:
;|   Double @4000 = ConstDouble(0.1)
;|   Double @4001 = Mul(@0, @4000)
;|   Double @4002 = ConstDouble(0.7)
;|   Double @4003 = Sub(@4002, @4001)
;|   Void @4004 = Return(@4003)
move
  movaps xmm1, xmm0
mulsd.pool
  mulsd xmm1, qword ptr [rip + .L3]
constsd.pool
  movsd xmm0, qword ptr [rip + .L4]
subsd
  subsd xmm0, xmm1
return
  ret
constants

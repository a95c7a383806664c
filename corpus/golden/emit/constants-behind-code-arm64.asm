; Constants stand behind the code however high the numbers of values are, as copies of loops leave them.
; target: arm64
;| touchstone 1
;| proc f(Double @0) -> Double
;| #0:
;|   Double @4000 = ConstDouble(0.1)
;|   Double @4001 = Mul(@0, @4000)
;|   Double @4002 = ConstDouble(0.7)
;|   Double @4003 = Sub(@4002, @4001)
;|   Void @4004 = Return(@4003)
constsd.pool
  ldr d1, .L3
mulsd
  fmul d1, d0, d1
constsd.pool
  ldr d0, .L4
subsd
  fsub d0, d0, d1
return
  ret x30
constants

; Of what is expected only the low byte counts; whether it was there is a number.
; target: arm64
;| touchstone 1
;| proc f(Int64 @0, Int32 @1, Int32 @2) -> Int32
;| #0:
;|   Int32 @3 = AtomicWeakCAS8(@1, @2, @0)
;|   Int32 @4 = AtomicStrongCAS(@3, @2, @0, offset = 4)
;|   Void @5 = Return(@4)
move
  mov w3, w1
atomic.weakCASb
  uxtb w16, w3
.L3:
  ldaxrb w1, [x0]
  cmp w1, w16
  b.ne .L4
  stlxrb w17, w2, [x0]
  cbnz w17, .L3
.L4:
  cset w1, eq
addqImm
  add x3, x0, #4
atomic.strongCASl
.L5:
  ldaxr w0, [x3]
  cmp w0, w1
  b.ne .L6
  stlxr w17, w2, [x3]
  cbnz w17, .L5
.L6:
return

; The second load waits for the first where loads may overtake each other.
; target: arm64
;| touchstone 1
;| proc f(Int64 @0) -> Int64
;| #0:
;|   Int32 @1 = Load(@0)
;|   Int32 @2 = Depend(@1)
;|   Int64 @3 = ZExt32(@2)
;|   Int64 @4 = Add(@0, @3)
;|   Int64 @5 = Load(@4, offset = 8)
;|   Int64 @6 = Depend(@5)
;|   Int64 @7 = Add(@4, @6)
;|   Int64 @8 = Load(@7, offset = 16)
;|   Void @9 = Return(@8)
ldrl
  ldr w1, [x0, #0]
dependl
  eor w1, w1, w1
addq.u0
  add x1, x0, w1, uxtw #0
ldrq
  ldr x0, [x1, #8]
dependq
  eor x0, x0, x0
addq
  add x0, x0, x1
ldrq
  ldr x0, [x0, #16]
return

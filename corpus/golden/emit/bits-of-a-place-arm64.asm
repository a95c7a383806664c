; What becomes of the place is computed and stored, again if that failed.
; target: arm64
;| touchstone 1
;| proc f(Int64 @0, Int32 @1) -> Int32
;| #0:
;|   Int32 @2 = AtomicXchgOr16(@1, @0, offset = 6)
;|   Void @3 = Return(@2)
addqImm
  add x2, x0, #6
atomic.orw
.L3:
  ldaxrh w0, [x2]
  orr w16, w0, w1
  stlxrh w17, w16, [x2]
  cbnz w17, .L3
return

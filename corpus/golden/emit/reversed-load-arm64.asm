; Bytes of the other order: a load and a reversal.
; target: arm64
;| touchstone 1
;| proc f(Int64 @0) -> Int64
;| #0:
;|   Int64 @1 = Load(@0, offset = 8)
;|   Int64 @2 = ByteSwap(@1)
;|   Void @3 = Return(@2)
ldrq
  ldr x0, [x0, #8]
bswapq
  rev x0, x0
return

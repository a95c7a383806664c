; Bytes of the other order: a load and a reversal.
; target: x64
;| touchstone 1
;| proc f(Int64 @0) -> Int64
;| #0:
;|   Int64 @1 = Load(@0, offset = 8)
;|   Int64 @2 = ByteSwap(@1)
;|   Void @3 = Return(@2)
movqLoad
  mov rax, qword ptr [rdi + 8]
bswapq
  bswap rax
return

; What becomes of the place is computed and stored, again if that failed.
; target: x64
;| touchstone 1
;| proc f(Int64 @0, Int32 @1) -> Int32
;| #0:
;|   Int32 @2 = AtomicXchgOr16(@1, @0, offset = 6)
;|   Void @3 = Return(@2)
atomic.orw
  movzx eax, word ptr [rdi + 6]
.L3:
  mov r11d, eax
  or r11d, esi
  lock cmpxchg word ptr [rdi + 6], r11w
  jne .L3
return

; Of what is expected only the low byte counts; whether it was there is a number.
; target: x64
;| touchstone 1
;| proc f(Int64 @0, Int32 @1, Int32 @2) -> Int32
;| #0:
;|   Int32 @3 = AtomicWeakCAS8(@1, @2, @0)
;|   Int32 @4 = AtomicStrongCAS(@3, @2, @0, offset = 4)
;|   Void @5 = Return(@4)
move
  mov eax, esi
atomic.weakCASb
  lock cmpxchg byte ptr [rdi], dl
  sete al
  movzx eax, al
atomic.strongCASl
  lock cmpxchg dword ptr [rdi + 4], edx
return

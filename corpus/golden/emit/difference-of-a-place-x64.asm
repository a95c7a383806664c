; Of an addition and a difference one instruction, where the machine has one.
; target: x64
;| touchstone 1
;| proc f(Int64 @0, Int64 @1) -> Int64
;| #0:
;|   Int64 @2 = AtomicXchgSub(@1, @0, offset = 8)
;|   Int64 @3 = AtomicXchg(@2, @0)
;|   Void @4 = Return(@3)
move
  mov rax, rsi
atomic.subq
  neg rax
  lock xadd qword ptr [rdi + 8], rax
atomic.xchgq
  xchg qword ptr [rdi], rax
return

; Of an addition and a difference one instruction, where the machine has one.
; target: arm64
;| touchstone 1
;| proc f(Int64 @0, Int64 @1) -> Int64
;| #0:
;|   Int64 @2 = AtomicXchgSub(@1, @0, offset = 8)
;|   Int64 @3 = AtomicXchg(@2, @0)
;|   Void @4 = Return(@3)
move
  mov x2, x0
move
  mov x0, x1
addqImm
  add x3, x2, #8
atomic.subq
.L3:
  ldaxr x1, [x3]
  sub x16, x1, x0
  stlxr w17, x16, [x3]
  cbnz w17, .L3
atomic.xchgq
.L4:
  ldaxr x0, [x2]
  stlxr w17, x1, [x2]
  cbnz w17, .L4
return

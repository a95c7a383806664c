; 0 - x is the negation of the machine, which says where it overflows.
; target: x64
;| touchstone 1
;| proc f(Int64 @0) -> Int64
;| snapshot s0 = exit 0 frames [f@0: @0]
;| #0:
;|   Int64 @1 = Const64(0)
;|   Int64 @2 = CheckSub(@1, @0) s0
;|   Void @3 = Return(@2)
move
  mov rax, rdi
check.negq
  neg rax
  jo .L3
return

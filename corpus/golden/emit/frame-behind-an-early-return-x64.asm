; A frame is made where a call needs it: the way that returns before it has none.
; target: x64
;| touchstone 1
;| proc f(Int32 @0) -> Int32
;| #0:
;|   Void @1 = Branch(@0, #1, #2)
;| #1:
;|   Int32 @2 = CCall(f, @0)
;|   Int32 @3 = Add(@2, @2)
;|   Void @4 = Return(@3)
;| #2:
;|   Void @5 = Return(@0)
branch.testl
  test edi, edi
  je .L2
prologue
  push rbp
  mov rbp, rsp
call
  call .L0
addl.free
  add eax, eax
return
  leave
  ret
.L2:
move
  mov eax, edi
return

; A loop that needs a frame has it as a whole: it is made once, in front of it. Behind it all ways have the
; frame, so the one that comes from the entry makes it, too.
; target: x64
;| touchstone 1
;| proc f(Int32 @0) -> Int32
;| #0:
;|   Int32 @1 = Const32(7)
;|   Void @2 = Branch(@0, #1, #3)
;| #1:
;|   Void @3 = Jump(#2)
;| #2:
;|   Int32 @4 = CCall(f, @1)
;|   Void @5 = Branch(@4, #2, #3)
;| #3:
;|   Void @6 = Return(@1)
branch.testl
  test edi, edi
  je .L2
prologue
  push rbp
  mov rbp, rsp
jump
.L4:
constl
  mov edi, 7
call
  call .L0
branch.testl
  test eax, eax
  jne .L4
  jmp .L7
.L2:
prologue
  push rbp
  mov rbp, rsp
jump
.L7:
constl
  mov eax, 7
return

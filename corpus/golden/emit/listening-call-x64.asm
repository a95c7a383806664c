; A call that listens to a callee which is known is direct, and behind it stands a test of the register in which the
; callee answers. A procedure that is heard answers in each return.
; target: x64
;| touchstone 1
;| proc f(Int32 @0) -> Int32
;| snapshot s0 = exit 0 frames [f@0: @2]
;| #0:
;|   Int64 @1 = FunctionAddress(f)
;|   Int32 @2 = CallCheck(@1, @0) s0
;|   Void @3 = Branch(@2, #1, #2)
;| #1:
;|   Void @4 = Return(@2)
;| #2:
;|   Void @5 = ReturnDeopt(@2)
call
  call .L0
move
  mov ecx, eax
check.testl
  test edx, edx
  jne .L5
branch.testl
  test ecx, ecx
  je .L2
constl
  mov edx, 0
move
  mov eax, ecx
return
  leave
  ret
.L2:
constl
  mov edx, 1
return

; The order that the branch did not ask for is told by the flags of its comparison.
; target: x64
;| touchstone 1
;| proc f(Int32 @0, Int32 @1, Int32 @2, Int32 @3) -> Int32
;| #0:
;|   Int32 @4 = Equal(@0, @1)
;|   Void @5 = Branch(@4, #1, #2)
;| #1:
;|   Void @6 = Return(@2)
;| #2:
;|   Int32 @7 = LessThan(@0, @1)
;|   Int32 @8 = Select(@7, @2, @3)
;|   Void @9 = Return(@8)
move
  mov eax, ecx
branch.cmpl
  cmp edi, esi
  jne .L2
move
  mov eax, edx
return
  ret
.L2:
selectInt32.cmpl
  cmovl eax, edx
return

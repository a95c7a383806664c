; Two Selects by one comparison compare once; the third, behind a product, again only where that writes flags.
; target: x64
;| touchstone 1
;| proc f(Int32 @0, Int32 @1, Int32 @2, Int32 @3) -> Int32
;| #0:
;|   Int32 @4 = LessThan(@0, @1)
;|   Int32 @5 = Select(@4, @2, @3)
;|   Int32 @6 = Select(@4, @3, @2)
;|   Int32 @7 = Mul(@5, @6)
;|   Int32 @8 = Select(@4, @7, @5)
;|   Void @9 = Return(@8)
move
  mov eax, edx
move
  mov edx, ecx
selectInt32.cmpl
  cmp edi, esi
  cmovl ecx, eax
selectInt32.cmpl
  cmovl eax, edx
imull
  imul eax, ecx
selectInt32.cmpl
  cmp edi, esi
  cmovge eax, ecx
return

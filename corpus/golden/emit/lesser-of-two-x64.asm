; A choice by an order needs no branch.
; target: x64
;| touchstone 1
;| proc f(Int32 @0, Int32 @1) -> Int32
;| #0:
;|   Int32 @2 = LessThan(@0, @1)
;|   Int32 @3 = Select(@2, @0, @1)
;|   Void @4 = Return(@3)
move
  mov eax, edi
minl
  cmp eax, esi
  cmovg eax, esi
return

; A Select overwrites one of its operands: the one that nothing else uses, if need be by the opposite condition.
; target: x64
;| touchstone 1
;| proc f(Int32 @0, Int32 @1, Double @2, Double @3) -> Int32
;| #0:
;|   Int32 @4 = Const32(5)
;|   Int32 @5 = Add(@0, @4)
;|   Int32 @6 = LessThan(@0, @1)
;|   Int32 @7 = Select(@6, @5, @1)
;|   Int32 @8 = Const32(9)
;|   Int32 @9 = Add(@7, @8)
;|   Int32 @10 = LessThan(@2, @3)
;|   Int32 @11 = Select(@10, @9, @7)
;|   Int32 @12 = BitXor(@11, @7)
;|   Int32 @13 = BitXor(@12, @1)
;|   Void @14 = Return(@13)
addlImm.free
  lea ecx, [rdi + 5]
selectInt32.cmpl
  cmp edi, esi
  cmovge ecx, esi
addlImm.free
  lea eax, [rcx + 9]
selectInt32.ucomisd
  ucomisd xmm1, xmm0
  ja .L4
  mov eax, ecx
.L4:
xorl
  xor eax, ecx
xorl
  xor eax, esi
return

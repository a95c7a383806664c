; What a shift has left of 64 bits has zeroes above the word: it is an index as it is.
; target: x64
;| touchstone 1
;| proc f(Int64 @0, Int64 @1) -> Int32
;| #0:
;|   Int32 @2 = Const32(35)
;|   Int64 @3 = ZShr(@1, @2)
;|   Int32 @4 = Trunc(@3)
;|   Int64 @5 = ZExt32(@4)
;|   Int64 @6 = Add(@0, @5)
;|   Int32 @7 = Load8Z(@6)
;|   Int32 @8 = Mul(@7, @4)
;|   Int32 @9 = Const32(5)
;|   Int32 @10 = Mul(@8, @9)
;|   Void @11 = Return(@10)
move
  mov rcx, rsi
shrqImm
  shr rcx, 0x23
truncq
movzblLoad.x0
  movzx eax, byte ptr [rdi + rcx]
imull
  imul eax, ecx
imullImm.free
  lea eax, [rax + rax*4]
return

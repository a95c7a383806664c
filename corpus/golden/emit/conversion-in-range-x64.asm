; Half of a masked integer is no NaN and fits: one instruction. What divides by a parameter is tested.
; target: x64
;| touchstone 1
;| proc f(Int32 @0, Double @1) -> Int32
;| #0:
;|   Int32 @2 = Const32(1023)
;|   Int32 @3 = BitAnd(@0, @2)
;|   Double @4 = IToD(@3)
;|   Double @5 = ConstDouble(0.5)
;|   Double @6 = Mul(@4, @5)
;|   Int32 @7 = TruncS32(@6)
;|   Double @8 = Div(@4, @1)
;|   Int32 @9 = TruncS32(@8)
;|   Int32 @10 = Add(@7, @9)
;|   Void @11 = Return(@10)
move
  mov eax, edi
move
  movaps xmm1, xmm0
andlImm
  and eax, 0x3ff
cvtsi2sdl
  cvtsi2sd xmm0, eax
move
  movaps xmm2, xmm0
mulsd.pool
  mulsd xmm2, qword ptr [rip + .L3]
satsd2sl.proved
  cvttsd2si eax, xmm2
divsd
  divsd xmm0, xmm1
satsd2sl
  cvttsd2si ecx, xmm0
  cmp ecx, 1
  jno .L5
  xorps xmm15, xmm15
  ucomisd xmm0, xmm15
  jp .L4
  jbe .L5
  mov ecx, 0x7fffffff
  jmp .L5
.L4:
  mov ecx, 0
.L5:
addl.free
  add eax, ecx
return
  ret
constants

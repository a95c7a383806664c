; A box is guarded by its upper half, the tag. The sum is of the lower half, and the box is made again by one shift and
; one or.
; target: x64
;| touchstone 1
;| proc f(Int64 @0, Int32 @1) -> Int64
;| snapshot s0 = exit 0 frames [f@0: @0]
;| #0:
;|   Int32 @2 = TruncHigh(@0)
;|   Int32 @3 = Const32(-15)
;|   Int32 @4 = NotEqual(@2, @3)
;|   Void @5 = Check(@4) s0
;|   Int32 @6 = Trunc(@0)
;|   Int32 @7 = CheckAdd(@6, @1) s0
;|   Int64 @8 = Stitch(@3, @7)
;|   Void @9 = Return(@8)
highl
  mov rax, rdi
  shr rax, 0x20
check.cmplImm
  cmp eax, -0xf
  jne .L3
truncq
move
  mov rcx, rdi
check.addl
  add ecx, esi
  jo .L4
constl
  mov eax, -0xf
stitch
  mov r11d, ecx
  mov eax, eax
  shl rax, 0x20
  or rax, r11
return

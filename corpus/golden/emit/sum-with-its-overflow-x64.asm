; A sum, the flag of its overflow and the guard on that are one instruction and a jump.
; target: x64
;| touchstone 1
;| proc f(Int32 @0, Int32 @1) -> Int32
;| snapshot s0 = exit 0 frames [f@0: @0]
;| #0:
;|   Int32 @2 = Add(@0, @1)
;|   Int32 @3 = AddOverflows(@0, @1)
;|   Void @4 = Check(@3) s0
;|   Void @5 = Return(@2)
move
  mov eax, edi
check.addl
  add eax, esi
  jo .L3
return

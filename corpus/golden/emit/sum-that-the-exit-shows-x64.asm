; The exit shows the sum, so it is made before the guard, and the guard makes its own.
; target: x64
;| touchstone 1
;| proc f(Int32 @0, Int32 @1) -> Int32
;| snapshot s0 = exit 0 frames [f@0: @2]
;| #0:
;|   Int32 @2 = Add(@0, @1)
;|   Int32 @3 = AddOverflows(@0, @1)
;|   Void @4 = Check(@3) s0
;|   Void @5 = Return(@2)
move
  mov ecx, edi
addl.free
  lea eax, [rcx + rsi]
check.addl
  add ecx, esi
  jo .L3
return

; A guard needs no frame: the stub of its exit makes an empty one, behind the code.
; target: x64
;| touchstone 1
;| proc f(Int32 @0, Int32 @1) -> Int32
;| snapshot s0 = exit 0 frames [f@0: @0, @1]
;| #0:
;|   Int32 @2 = CheckAdd(@0, @1) s0
;|   Void @3 = Return(@2)
move
  mov eax, edi
check.addl
  add eax, esi
  jo .L3
return

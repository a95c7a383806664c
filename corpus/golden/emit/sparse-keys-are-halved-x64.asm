; Four keys in a span of 41, more than ten entries for each key: the upper half compares its first key once, for both jumps.
; target: x64
;| touchstone 1
;| proc f(Int32 @0) -> Int32
;| #0:
;|   Void @1 = Switch(@0, 1: #1, 9: #2, 20: #2, 41: #1, default: #3)
;| #1:
;|   Int32 @2 = Const32(1)
;|   Void @3 = Return(@2)
;| #2:
;|   Int32 @4 = Const32(2)
;|   Void @5 = Return(@4)
;| #3:
;|   Void @6 = Return(@0)
move
  mov eax, edi
switchl
  cmp eax, 0x14
  jl .L10
  je .L6
  cmp eax, 0x29
  je .L8
  jmp .L2
.L10:
  cmp eax, 1
  je .L8
  cmp eax, 9
  je .L6
  jmp .L2
.L8:
constl
  mov eax, 1
return
  ret
.L2:
return
  ret
.L6:
constl
  mov eax, 2
return

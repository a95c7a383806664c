; Four keys in a span of 40: the table has ten entries for each key, which is the most.
; target: x64
;| touchstone 1
;| proc f(Int32 @0) -> Int32
;| #0:
;|   Void @1 = Switch(@0, 1: #1, 9: #2, 20: #2, 40: #1, default: #3)
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
  mov ecx, eax
  sub ecx, 1
  cmp ecx, 0x27
  ja .L2
  lea r11, [rip + .L10]
  movsxd rcx, dword ptr [r11 + rcx*4]
  add rcx, r11
  jmp rcx
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
  ret
constants

; The second load waits for the first where loads may overtake each other.
; target: x64
;| touchstone 1
;| proc f(Int64 @0) -> Int64
;| #0:
;|   Int32 @1 = Load(@0)
;|   Int32 @2 = Depend(@1)
;|   Int64 @3 = ZExt32(@2)
;|   Int64 @4 = Add(@0, @3)
;|   Int64 @5 = Load(@4, offset = 8)
;|   Int64 @6 = Depend(@5)
;|   Int64 @7 = Add(@4, @6)
;|   Int64 @8 = Load(@7, offset = 16)
;|   Void @9 = Return(@8)
movlLoad
  mov eax, dword ptr [rdi]
dependl
  xor eax, eax
zextlName
addq.free
  add rax, rdi
movqLoad
  mov rcx, qword ptr [rax + 8]
dependq
  xor ecx, ecx
movqLoad.x0
  mov rax, qword ptr [rax + rcx + 0x10]
return

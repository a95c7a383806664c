; What each fence is.
; target: x64
;| touchstone 1
;| proc f(Int64 @0, Int32 @1) -> Int32
;| #0:
;|   Void @2 = Store(@1, @0)
;|   Void @3 = Fence(stores)
;|   Void @4 = Store(@1, @0, offset = 8)
;|   Void @5 = Fence(all)
;|   Int32 @6 = Load(@0, offset = 16)
;|   Void @7 = Fence(loads)
;|   Int32 @8 = Load(@0, offset = 24)
;|   Int32 @9 = Add(@6, @8)
;|   Void @10 = Return(@9)
movlStore
  mov dword ptr [rdi], esi
fence.stores
movlStore
  mov dword ptr [rdi + 8], esi
fence.all
  mfence
movlLoad
  mov eax, dword ptr [rdi + 0x10]
fence.loads
addl.load
  add eax, dword ptr [rdi + 0x18]
return

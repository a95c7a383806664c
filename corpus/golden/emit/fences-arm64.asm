; What each fence is.
; target: arm64
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
move
  mov w16, w1
move
  mov x1, x0
move
  mov w0, w16
strl
  str w0, [x1, #0]
fence.stores
  dmb ishst
strl
  str w0, [x1, #8]
fence.all
  dmb ish
ldrl
  ldr w0, [x1, #16]
fence.loads
  dmb ishld
ldrl
  ldr w1, [x1, #24]
addl
  add w0, w0, w1
return

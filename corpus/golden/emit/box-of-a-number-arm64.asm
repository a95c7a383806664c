; A box is guarded by its upper half, the tag. The sum is of the lower half, and the box is made again by one shift and
; one or.
; target: arm64
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
  lsr x2, x0, #32
check.cmplImm
  cmn w2, #15
  b.ne .L3
truncq
check.addl
  adds w1, w0, w1
  b.vs .L4
constl
  movn w0, #14, lsl #0
stitch
  mov w16, w1
  orr x0, x16, x0, lsl #32
return

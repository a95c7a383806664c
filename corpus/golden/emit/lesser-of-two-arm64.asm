; A choice by an order needs no branch.
; target: arm64
;| touchstone 1
;| proc f(Int32 @0, Int32 @1) -> Int32
;| #0:
;|   Int32 @2 = LessThan(@0, @1)
;|   Int32 @3 = Select(@2, @0, @1)
;|   Void @4 = Return(@3)
minl
  subs wzr, w0, w1
  csel w0, w0, w1, lt
return

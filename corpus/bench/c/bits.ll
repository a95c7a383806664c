source_filename = "bits.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %words = alloca ptr, align 8
  %lfsr = alloca i32, align 4
  %hash = alloca i32, align 4
  %i = alloca i32, align 4
  %x = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  store ptr %0, ptr %words, align 8
  store i32 44257, ptr %lfsr, align 4
  store i32 0, ptr %hash, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %1 = load i32, ptr %i, align 4
  %2 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %1, %2
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %3 = load ptr, ptr %words, align 8
  %4 = load i32, ptr %i, align 4
  %idxprom = sext i32 %4 to i64
  %arrayidx = getelementptr inbounds i32, ptr %3, i64 %idxprom
  %5 = load i32, ptr %arrayidx, align 4
  store i32 %5, ptr %x, align 4
  %6 = load i32, ptr %x, align 4
  %and = and i32 %6, 65535
  %add = add i32 %and, 1
  %call = call i32 @collatz(i32 noundef %add)
  %7 = load i32, ptr %hash, align 4
  %add1 = add i32 %7, %call
  store i32 %add1, ptr %hash, align 4
  %8 = load i32, ptr %x, align 4
  %call2 = call i32 @reverse(i32 noundef %8)
  %9 = load i32, ptr %hash, align 4
  %xor = xor i32 %9, %call2
  store i32 %xor, ptr %hash, align 4
  %10 = load i32, ptr %hash, align 4
  %mul = mul i32 %10, 3
  %11 = load i32, ptr %x, align 4
  %call3 = call i32 @ones(i32 noundef %11)
  %add4 = add i32 %mul, %call3
  store i32 %add4, ptr %hash, align 4
  %12 = load i32, ptr %lfsr, align 4
  %shr = lshr i32 %12, 1
  %13 = load i32, ptr %lfsr, align 4
  %and5 = and i32 %13, 1
  %sub = sub i32 0, %and5
  %and6 = and i32 %sub, 46080
  %xor7 = xor i32 %shr, %and6
  store i32 %xor7, ptr %lfsr, align 4
  %14 = load i32, ptr %lfsr, align 4
  %15 = load i32, ptr %hash, align 4
  %add8 = add i32 %15, %14
  store i32 %add8, ptr %hash, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %16 = load i32, ptr %i, align 4
  %inc = add nsw i32 %16, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  %17 = load i32, ptr %hash, align 4
  ret i32 %17
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @collatz(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  %steps = alloca i32, align 4
  store i32 %x, ptr %x.addr, align 4
  store i32 0, ptr %steps, align 4
  br label %while.cond

while.cond:                                       ; preds = %cond.end, %entry
  %0 = load i32, ptr %x.addr, align 4
  %cmp = icmp ne i32 %0, 1
  br i1 %cmp, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %while.cond
  %1 = load i32, ptr %steps, align 4
  %cmp1 = icmp slt i32 %1, 60
  br label %land.end

land.end:                                         ; preds = %land.rhs, %while.cond
  %2 = phi i1 [ false, %while.cond ], [ %cmp1, %land.rhs ]
  br i1 %2, label %while.body, label %while.end

while.body:                                       ; preds = %land.end
  %3 = load i32, ptr %x.addr, align 4
  %and = and i32 %3, 1
  %tobool = icmp ne i32 %and, 0
  br i1 %tobool, label %cond.true, label %cond.false

cond.true:                                        ; preds = %while.body
  %4 = load i32, ptr %x.addr, align 4
  %mul = mul i32 3, %4
  %add = add i32 %mul, 1
  br label %cond.end

cond.false:                                       ; preds = %while.body
  %5 = load i32, ptr %x.addr, align 4
  %shr = lshr i32 %5, 1
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %add, %cond.true ], [ %shr, %cond.false ]
  store i32 %cond, ptr %x.addr, align 4
  %6 = load i32, ptr %steps, align 4
  %inc = add nsw i32 %6, 1
  store i32 %inc, ptr %steps, align 4
  br label %while.cond, !llvm.loop !8

while.end:                                        ; preds = %land.end
  %7 = load i32, ptr %steps, align 4
  ret i32 %7
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @reverse(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  %result = alloca i32, align 4
  %i = alloca i32, align 4
  store i32 %x, ptr %x.addr, align 4
  store i32 0, ptr %result, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, ptr %i, align 4
  %cmp = icmp slt i32 %0, 32
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %1 = load i32, ptr %result, align 4
  %shl = shl i32 %1, 1
  %2 = load i32, ptr %x.addr, align 4
  %and = and i32 %2, 1
  %or = or i32 %shl, %and
  store i32 %or, ptr %result, align 4
  %3 = load i32, ptr %x.addr, align 4
  %shr = lshr i32 %3, 1
  store i32 %shr, ptr %x.addr, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %4 = load i32, ptr %i, align 4
  %inc = add nsw i32 %4, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !9

for.end:                                          ; preds = %for.cond
  %5 = load i32, ptr %result, align 4
  ret i32 %5
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @ones(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  %count = alloca i32, align 4
  store i32 %x, ptr %x.addr, align 4
  store i32 0, ptr %count, align 4
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %0 = load i32, ptr %x.addr, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %1 = load i32, ptr %x.addr, align 4
  %sub = sub i32 %1, 1
  %2 = load i32, ptr %x.addr, align 4
  %and = and i32 %2, %sub
  store i32 %and, ptr %x.addr, align 4
  %3 = load i32, ptr %count, align 4
  %inc = add nsw i32 %3, 1
  store i32 %inc, ptr %count, align 4
  br label %while.cond, !llvm.loop !10

while.end:                                        ; preds = %while.cond
  %4 = load i32, ptr %count, align 4
  ret i32 %4
}

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1, !2, !3, !4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.mustprogress"}
!8 = distinct !{!8, !7}
!9 = distinct !{!9, !7}
!10 = distinct !{!10, !7}

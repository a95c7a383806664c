source_filename = "tail.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %words = alloca ptr, align 8
  %sorted = alloca ptr, align 8
  %sum = alloca i32, align 4
  %i = alloca i32, align 4
  %i1 = alloca i32, align 4
  %x = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  store ptr %0, ptr %words, align 8
  %1 = load ptr, ptr %heap.addr, align 8
  %add.ptr = getelementptr inbounds i8, ptr %1, i64 65536
  store ptr %add.ptr, ptr %sorted, align 8
  store i32 0, ptr %sum, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %2 = load i32, ptr %i, align 4
  %cmp = icmp slt i32 %2, 1024
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %3 = load i32, ptr %i, align 4
  %mul = mul i32 %3, 4194304
  %4 = load ptr, ptr %sorted, align 8
  %5 = load i32, ptr %i, align 4
  %idxprom = sext i32 %5 to i64
  %arrayidx = getelementptr inbounds i32, ptr %4, i64 %idxprom
  store i32 %mul, ptr %arrayidx, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %6 = load i32, ptr %i, align 4
  %inc = add nsw i32 %6, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  store i32 0, ptr %i1, align 4
  br label %for.cond2

for.cond2:                                        ; preds = %for.inc13, %for.end
  %7 = load i32, ptr %i1, align 4
  %8 = load i32, ptr %n.addr, align 4
  %cmp3 = icmp slt i32 %7, %8
  br i1 %cmp3, label %for.body4, label %for.end15

for.body4:                                        ; preds = %for.cond2
  %9 = load ptr, ptr %words, align 8
  %10 = load i32, ptr %i1, align 4
  %idxprom5 = sext i32 %10 to i64
  %arrayidx6 = getelementptr inbounds i32, ptr %9, i64 %idxprom5
  %11 = load i32, ptr %arrayidx6, align 4
  store i32 %11, ptr %x, align 4
  %12 = load i32, ptr %x, align 4
  %call = call i32 @gcd(i32 noundef %12, i32 noundef 3600)
  %13 = load i32, ptr %sum, align 4
  %add = add i32 %13, %call
  store i32 %add, ptr %sum, align 4
  %14 = load i32, ptr %x, align 4
  %15 = load i32, ptr %x, align 4
  %and = and i32 %15, 1023
  %call7 = call i32 @power(i32 noundef %14, i32 noundef %and, i32 noundef 1)
  %16 = load i32, ptr %sum, align 4
  %xor = xor i32 %16, %call7
  store i32 %xor, ptr %sum, align 4
  %17 = load i32, ptr %x, align 4
  %call8 = call i32 @digits(i32 noundef %17)
  %18 = load i32, ptr %sum, align 4
  %add9 = add i32 %18, %call8
  store i32 %add9, ptr %sum, align 4
  %19 = load i32, ptr %sum, align 4
  %mul10 = mul i32 %19, 31
  %20 = load ptr, ptr %sorted, align 8
  %21 = load i32, ptr %x, align 4
  %call11 = call i32 @find(ptr noundef %20, i32 noundef %21, i32 noundef 0, i32 noundef 1024)
  %add12 = add i32 %mul10, %call11
  store i32 %add12, ptr %sum, align 4
  br label %for.inc13

for.inc13:                                        ; preds = %for.body4
  %22 = load i32, ptr %i1, align 4
  %inc14 = add nsw i32 %22, 1
  store i32 %inc14, ptr %i1, align 4
  br label %for.cond2, !llvm.loop !8

for.end15:                                        ; preds = %for.cond2
  %23 = load i32, ptr %sum, align 4
  ret i32 %23
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @gcd(i32 noundef %a, i32 noundef %b) #0 {
entry:
  %a.addr = alloca i32, align 4
  %b.addr = alloca i32, align 4
  store i32 %a, ptr %a.addr, align 4
  store i32 %b, ptr %b.addr, align 4
  %0 = load i32, ptr %b.addr, align 4
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %cond.true, label %cond.false

cond.true:                                        ; preds = %entry
  %1 = load i32, ptr %a.addr, align 4
  br label %cond.end

cond.false:                                       ; preds = %entry
  %2 = load i32, ptr %b.addr, align 4
  %3 = load i32, ptr %a.addr, align 4
  %4 = load i32, ptr %b.addr, align 4
  %rem = urem i32 %3, %4
  %call = call i32 @gcd(i32 noundef %2, i32 noundef %rem)
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %1, %cond.true ], [ %call, %cond.false ]
  ret i32 %cond
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @power(i32 noundef %base, i32 noundef %exponent, i32 noundef %sofar) #0 {
entry:
  %retval = alloca i32, align 4
  %base.addr = alloca i32, align 4
  %exponent.addr = alloca i32, align 4
  %sofar.addr = alloca i32, align 4
  store i32 %base, ptr %base.addr, align 4
  store i32 %exponent, ptr %exponent.addr, align 4
  store i32 %sofar, ptr %sofar.addr, align 4
  %0 = load i32, ptr %exponent.addr, align 4
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %1 = load i32, ptr %sofar.addr, align 4
  store i32 %1, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %entry
  %2 = load i32, ptr %exponent.addr, align 4
  %and = and i32 %2, 1
  %tobool = icmp ne i32 %and, 0
  br i1 %tobool, label %if.then1, label %if.end3

if.then1:                                         ; preds = %if.end
  %3 = load i32, ptr %base.addr, align 4
  %4 = load i32, ptr %base.addr, align 4
  %mul = mul i32 %3, %4
  %5 = load i32, ptr %exponent.addr, align 4
  %shr = lshr i32 %5, 1
  %6 = load i32, ptr %sofar.addr, align 4
  %7 = load i32, ptr %base.addr, align 4
  %mul2 = mul i32 %6, %7
  %call = call i32 @power(i32 noundef %mul, i32 noundef %shr, i32 noundef %mul2)
  store i32 %call, ptr %retval, align 4
  br label %return

if.end3:                                          ; preds = %if.end
  %8 = load i32, ptr %base.addr, align 4
  %9 = load i32, ptr %base.addr, align 4
  %mul4 = mul i32 %8, %9
  %10 = load i32, ptr %exponent.addr, align 4
  %shr5 = lshr i32 %10, 1
  %11 = load i32, ptr %sofar.addr, align 4
  %call6 = call i32 @power(i32 noundef %mul4, i32 noundef %shr5, i32 noundef %11)
  store i32 %call6, ptr %retval, align 4
  br label %return

return:                                           ; preds = %if.end3, %if.then1, %if.then
  %12 = load i32, ptr %retval, align 4
  ret i32 %12
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @digits(i32 noundef %x) #0 {
entry:
  %retval = alloca i32, align 4
  %x.addr = alloca i32, align 4
  store i32 %x, ptr %x.addr, align 4
  %0 = load i32, ptr %x.addr, align 4
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  store i32 0, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %entry
  %1 = load i32, ptr %x.addr, align 4
  %rem = urem i32 %1, 10
  %2 = load i32, ptr %x.addr, align 4
  %div = udiv i32 %2, 10
  %call = call i32 @digits(i32 noundef %div)
  %add = add i32 %rem, %call
  store i32 %add, ptr %retval, align 4
  br label %return

return:                                           ; preds = %if.end, %if.then
  %3 = load i32, ptr %retval, align 4
  ret i32 %3
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @find(ptr noundef %sorted, i32 noundef %key, i32 noundef %low, i32 noundef %high) #0 {
entry:
  %retval = alloca i32, align 4
  %sorted.addr = alloca ptr, align 8
  %key.addr = alloca i32, align 4
  %low.addr = alloca i32, align 4
  %high.addr = alloca i32, align 4
  %middle = alloca i32, align 4
  store ptr %sorted, ptr %sorted.addr, align 8
  store i32 %key, ptr %key.addr, align 4
  store i32 %low, ptr %low.addr, align 4
  store i32 %high, ptr %high.addr, align 4
  %0 = load i32, ptr %low.addr, align 4
  %1 = load i32, ptr %high.addr, align 4
  %cmp = icmp sge i32 %0, %1
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %2 = load i32, ptr %low.addr, align 4
  store i32 %2, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %entry
  %3 = load i32, ptr %low.addr, align 4
  %4 = load i32, ptr %high.addr, align 4
  %5 = load i32, ptr %low.addr, align 4
  %sub = sub nsw i32 %4, %5
  %div = sdiv i32 %sub, 2
  %add = add nsw i32 %3, %div
  store i32 %add, ptr %middle, align 4
  %6 = load ptr, ptr %sorted.addr, align 8
  %7 = load i32, ptr %middle, align 4
  %idxprom = sext i32 %7 to i64
  %arrayidx = getelementptr inbounds i32, ptr %6, i64 %idxprom
  %8 = load i32, ptr %arrayidx, align 4
  %9 = load i32, ptr %key.addr, align 4
  %cmp1 = icmp ult i32 %8, %9
  br i1 %cmp1, label %if.then2, label %if.end4

if.then2:                                         ; preds = %if.end
  %10 = load ptr, ptr %sorted.addr, align 8
  %11 = load i32, ptr %key.addr, align 4
  %12 = load i32, ptr %middle, align 4
  %add3 = add nsw i32 %12, 1
  %13 = load i32, ptr %high.addr, align 4
  %call = call i32 @find(ptr noundef %10, i32 noundef %11, i32 noundef %add3, i32 noundef %13)
  store i32 %call, ptr %retval, align 4
  br label %return

if.end4:                                          ; preds = %if.end
  %14 = load ptr, ptr %sorted.addr, align 8
  %15 = load i32, ptr %key.addr, align 4
  %16 = load i32, ptr %low.addr, align 4
  %17 = load i32, ptr %middle, align 4
  %call5 = call i32 @find(ptr noundef %14, i32 noundef %15, i32 noundef %16, i32 noundef %17)
  store i32 %call5, ptr %retval, align 4
  br label %return

return:                                           ; preds = %if.end4, %if.then2, %if.then
  %18 = load i32, ptr %retval, align 4
  ret i32 %18
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

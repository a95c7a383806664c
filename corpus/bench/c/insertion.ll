source_filename = "insertion.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %a = alloca ptr, align 8
  %gap = alloca i32, align 4
  %hash = alloca i32, align 4
  %i = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  store ptr %0, ptr %a, align 8
  store i32 57, ptr %gap, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %1 = load i32, ptr %gap, align 4
  %cmp = icmp sgt i32 %1, 0
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %2 = load ptr, ptr %a, align 8
  %3 = load i32, ptr %n.addr, align 4
  %4 = load i32, ptr %gap, align 4
  call void @insertion(ptr noundef %2, i32 noundef %3, i32 noundef %4)
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %5 = load i32, ptr %gap, align 4
  %div = sdiv i32 %5, 3
  store i32 %div, ptr %gap, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  store i32 0, ptr %hash, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond1

for.cond1:                                        ; preds = %for.inc5, %for.end
  %6 = load i32, ptr %i, align 4
  %7 = load i32, ptr %n.addr, align 4
  %cmp2 = icmp slt i32 %6, %7
  br i1 %cmp2, label %for.body3, label %for.end6

for.body3:                                        ; preds = %for.cond1
  %8 = load i32, ptr %hash, align 4
  %mul = mul i32 %8, 31
  %9 = load ptr, ptr %a, align 8
  %10 = load i32, ptr %n.addr, align 4
  %11 = load ptr, ptr %a, align 8
  %12 = load i32, ptr %i, align 4
  %idxprom = sext i32 %12 to i64
  %arrayidx = getelementptr inbounds i32, ptr %11, i64 %idxprom
  %13 = load i32, ptr %arrayidx, align 4
  %14 = load i32, ptr %i, align 4
  %and = and i32 %14, 1
  %add = add nsw i32 %13, %and
  %call = call i32 @position(ptr noundef %9, i32 noundef %10, i32 noundef %add)
  %add4 = add i32 %mul, %call
  store i32 %add4, ptr %hash, align 4
  br label %for.inc5

for.inc5:                                         ; preds = %for.body3
  %15 = load i32, ptr %i, align 4
  %inc = add nsw i32 %15, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond1, !llvm.loop !8

for.end6:                                         ; preds = %for.cond1
  %16 = load i32, ptr %hash, align 4
  ret i32 %16
}

; Function Attrs: noinline nounwind uwtable
define internal void @insertion(ptr noundef %a, i32 noundef %n, i32 noundef %gap) #0 {
entry:
  %a.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %gap.addr = alloca i32, align 4
  %i = alloca i32, align 4
  %x = alloca i32, align 4
  %j = alloca i32, align 4
  store ptr %a, ptr %a.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  store i32 %gap, ptr %gap.addr, align 4
  %0 = load i32, ptr %gap.addr, align 4
  store i32 %0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %1 = load i32, ptr %i, align 4
  %2 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %1, %2
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %3 = load ptr, ptr %a.addr, align 8
  %4 = load i32, ptr %i, align 4
  %idxprom = sext i32 %4 to i64
  %arrayidx = getelementptr inbounds i32, ptr %3, i64 %idxprom
  %5 = load i32, ptr %arrayidx, align 4
  store i32 %5, ptr %x, align 4
  %6 = load i32, ptr %i, align 4
  store i32 %6, ptr %j, align 4
  br label %while.cond

while.cond:                                       ; preds = %while.body, %for.body
  %7 = load i32, ptr %j, align 4
  %8 = load i32, ptr %gap.addr, align 4
  %cmp1 = icmp sge i32 %7, %8
  br i1 %cmp1, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %while.cond
  %9 = load ptr, ptr %a.addr, align 8
  %10 = load i32, ptr %j, align 4
  %11 = load i32, ptr %gap.addr, align 4
  %sub = sub nsw i32 %10, %11
  %idxprom2 = sext i32 %sub to i64
  %arrayidx3 = getelementptr inbounds i32, ptr %9, i64 %idxprom2
  %12 = load i32, ptr %arrayidx3, align 4
  %13 = load i32, ptr %x, align 4
  %cmp4 = icmp sgt i32 %12, %13
  br label %land.end

land.end:                                         ; preds = %land.rhs, %while.cond
  %14 = phi i1 [ false, %while.cond ], [ %cmp4, %land.rhs ]
  br i1 %14, label %while.body, label %while.end

while.body:                                       ; preds = %land.end
  %15 = load ptr, ptr %a.addr, align 8
  %16 = load i32, ptr %j, align 4
  %17 = load i32, ptr %gap.addr, align 4
  %sub5 = sub nsw i32 %16, %17
  %idxprom6 = sext i32 %sub5 to i64
  %arrayidx7 = getelementptr inbounds i32, ptr %15, i64 %idxprom6
  %18 = load i32, ptr %arrayidx7, align 4
  %19 = load ptr, ptr %a.addr, align 8
  %20 = load i32, ptr %j, align 4
  %idxprom8 = sext i32 %20 to i64
  %arrayidx9 = getelementptr inbounds i32, ptr %19, i64 %idxprom8
  store i32 %18, ptr %arrayidx9, align 4
  %21 = load i32, ptr %gap.addr, align 4
  %22 = load i32, ptr %j, align 4
  %sub10 = sub nsw i32 %22, %21
  store i32 %sub10, ptr %j, align 4
  br label %while.cond, !llvm.loop !9

while.end:                                        ; preds = %land.end
  %23 = load i32, ptr %x, align 4
  %24 = load ptr, ptr %a.addr, align 8
  %25 = load i32, ptr %j, align 4
  %idxprom11 = sext i32 %25 to i64
  %arrayidx12 = getelementptr inbounds i32, ptr %24, i64 %idxprom11
  store i32 %23, ptr %arrayidx12, align 4
  br label %for.inc

for.inc:                                          ; preds = %while.end
  %26 = load i32, ptr %i, align 4
  %inc = add nsw i32 %26, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !10

for.end:                                          ; preds = %for.cond
  ret void
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @position(ptr noundef %a, i32 noundef %n, i32 noundef %key) #0 {
entry:
  %retval = alloca i32, align 4
  %a.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %key.addr = alloca i32, align 4
  %low = alloca i32, align 4
  %high = alloca i32, align 4
  %middle = alloca i32, align 4
  store ptr %a, ptr %a.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  store i32 %key, ptr %key.addr, align 4
  store i32 0, ptr %low, align 4
  %0 = load i32, ptr %n.addr, align 4
  %sub = sub nsw i32 %0, 1
  store i32 %sub, ptr %high, align 4
  br label %while.cond

while.cond:                                       ; preds = %if.end8, %entry
  %1 = load i32, ptr %low, align 4
  %2 = load i32, ptr %high, align 4
  %cmp = icmp sle i32 %1, %2
  br i1 %cmp, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %3 = load i32, ptr %low, align 4
  %4 = load i32, ptr %high, align 4
  %add = add nsw i32 %3, %4
  %shr = ashr i32 %add, 1
  store i32 %shr, ptr %middle, align 4
  %5 = load ptr, ptr %a.addr, align 8
  %6 = load i32, ptr %middle, align 4
  %idxprom = sext i32 %6 to i64
  %arrayidx = getelementptr inbounds i32, ptr %5, i64 %idxprom
  %7 = load i32, ptr %arrayidx, align 4
  %8 = load i32, ptr %key.addr, align 4
  %cmp1 = icmp eq i32 %7, %8
  br i1 %cmp1, label %if.then, label %if.end

if.then:                                          ; preds = %while.body
  %9 = load i32, ptr %middle, align 4
  store i32 %9, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %while.body
  %10 = load ptr, ptr %a.addr, align 8
  %11 = load i32, ptr %middle, align 4
  %idxprom2 = sext i32 %11 to i64
  %arrayidx3 = getelementptr inbounds i32, ptr %10, i64 %idxprom2
  %12 = load i32, ptr %arrayidx3, align 4
  %13 = load i32, ptr %key.addr, align 4
  %cmp4 = icmp slt i32 %12, %13
  br i1 %cmp4, label %if.then5, label %if.else

if.then5:                                         ; preds = %if.end
  %14 = load i32, ptr %middle, align 4
  %add6 = add nsw i32 %14, 1
  store i32 %add6, ptr %low, align 4
  br label %if.end8

if.else:                                          ; preds = %if.end
  %15 = load i32, ptr %middle, align 4
  %sub7 = sub nsw i32 %15, 1
  store i32 %sub7, ptr %high, align 4
  br label %if.end8

if.end8:                                          ; preds = %if.else, %if.then5
  br label %while.cond, !llvm.loop !11

while.end:                                        ; preds = %while.cond
  %16 = load i32, ptr %low, align 4
  %sub9 = sub nsw i32 -1, %16
  store i32 %sub9, ptr %retval, align 4
  br label %return

return:                                           ; preds = %while.end, %if.then
  %17 = load i32, ptr %retval, align 4
  ret i32 %17
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
!11 = distinct !{!11, !7}

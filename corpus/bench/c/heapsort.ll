source_filename = "heapsort.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %a = alloca ptr, align 8
  %i = alloca i32, align 4
  %end = alloca i32, align 4
  %hash = alloca i32, align 4
  %i8 = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  store ptr %0, ptr %a, align 8
  %1 = load i32, ptr %n.addr, align 4
  %sub = sub nsw i32 %1, 1
  %call = call i32 @parent(i32 noundef %sub)
  store i32 %call, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %2 = load i32, ptr %i, align 4
  %cmp = icmp sge i32 %2, 0
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %3 = load ptr, ptr %a, align 8
  %4 = load i32, ptr %i, align 4
  %5 = load i32, ptr %n.addr, align 4
  call void @sift(ptr noundef %3, i32 noundef %4, i32 noundef %5)
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %6 = load i32, ptr %i, align 4
  %dec = add nsw i32 %6, -1
  store i32 %dec, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  %7 = load i32, ptr %n.addr, align 4
  %sub1 = sub nsw i32 %7, 1
  store i32 %sub1, ptr %end, align 4
  br label %for.cond2

for.cond2:                                        ; preds = %for.inc5, %for.end
  %8 = load i32, ptr %end, align 4
  %cmp3 = icmp sgt i32 %8, 0
  br i1 %cmp3, label %for.body4, label %for.end7

for.body4:                                        ; preds = %for.cond2
  %9 = load ptr, ptr %a, align 8
  %10 = load i32, ptr %end, align 4
  call void @swap(ptr noundef %9, i32 noundef 0, i32 noundef %10)
  %11 = load ptr, ptr %a, align 8
  %12 = load i32, ptr %end, align 4
  call void @sift(ptr noundef %11, i32 noundef 0, i32 noundef %12)
  br label %for.inc5

for.inc5:                                         ; preds = %for.body4
  %13 = load i32, ptr %end, align 4
  %dec6 = add nsw i32 %13, -1
  store i32 %dec6, ptr %end, align 4
  br label %for.cond2, !llvm.loop !8

for.end7:                                         ; preds = %for.cond2
  store i32 0, ptr %hash, align 4
  store i32 0, ptr %i8, align 4
  br label %for.cond9

for.cond9:                                        ; preds = %for.inc13, %for.end7
  %14 = load i32, ptr %i8, align 4
  %15 = load i32, ptr %n.addr, align 4
  %cmp10 = icmp slt i32 %14, %15
  br i1 %cmp10, label %for.body11, label %for.end14

for.body11:                                       ; preds = %for.cond9
  %16 = load i32, ptr %hash, align 4
  %shl = shl i32 %16, 5
  %17 = load i32, ptr %hash, align 4
  %sub12 = sub i32 %shl, %17
  %18 = load ptr, ptr %a, align 8
  %19 = load i32, ptr %i8, align 4
  %idxprom = sext i32 %19 to i64
  %arrayidx = getelementptr inbounds i32, ptr %18, i64 %idxprom
  %20 = load i32, ptr %arrayidx, align 4
  %add = add i32 %sub12, %20
  store i32 %add, ptr %hash, align 4
  br label %for.inc13

for.inc13:                                        ; preds = %for.body11
  %21 = load i32, ptr %i8, align 4
  %inc = add nsw i32 %21, 1
  store i32 %inc, ptr %i8, align 4
  br label %for.cond9, !llvm.loop !9

for.end14:                                        ; preds = %for.cond9
  %22 = load i32, ptr %hash, align 4
  ret i32 %22
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @parent(i32 noundef %i) #0 {
entry:
  %i.addr = alloca i32, align 4
  store i32 %i, ptr %i.addr, align 4
  %0 = load i32, ptr %i.addr, align 4
  %sub = sub nsw i32 %0, 1
  %div = sdiv i32 %sub, 2
  ret i32 %div
}

; Function Attrs: noinline nounwind uwtable
define internal void @sift(ptr noundef %a, i32 noundef %i, i32 noundef %n) #0 {
entry:
  %a.addr = alloca ptr, align 8
  %i.addr = alloca i32, align 4
  %n.addr = alloca i32, align 4
  %c = alloca i32, align 4
  store ptr %a, ptr %a.addr, align 8
  store i32 %i, ptr %i.addr, align 4
  store i32 %n, ptr %n.addr, align 4
  br label %while.cond

while.cond:                                       ; preds = %if.end8, %entry
  %0 = load i32, ptr %i.addr, align 4
  %call = call i32 @child(i32 noundef %0)
  %1 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %call, %1
  br i1 %cmp, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %2 = load i32, ptr %i.addr, align 4
  %call1 = call i32 @child(i32 noundef %2)
  store i32 %call1, ptr %c, align 4
  %3 = load i32, ptr %c, align 4
  %add = add nsw i32 %3, 1
  %4 = load i32, ptr %n.addr, align 4
  %cmp2 = icmp slt i32 %add, %4
  br i1 %cmp2, label %land.lhs.true, label %if.end

land.lhs.true:                                    ; preds = %while.body
  %5 = load ptr, ptr %a.addr, align 8
  %6 = load i32, ptr %c, align 4
  %7 = load i32, ptr %c, align 4
  %add3 = add nsw i32 %7, 1
  %call4 = call i32 @before(ptr noundef %5, i32 noundef %6, i32 noundef %add3)
  %tobool = icmp ne i32 %call4, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %land.lhs.true
  %8 = load i32, ptr %c, align 4
  %inc = add nsw i32 %8, 1
  store i32 %inc, ptr %c, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %land.lhs.true, %while.body
  %9 = load ptr, ptr %a.addr, align 8
  %10 = load i32, ptr %i.addr, align 4
  %11 = load i32, ptr %c, align 4
  %call5 = call i32 @before(ptr noundef %9, i32 noundef %10, i32 noundef %11)
  %tobool6 = icmp ne i32 %call5, 0
  br i1 %tobool6, label %if.end8, label %if.then7

if.then7:                                         ; preds = %if.end
  br label %while.end

if.end8:                                          ; preds = %if.end
  %12 = load ptr, ptr %a.addr, align 8
  %13 = load i32, ptr %i.addr, align 4
  %14 = load i32, ptr %c, align 4
  call void @swap(ptr noundef %12, i32 noundef %13, i32 noundef %14)
  %15 = load i32, ptr %c, align 4
  store i32 %15, ptr %i.addr, align 4
  br label %while.cond, !llvm.loop !10

while.end:                                        ; preds = %if.then7, %while.cond
  ret void
}

; Function Attrs: noinline nounwind uwtable
define internal void @swap(ptr noundef %a, i32 noundef %i, i32 noundef %j) #0 {
entry:
  %a.addr = alloca ptr, align 8
  %i.addr = alloca i32, align 4
  %j.addr = alloca i32, align 4
  %x = alloca i32, align 4
  store ptr %a, ptr %a.addr, align 8
  store i32 %i, ptr %i.addr, align 4
  store i32 %j, ptr %j.addr, align 4
  %0 = load ptr, ptr %a.addr, align 8
  %1 = load i32, ptr %i.addr, align 4
  %idxprom = sext i32 %1 to i64
  %arrayidx = getelementptr inbounds i32, ptr %0, i64 %idxprom
  %2 = load i32, ptr %arrayidx, align 4
  store i32 %2, ptr %x, align 4
  %3 = load ptr, ptr %a.addr, align 8
  %4 = load i32, ptr %j.addr, align 4
  %idxprom1 = sext i32 %4 to i64
  %arrayidx2 = getelementptr inbounds i32, ptr %3, i64 %idxprom1
  %5 = load i32, ptr %arrayidx2, align 4
  %6 = load ptr, ptr %a.addr, align 8
  %7 = load i32, ptr %i.addr, align 4
  %idxprom3 = sext i32 %7 to i64
  %arrayidx4 = getelementptr inbounds i32, ptr %6, i64 %idxprom3
  store i32 %5, ptr %arrayidx4, align 4
  %8 = load i32, ptr %x, align 4
  %9 = load ptr, ptr %a.addr, align 8
  %10 = load i32, ptr %j.addr, align 4
  %idxprom5 = sext i32 %10 to i64
  %arrayidx6 = getelementptr inbounds i32, ptr %9, i64 %idxprom5
  store i32 %8, ptr %arrayidx6, align 4
  ret void
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @child(i32 noundef %i) #0 {
entry:
  %i.addr = alloca i32, align 4
  store i32 %i, ptr %i.addr, align 4
  %0 = load i32, ptr %i.addr, align 4
  %mul = mul nsw i32 2, %0
  %add = add nsw i32 %mul, 1
  ret i32 %add
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @before(ptr noundef %a, i32 noundef %i, i32 noundef %j) #0 {
entry:
  %a.addr = alloca ptr, align 8
  %i.addr = alloca i32, align 4
  %j.addr = alloca i32, align 4
  store ptr %a, ptr %a.addr, align 8
  store i32 %i, ptr %i.addr, align 4
  store i32 %j, ptr %j.addr, align 4
  %0 = load ptr, ptr %a.addr, align 8
  %1 = load i32, ptr %i.addr, align 4
  %idxprom = sext i32 %1 to i64
  %arrayidx = getelementptr inbounds i32, ptr %0, i64 %idxprom
  %2 = load i32, ptr %arrayidx, align 4
  %3 = load ptr, ptr %a.addr, align 8
  %4 = load i32, ptr %j.addr, align 4
  %idxprom1 = sext i32 %4 to i64
  %arrayidx2 = getelementptr inbounds i32, ptr %3, i64 %idxprom1
  %5 = load i32, ptr %arrayidx2, align 4
  %cmp = icmp slt i32 %2, %5
  %conv = zext i1 %cmp to i32
  ret i32 %conv
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

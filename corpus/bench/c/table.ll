source_filename = "table.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.Entry = type { i64, i32, i32 }

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %words = alloca ptr, align 8
  %table = alloca ptr, align 8
  %mask = alloca i32, align 4
  %distinct = alloca i32, align 4
  %hash = alloca i32, align 4
  %i = alloca i32, align 4
  %i1 = alloca i32, align 4
  %key = alloca i64, align 8
  %entry7 = alloca ptr, align 8
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  store ptr %0, ptr %words, align 8
  %1 = load ptr, ptr %heap.addr, align 8
  %add.ptr = getelementptr inbounds i8, ptr %1, i64 262144
  store ptr %add.ptr, ptr %table, align 8
  store i32 4095, ptr %mask, align 4
  store i32 0, ptr %distinct, align 4
  store i32 0, ptr %hash, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %2 = load i32, ptr %i, align 4
  %3 = load i32, ptr %mask, align 4
  %cmp = icmp ule i32 %2, %3
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %4 = load ptr, ptr %table, align 8
  %5 = load i32, ptr %i, align 4
  %idxprom = zext i32 %5 to i64
  %arrayidx = getelementptr inbounds %struct.Entry, ptr %4, i64 %idxprom
  %count = getelementptr inbounds %struct.Entry, ptr %arrayidx, i32 0, i32 1
  store i32 0, ptr %count, align 8
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %6 = load i32, ptr %i, align 4
  %inc = add i32 %6, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  store i32 0, ptr %i1, align 4
  br label %for.cond2

for.cond2:                                        ; preds = %for.inc22, %for.end
  %7 = load i32, ptr %i1, align 4
  %8 = load i32, ptr %n.addr, align 4
  %cmp3 = icmp slt i32 %7, %8
  br i1 %cmp3, label %for.body4, label %for.end24

for.body4:                                        ; preds = %for.cond2
  %9 = load ptr, ptr %words, align 8
  %10 = load i32, ptr %i1, align 4
  %idxprom5 = sext i32 %10 to i64
  %arrayidx6 = getelementptr inbounds i32, ptr %9, i64 %idxprom5
  %11 = load i32, ptr %arrayidx6, align 4
  %rem = urem i32 %11, 2003
  %conv = zext i32 %rem to i64
  store i64 %conv, ptr %key, align 8
  %12 = load ptr, ptr %table, align 8
  %13 = load i32, ptr %mask, align 4
  %14 = load i64, ptr %key, align 8
  %15 = load i64, ptr %key, align 8
  %mul = mul i64 %14, %15
  %add = add i64 %mul, 1
  %call = call ptr @lookup(ptr noundef %12, i32 noundef %13, i64 noundef %add)
  store ptr %call, ptr %entry7, align 8
  %16 = load ptr, ptr %entry7, align 8
  %count8 = getelementptr inbounds %struct.Entry, ptr %16, i32 0, i32 1
  %17 = load i32, ptr %count8, align 8
  %cmp9 = icmp eq i32 %17, 0
  br i1 %cmp9, label %if.then, label %if.end

if.then:                                          ; preds = %for.body4
  %18 = load i64, ptr %key, align 8
  %19 = load i64, ptr %key, align 8
  %mul11 = mul i64 %18, %19
  %add12 = add i64 %mul11, 1
  %20 = load ptr, ptr %entry7, align 8
  %key13 = getelementptr inbounds %struct.Entry, ptr %20, i32 0, i32 0
  store i64 %add12, ptr %key13, align 8
  %21 = load i32, ptr %distinct, align 4
  %inc14 = add nsw i32 %21, 1
  store i32 %inc14, ptr %distinct, align 4
  %22 = load ptr, ptr %entry7, align 8
  %next = getelementptr inbounds %struct.Entry, ptr %22, i32 0, i32 2
  store i32 %21, ptr %next, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body4
  %23 = load ptr, ptr %entry7, align 8
  %count15 = getelementptr inbounds %struct.Entry, ptr %23, i32 0, i32 1
  %24 = load i32, ptr %count15, align 8
  %inc16 = add nsw i32 %24, 1
  store i32 %inc16, ptr %count15, align 8
  %25 = load i32, ptr %hash, align 4
  %mul17 = mul i32 %25, 17
  %26 = load ptr, ptr %entry7, align 8
  %count18 = getelementptr inbounds %struct.Entry, ptr %26, i32 0, i32 1
  %27 = load i32, ptr %count18, align 8
  %28 = load ptr, ptr %entry7, align 8
  %next19 = getelementptr inbounds %struct.Entry, ptr %28, i32 0, i32 2
  %29 = load i32, ptr %next19, align 4
  %mul20 = mul nsw i32 %27, %29
  %add21 = add i32 %mul17, %mul20
  store i32 %add21, ptr %hash, align 4
  br label %for.inc22

for.inc22:                                        ; preds = %if.end
  %30 = load i32, ptr %i1, align 4
  %inc23 = add nsw i32 %30, 1
  store i32 %inc23, ptr %i1, align 4
  br label %for.cond2, !llvm.loop !8

for.end24:                                        ; preds = %for.cond2
  %31 = load i32, ptr %hash, align 4
  %32 = load i32, ptr %distinct, align 4
  %add25 = add i32 %31, %32
  ret i32 %add25
}

; Function Attrs: noinline nounwind uwtable
define internal ptr @lookup(ptr noundef %table, i32 noundef %mask, i64 noundef %key) #0 {
entry:
  %table.addr = alloca ptr, align 8
  %mask.addr = alloca i32, align 4
  %key.addr = alloca i64, align 8
  %at = alloca i32, align 4
  store ptr %table, ptr %table.addr, align 8
  store i32 %mask, ptr %mask.addr, align 4
  store i64 %key, ptr %key.addr, align 8
  %0 = load i64, ptr %key.addr, align 8
  %1 = load i32, ptr %mask.addr, align 4
  %call = call i32 @slot_of(i64 noundef %0, i32 noundef %1)
  store i32 %call, ptr %at, align 4
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %2 = load ptr, ptr %table.addr, align 8
  %3 = load i32, ptr %at, align 4
  %idxprom = zext i32 %3 to i64
  %arrayidx = getelementptr inbounds %struct.Entry, ptr %2, i64 %idxprom
  %count = getelementptr inbounds %struct.Entry, ptr %arrayidx, i32 0, i32 1
  %4 = load i32, ptr %count, align 8
  %cmp = icmp ne i32 %4, 0
  br i1 %cmp, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %while.cond
  %5 = load ptr, ptr %table.addr, align 8
  %6 = load i32, ptr %at, align 4
  %idxprom1 = zext i32 %6 to i64
  %arrayidx2 = getelementptr inbounds %struct.Entry, ptr %5, i64 %idxprom1
  %key3 = getelementptr inbounds %struct.Entry, ptr %arrayidx2, i32 0, i32 0
  %7 = load i64, ptr %key3, align 8
  %8 = load i64, ptr %key.addr, align 8
  %cmp4 = icmp ne i64 %7, %8
  br label %land.end

land.end:                                         ; preds = %land.rhs, %while.cond
  %9 = phi i1 [ false, %while.cond ], [ %cmp4, %land.rhs ]
  br i1 %9, label %while.body, label %while.end

while.body:                                       ; preds = %land.end
  %10 = load i32, ptr %at, align 4
  %add = add i32 %10, 1
  %11 = load i32, ptr %mask.addr, align 4
  %and = and i32 %add, %11
  store i32 %and, ptr %at, align 4
  br label %while.cond, !llvm.loop !9

while.end:                                        ; preds = %land.end
  %12 = load ptr, ptr %table.addr, align 8
  %13 = load i32, ptr %at, align 4
  %idxprom5 = zext i32 %13 to i64
  %arrayidx6 = getelementptr inbounds %struct.Entry, ptr %12, i64 %idxprom5
  ret ptr %arrayidx6
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @slot_of(i64 noundef %key, i32 noundef %mask) #0 {
entry:
  %key.addr = alloca i64, align 8
  %mask.addr = alloca i32, align 4
  store i64 %key, ptr %key.addr, align 8
  store i32 %mask, ptr %mask.addr, align 4
  %0 = load i64, ptr %key.addr, align 8
  %shr = lshr i64 %0, 33
  %1 = load i64, ptr %key.addr, align 8
  %xor = xor i64 %1, %shr
  store i64 %xor, ptr %key.addr, align 8
  %2 = load i64, ptr %key.addr, align 8
  %mul = mul i64 %2, -49064778989728563
  store i64 %mul, ptr %key.addr, align 8
  %3 = load i64, ptr %key.addr, align 8
  %shr1 = lshr i64 %3, 29
  %4 = load i64, ptr %key.addr, align 8
  %xor2 = xor i64 %4, %shr1
  store i64 %xor2, ptr %key.addr, align 8
  %5 = load i64, ptr %key.addr, align 8
  %conv = trunc i64 %5 to i32
  %6 = load i32, ptr %mask.addr, align 4
  %and = and i32 %conv, %6
  ret i32 %and
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

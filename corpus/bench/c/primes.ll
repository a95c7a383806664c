source_filename = "primes.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %i = alloca i32, align 4
  %i1 = alloca i32, align 4
  %j = alloca i32, align 4
  %count = alloca i32, align 4
  %hash = alloca i32, align 4
  %i18 = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, ptr %i, align 4
  %1 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %2 = load ptr, ptr %heap.addr, align 8
  %3 = load i32, ptr %i, align 4
  %idxprom = sext i32 %3 to i64
  %arrayidx = getelementptr inbounds i8, ptr %2, i64 %idxprom
  store i8 1, ptr %arrayidx, align 1
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %4 = load i32, ptr %i, align 4
  %inc = add nsw i32 %4, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  store i32 2, ptr %i1, align 4
  br label %for.cond2

for.cond2:                                        ; preds = %for.inc15, %for.end
  %5 = load i32, ptr %i1, align 4
  %6 = load i32, ptr %i1, align 4
  %mul = mul nsw i32 %5, %6
  %7 = load i32, ptr %n.addr, align 4
  %cmp3 = icmp slt i32 %mul, %7
  br i1 %cmp3, label %for.body4, label %for.end17

for.body4:                                        ; preds = %for.cond2
  %8 = load ptr, ptr %heap.addr, align 8
  %9 = load i32, ptr %i1, align 4
  %idxprom5 = sext i32 %9 to i64
  %arrayidx6 = getelementptr inbounds i8, ptr %8, i64 %idxprom5
  %10 = load i8, ptr %arrayidx6, align 1
  %tobool = icmp ne i8 %10, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %for.body4
  %11 = load i32, ptr %i1, align 4
  %12 = load i32, ptr %i1, align 4
  %mul7 = mul nsw i32 %11, %12
  store i32 %mul7, ptr %j, align 4
  br label %for.cond8

for.cond8:                                        ; preds = %for.inc13, %if.then
  %13 = load i32, ptr %j, align 4
  %14 = load i32, ptr %n.addr, align 4
  %cmp9 = icmp slt i32 %13, %14
  br i1 %cmp9, label %for.body10, label %for.end14

for.body10:                                       ; preds = %for.cond8
  %15 = load ptr, ptr %heap.addr, align 8
  %16 = load i32, ptr %j, align 4
  %idxprom11 = sext i32 %16 to i64
  %arrayidx12 = getelementptr inbounds i8, ptr %15, i64 %idxprom11
  store i8 0, ptr %arrayidx12, align 1
  br label %for.inc13

for.inc13:                                        ; preds = %for.body10
  %17 = load i32, ptr %i1, align 4
  %18 = load i32, ptr %j, align 4
  %add = add nsw i32 %18, %17
  store i32 %add, ptr %j, align 4
  br label %for.cond8, !llvm.loop !8

for.end14:                                        ; preds = %for.cond8
  br label %if.end

if.end:                                           ; preds = %for.end14, %for.body4
  br label %for.inc15

for.inc15:                                        ; preds = %if.end
  %19 = load i32, ptr %i1, align 4
  %inc16 = add nsw i32 %19, 1
  store i32 %inc16, ptr %i1, align 4
  br label %for.cond2, !llvm.loop !9

for.end17:                                        ; preds = %for.cond2
  store i32 0, ptr %count, align 4
  store i32 0, ptr %hash, align 4
  store i32 2, ptr %i18, align 4
  br label %for.cond19

for.cond19:                                       ; preds = %for.inc37, %for.end17
  %20 = load i32, ptr %i18, align 4
  %21 = load i32, ptr %n.addr, align 4
  %cmp20 = icmp slt i32 %20, %21
  br i1 %cmp20, label %for.body21, label %for.end39

for.body21:                                       ; preds = %for.cond19
  %22 = load ptr, ptr %heap.addr, align 8
  %23 = load i32, ptr %i18, align 4
  %idxprom22 = sext i32 %23 to i64
  %arrayidx23 = getelementptr inbounds i8, ptr %22, i64 %idxprom22
  %24 = load i8, ptr %arrayidx23, align 1
  %tobool24 = icmp ne i8 %24, 0
  br i1 %tobool24, label %if.then25, label %if.end27

if.then25:                                        ; preds = %for.body21
  %25 = load i32, ptr %count, align 4
  %inc26 = add nsw i32 %25, 1
  store i32 %inc26, ptr %count, align 4
  br label %if.end27

if.end27:                                         ; preds = %if.then25, %for.body21
  %26 = load ptr, ptr %heap.addr, align 8
  %27 = load i32, ptr %i18, align 4
  %idxprom28 = sext i32 %27 to i64
  %arrayidx29 = getelementptr inbounds i8, ptr %26, i64 %idxprom28
  %28 = load i8, ptr %arrayidx29, align 1
  %conv = zext i8 %28 to i32
  %tobool30 = icmp ne i32 %conv, 0
  br i1 %tobool30, label %land.lhs.true, label %if.end36

land.lhs.true:                                    ; preds = %if.end27
  %29 = load i32, ptr %i18, align 4
  %rem = srem i32 %29, 4
  %cmp31 = icmp eq i32 %rem, 1
  br i1 %cmp31, label %if.then33, label %if.end36

if.then33:                                        ; preds = %land.lhs.true
  %30 = load i32, ptr %hash, align 4
  %mul34 = mul i32 %30, 5
  %31 = load i32, ptr %i18, align 4
  %add35 = add i32 %mul34, %31
  store i32 %add35, ptr %hash, align 4
  br label %if.end36

if.end36:                                         ; preds = %if.then33, %land.lhs.true, %if.end27
  br label %for.inc37

for.inc37:                                        ; preds = %if.end36
  %32 = load i32, ptr %i18, align 4
  %inc38 = add nsw i32 %32, 1
  store i32 %inc38, ptr %i18, align 4
  br label %for.cond19, !llvm.loop !10

for.end39:                                        ; preds = %for.cond19
  %33 = load i32, ptr %hash, align 4
  %34 = load i32, ptr %count, align 4
  %add40 = add i32 %33, %34
  ret i32 %add40
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

source_filename = "edit.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %a = alloca ptr, align 8
  %b = alloca ptr, align 8
  %row = alloca ptr, align 8
  %common = alloca ptr, align 8
  %i = alloca i32, align 4
  %j = alloca i32, align 4
  %i15 = alloca i32, align 4
  %diagonal = alloca i32, align 4
  %corner = alloca i32, align 4
  %j22 = alloca i32, align 4
  %above = alloca i32, align 4
  %over = alloca i32, align 4
  %cost = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  store ptr %0, ptr %a, align 8
  %1 = load ptr, ptr %heap.addr, align 8
  %2 = load i32, ptr %n.addr, align 4
  %idx.ext = sext i32 %2 to i64
  %add.ptr = getelementptr inbounds i8, ptr %1, i64 %idx.ext
  store ptr %add.ptr, ptr %b, align 8
  %3 = load ptr, ptr %heap.addr, align 8
  %add.ptr1 = getelementptr inbounds i8, ptr %3, i64 16384
  store ptr %add.ptr1, ptr %row, align 8
  %4 = load ptr, ptr %heap.addr, align 8
  %add.ptr2 = getelementptr inbounds i8, ptr %4, i64 32768
  store ptr %add.ptr2, ptr %common, align 8
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %5 = load i32, ptr %i, align 4
  %6 = load i32, ptr %n.addr, align 4
  %mul = mul nsw i32 2, %6
  %cmp = icmp slt i32 %5, %mul
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %7 = load ptr, ptr %heap.addr, align 8
  %8 = load i32, ptr %i, align 4
  %idxprom = sext i32 %8 to i64
  %arrayidx = getelementptr inbounds i8, ptr %7, i64 %idxprom
  %9 = load i8, ptr %arrayidx, align 1
  %conv = zext i8 %9 to i32
  %and = and i32 %conv, 7
  %conv3 = trunc i32 %and to i8
  store i8 %conv3, ptr %arrayidx, align 1
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %10 = load i32, ptr %i, align 4
  %inc = add nsw i32 %10, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  store i32 0, ptr %j, align 4
  br label %for.cond4

for.cond4:                                        ; preds = %for.inc12, %for.end
  %11 = load i32, ptr %j, align 4
  %12 = load i32, ptr %n.addr, align 4
  %cmp5 = icmp sle i32 %11, %12
  br i1 %cmp5, label %for.body7, label %for.end14

for.body7:                                        ; preds = %for.cond4
  %13 = load i32, ptr %j, align 4
  %14 = load ptr, ptr %row, align 8
  %15 = load i32, ptr %j, align 4
  %idxprom8 = sext i32 %15 to i64
  %arrayidx9 = getelementptr inbounds i32, ptr %14, i64 %idxprom8
  store i32 %13, ptr %arrayidx9, align 4
  %16 = load ptr, ptr %common, align 8
  %17 = load i32, ptr %j, align 4
  %idxprom10 = sext i32 %17 to i64
  %arrayidx11 = getelementptr inbounds i32, ptr %16, i64 %idxprom10
  store i32 0, ptr %arrayidx11, align 4
  br label %for.inc12

for.inc12:                                        ; preds = %for.body7
  %18 = load i32, ptr %j, align 4
  %inc13 = add nsw i32 %18, 1
  store i32 %inc13, ptr %j, align 4
  br label %for.cond4, !llvm.loop !8

for.end14:                                        ; preds = %for.cond4
  store i32 1, ptr %i15, align 4
  br label %for.cond16

for.cond16:                                       ; preds = %for.inc61, %for.end14
  %19 = load i32, ptr %i15, align 4
  %20 = load i32, ptr %n.addr, align 4
  %cmp17 = icmp sle i32 %19, %20
  br i1 %cmp17, label %for.body19, label %for.end63

for.body19:                                       ; preds = %for.cond16
  %21 = load ptr, ptr %row, align 8
  %arrayidx20 = getelementptr inbounds i32, ptr %21, i64 0
  %22 = load i32, ptr %arrayidx20, align 4
  store i32 %22, ptr %diagonal, align 4
  store i32 0, ptr %corner, align 4
  %23 = load i32, ptr %i15, align 4
  %24 = load ptr, ptr %row, align 8
  %arrayidx21 = getelementptr inbounds i32, ptr %24, i64 0
  store i32 %23, ptr %arrayidx21, align 4
  store i32 1, ptr %j22, align 4
  br label %for.cond23

for.cond23:                                       ; preds = %for.inc58, %for.body19
  %25 = load i32, ptr %j22, align 4
  %26 = load i32, ptr %n.addr, align 4
  %cmp24 = icmp sle i32 %25, %26
  br i1 %cmp24, label %for.body26, label %for.end60

for.body26:                                       ; preds = %for.cond23
  %27 = load ptr, ptr %row, align 8
  %28 = load i32, ptr %j22, align 4
  %idxprom27 = sext i32 %28 to i64
  %arrayidx28 = getelementptr inbounds i32, ptr %27, i64 %idxprom27
  %29 = load i32, ptr %arrayidx28, align 4
  store i32 %29, ptr %above, align 4
  %30 = load ptr, ptr %common, align 8
  %31 = load i32, ptr %j22, align 4
  %idxprom29 = sext i32 %31 to i64
  %arrayidx30 = getelementptr inbounds i32, ptr %30, i64 %idxprom29
  %32 = load i32, ptr %arrayidx30, align 4
  store i32 %32, ptr %over, align 4
  %33 = load ptr, ptr %a, align 8
  %34 = load i32, ptr %i15, align 4
  %sub = sub nsw i32 %34, 1
  %idxprom31 = sext i32 %sub to i64
  %arrayidx32 = getelementptr inbounds i8, ptr %33, i64 %idxprom31
  %35 = load i8, ptr %arrayidx32, align 1
  %conv33 = zext i8 %35 to i32
  %36 = load ptr, ptr %b, align 8
  %37 = load i32, ptr %j22, align 4
  %sub34 = sub nsw i32 %37, 1
  %idxprom35 = sext i32 %sub34 to i64
  %arrayidx36 = getelementptr inbounds i8, ptr %36, i64 %idxprom35
  %38 = load i8, ptr %arrayidx36, align 1
  %conv37 = zext i8 %38 to i32
  %cmp38 = icmp eq i32 %conv33, %conv37
  %39 = zext i1 %cmp38 to i64
  %cond = select i1 %cmp38, i32 0, i32 1
  store i32 %cond, ptr %cost, align 4
  %40 = load i32, ptr %above, align 4
  %add = add nsw i32 %40, 1
  %41 = load ptr, ptr %row, align 8
  %42 = load i32, ptr %j22, align 4
  %sub40 = sub nsw i32 %42, 1
  %idxprom41 = sext i32 %sub40 to i64
  %arrayidx42 = getelementptr inbounds i32, ptr %41, i64 %idxprom41
  %43 = load i32, ptr %arrayidx42, align 4
  %add43 = add nsw i32 %43, 1
  %call = call i32 @min(i32 noundef %add, i32 noundef %add43)
  %44 = load i32, ptr %diagonal, align 4
  %45 = load i32, ptr %cost, align 4
  %add44 = add nsw i32 %44, %45
  %call45 = call i32 @min(i32 noundef %call, i32 noundef %add44)
  %46 = load ptr, ptr %row, align 8
  %47 = load i32, ptr %j22, align 4
  %idxprom46 = sext i32 %47 to i64
  %arrayidx47 = getelementptr inbounds i32, ptr %46, i64 %idxprom46
  store i32 %call45, ptr %arrayidx47, align 4
  %48 = load i32, ptr %cost, align 4
  %cmp48 = icmp eq i32 %48, 0
  br i1 %cmp48, label %cond.true, label %cond.false

cond.true:                                        ; preds = %for.body26
  %49 = load i32, ptr %corner, align 4
  %add50 = add nsw i32 %49, 1
  br label %cond.end

cond.false:                                       ; preds = %for.body26
  %50 = load i32, ptr %over, align 4
  %51 = load ptr, ptr %common, align 8
  %52 = load i32, ptr %j22, align 4
  %sub51 = sub nsw i32 %52, 1
  %idxprom52 = sext i32 %sub51 to i64
  %arrayidx53 = getelementptr inbounds i32, ptr %51, i64 %idxprom52
  %53 = load i32, ptr %arrayidx53, align 4
  %call54 = call i32 @max(i32 noundef %50, i32 noundef %53)
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond55 = phi i32 [ %add50, %cond.true ], [ %call54, %cond.false ]
  %54 = load ptr, ptr %common, align 8
  %55 = load i32, ptr %j22, align 4
  %idxprom56 = sext i32 %55 to i64
  %arrayidx57 = getelementptr inbounds i32, ptr %54, i64 %idxprom56
  store i32 %cond55, ptr %arrayidx57, align 4
  %56 = load i32, ptr %above, align 4
  store i32 %56, ptr %diagonal, align 4
  %57 = load i32, ptr %over, align 4
  store i32 %57, ptr %corner, align 4
  br label %for.inc58

for.inc58:                                        ; preds = %cond.end
  %58 = load i32, ptr %j22, align 4
  %inc59 = add nsw i32 %58, 1
  store i32 %inc59, ptr %j22, align 4
  br label %for.cond23, !llvm.loop !9

for.end60:                                        ; preds = %for.cond23
  br label %for.inc61

for.inc61:                                        ; preds = %for.end60
  %59 = load i32, ptr %i15, align 4
  %inc62 = add nsw i32 %59, 1
  store i32 %inc62, ptr %i15, align 4
  br label %for.cond16, !llvm.loop !10

for.end63:                                        ; preds = %for.cond16
  %60 = load ptr, ptr %row, align 8
  %61 = load i32, ptr %n.addr, align 4
  %idxprom64 = sext i32 %61 to i64
  %arrayidx65 = getelementptr inbounds i32, ptr %60, i64 %idxprom64
  %62 = load i32, ptr %arrayidx65, align 4
  %mul66 = mul nsw i32 %62, 1000
  %63 = load ptr, ptr %common, align 8
  %64 = load i32, ptr %n.addr, align 4
  %idxprom67 = sext i32 %64 to i64
  %arrayidx68 = getelementptr inbounds i32, ptr %63, i64 %idxprom67
  %65 = load i32, ptr %arrayidx68, align 4
  %add69 = add nsw i32 %mul66, %65
  ret i32 %add69
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @min(i32 noundef %a, i32 noundef %b) #0 {
entry:
  %a.addr = alloca i32, align 4
  %b.addr = alloca i32, align 4
  store i32 %a, ptr %a.addr, align 4
  store i32 %b, ptr %b.addr, align 4
  %0 = load i32, ptr %a.addr, align 4
  %1 = load i32, ptr %b.addr, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %cond.true, label %cond.false

cond.true:                                        ; preds = %entry
  %2 = load i32, ptr %a.addr, align 4
  br label %cond.end

cond.false:                                       ; preds = %entry
  %3 = load i32, ptr %b.addr, align 4
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %2, %cond.true ], [ %3, %cond.false ]
  ret i32 %cond
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @max(i32 noundef %a, i32 noundef %b) #0 {
entry:
  %a.addr = alloca i32, align 4
  %b.addr = alloca i32, align 4
  store i32 %a, ptr %a.addr, align 4
  store i32 %b, ptr %b.addr, align 4
  %0 = load i32, ptr %a.addr, align 4
  %1 = load i32, ptr %b.addr, align 4
  %cmp = icmp sgt i32 %0, %1
  br i1 %cmp, label %cond.true, label %cond.false

cond.true:                                        ; preds = %entry
  %2 = load i32, ptr %a.addr, align 4
  br label %cond.end

cond.false:                                       ; preds = %entry
  %3 = load i32, ptr %b.addr, align 4
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %2, %cond.true ], [ %3, %cond.false ]
  ret i32 %cond
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

source_filename = "image.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %from = alloca ptr, align 8
  %to = alloca ptr, align 8
  %y = alloca i32, align 4
  %x = alloca i32, align 4
  %sum = alloca i32, align 4
  %dy = alloca i32, align 4
  %dx = alloca i32, align 4
  %weight = alloca i32, align 4
  %hash = alloca i32, align 4
  %y31 = alloca i32, align 4
  %x37 = alloca i32, align 4
  %around = alloca i32, align 4
  %d = alloca i32, align 4
  %alive = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  store ptr %0, ptr %from, align 8
  %1 = load ptr, ptr %heap.addr, align 8
  %add.ptr = getelementptr inbounds i8, ptr %1, i64 65536
  store ptr %add.ptr, ptr %to, align 8
  store i32 1, ptr %y, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc28, %entry
  %2 = load i32, ptr %y, align 4
  %3 = load i32, ptr %n.addr, align 4
  %sub = sub nsw i32 %3, 1
  %cmp = icmp slt i32 %2, %sub
  br i1 %cmp, label %for.body, label %for.end30

for.body:                                         ; preds = %for.cond
  store i32 1, ptr %x, align 4
  br label %for.cond1

for.cond1:                                        ; preds = %for.inc25, %for.body
  %4 = load i32, ptr %x, align 4
  %5 = load i32, ptr %n.addr, align 4
  %sub2 = sub nsw i32 %5, 1
  %cmp3 = icmp slt i32 %4, %sub2
  br i1 %cmp3, label %for.body4, label %for.end27

for.body4:                                        ; preds = %for.cond1
  store i32 0, ptr %sum, align 4
  store i32 -1, ptr %dy, align 4
  br label %for.cond5

for.cond5:                                        ; preds = %for.inc17, %for.body4
  %6 = load i32, ptr %dy, align 4
  %cmp6 = icmp sle i32 %6, 1
  br i1 %cmp6, label %for.body7, label %for.end19

for.body7:                                        ; preds = %for.cond5
  store i32 -1, ptr %dx, align 4
  br label %for.cond8

for.cond8:                                        ; preds = %for.inc, %for.body7
  %7 = load i32, ptr %dx, align 4
  %cmp9 = icmp sle i32 %7, 1
  br i1 %cmp9, label %for.body10, label %for.end

for.body10:                                       ; preds = %for.cond8
  %8 = load i32, ptr %dx, align 4
  %cmp11 = icmp eq i32 %8, 0
  br i1 %cmp11, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %for.body10
  %9 = load i32, ptr %dy, align 4
  %cmp12 = icmp eq i32 %9, 0
  br label %land.end

land.end:                                         ; preds = %land.rhs, %for.body10
  %10 = phi i1 [ false, %for.body10 ], [ %cmp12, %land.rhs ]
  %11 = zext i1 %10 to i64
  %cond = select i1 %10, i32 12, i32 -1
  store i32 %cond, ptr %weight, align 4
  %12 = load i32, ptr %weight, align 4
  %13 = load ptr, ptr %from, align 8
  %14 = load i32, ptr %y, align 4
  %15 = load i32, ptr %dy, align 4
  %add = add nsw i32 %14, %15
  %16 = load i32, ptr %n.addr, align 4
  %mul = mul nsw i32 %add, %16
  %17 = load i32, ptr %x, align 4
  %18 = load i32, ptr %dx, align 4
  %add13 = add nsw i32 %17, %18
  %add14 = add nsw i32 %mul, %add13
  %idxprom = sext i32 %add14 to i64
  %arrayidx = getelementptr inbounds i8, ptr %13, i64 %idxprom
  %19 = load i8, ptr %arrayidx, align 1
  %conv = zext i8 %19 to i32
  %mul15 = mul nsw i32 %12, %conv
  %20 = load i32, ptr %sum, align 4
  %add16 = add nsw i32 %20, %mul15
  store i32 %add16, ptr %sum, align 4
  br label %for.inc

for.inc:                                          ; preds = %land.end
  %21 = load i32, ptr %dx, align 4
  %inc = add nsw i32 %21, 1
  store i32 %inc, ptr %dx, align 4
  br label %for.cond8, !llvm.loop !6

for.end:                                          ; preds = %for.cond8
  br label %for.inc17

for.inc17:                                        ; preds = %for.end
  %22 = load i32, ptr %dy, align 4
  %inc18 = add nsw i32 %22, 1
  store i32 %inc18, ptr %dy, align 4
  br label %for.cond5, !llvm.loop !8

for.end19:                                        ; preds = %for.cond5
  %23 = load i32, ptr %sum, align 4
  %shr = ashr i32 %23, 2
  %call = call i32 @clamp(i32 noundef %shr)
  %conv20 = trunc i32 %call to i8
  %24 = load ptr, ptr %to, align 8
  %25 = load i32, ptr %y, align 4
  %26 = load i32, ptr %n.addr, align 4
  %mul21 = mul nsw i32 %25, %26
  %27 = load i32, ptr %x, align 4
  %add22 = add nsw i32 %mul21, %27
  %idxprom23 = sext i32 %add22 to i64
  %arrayidx24 = getelementptr inbounds i8, ptr %24, i64 %idxprom23
  store i8 %conv20, ptr %arrayidx24, align 1
  br label %for.inc25

for.inc25:                                        ; preds = %for.end19
  %28 = load i32, ptr %x, align 4
  %inc26 = add nsw i32 %28, 1
  store i32 %inc26, ptr %x, align 4
  br label %for.cond1, !llvm.loop !9

for.end27:                                        ; preds = %for.cond1
  br label %for.inc28

for.inc28:                                        ; preds = %for.end27
  %29 = load i32, ptr %y, align 4
  %inc29 = add nsw i32 %29, 1
  store i32 %inc29, ptr %y, align 4
  br label %for.cond, !llvm.loop !10

for.end30:                                        ; preds = %for.cond
  store i32 0, ptr %hash, align 4
  store i32 1, ptr %y31, align 4
  br label %for.cond32

for.cond32:                                       ; preds = %for.inc79, %for.end30
  %30 = load i32, ptr %y31, align 4
  %31 = load i32, ptr %n.addr, align 4
  %sub33 = sub nsw i32 %31, 1
  %cmp34 = icmp slt i32 %30, %sub33
  br i1 %cmp34, label %for.body36, label %for.end81

for.body36:                                       ; preds = %for.cond32
  store i32 1, ptr %x37, align 4
  br label %for.cond38

for.cond38:                                       ; preds = %for.inc76, %for.body36
  %32 = load i32, ptr %x37, align 4
  %33 = load i32, ptr %n.addr, align 4
  %sub39 = sub nsw i32 %33, 1
  %cmp40 = icmp slt i32 %32, %sub39
  br i1 %cmp40, label %for.body42, label %for.end78

for.body42:                                       ; preds = %for.cond38
  store i32 0, ptr %around, align 4
  store i32 0, ptr %d, align 4
  br label %for.cond43

for.cond43:                                       ; preds = %for.inc59, %for.body42
  %34 = load i32, ptr %d, align 4
  %cmp44 = icmp slt i32 %34, 9
  br i1 %cmp44, label %for.body46, label %for.end61

for.body46:                                       ; preds = %for.cond43
  %35 = load i32, ptr %d, align 4
  %cmp47 = icmp ne i32 %35, 4
  br i1 %cmp47, label %if.then, label %if.end

if.then:                                          ; preds = %for.body46
  %36 = load ptr, ptr %to, align 8
  %37 = load i32, ptr %y31, align 4
  %38 = load i32, ptr %d, align 4
  %div = sdiv i32 %38, 3
  %add49 = add nsw i32 %37, %div
  %sub50 = sub nsw i32 %add49, 1
  %39 = load i32, ptr %n.addr, align 4
  %mul51 = mul nsw i32 %sub50, %39
  %40 = load i32, ptr %x37, align 4
  %add52 = add nsw i32 %mul51, %40
  %41 = load i32, ptr %d, align 4
  %rem = srem i32 %41, 3
  %add53 = add nsw i32 %add52, %rem
  %sub54 = sub nsw i32 %add53, 1
  %idxprom55 = sext i32 %sub54 to i64
  %arrayidx56 = getelementptr inbounds i8, ptr %36, i64 %idxprom55
  %42 = load i8, ptr %arrayidx56, align 1
  %conv57 = zext i8 %42 to i32
  %and = and i32 %conv57, 1
  %43 = load i32, ptr %around, align 4
  %add58 = add nsw i32 %43, %and
  store i32 %add58, ptr %around, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body46
  br label %for.inc59

for.inc59:                                        ; preds = %if.end
  %44 = load i32, ptr %d, align 4
  %inc60 = add nsw i32 %44, 1
  store i32 %inc60, ptr %d, align 4
  br label %for.cond43, !llvm.loop !11

for.end61:                                        ; preds = %for.cond43
  %45 = load i32, ptr %around, align 4
  %cmp62 = icmp eq i32 %45, 3
  br i1 %cmp62, label %lor.end, label %lor.rhs

lor.rhs:                                          ; preds = %for.end61
  %46 = load i32, ptr %around, align 4
  %cmp64 = icmp eq i32 %46, 2
  br i1 %cmp64, label %land.rhs66, label %land.end73

land.rhs66:                                       ; preds = %lor.rhs
  %47 = load ptr, ptr %to, align 8
  %48 = load i32, ptr %y31, align 4
  %49 = load i32, ptr %n.addr, align 4
  %mul67 = mul nsw i32 %48, %49
  %50 = load i32, ptr %x37, align 4
  %add68 = add nsw i32 %mul67, %50
  %idxprom69 = sext i32 %add68 to i64
  %arrayidx70 = getelementptr inbounds i8, ptr %47, i64 %idxprom69
  %51 = load i8, ptr %arrayidx70, align 1
  %conv71 = zext i8 %51 to i32
  %and72 = and i32 %conv71, 1
  %tobool = icmp ne i32 %and72, 0
  br label %land.end73

land.end73:                                       ; preds = %land.rhs66, %lor.rhs
  %52 = phi i1 [ false, %lor.rhs ], [ %tobool, %land.rhs66 ]
  br label %lor.end

lor.end:                                          ; preds = %land.end73, %for.end61
  %53 = phi i1 [ true, %for.end61 ], [ %52, %land.end73 ]
  %lor.ext = zext i1 %53 to i32
  store i32 %lor.ext, ptr %alive, align 4
  %54 = load i32, ptr %hash, align 4
  %mul74 = mul i32 %54, 3
  %55 = load i32, ptr %alive, align 4
  %add75 = add i32 %mul74, %55
  store i32 %add75, ptr %hash, align 4
  br label %for.inc76

for.inc76:                                        ; preds = %lor.end
  %56 = load i32, ptr %x37, align 4
  %inc77 = add nsw i32 %56, 1
  store i32 %inc77, ptr %x37, align 4
  br label %for.cond38, !llvm.loop !12

for.end78:                                        ; preds = %for.cond38
  br label %for.inc79

for.inc79:                                        ; preds = %for.end78
  %57 = load i32, ptr %y31, align 4
  %inc80 = add nsw i32 %57, 1
  store i32 %inc80, ptr %y31, align 4
  br label %for.cond32, !llvm.loop !13

for.end81:                                        ; preds = %for.cond32
  %58 = load i32, ptr %hash, align 4
  ret i32 %58
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @clamp(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  store i32 %x, ptr %x.addr, align 4
  %0 = load i32, ptr %x.addr, align 4
  %cmp = icmp slt i32 %0, 0
  br i1 %cmp, label %cond.true, label %cond.false

cond.true:                                        ; preds = %entry
  br label %cond.end4

cond.false:                                       ; preds = %entry
  %1 = load i32, ptr %x.addr, align 4
  %cmp1 = icmp sgt i32 %1, 255
  br i1 %cmp1, label %cond.true2, label %cond.false3

cond.true2:                                       ; preds = %cond.false
  br label %cond.end

cond.false3:                                      ; preds = %cond.false
  %2 = load i32, ptr %x.addr, align 4
  br label %cond.end

cond.end:                                         ; preds = %cond.false3, %cond.true2
  %cond = phi i32 [ 255, %cond.true2 ], [ %2, %cond.false3 ]
  br label %cond.end4

cond.end4:                                        ; preds = %cond.end, %cond.true
  %cond5 = phi i32 [ 0, %cond.true ], [ %cond, %cond.end ]
  ret i32 %cond5
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
!12 = distinct !{!12, !7}
!13 = distinct !{!13, !7}

source_filename = "product.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %a = alloca ptr, align 8
  %b = alloca ptr, align 8
  %c = alloca ptr, align 8
  %i = alloca i32, align 4
  %j = alloca i32, align 4
  %sum = alloca i32, align 4
  %k = alloca i32, align 4
  %trace = alloca i32, align 4
  %i27 = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  store ptr %0, ptr %a, align 8
  %1 = load ptr, ptr %a, align 8
  %2 = load i32, ptr %n.addr, align 4
  %3 = load i32, ptr %n.addr, align 4
  %mul = mul nsw i32 %2, %3
  %idx.ext = sext i32 %mul to i64
  %add.ptr = getelementptr inbounds i32, ptr %1, i64 %idx.ext
  store ptr %add.ptr, ptr %b, align 8
  %4 = load ptr, ptr %b, align 8
  %5 = load i32, ptr %n.addr, align 4
  %6 = load i32, ptr %n.addr, align 4
  %mul1 = mul nsw i32 %5, %6
  %idx.ext2 = sext i32 %mul1 to i64
  %add.ptr3 = getelementptr inbounds i32, ptr %4, i64 %idx.ext2
  store ptr %add.ptr3, ptr %c, align 8
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc24, %entry
  %7 = load i32, ptr %i, align 4
  %8 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %7, %8
  br i1 %cmp, label %for.body, label %for.end26

for.body:                                         ; preds = %for.cond
  store i32 0, ptr %j, align 4
  br label %for.cond4

for.cond4:                                        ; preds = %for.inc21, %for.body
  %9 = load i32, ptr %j, align 4
  %10 = load i32, ptr %n.addr, align 4
  %cmp5 = icmp slt i32 %9, %10
  br i1 %cmp5, label %for.body6, label %for.end23

for.body6:                                        ; preds = %for.cond4
  store i32 0, ptr %sum, align 4
  store i32 0, ptr %k, align 4
  br label %for.cond7

for.cond7:                                        ; preds = %for.inc, %for.body6
  %11 = load i32, ptr %k, align 4
  %12 = load i32, ptr %n.addr, align 4
  %cmp8 = icmp slt i32 %11, %12
  br i1 %cmp8, label %for.body9, label %for.end

for.body9:                                        ; preds = %for.cond7
  %13 = load ptr, ptr %a, align 8
  %14 = load i32, ptr %i, align 4
  %15 = load i32, ptr %n.addr, align 4
  %mul10 = mul nsw i32 %14, %15
  %16 = load i32, ptr %k, align 4
  %add = add nsw i32 %mul10, %16
  %idxprom = sext i32 %add to i64
  %arrayidx = getelementptr inbounds i32, ptr %13, i64 %idxprom
  %17 = load i32, ptr %arrayidx, align 4
  %18 = load ptr, ptr %b, align 8
  %19 = load i32, ptr %k, align 4
  %20 = load i32, ptr %n.addr, align 4
  %mul11 = mul nsw i32 %19, %20
  %21 = load i32, ptr %j, align 4
  %add12 = add nsw i32 %mul11, %21
  %idxprom13 = sext i32 %add12 to i64
  %arrayidx14 = getelementptr inbounds i32, ptr %18, i64 %idxprom13
  %22 = load i32, ptr %arrayidx14, align 4
  %mul15 = mul nsw i32 %17, %22
  %23 = load i32, ptr %sum, align 4
  %add16 = add nsw i32 %23, %mul15
  store i32 %add16, ptr %sum, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body9
  %24 = load i32, ptr %k, align 4
  %inc = add nsw i32 %24, 1
  store i32 %inc, ptr %k, align 4
  br label %for.cond7, !llvm.loop !6

for.end:                                          ; preds = %for.cond7
  %25 = load i32, ptr %sum, align 4
  %26 = load ptr, ptr %c, align 8
  %27 = load i32, ptr %i, align 4
  %28 = load i32, ptr %n.addr, align 4
  %mul17 = mul nsw i32 %27, %28
  %29 = load i32, ptr %j, align 4
  %add18 = add nsw i32 %mul17, %29
  %idxprom19 = sext i32 %add18 to i64
  %arrayidx20 = getelementptr inbounds i32, ptr %26, i64 %idxprom19
  store i32 %25, ptr %arrayidx20, align 4
  br label %for.inc21

for.inc21:                                        ; preds = %for.end
  %30 = load i32, ptr %j, align 4
  %inc22 = add nsw i32 %30, 1
  store i32 %inc22, ptr %j, align 4
  br label %for.cond4, !llvm.loop !8

for.end23:                                        ; preds = %for.cond4
  br label %for.inc24

for.inc24:                                        ; preds = %for.end23
  %31 = load i32, ptr %i, align 4
  %inc25 = add nsw i32 %31, 1
  store i32 %inc25, ptr %i, align 4
  br label %for.cond, !llvm.loop !9

for.end26:                                        ; preds = %for.cond
  store i32 0, ptr %trace, align 4
  store i32 0, ptr %i27, align 4
  br label %for.cond28

for.cond28:                                       ; preds = %for.inc38, %for.end26
  %32 = load i32, ptr %i27, align 4
  %33 = load i32, ptr %n.addr, align 4
  %cmp29 = icmp slt i32 %32, %33
  br i1 %cmp29, label %for.body30, label %for.end40

for.body30:                                       ; preds = %for.cond28
  %34 = load i32, ptr %trace, align 4
  %mul31 = mul nsw i32 %34, 7
  %35 = load ptr, ptr %c, align 8
  %36 = load i32, ptr %i27, align 4
  %37 = load i32, ptr %n.addr, align 4
  %mul32 = mul nsw i32 %36, %37
  %38 = load i32, ptr %n.addr, align 4
  %sub = sub nsw i32 %38, 1
  %39 = load i32, ptr %i27, align 4
  %sub33 = sub nsw i32 %sub, %39
  %add34 = add nsw i32 %mul32, %sub33
  %idxprom35 = sext i32 %add34 to i64
  %arrayidx36 = getelementptr inbounds i32, ptr %35, i64 %idxprom35
  %40 = load i32, ptr %arrayidx36, align 4
  %add37 = add nsw i32 %mul31, %40
  store i32 %add37, ptr %trace, align 4
  br label %for.inc38

for.inc38:                                        ; preds = %for.body30
  %41 = load i32, ptr %i27, align 4
  %inc39 = add nsw i32 %41, 1
  store i32 %inc39, ptr %i27, align 4
  br label %for.cond28, !llvm.loop !10

for.end40:                                        ; preds = %for.cond28
  %42 = load i32, ptr %trace, align 4
  ret i32 %42
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

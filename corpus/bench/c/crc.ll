source_filename = "crc.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %crc = alloca i32, align 4
  %i = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  store i32 -1, ptr %crc, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, ptr %i, align 4
  %1 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %2 = load i32, ptr %crc, align 4
  %3 = load ptr, ptr %heap.addr, align 8
  %4 = load i32, ptr %i, align 4
  %idxprom = sext i32 %4 to i64
  %arrayidx = getelementptr inbounds i8, ptr %3, i64 %idxprom
  %5 = load i8, ptr %arrayidx, align 1
  %call = call i32 @step(i32 noundef %2, i8 noundef zeroext %5)
  store i32 %call, ptr %crc, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %6 = load i32, ptr %i, align 4
  %inc = add nsw i32 %6, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  %7 = load i32, ptr %crc, align 4
  %not = xor i32 %7, -1
  ret i32 %not
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @step(i32 noundef %crc, i8 noundef zeroext %byte) #0 {
entry:
  %crc.addr = alloca i32, align 4
  %byte.addr = alloca i8, align 1
  %k = alloca i32, align 4
  store i32 %crc, ptr %crc.addr, align 4
  store i8 %byte, ptr %byte.addr, align 1
  %0 = load i8, ptr %byte.addr, align 1
  %conv = zext i8 %0 to i32
  %1 = load i32, ptr %crc.addr, align 4
  %xor = xor i32 %1, %conv
  store i32 %xor, ptr %crc.addr, align 4
  store i32 0, ptr %k, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %2 = load i32, ptr %k, align 4
  %cmp = icmp slt i32 %2, 8
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %3 = load i32, ptr %crc.addr, align 4
  %shr = lshr i32 %3, 1
  %4 = load i32, ptr %crc.addr, align 4
  %and = and i32 %4, 1
  %tobool = icmp ne i32 %and, 0
  %5 = zext i1 %tobool to i64
  %cond = select i1 %tobool, i32 -306674912, i32 0
  %xor2 = xor i32 %shr, %cond
  store i32 %xor2, ptr %crc.addr, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %6 = load i32, ptr %k, align 4
  %inc = add nsw i32 %6, 1
  store i32 %inc, ptr %k, align 4
  br label %for.cond, !llvm.loop !8

for.end:                                          ; preds = %for.cond
  %7 = load i32, ptr %crc.addr, align 4
  ret i32 %7
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
